#include <cstring>
#include <random>

#include "abut/io/recording.hpp"
#include "abut/io/recording_csv.hpp"
#include "io/files_testing.hpp"

namespace abut {
namespace {

struct Sample {
  TemporaryFolder folder;
  std::string bytes;
  std::vector<std::size_t> ends;  ///< of its frames

  Sample() {
    World world = touching_world();
    record_steps(folder / "r.bin", world, 3, 0);
    bytes = read_bytes(folder / "r.bin");
    for (std::size_t at = recording_head_size; at < bytes.size();) {
      FrameHead head;
      std::memcpy(&head, bytes.data() + at, sizeof head);
      ends.push_back(at += sizeof head + head.size);
    }
  }

  Recording open(std::string_view changed) const {
    write_bytes(folder / "c.bin", changed);
    return Recording::open(folder / "c.bin");
  }
  std::string failure(std::string_view changed) const {
    return folder.relative(failure_of([&] { open(changed); }));
  }
  /// With the checksum of frame `i` made right again.
  void sign(std::string& changed, std::size_t i) const {
    const std::size_t at = i == 0 ? recording_head_size : ends[i - 1];
    FrameHead head;
    std::memcpy(&head, changed.data() + at, sizeof head);
    head.checksum = frame_checksum(
        head, std::string_view(changed).substr(at + sizeof head, ends[i] - at - sizeof head));
    std::memcpy(changed.data() + at, &head, sizeof head);
  }
};

TEST(RecordingDamage, CutAtEveryByte) {
  const Sample sample;
  const std::string path = sample.folder / "c.bin";
  write_bytes(path, sample.bytes);
  for (std::size_t length = sample.bytes.size(); length-- > 0;) {
    std::filesystem::resize_file(path, length);
    if (length < sample.ends[0]) {
      const char* expected = length < 8 ? "c.bin: is not a recording of abut"
                                        : "c.bin: the recording is cut off before its first state";
      EXPECT_EQ(sample.folder.relative(failure_of([&] { Recording::open(path); })), expected);
      continue;
    }
    const Recording r = Recording::open(path);
    // scene, state, then a step and a state by turns
    std::size_t whole = 0;
    while (whole < sample.ends.size() && sample.ends[whole] <= length) ++whole;
    EXPECT_EQ(r.steps() + r.states(), whole - 1) << length;
    EXPECT_EQ(r.lost_bytes(), length - sample.ends[whole - 1]) << length;
    EXPECT_EQ(r.end(), r.lost_bytes() == 0 ? RecordingEnd::unfinished : RecordingEnd::cut);
  }
}

TEST(RecordingDamage, EveryByteChangedIsNoticed) {
  const Sample sample;
  const std::string path = sample.folder / "c.bin";
  write_bytes(path, sample.bytes);
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  const auto put = [&](std::size_t at, int c) {
    file.seekp(static_cast<std::streamoff>(at)).put(static_cast<char>(c)).flush();
  };
  for (std::size_t at = 0; at < sample.bytes.size(); ++at) {
    put(at, sample.bytes[at] ^ 0x41);
    if (at < sample.ends[0]) {
      EXPECT_NE(failure_of([&] { Recording::open(path); }), "") << at;
    } else {
      EXPECT_NE(Recording::open(path).end(), RecordingEnd::closed) << at;
    }
    put(at, sample.bytes[at]);
  }
}

TEST(RecordingDamage, RandomBytesChangedNeverCrash) {
  const Sample sample;
  std::mt19937 random(7);
  RecordedState state;
  for (int trial = 0; trial < 3000; ++trial) {
    std::string changed = sample.bytes;
    const std::size_t frame = random() % sample.ends.size();
    const std::size_t begin = frame == 0 ? recording_head_size : sample.ends[frame - 1];
    for (auto n = 1 + random() % 4; n > 0; --n) {
      changed[begin + random() % (sample.ends[frame] - begin)] = static_cast<char>(random());
    }
    sample.sign(changed, frame);  // so that the content itself is judged
    EXPECT_EQ(failure_of([&] {
                try {
                  const Recording r = sample.open(changed);
                  for (std::size_t i = 0; i < r.states(); ++i) r.read_state(i, state);
                  if (trial % 500 == 0) export_csv(r, sample.folder / "");
                } catch (const InputError&) {
                }
              }),
              "");
  }
}

TEST(RecordingDamage, AFrameThatClaimsFourGibibytes) {
  const Sample sample;
  std::string changed = sample.bytes;
  const std::uint32_t size = 0xFFFFFFF0u;
  std::memcpy(changed.data() + sample.ends[0] + 4, &size, 4);
  const Recording r = sample.open(changed);
  EXPECT_EQ(r.end(), RecordingEnd::cut);
  EXPECT_EQ(r.states(), 0u);
}

// a contact of format 3 had no allowance
TEST(RecordingDamage, ContactsThatAreTooShort) {
  const Sample sample;
  const std::size_t frame = 3, at = sample.ends[frame - 1];  // the state after the first step
  FrameHead head;
  std::memcpy(&head, sample.bytes.data() + at, sizeof head);
  ASSERT_EQ(head.type, code(FrameType::state));
  std::uint32_t contacts = 0;
  std::memcpy(&contacts, sample.bytes.data() + at + sizeof head + 28, sizeof contacts);
  ASSERT_GT(contacts, 0u);
  std::string payload = sample.bytes.substr(at + sizeof head, head.size - 8 * contacts);
  head.size -= 8 * contacts;
  head.checksum = frame_checksum(head, payload);
  std::string changed = sample.bytes.substr(0, at);
  changed.append(reinterpret_cast<const char*>(&head), sizeof head).append(payload);
  const Recording r = sample.open(changed);
  EXPECT_EQ(r.end(), RecordingEnd::damaged);
  EXPECT_EQ(r.states(), 1u);
}

TEST(RecordingDamage, BytesBehindTheEnd) {
  const Sample sample;
  const Recording r = sample.open(sample.bytes + "more");
  EXPECT_EQ(r.end(), RecordingEnd::damaged);
  EXPECT_EQ(r.lost_bytes(), 4u);
  EXPECT_EQ(r.steps(), 3u);
}

TEST(RecordingDamage, AnotherVersionAndOtherFiles) {
  const Sample sample;
  std::string changed = sample.bytes;
  changed[8] = 4;
  EXPECT_EQ(sample.failure(changed),
            "c.bin: the recording has format version 4; this abut reads version 7");
  EXPECT_EQ(sample.failure("<mujoco/>"), "c.bin: is not a recording of abut");
  EXPECT_EQ(sample.folder.relative(failure_of([&] { Recording::open(sample.folder / "no"); })),
            "FileError: cannot read 'no': No such file or directory");
}

TEST(RecordingDamage, AFileThatChangesWhileItIsOpen) {
  const Sample sample;
  const Recording r = sample.open(sample.bytes);
  write_bytes(sample.folder / "c.bin", sample.bytes.substr(0, 100));
  RecordedState state;
  EXPECT_EQ(sample.folder.relative(failure_of([&] { r.read_state(2, state); })),
            "FileError: cannot read 'c.bin': it changed while it was read");
}

}  // namespace
}  // namespace abut
