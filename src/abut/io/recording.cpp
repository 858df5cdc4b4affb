#include "abut/io/recording.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "abut/core/error.hpp"
#include "abut/io/input_file.hpp"

namespace abut {
namespace {

std::string_view view(const std::vector<char>& bytes) {
  return {bytes.data(), bytes.size()};
}

}  // namespace

const char* to_string(RecordingEnd end) {
  switch (end) {
    case RecordingEnd::closed: return "closed";
    case RecordingEnd::unfinished: return "the run was killed or still goes on";
    case RecordingEnd::cut: return "the last frame is cut off: the run was killed or still goes on";
    case RecordingEnd::damaged: return "a frame is damaged, and what follows it is not read";
  }
  return "";
}

/// Reads a file from front to back in large pieces.
class Recording::Scanner {
 public:
  Scanner(const Recording& recording, std::uint64_t size) : recording_(recording), size_(size) {}

  std::uint64_t offset() const { return offset_; }
  std::uint64_t left() const { return size_ - offset_; }

  /// The next `count` bytes, at most left(); they stay until the next call.
  std::string_view take(std::size_t count) {
    if (piece_.size() - used_ < count) refill(count);
    used_ += count;
    offset_ += count;
    return view(piece_).substr(used_ - count, count);
  }

 private:
  void refill(std::size_t count) {
    const std::size_t kept = piece_.size() - used_;
    piece_.erase(piece_.begin(), piece_.begin() + static_cast<std::ptrdiff_t>(used_));
    used_ = 0;
    const auto wanted = static_cast<std::size_t>(
        std::min<std::uint64_t>(std::max(count, std::size_t{1} << 20), left()));
    piece_.resize(wanted);
    recording_.read(offset_ + kept, piece_.data() + kept, wanted - kept);
  }

  const Recording& recording_;
  std::uint64_t size_, offset_ = 0;
  std::vector<char> piece_;
  std::size_t used_ = 0;
};

Recording Recording::open(const std::string& path) {
  require_regular_file(path, std::numeric_limits<std::size_t>::max());
  Recording r;
  r.path_ = path;
  r.file_ = FileDescriptor(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct stat info;
  if (r.file_.get() < 0 || ::fstat(r.file_.get(), &info) != 0) r.fail_reading();
  Scanner scanner(r, static_cast<std::uint64_t>(info.st_size));
  r.read_head(scanner);
  while (scanner.left() > 0 && r.read_frame(scanner)) {
  }
  return r;
}

void Recording::read_head(Scanner& scanner) {
  const Origin at{.file = path_, .line = 0, .element = {}};
  const auto magic = scanner.take(std::min<std::uint64_t>(scanner.left(), recording_magic.size()));
  if (magic != recording_magic) fail_input("is not a recording of abut", at);
  if (scanner.left() < 8) fail_input("the recording is cut off before its first state", at);
  std::uint32_t version = 0, zero = 0;
  const std::string_view words = scanner.take(8);
  std::memcpy(&version, words.data(), sizeof version);
  std::memcpy(&zero, words.data() + 4, sizeof zero);
  if (version != recording_version) {
    fail_input("the recording has format version " + std::to_string(version) +
                   "; this abut reads version " + std::to_string(recording_version),
               at);
  }
  Place place;
  std::string_view payload;
  const RecordingEnd end = take_frame(scanner, place, payload);
  if (end == RecordingEnd::cut) {
    fail_input("the recording is cut off before its first state", at);
  }
  if (end == RecordingEnd::damaged || zero != 0 || place.head.type != code(FrameType::scene) ||
      !decode(payload, scene_)) {
    fail_input("the recording is damaged where it describes the scene", at);
  }
}

/// Takes the next frame apart; `unfinished` if it is whole.
RecordingEnd Recording::take_frame(Scanner& scanner, Place& place,
                                   std::string_view& payload) const {
  if (scanner.left() < sizeof(FrameHead)) return RecordingEnd::cut;
  const std::string_view head = scanner.take(sizeof(FrameHead));
  std::memcpy(&place.head, head.data(), sizeof(FrameHead));
  const std::uint32_t type = place.head.type;
  if (type < code(FrameType::scene) || type > code(FrameType::end) || place.head.zero != 0) {
    return RecordingEnd::damaged;
  }
  if (place.head.size > scanner.left()) return RecordingEnd::cut;
  place.offset = scanner.offset();
  payload = scanner.take(place.head.size);
  return frame_checksum(place.head, payload) == place.head.checksum ? RecordingEnd::unfinished
                                                                    : RecordingEnd::damaged;
}

/// Takes in the next frame; false if it is the last one that can be read.
bool Recording::read_frame(Scanner& scanner) {
  const std::uint64_t here = scanner.left();
  Place place;
  std::string_view payload;
  end_ = take_frame(scanner, place, payload);
  if (end_ == RecordingEnd::unfinished && !accept(place, payload)) end_ = RecordingEnd::damaged;
  if (end_ == RecordingEnd::closed && scanner.left() > 0) {
    end_ = RecordingEnd::damaged;
    lost_bytes_ = scanner.left();
    return false;
  }
  if (end_ == RecordingEnd::cut || end_ == RecordingEnd::damaged) lost_bytes_ = here;
  return end_ == RecordingEnd::unfinished;
}

bool Recording::accept(const Place& place, std::string_view payload) {
  switch (static_cast<FrameType>(place.head.type)) {
    case FrameType::scene: return false;  // there is only one
    case FrameType::step: {
      RecordedStep step;
      if (!decode(payload, step)) return false;
      steps_.push_back(step);
      return true;
    }
    case FrameType::state:
      if (!decode(payload, scene_, scratch_)) return false;
      states_.push_back(place);
      return true;
    case FrameType::end: end_ = RecordingEnd::closed; return payload.empty();
  }
  return false;
}

void Recording::read_state(std::size_t i, RecordedState& state) const {
  const Place& place = states_.at(i);
  std::vector<char> payload(place.head.size);
  read(place.offset, payload.data(), payload.size());
  if (frame_checksum(place.head, view(payload)) != place.head.checksum ||
      !decode(view(payload), scene_, state)) {
    fail_changed();
  }
}

void Recording::read(std::uint64_t offset, char* to, std::size_t count) const {
  while (count > 0) {
    const ssize_t got = ::pread(file_.get(), to, count, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) fail_changed();
    if (got < 0) fail_reading();
    to += got;
    offset += static_cast<std::uint64_t>(got);
    count -= static_cast<std::size_t>(got);
  }
}

void Recording::fail_changed() const {
  throw FileError("cannot read " + quote(path_, 1024) + ": it changed while it was read");
}

void Recording::fail_reading() const {
  throw FileError("cannot read " + quote(path_, 1024) + ": " + system_reason());
}

}  // namespace abut
