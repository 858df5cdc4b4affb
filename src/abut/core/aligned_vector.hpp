#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace abut {

/// Allocates on 64-byte boundaries, where no pack of eight doubles crosses a cache line.
template <class T>
struct AlignedAllocator {
  using value_type = T;

  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) {}

  T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new (count * sizeof(T), std::align_val_t{64}));
  }
  void deallocate(T* p, std::size_t) { ::operator delete (p, std::align_val_t{64}); }
  bool operator==(const AlignedAllocator&) const = default;
};

/// A std::vector whose first element is on such a boundary.
template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

}  // namespace abut
