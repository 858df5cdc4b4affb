#include "progress.hpp"

#include <unistd.h>

#include <cstdio>

#include "abut/core/text.hpp"

namespace abut::cli {

Progress::Progress(std::uint64_t steps, double dt, bool quiet)
    : steps_(steps), dt_(dt), silent_(quiet || isatty(STDERR_FILENO) == 0) {
  using namespace std::chrono_literals;
  start_ = Clock::now();
  next_ = start_ + 300ms;
}

Progress::~Progress() {
  if (shown_) std::fprintf(stderr, "\r\033[K");
}

SolveProgress::SolveProgress() : silent_(isatty(STDERR_FILENO) == 0) {
  using namespace std::chrono_literals;
  start_ = Clock::now();
  next_ = start_ + 300ms;
}

void SolveProgress::begin(std::size_t problem, std::size_t problems) {
  problem_ = problem;
  problems_ = problems;
}

void SolveProgress::show(const std::string& what) {
  if (silent_ || Clock::now() < next_) return;
  using namespace std::chrono_literals;
  next_ = Clock::now() + 200ms;
  const std::chrono::duration<double> elapsed = Clock::now() - start_;
  std::fprintf(stderr, "\r\033[K%.0f s   problem %zu of %zu   %s", elapsed.count(), problem_,
               problems_, what.c_str());
  std::fflush(stderr);
  shown_ = true;
}

void SolveProgress::clear() {
  if (shown_) std::fprintf(stderr, "\r\033[K");
  shown_ = false;
}

LoadProgress::LoadProgress(const std::string& path) {
  if (isatty(STDERR_FILENO) != 0) thread_ = std::thread([this, path] { run(path); });
}

LoadProgress::~LoadProgress() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    done_ = true;
  }
  ends_.notify_one();
  thread_.join();
}

void LoadProgress::run(const std::string& path) {
  using namespace std::chrono_literals;
  std::unique_lock lock(mutex_);
  int seconds = 0;
  while (!ends_.wait_for(lock, 1s, [this] { return done_; })) {
    std::fprintf(stderr, "\r\033[Kloading %s: %d s", quote(path).c_str(), ++seconds);
    std::fflush(stderr);
  }
  if (seconds > 0) std::fprintf(stderr, "\r\033[K");
}

void Progress::update(std::uint64_t done, int contacts) {
  if (silent_ || Clock::now() < next_) return;
  using namespace std::chrono_literals;
  next_ = Clock::now() + 200ms;
  const std::chrono::duration<double> elapsed = Clock::now() - start_;
  const double fraction = static_cast<double>(done) / static_cast<double>(steps_);
  const double time = static_cast<double>(done) * dt_;
  std::fprintf(stderr,
               "\r\033[K%3.0f %%   t = %.3g s   %.3g times real time   %d contacts   "
               "%.0f s left",
               100 * fraction, time, time / elapsed.count(), contacts,
               elapsed.count() * (1 - fraction) / fraction);
  std::fflush(stderr);
  shown_ = true;
}

}  // namespace abut::cli
