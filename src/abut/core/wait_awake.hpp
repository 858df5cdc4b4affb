#pragma once

#include <chrono>
#include <thread>

namespace abut {

/// Tells the processor that this thread waits.
inline void pause_processor() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// Waits awake until done(), giving the processor away now and then: there may be fewer of them
/// than threads. False if that has not come after some 300 us.
template <class Done>
bool wait_awake_briefly(const Done& done) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::microseconds awake{300};
  constexpr int pauses = 200;  // a pause is 10 to 140 cycles long
  if (done()) return true;
  const Clock::time_point begin = Clock::now();
  do {
    for (int i = 0; i < pauses; ++i) {
      if (done()) return true;
      pause_processor();
    }
    std::this_thread::yield();
  } while (Clock::now() - begin < awake);
  return done();
}

/// Likewise, however long it takes: for what another thread is about to do.
template <class Done>
void wait_awake(const Done& done) {
  while (!wait_awake_briefly(done)) continue;
}

}  // namespace abut
