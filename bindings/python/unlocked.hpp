#pragma once

#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace abut::python {

/// A scope without Python's lock. A thread in it when the interpreter ends does not come back:
/// Python would end it by an exception that no C++ frame lets pass.
class Unlocked {
 public:
  Unlocked();
  ~Unlocked();
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;

  /// Waits for ever if the interpreter is ending: to be asked before the lock is taken, and now
  /// and then.
  static void wait_at_exit();

 private:
  PyThreadState* state_;
};

/// Lets the interpreter's end wait for threads without its lock to come to rest.
void watch_exit(nb::module_& m);

}  // namespace abut::python
