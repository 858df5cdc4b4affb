#include "abut/control/signal.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace abut {

namespace {

/// A well-mixed function of all bits of x (splitmix64).
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

double value(const ConstantSignal& s, int channel, double) {
  return s.values[channel];
}

double value(const SineSignal& s, int, double time) {
  return s.offset + s.amplitude * std::sin(2 * std::numbers::pi * s.frequency * time + s.phase);
}

double value(const TrajectorySignal& s, int channel, double time) {
  const auto next = std::upper_bound(s.times.begin(), s.times.end(), time) - s.times.begin();
  const auto at = [&](std::ptrdiff_t knot) { return s.values[knot * s.channels + channel]; };
  if (next == 0) return at(0);
  if (next == std::ssize(s.times)) return at(next - 1);
  const double share = (time - s.times[next - 1]) / (s.times[next] - s.times[next - 1]);
  return at(next - 1) + share * (at(next) - at(next - 1));
}

double value(const RandomSignal& s, int channel, double time) {
  // a time that should be a whole number of intervals may lie a rounding below it
  const double interval = std::floor(time / s.interval + 1e-9);
  const std::uint64_t bits = mixed(mixed(mixed(s.seed) + static_cast<std::uint64_t>(channel)) +
                                   std::bit_cast<std::uint64_t>(interval + 0.0));
  const double share = static_cast<double>(bits >> 11) * 0x1p-53;
  return s.lower[channel] + share * (s.upper[channel] - s.lower[channel]);
}

using Range = std::pair<double, double>;

Range range(const ConstantSignal& s, int channel) {
  return {s.values[channel], s.values[channel]};
}

Range range(const SineSignal& s, int) {
  return {s.offset - std::abs(s.amplitude), s.offset + std::abs(s.amplitude)};
}

Range range(const TrajectorySignal& s, int channel) {
  Range r = {s.values[channel], s.values[channel]};
  for (std::size_t k = channel; k < s.values.size(); k += s.channels) {
    r = {std::min(r.first, s.values[k]), std::max(r.second, s.values[k])};
  }
  return r;
}

Range range(const RandomSignal& s, int channel) {
  return {s.lower[channel], s.upper[channel]};
}

void require_finite(double x, const char* name, const Origin& at) {
  // sums and gains of what is larger might overflow
  require(std::abs(x) <= 1e30, name, x, "", "must be finite, and at most 1e30", at);
}

void require_count(std::size_t count, int channels, const char* name, const Origin& at) {
  require(count == static_cast<std::size_t>(channels), name, static_cast<double>(count), "numbers",
          "must be one per channel", at);
}

void check(const ConstantSignal& s, int channels, const Origin& at) {
  require_count(s.values.size(), channels, "constant", at);
  for (const double x : s.values) require_finite(x, "constant", at);
}

void check(const SineSignal& s, int, const Origin& at) {
  require_finite(s.amplitude, "amplitude", at);
  require_finite(s.phase, "phase", at);
  require_finite(s.offset, "offset", at);
  require(s.frequency >= 0 && s.frequency <= 1e9, "frequency", s.frequency, "Hz",
          "must not be negative, and at most 1e9 Hz", at);
}

void check(const TrajectorySignal& s, int channels, const Origin& at) {
  require(s.channels == channels, "channels", s.channels, "",
          "must be as many as the controller has", at);
  require(!s.times.empty(), "knots", 0, "", "must be at least 1", at);
  require_count(s.values.size(), channels * static_cast<int>(s.times.size()), "values", at);
  for (const double x : s.values) require_finite(x, "values", at);
  for (std::size_t i = 0; i < s.times.size(); ++i) {
    require_finite(s.times[i], "time", at);
    require(i == 0 || s.times[i] > s.times[i - 1], "time", s.times[i], "s",
            "must be later than the one before", at);
  }
}

void check(const RandomSignal& s, int channels, const Origin& at) {
  require_count(s.lower.size(), channels, "lower", at);
  require_count(s.upper.size(), channels, "upper", at);
  require(s.interval > 0 && std::isfinite(s.interval), "interval", s.interval, "s",
          "must be positive and finite", at);
  for (int i = 0; i < channels; ++i) {
    require_finite(s.lower[i], "lower", at);
    require_finite(s.upper[i], "upper", at);
    require(s.lower[i] <= s.upper[i], "lower", s.lower[i], "", "must not exceed upper", at);
  }
}

}  // namespace

double value_at(const Signal& signal, int channel, double time) {
  return std::visit([&](const auto& s) { return value(s, channel, time); }, signal);
}

std::pair<double, double> value_range(const Signal& signal, int channel) {
  return std::visit([&](const auto& s) { return range(s, channel); }, signal);
}

double mean_rate(const Signal& signal, int channel, double time, double dt) {
  if (std::holds_alternative<RandomSignal>(signal)) return 0;
  return (value_at(signal, channel, time + dt) - value_at(signal, channel, time)) / dt;
}

void validate(const Signal& signal, int channels, const Origin& at) {
  std::visit([&](const auto& s) { check(s, channels, at); }, signal);
}

}  // namespace abut
