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

void LiveRecording::remove() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove(path_, ignored);
  path_.clear();
  size_ = 0;
}

void LiveRecording::start(const World& world) {
  writer_.reset();
  remove();
  if (folder_.empty()) folder_ = make_folder();
  // a new name each time: who still downloads the last one has it open, and reads it to the end
  next_path_ = folder_ + "/recording" + std::to_string(++count_) + ".bin";
  writer_ = std::make_unique<RecordingWriter>(next_path_, world);
}

void LiveRecording::record(const World& world) {
  if (!active()) return;
  try {
    writer_->record(world);
  } catch (...) {
    writer_.reset();
    throw;
  }
}

void LiveRecording::end(const World& world) {
  if (!active()) return;
  const std::unique_ptr<RecordingWriter> writer = std::move(writer_);
  writer->record_state(world);
  writer->close();
  size_ = fs::file_size(next_path_);
  path_ = next_path_;
}

}  // namespace abut
