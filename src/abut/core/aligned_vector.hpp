#pragma once

#include <cstddef>
#include <new>
#include <utility>
#include <vector>

namespace abut {

/// Allocates on 64-byte boundaries, where no pack of eight doubles crosses a cache line. Leaves
/// new numbers uninitialized where no value is given.
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
  template <class U>
  void construct(U* p) {
    ::new (static_cast<void*>(p)) U;
  }
  template <class U, class... Arguments>
  void construct(U* p, Arguments&&... arguments) {
    ::new (static_cast<void*>(p)) U(std::forward<Arguments>(arguments)...);
  }
  bool operator==(const AlignedAllocator&) const = default;
};

/// A std::vector whose first element is on such a boundary, and whose resize(size) leaves what it
/// adds unset.
template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

}  // namespace abut
