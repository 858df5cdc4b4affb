#pragma once

#include <array>
#include <chrono>

#include "abut/core/fastest_way.hpp"
#include "abut/core/parallel.hpp"

namespace abut {

/// Chooses which parts of a step its threads share, by what takes least time: none, the solve, the
/// contact query too, or all (docs/decisions/memory.md). Does nothing without a pool.
class ThreadUse {
 public:
  enum class Part { solve, contact_query, loops };
  static constexpr int parts = 3;

  using Clock = double();  ///< [s]

  /// Shares all if `share_all`, faster or not.
  explicit ThreadUse(ThreadPool* pool, bool share_all = false, Clock& clock = steady_seconds)
      : pool_(pool), share_all_(share_all), clock_(clock) {}

  /// A step begins; so does its first part.
  void start(Part part) {
    if (pool_ == nullptr) return;
    seconds_ = {};
    last_ = clock_();
    begin(part);
  }
  /// What follows belongs to this part.
  void go_on(Part part) {
    if (pool_ == nullptr) return;
    lap();
    begin(part);
  }
  /// What follows, until go_on_after_pause(), is not the step's.
  void pause() {
    if (pool_ != nullptr) lap();
  }
  void go_on_after_pause(Part part) {
    if (pool_ == nullptr) return;
    last_ = clock_();
    begin(part);
  }
  /// The step is over. `work`: how much each part had to do, in any unit.
  void finish(const std::array<double, parts>& work) {
    if (pool_ == nullptr) return;
    lap();
    choice_.took(seconds_, work);
  }

 private:
  static double steady_seconds() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double>(now).count();
  }
  void begin(Part part) {
    part_ = static_cast<int>(part);
    pool_->share(share_all_ || part_ < choice_.way());
  }
  void lap() {
    const double now = clock_();
    seconds_[part_] += now - last_;
    last_ = now;
  }

  ThreadPool* pool_;
  bool share_all_;
  Clock* clock_;
  FastestWay choice_{parts + 1, parts};  ///< how many parts are shared, from the first on
  std::array<double, parts> seconds_{};
  int part_ = 0;
  double last_ = 0;
};

}  // namespace abut
