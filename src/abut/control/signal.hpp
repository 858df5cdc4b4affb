#pragma once

#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "abut/core/error.hpp"

namespace abut {

/// A number per channel that does not change.
struct ConstantSignal {
  std::vector<double> values;
};

/// offset + amplitude sin(2 pi frequency t + phase), the same for all channels.
struct SineSignal {
  double amplitude = 0;
  double frequency = 1;  ///< [Hz]
  double phase = 0;      ///< [rad]
  double offset = 0;
};

/// Straight lines between knots; before the first and after the last knot it stays.
struct TrajectorySignal {
  int channels = 0;
  std::vector<double> times;   ///< [s], rising
  std::vector<double> values;  ///< times.size() x channels, knot by knot
};

/// A new number in [lower, upper) for each channel after each interval: a function of seed, channel
/// and time alone.
struct RandomSignal {
  std::vector<double> lower, upper;  ///< by channel
  double interval = 0.1;             ///< [s]
  std::uint64_t seed = 0;
};

/// Values over time.
using Signal = std::variant<ConstantSignal, SineSignal, TrajectorySignal, RandomSignal>;

double value_at(const Signal& signal, int channel, double time);

/// Mean rate from `time` to `time` + dt [1/s]; 0 for random signals, which jump.
double mean_rate(const Signal& signal, int channel, double time, double dt);

/// The least and the largest value that a channel may have.
std::pair<double, double> value_range(const Signal& signal, int channel);

/// Throws InputError unless all numbers are finite, each array has a number per channel, intervals
/// and frequencies are positive or zero, times rise and lower <= upper.
void validate(const Signal& signal, int channels, const Origin& at);

}  // namespace abut
