#include "abut/solvers/primal/contact_kernels.hpp"

#include "abut/core/isa.hpp"

namespace abut {

const ContactKernels& contact_kernels() {
  switch (active_isa()) {
#if defined(ABUT_HAS_ISA_avx512)
    case Isa::avx512: return isa_avx512::contact_table;
#endif
#if defined(ABUT_HAS_ISA_avx2)
    case Isa::avx2: return isa_avx2::contact_table;
#endif
    default: return isa_baseline::contact_table;
  }
}

}  // namespace abut
