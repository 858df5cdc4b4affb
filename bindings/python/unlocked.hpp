#pragma once

#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace abut::python {

/// A scope that a thread leaves before the interpreter ends, or never: Python ends threads by an
/// exception that no C++ frame lets pass. The interpreter's end waits a while for threads in it.
class Working {
 public:
  Working();
  ~Working();
  Working(const Working&) = delete;
  Working& operator=(const Working&) = delete;

  /// Waits for ever if the interpreter is ending, but in the thread that ends it: to be asked
  /// without Python's lock, and before it is taken.
  static void stop_at_exit();
};

/// Such a scope without Python's lock.
class Unlocked {
 public:
  Unlocked() : state_(PyEval_SaveThread()) {}
  ~Unlocked() {
    Working::stop_at_exit();
    PyEval_RestoreThread(state_);
  }
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

 private:
  Working working_;
  PyThreadState* state_;
};

/// Lets the interpreter's end wait for working threads to stop.
void watch_exit();

}  // namespace abut::python
