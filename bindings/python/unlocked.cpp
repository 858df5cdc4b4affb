#include "unlocked.hpp"

#include <atomic>
#include <chrono>
#include <thread>

namespace abut::python {
namespace {

using namespace std::chrono_literals;

constexpr auto longest_wait = 2s;  // for steps and callbacks to end
std::atomic<bool> exiting = false;
std::atomic<int> working_threads = 0;
std::thread::id ending_thread;  // set before `exiting`
thread_local int depth = 0;     // a callback may solve a problem within a step

void wait_for_threads() {
  ending_thread = std::this_thread::get_id();
  exiting = true;
  const int own = depth > 0 ? 1 : 0;
  const nb::gil_scoped_release release;
  const auto end = std::chrono::steady_clock::now() + longest_wait;
  while (working_threads > own && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(1ms);
  }
}

}  // namespace

Working::Working() {
  if (depth++ == 0) ++working_threads;
}

Working::~Working() {
  if (--depth == 0) --working_threads;
}

void Working::stop_at_exit() {
  if (!exiting || std::this_thread::get_id() == ending_thread) return;
  --working_threads;
  for (;;) std::this_thread::sleep_for(1h);
}

void watch_exit() {
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&wait_for_threads));
}

}  // namespace abut::python
