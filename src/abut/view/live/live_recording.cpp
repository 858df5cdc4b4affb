#include "abut/view/live/live_recording.hpp"

#include <cstdlib>
#include <filesystem>

#include "abut/io/file_descriptor.hpp"

namespace abut {

namespace fs = std::filesystem;

namespace {

/// A new folder that only this user can read.
std::string make_folder() {
  std::string path = fs::temp_directory_path() / "abut-live-XXXXXX";
  if (::mkdtemp(path.data()) == nullptr) fail_writing(path, system_reason());
  return path;
}

}  // namespace

LiveRecording::~LiveRecording() {
  writer_.reset();
  std::error_code ignored;
  if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

void LiveRecording::start(const World& world) {
  if (active()) fail_input("a recording is already running");
  std::error_code error;
  if (folder_.empty() || !fs::exists(folder_, error)) folder_ = make_folder();
  // a new name each time: who still downloads the last one has it open, and reads it to the end
  next_path_ = folder_ + "/recording" + std::to_string(++count_) + ".bin";
  try {
    writer_ = std::make_unique<RecordingWriter>(next_path_, world);
  } catch (...) {
    fs::remove(next_path_, error);
    throw;
  }
  if (!path_.empty()) fs::remove(path_, error);
  path_.clear();
  size_ = 0;
}

void LiveRecording::record(const World& world) {
  if (!active()) return;
  try {
    writer_->record(world);
  } catch (...) {
    writer_.reset();
    offer();
    throw;
  }
}

void LiveRecording::end(const World& world) {
  if (!active()) return;
  const std::unique_ptr<RecordingWriter> writer = std::move(writer_);
  try {
    writer->record_state(world);
    writer->close();
  } catch (...) {
    offer();
    throw;
  }
  if (!offer()) fail_writing(next_path_, "it was removed while it was recorded");
}

/// What was written can be taken away, all of it or not. False if it is gone.
bool LiveRecording::offer() {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(next_path_, error);
  if (error) return false;
  path_ = next_path_;
  size_ = size;
  return true;
}

}  // namespace abut
