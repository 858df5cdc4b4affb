#include "abut/linalg/kernels.hpp"

#include "abut/core/isa_table.hpp"

namespace abut {

const LinalgKernels& linalg_kernels() {
  return ABUT_ACTIVE_TABLE(linalg_table);
}

}  // namespace abut
