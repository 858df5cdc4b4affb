#include "abut/linalg/kernels.hpp"

#include "abut/core/isa_table.hpp"

namespace abut {

const LinalgKernels& linalg_kernels() {
  static constinit IsaTable table(ABUT_ISA_TABLES(linalg_table));
  return table.get();
}

}  // namespace abut
