#include "abut/io/recording_writer.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <cmath>
#include <cstdio>
#include <cstring>

#include "abut/core/error.hpp"
#include "abut/core/text.hpp"
#include "abut/io/bytes.hpp"

namespace abut {
namespace {

using namespace std::chrono_literals;

/// What a kill may lose, and what is written at a time.
constexpr auto flush_interval = 200ms;
constexpr std::size_t flush_size = std::size_t{1} << 18;

FileDescriptor open_for_recording(const std::string& path) {
  if (path.empty()) fail_writing(path, "the file name is empty");
  if (path.find('\0') != std::string::npos) fail_writing(path, "the file name has a zero byte");
  struct stat info;
  if (::lstat(path.c_str(), &info) == 0 && S_ISLNK(info.st_mode)) {
    fail_writing(path, "it is a symbolic link, which abut does not follow here");
  }
  const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  FileDescriptor file(::open(path.c_str(), flags, 0666));
  if (file.get() < 0 || ::fstat(file.get(), &info) != 0) fail_writing(path, system_reason());
  if (S_ISFIFO(info.st_mode)) fail_writing(path, "it is a pipe");
  return file;
}

struct EndMark {};
void encode(const EndMark&, std::vector<char>&) {}

}  // namespace

RecordingWriter::RecordingWriter(const std::string& path, const World& world,
                                 const RecordingOptions& options)
    : path_(path),
      frame_rate_(options.frame_rate),
      states_(world),
      bodies_(world.moving_bodies()),
      last_step_(world.steps()),
      last_time_(world.time()) {
  require(frame_rate_ >= 0 && std::isfinite(frame_rate_), "frame rate", frame_rate_, "1/s",
          "must not be negative");
  file_ = open_for_recording(path);
  ByteWriter out(buffer_);
  buffer_.insert(buffer_.end(), recording_magic.begin(), recording_magic.end());
  out.put(recording_version);
  out.put(std::uint32_t{0});
  add_frame(FrameType::scene, record_scene(world, frame_rate_));
  add_state(world);
  flush();
}

RecordingWriter::~RecordingWriter() {
  if (file_.get() >= 0) write_all(file_.get(), {buffer_.data(), buffer_.size()});
}

void RecordingWriter::check(const World& world) const {
  if (file_.get() < 0) fail_writing(path_, "the recording is closed");
  if (world.moving_bodies() != bodies_) {
    fail_input("recording " + quote(path_, 1024) + " is of a world with " +
               std::to_string(bodies_) + " moving bodies, not " +
               std::to_string(world.moving_bodies()));
  }
  if (world.steps() <= last_step_ || world.time() < last_time_) {
    char text[160];
    std::snprintf(
        text, sizeof text,
        "step %llu to %.9g s does not follow step %llu to %.9g s: a world that went back, "
        "or another one, needs a recording of its own",
        static_cast<unsigned long long>(world.steps()), world.time(),
        static_cast<unsigned long long>(last_step_), last_time_);
    fail_input("recording " + quote(path_, 1024) + ": " + text);
  }
  const double dt = world.state().time.step;
  require(dt == world.time_step(), "size of the step", dt, "s",
          "must be the world's time step in a recording");
}

void RecordingWriter::record(const World& world) {
  check(world);
  last_step_ = world.steps();
  last_time_ = world.time();
  add_frame(FrameType::step, record_step(world));
  state_is_new_ = true;
  // a step that ends a rounding error before its frame is the frame's
  const double frames = world.time() * frame_rate_ + 1e-6;
  if (frame_rate_ == 0 || frames >= next_frame_) add_state(world);
  if (buffer_.size() >= flush_size || Clock::now() >= next_flush_) flush();
}

void RecordingWriter::record_state(const World& world) {
  const bool is_the_one = world.steps() == last_step_ && world.moving_bodies() == bodies_;
  if (state_is_new_ && is_the_one) add_state(world);
}

void RecordingWriter::add_state(const World& world) {
  states_.record(world, state_is_new_, state_);  // at first no step has made it
  const std::size_t before = buffer_.size();
  add_frame(FrameType::state, state_);
  // room for what may come until the buffer is written, however long that takes
  const std::size_t most = flush_size + 2 * (buffer_.size() - before);
  if (buffer_.capacity() < most) buffer_.reserve(2 * most);
  next_frame_ = std::floor(state_.time * frame_rate_ + 1e-6) + 1;
  state_is_new_ = false;
}

void RecordingWriter::close() {
  if (is_torn_) fail_writing(path_, "a part of it could not be written");
  if (file_.get() < 0) return;
  add_frame(FrameType::end, EndMark{});
  flush();
  // a device or a pipe need not be able to
  if (::fsync(file_.get()) != 0 && errno != EINVAL && errno != EROFS) give_up();
  if (!file_.close()) fail_writing(path_, system_reason());
}

template <class Record>
void RecordingWriter::add_frame(FrameType type, const Record& record) {
  const std::size_t at = buffer_.size();
  FrameHead head{.type = code(type)};
  buffer_.resize(at + sizeof head);
  encode(record, buffer_);
  const std::string_view payload(buffer_.data() + at + sizeof head,
                                 buffer_.size() - at - sizeof head);
  if (payload.size() > 0xFFFFFFFFu) fail_writing(path_, "a frame has more than 4 GiB");
  head.size = static_cast<std::uint32_t>(payload.size());
  head.checksum = frame_checksum(head, payload);
  std::memcpy(buffer_.data() + at, &head, sizeof head);
}

void RecordingWriter::flush() {
  next_flush_ = Clock::now() + flush_interval;
  const bool written = write_all(file_.get(), {buffer_.data(), buffer_.size()});
  buffer_.clear();  // also after an error: half of it may be written
  if (!written) give_up();
}

/// What would come now would stand behind what is lost.
void RecordingWriter::give_up() {
  const std::string reason = system_reason();
  is_torn_ = true;
  file_.close();
  fail_writing(path_, reason);
}

}  // namespace abut
