// Compiled with hdf5_missing.cpp, which stands in for the C library.

#include "abut/io/fclib_file.hpp"
#include "abut/io/hdf5_file.hpp"
#include "io/files_testing.hpp"
#include "support/random_friction.hpp"

namespace abut {
namespace {

TEST(Hdf5Missing, IsSaidOfTheFileInQuestion) {
  const TemporaryFolder folder;
  EXPECT_FALSE(hdf5_available());
  write_bytes(folder / "p.hdf5", "\x89HDF\r\n\x1a\n");
  const std::string text =
      "p.hdf5: this abut was built without HDF5: install libhdf5-dev and build it again, or use "
      ".npz";
  EXPECT_EQ(folder.relative(failure_of([&] { load_friction_file(folder / "p.hdf5"); })), text);
  const FrictionProblem p = box_on_ground(0.1, 0.4, {8, 0, 0}, 0.01);
  EXPECT_EQ(folder.relative(failure_of([&] { save_fclib(folder / "p.hdf5", p); })), text);
}

}  // namespace
}  // namespace abut
