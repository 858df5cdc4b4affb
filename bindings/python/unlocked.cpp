#include "unlocked.hpp"

#include <atomic>
#include <chrono>
#include <thread>

namespace abut::python {
namespace {

using namespace std::chrono_literals;

constexpr auto longest_wait = 2s;  // for a step to end
std::atomic<bool> exiting = false;
std::atomic<int> unlocked = 0;  // threads that have no lock, and may want it

/// Threads that notice stop for good; those that have taken the lock again are as any other.
void wait_for_threads() {
  exiting = true;
  const nb::gil_scoped_release release;
  const auto end = std::chrono::steady_clock::now() + longest_wait;
  while (unlocked > 0 && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(1ms);
  }
}

}  // namespace

Unlocked::Unlocked() {
  ++unlocked;
  state_ = PyEval_SaveThread();
}

Unlocked::~Unlocked() {
  wait_at_exit();
  PyEval_RestoreThread(state_);
  --unlocked;
}

void Unlocked::wait_at_exit() {
  if (!exiting) return;
  --unlocked;
  for (;;) std::this_thread::sleep_for(1h);
}

void watch_exit(nb::module_&) {
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&wait_for_threads));
}

}  // namespace abut::python
