#include "abut/sim/course_kernels.hpp"

#include "abut/core/isa_table.hpp"

namespace abut {

const CourseKernels& course_kernels() {
  return ABUT_ACTIVE_TABLE(course_table);
}

}  // namespace abut
