#pragma once

// Vectors of eight contacts in the fields of ContactArrays. Kernel code, see simd.hpp.

#include "abut/linalg/simd.hpp"  // before the laws' numbers: they call its functions

#include "abut/laws/real.hpp"
#include "abut/solvers/primal/contact_kernels.hpp"

namespace abut::ABUT_ISA {
namespace {

ABUT_INLINE Triple<Pack> load3(const ContactArrays& c, ContactField first, std::int64_t i) {
  const double* p = c[first] + i;
  return {load(p), load(p + c.stride), load(p + 2 * c.stride)};
}
ABUT_INLINE void store3(const ContactArrays& c, ContactField first, std::int64_t i,
                        const Triple<Pack>& v) {
  double* p = c[first] + i;
  store(p, v.x), store(p + c.stride, v.y), store(p + 2 * c.stride, v.z);
}

}  // namespace
}  // namespace abut::ABUT_ISA
