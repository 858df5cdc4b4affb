#pragma once

#include <chrono>

namespace abut {

/// Measures consecutive stages: each lap from the end of the one before.
class StageClock {
 public:
  void start() { last_ = std::chrono::steady_clock::now(); }
  /// [s]
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::duration<double> t = now - last_;
    last_ = now;
    return t.count();
  }

 private:
  std::chrono::steady_clock::time_point last_;
};

}  // namespace abut
