#pragma once

#include <array>
#include <chrono>

#include "abut/core/fastest_way.hpp"
#include "abut/core/parallel.hpp"

namespace abut {

/// Which parts of a step its threads share: none of them, or more and more, the largest pieces of
/// work first, as what takes least time (docs/decisions/memory.md). Does nothing without a pool.
class ThreadUse {
 public:
  enum class Part { solve, contact_query, loops };
  static constexpr int parts = 3;

  explicit ThreadUse(ThreadPool* pool) : pool_(pool) {}

  /// A step begins; so does its first part.
  void start(Part part) {
    if (pool_ == nullptr) return;
    seconds_ = {};
    last_ = Clock::now();
    begin(part);
  }
  /// What follows belongs to this part.
  void go_on(Part part) {
    if (pool_ == nullptr) return;
    lap();
    begin(part);
  }
  /// The step is over, but for loops when it is accepted. `work`: how much each part had to do, in
  /// any unit.
  void finish(const std::array<double, parts>& work) {
    if (pool_ == nullptr) return;
    lap();
    shared_.took(seconds_, work);
    begin(Part::loops);
  }

 private:
  using Clock = std::chrono::steady_clock;
  void begin(Part part) {
    part_ = static_cast<int>(part);
    pool_->share(part_ < shared_.way());
  }
  void lap() {
    const Clock::time_point now = Clock::now();
    seconds_[part_] += std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }

  ThreadPool* pool_;
  FastestWay shared_{parts + 1, parts};  ///< a way is the number of parts
  std::array<double, parts> seconds_{};
  int part_ = 0;
  Clock::time_point last_;
};

}  // namespace abut
