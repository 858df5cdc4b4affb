#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace abut {

/// Numbers on a 64-byte boundary whose capacity only grows. resize() does not keep the contents.
template <class T>
requires std::is_trivially_copyable_v<T>
class AlignedBuffer {
 public:
  AlignedBuffer() = default;
  AlignedBuffer(const AlignedBuffer& other) { *this = other; }
  AlignedBuffer& operator=(const AlignedBuffer& other) {
    resize(other.size_);
    if (size_ > 0) std::memcpy(data_.get(), other.data_.get(), size_ * sizeof(T));
    return *this;
  }
  /// Leaves `other` empty, without capacity.
  AlignedBuffer(AlignedBuffer&& other) noexcept
      : data_(std::move(other.data_)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  AlignedBuffer& operator=(AlignedBuffer&& other) noexcept {
    data_ = std::move(other.data_);
    size_ = std::exchange(other.size_, 0);
    capacity_ = std::exchange(other.capacity_, 0);
    return *this;
  }

  /// New elements are not initialized.
  void resize(std::size_t size) {
    reserve(size);
    size_ = size;
  }
  /// Loses the contents where it must grow.
  void reserve(std::size_t size) {
    if (size > capacity_) get_room(size);
  }
  void fill_zero() {
    if (size_ > 0) std::memset(static_cast<void*>(data_.get()), 0, size_ * sizeof(T));
  }

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return data_.get()[i]; }
  const T& operator[](std::size_t i) const { return data_.get()[i]; }
  std::span<T> span() { return {data(), size_}; }
  std::span<const T> span() const { return {data(), size_}; }

 private:
  struct Free {
    void operator()(T* p) const { ::operator delete (static_cast<void*>(p), std::align_val_t{64}); }
  };
  [[gnu::cold, gnu::noinline]] void get_room(std::size_t size) {
    const std::size_t capacity = size > 2 * capacity_ ? size : 2 * capacity_;
    data_.reset(static_cast<T*>(::operator new (capacity * sizeof(T), std::align_val_t{64})));
    capacity_ = capacity;
  }

  std::unique_ptr<T, Free> data_;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace abut
