#include "abut/io/snapshot_bytes.hpp"

#include "io/files_testing.hpp"

namespace abut {
namespace {

TEST(SnapshotBytes, GoOnWithTheSameBits) {
  World world = touching_world({}, 150);
  ASSERT_GT(world.problem().contacts.size(), 0);
  const std::string bytes = encode(world.snapshot());
  for (int i = 0; i < 50; ++i) world.step();
  World other = touching_world({}, 0);
  other.restore(decode_snapshot(bytes));
  EXPECT_EQ(encode(other.snapshot()), bytes);
  for (int i = 0; i < 50; ++i) other.step();
  EXPECT_EQ(other.state_hash(), world.state_hash());
  EXPECT_EQ(encode(other.snapshot()),
            encode(world.snapshot()));  // ids and impulses of contacts too
}

TEST(SnapshotBytes, RefuseEveryPrefixAndEveryChange) {
  const std::string bytes = encode(touching_world({}, 150).snapshot());
  for (std::size_t size = 0; size < bytes.size(); size += size < 100 ? 1 : 97) {
    EXPECT_THROW(decode_snapshot({bytes.data(), size}), InputError) << size;
  }
  for (std::size_t at = 0; at < bytes.size(); at += at < 100 ? 1 : 97) {
    std::string changed = bytes;
    changed[at] ^= 1;
    EXPECT_THROW(decode_snapshot(changed), InputError) << at;
  }
  EXPECT_THROW(decode_snapshot(bytes + "x"), InputError);
}

TEST(Recording, IsNotWrittenAfterItsEnd) {
  const TemporaryFolder folder;
  World world = touching_world({}, 0);
  RecordingWriter writer(folder / "r.bin", world);
  writer.close();
  world.step();
  EXPECT_THROW(writer.record(world), FileError);
}

}  // namespace
}  // namespace abut
