#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "abut/io/file_descriptor.hpp"
#include "abut/io/record.hpp"
#include "abut/io/recording_format.hpp"
#include "abut/sim/world.hpp"

namespace abut {

struct RecordingOptions {
  double frame_rate = 60;  ///< recorded states per simulated second; 0: every step
};

/// Records a world as it goes: each step's report, and at the frame rate the states of the bodies
/// and the contacts. What is on the disk is readable at any time, whatever ends the process.
/// Records allocate nothing once a state of this size was recorded.
class RecordingWriter {
 public:
  /// Replaces the file and records the world's state as it is now. A symbolic link is not followed.
  /// @throws InputError if the frame rate is negative or not finite
  /// @throws FileError, as all functions here, with the system's reason
  RecordingWriter(const std::string& path, const World& world,
                  const RecordingOptions& options = {});
  /// Writes what is buffered, as far as that goes, and leaves the recording unfinished.
  ~RecordingWriter();
  RecordingWriter(const RecordingWriter&) = delete;
  RecordingWriter& operator=(const RecordingWriter&) = delete;

  /// After each step of the world; not after close().
  /// @throws InputError if the world has other bodies, or went back to an earlier step or time
  void record(const World& world);

  /// The state after the last step recorded, unless the frame rate asked for it already, or the
  /// world is elsewhere now.
  void record_state(const World& world);

  /// Ends the recording and brings it to the disk. Fails if anything of it was lost.
  void close();

 private:
  using Clock = std::chrono::steady_clock;
  template <class Record>
  void add_frame(FrameType type, const Record& record);
  void check(const World& world) const;
  void add_state(const World& world);
  void flush();
  [[noreturn]] void give_up();

  std::string path_;
  double frame_rate_;
  FileDescriptor file_;
  bool is_torn_ = false;  ///< writing has failed
  std::vector<char> buffer_;
  StateRecorder states_;
  RecordedState state_;
  bool state_is_new_ = false;  ///< that of the last step is not recorded
  int bodies_;                 ///< that move
  std::uint64_t last_step_;
  double last_time_;
  double next_frame_ = 0;  ///< in units of 1/frame_rate
  Clock::time_point next_flush_;
};

}  // namespace abut
