#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

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

/// The same while problems are solved: which one, by which solver.
class SolveProgress {
 public:
  SolveProgress();
  ~SolveProgress() { clear(); }
  SolveProgress(const SolveProgress&) = delete;
  SolveProgress& operator=(const SolveProgress&) = delete;

  void begin(std::size_t problem, std::size_t problems);
  void show(const std::string& what);
  /// Before anything else is written to the terminal.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  std::size_t problem_ = 1, problems_ = 1;
  bool shown_ = false, silent_;
  Clock::time_point start_, next_;
};

/// The same while a scene is loaded, of which nobody knows how long it will take: after a second it
/// says what is loaded, and for how long.
class LoadProgress {
 public:
  explicit LoadProgress(const std::string& path);
  ~LoadProgress();
  LoadProgress(const LoadProgress&) = delete;
  LoadProgress& operator=(const LoadProgress&) = delete;

 private:
  void run(const std::string& path);

  std::mutex mutex_;
  std::condition_variable ends_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace abut::cli
