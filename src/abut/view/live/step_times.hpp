#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace abut {

/// The wall times of steps, in classes 1 % wide.
class StepTimes {
 public:
  void add(double seconds) {
    const double i = std::log(std::max(seconds, shortest) / shortest) / std::log(width);
    ++count_[std::min(static_cast<std::size_t>(i), count_.size() - 1)];
    ++steps_;
    total_ += seconds;
  }

  std::uint64_t steps() const { return steps_; }
  double mean() const { return steps_ == 0 ? 0 : total_ / static_cast<double>(steps_); }  ///< [s]
  /// [s]; 0 if there are none.
  double median() const {
    std::uint64_t below = 0;
    for (std::size_t i = 0; i < count_.size(); ++i) {
      below += count_[i];
      if (2 * below > steps_) return shortest * std::pow(width, static_cast<double>(i) + 0.5);
    }
    return 0;
  }

 private:
  static constexpr double shortest = 1e-7, width = 1.01;
  std::array<std::uint64_t, 2200> count_{};  // up to 300 s
  std::uint64_t steps_ = 0;
  double total_ = 0;
};

}  // namespace abut
