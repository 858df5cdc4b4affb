#pragma once

#include <atomic>
#include <string>

#include "abut/io/recording_writer.hpp"
#include "python_world.hpp"

namespace abut::python {

/// Sets a flag for a scope.
class Raise {
 public:
  explicit Raise(std::atomic<bool>& flag) : flag_(flag) { flag_ = true; }
  ~Raise() { flag_ = false; }
  Raise(const Raise&) = delete;
  Raise& operator=(const Raise&) = delete;

 private:
  std::atomic<bool>& flag_;
};

/// The writer of one world's recording, which one thread at a time may use.
struct PythonRecording {
  PythonRecording(const std::string& path, const PythonWorld& w, double frame_rate)
      : writer(path, w.get(), {.frame_rate = frame_rate}), world(&w) {}

  /// @throws InputError if it is of another world
  /// @throws std::runtime_error while a step in another thread records
  void require_use(const PythonWorld* by) const {
    if (by != world) fail_input("the recording is of another world: each needs its own");
    require_rest();
  }
  void require_rest() const {
    if (busy) throw std::runtime_error("the recording is in use: its world is stepping");
  }

  RecordingWriter writer;
  const PythonWorld* world;  ///< only compared; abut.RecordingWriter keeps it alive
  std::atomic<bool> busy = false;
};

}  // namespace abut::python
