#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "abut/io/file_descriptor.hpp"
#include "abut/io/recording_format.hpp"

namespace abut {

/// How a recording ends.
enum class RecordingEnd : std::uint8_t {
  closed,      ///< by RecordingWriter::close()
  unfinished,  ///< after a whole frame: the run was killed, or still goes on
  cut,         ///< within a frame
  damaged,     ///< a frame is not what was written; what follows it is not read
};

/// "closed", or a clause that says what happened.
const char* to_string(RecordingEnd end);

/// A recording, read up to its last whole frame. Steps are in memory, states are read when asked
/// for. Memory grows with what is there, not with what the file says.
class Recording {
 public:
  /// Reads the whole file and checks every frame.
  /// @throws InputError if it is not a recording, of another version, or cut within its head
  /// @throws FileError if it cannot be read
  static Recording open(const std::string& path);

  const std::string& path() const { return path_; }
  const RecordedScene& scene() const { return scene_; }
  std::size_t steps() const { return steps_.size(); }
  std::size_t states() const { return states_.size(); }
  const RecordedStep& step(std::size_t i) const { return steps_.at(i); }

  /// Reads state i into `state`, whose buffers are kept. @throws FileError if the file has changed
  void read_state(std::size_t i, RecordedState& state) const;

  RecordingEnd end() const { return end_; }
  std::uint64_t lost_bytes() const { return lost_bytes_; }  ///< behind the last whole frame

 private:
  struct Place {
    std::uint64_t offset = 0;  ///< of the payload
    FrameHead head;
  };
  class Scanner;
  Recording() = default;
  void read_head(Scanner& scanner);
  bool read_frame(Scanner& scanner);
  RecordingEnd take_frame(Scanner& scanner, Place& place, std::string_view& payload) const;
  bool accept(const Place& place, std::string_view payload);
  void read(std::uint64_t offset, char* to, std::size_t count) const;
  [[noreturn]] void fail_changed() const;
  [[noreturn]] void fail_reading() const;

  std::string path_;
  FileDescriptor file_;
  RecordedScene scene_;
  std::vector<RecordedStep> steps_;
  std::vector<Place> states_;
  RecordedState scratch_;
  RecordingEnd end_ = RecordingEnd::unfinished;
  std::uint64_t lost_bytes_ = 0;
};

}  // namespace abut
