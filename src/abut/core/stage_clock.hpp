#pragma once

#include <chrono>
#include <cmath>

namespace abut {

/// Measures consecutive stages: each lap from the end of the one before. One that is not
/// running never looks at the system's clock, which is not free.
class StageClock {
 public:
  explicit StageClock(bool is_running) : is_running_(is_running) {}

  void start() {
    if (is_running_) last_ = Clock::now();
  }
  /// [s]; NaN if it is not running.
  double lap() {
    if (!is_running_) return NAN;
    const auto now = Clock::now();
    const std::chrono::duration<double> t = now - last_;
    last_ = now;
    return t.count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  bool is_running_;
  Clock::time_point last_;
};

}  // namespace abut
