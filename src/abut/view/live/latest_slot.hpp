#pragma once

#include <atomic>

namespace abut {

/// Hands the newest of a series of values from one thread to another: neither ever waits, and what
/// is not taken in time is replaced. Three values that keep their memory.
template <class T>
class LatestSlot {
 public:
  /// The writer's value, which it may change until it publishes it.
  T& back() { return values_[back_]; }
  void publish() { back_ = middle_.exchange(back_ | fresh, std::memory_order_acq_rel) & index; }

  /// Makes the newest value the reader's; false if it has it already.
  bool take() {
    if ((middle_.load(std::memory_order_relaxed) & fresh) == 0) return false;
    front_ = middle_.exchange(front_, std::memory_order_acq_rel) & index;
    return true;
  }
  const T& front() const { return values_[front_]; }

 private:
  static constexpr int index = 3, fresh = 4;
  T values_[3];
  int back_ = 0, front_ = 1;
  std::atomic<int> middle_{2};
};

}  // namespace abut
