#include "abut/trees/free_body_kernels.hpp"

#include "abut/core/isa_table.hpp"

namespace abut {

const FreeBodyKernels& free_body_kernels() {
  static constinit IsaTable table(ABUT_ISA_TABLES(free_body_table));
  return table.get();
}

}  // namespace abut
