#pragma once

// Kernels are compiled once per instruction set, each time in a namespace isa_<set> that has a
// table of its functions. Which of the tables runs is chosen here, for all kernels.

#include <type_traits>

#include "abut/core/isa.hpp"

#if defined(ABUT_HAS_ISA_avx2)
#define ABUT_IF_AVX2(table) &table
#else
#define ABUT_IF_AVX2(table) nullptr
#endif
#if defined(ABUT_HAS_ISA_avx512)
#define ABUT_IF_AVX512(table) &table
#else
#define ABUT_IF_AVX512(table) nullptr
#endif

/// The `table` of the namespace for active_isa().
#define ABUT_ACTIVE_TABLE(table)                                           \
  ::abut::choose_table(isa_baseline::table, ABUT_IF_AVX2(isa_avx2::table), \
                       ABUT_IF_AVX512(isa_avx512::table))

namespace abut {

/// Null stands for a set that this build does not have: active_isa() is none of them.
template <class Table>
const Table& choose_table(const Table& baseline, const std::type_identity_t<Table>* avx2,
                          const std::type_identity_t<Table>* avx512) {
  switch (active_isa()) {
    case Isa::baseline: break;
    case Isa::avx2: return *avx2;
    case Isa::avx512: return *avx512;
  }
  return baseline;
}

}  // namespace abut
