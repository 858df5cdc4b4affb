#include "abut/geometry/box_kernels.hpp"

#include "abut/core/isa_table.hpp"

namespace abut {

const BoxKernels& box_kernels() {
  static constinit IsaTable table(ABUT_ISA_TABLES(box_table));
  return table.get();
}

}  // namespace abut
