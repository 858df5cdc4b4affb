#pragma once

// Kernels are compiled once per instruction set, each time in a namespace isa_<set> that has a
// table of its functions. Which of the tables runs is chosen here, for all kernels.

#include <atomic>
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

/// The tables of that name in the namespaces of all sets, for an IsaTable.
#define ABUT_ISA_TABLES(table) \
  isa_baseline::table, ABUT_IF_AVX2(isa_avx2::table), ABUT_IF_AVX512(isa_avx512::table)

namespace abut {

/// One table for each set; get() gives that of active_isa(), for which it looks once.
template <class Table>
class IsaTable {
 public:
  /// Null stands for a set that this build does not have: active_isa() is none of them.
  constexpr IsaTable(const Table& baseline, const std::type_identity_t<Table>* avx2,
                     const std::type_identity_t<Table>* avx512)
      : baseline_(&baseline), avx2_(avx2), avx512_(avx512) {}

  const Table& get() {
    const Table* table = active_.load(std::memory_order_relaxed);
    if (table == nullptr) [[unlikely]] {
      table = choose();
      active_.store(table, std::memory_order_relaxed);  // by whichever thread, the same one
    }
    return *table;
  }

 private:
  [[gnu::cold, gnu::noinline]] const Table* choose() const {
    switch (active_isa()) {
      case Isa::baseline: break;
      case Isa::avx2: return avx2_;
      case Isa::avx512: return avx512_;
    }
    return baseline_;
  }

  std::atomic<const Table*> active_ = nullptr;
  const Table *baseline_, *avx2_, *avx512_;
};

}  // namespace abut
