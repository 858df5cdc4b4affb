#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "abut/io/recording_writer.hpp"

namespace abut {

/// The recording of a live simulation, in a temporary folder that only its user can read: at most
/// one goes on, and the last one that ended can be taken away.
class LiveRecording {
 public:
  LiveRecording() = default;
  ~LiveRecording();  ///< removes the folder
  LiveRecording(const LiveRecording&) = delete;
  LiveRecording& operator=(const LiveRecording&) = delete;

  /// Starts a new one; once it has begun, the last one is gone.
  /// @throws InputError if one goes on
  /// @throws FileError, as all functions here
  void start(const World& world);
  void record(const World& world);
  /// Ends it; nothing if none goes on. After an error it has ended too: what is on the disk of it
  /// can be taken.
  void end(const World& world);

  bool active() const { return writer_ != nullptr; }
  /// The file of the last one that ended, and its size [bytes]; empty and 0 if there is none.
  const std::string& path() const { return path_; }
  std::uint64_t size() const { return size_; }

 private:
  bool offer();

  std::string folder_, path_, next_path_;
  std::uint64_t size_ = 0;
  int count_ = 0;
  std::unique_ptr<RecordingWriter> writer_;
};

}  // namespace abut
