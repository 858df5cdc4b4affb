#pragma once

#include <chrono>

namespace abut {

/// Says when the next step of a simulation is due that goes at a given speed. One that cannot keep
/// up falls behind: it does not try to make good what it lost.
class Pacer {
 public:
  using Clock = std::chrono::steady_clock;

  /// From `now` on, at simulated time `time` [s], `speed` simulated seconds pass per second.
  void start(Clock::time_point now, double time, double speed) {
    start_ = now;
    time_ = time;
    speed_ = speed;
  }

  /// Wall time until simulated time `time` is due; not positive if it is [s].
  double wait(Clock::time_point now, double time) {
    const double wait = (time - time_) / speed_ - seconds(now - start_);
    if (wait >= -largest_delay) return wait;
    start(now, time, speed_);
    return 0;
  }

 private:
  static constexpr double largest_delay = 0.1;  // what a pause of the system may cost [s]
  static double seconds(Clock::duration d) { return std::chrono::duration<double>(d).count(); }

  Clock::time_point start_;
  double time_ = 0, speed_ = 1;
};

}  // namespace abut
