#pragma once

#include <chrono>
#include <cstdint>

namespace abut::cli {

/// One line on the terminal that says how far a run is and how long it will take; silent where
/// standard error is no terminal, or if asked to be.
class Progress {
 public:
  Progress(std::uint64_t steps, double dt, bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(std::uint64_t done, int contacts);

 private:
  using Clock = std::chrono::steady_clock;
  std::uint64_t steps_;
  double dt_;
  bool shown_ = false, silent_;
  Clock::time_point start_, next_;
};

}  // namespace abut::cli
