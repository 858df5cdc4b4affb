#include "abut/linalg/kernels.hpp"

#include "abut/core/isa.hpp"

namespace abut {

const LinalgKernels& linalg_kernels() {
  switch (active_isa()) {
#if defined(ABUT_HAS_ISA_avx512)
    case Isa::avx512: return isa_avx512::linalg_table;
#endif
#if defined(ABUT_HAS_ISA_avx2)
    case Isa::avx2: return isa_avx2::linalg_table;
#endif
    default: return isa_baseline::linalg_table;
  }
}

}  // namespace abut
