#include "abut/sim/course_kernels.hpp"

#include "abut/core/isa_table.hpp"

namespace abut {

const CourseKernels& course_kernels() {
  static constinit IsaTable table(ABUT_ISA_TABLES(course_table));
  return table.get();
}

}  // namespace abut
