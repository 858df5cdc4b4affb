#include "abut/io/hdf5_file.hpp"

#include <hdf5.h>

#include <random>

#include "abut/io/fclib_file.hpp"
#include "io/files_testing.hpp"
#include "support/random_friction.hpp"

/// The C library loses track of what it allocates for damaged files.
extern "C" const char* __lsan_default_suppressions();
const char* __lsan_default_suppressions() {
  return "leak:libhdf5";
}

namespace abut {
namespace {

const bool is_left = (leave_hdf5_at_exit(), true);  // before all else

/// A file made by the C library itself, as other programs do.
class RawFile {
 public:
  explicit RawFile(const std::string& path)
      : id_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) {}
  ~RawFile() { H5Fclose(id_); }
  operator hid_t() const { return id_; }

  /// `list`: how it is stored; closed here.
  void add(const char* name, hid_t type, std::vector<hsize_t> extents,
           const std::vector<double>& values, hid_t list = H5P_DEFAULT) {
    const hid_t space = H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr);
    const hid_t set = H5Dcreate2(id_, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    ASSERT_GE(set, 0);
    if (!values.empty()) {
      ASSERT_GE(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
    }
    H5Dclose(set), H5Sclose(space);
    if (list != H5P_DEFAULT) H5Pclose(list);
  }

 private:
  hid_t id_;
};

hid_t chunked(hsize_t chunk) {
  const hid_t list = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(list, 1, &chunk);
  return list;
}

TEST(Hdf5File, ReadsOtherTypesAndPackedDatasets) {
  const TemporaryFolder folder;
  const std::vector<double> values = {1, -2, 3};
  {
    RawFile file(folder / "a.hdf5");
    file.add("/single", H5T_IEEE_F32BE, {3}, values);
    file.add("/long", H5T_STD_I64BE, {3}, values);
    file.add("/short", H5T_STD_I8LE, {3, 1}, values);
    const hid_t packed = chunked(2);
    H5Pset_shuffle(packed), H5Pset_deflate(packed, 9), H5Pset_fletcher32(packed);
    file.add("/packed", H5T_IEEE_F64LE, {3}, values, packed);
  }
  const Hdf5Reader file(folder / "a.hdf5");
  for (const char* name : {"/single", "/long", "/short", "/packed"}) {
    EXPECT_EQ(file.numbers(name, 3), values) << name;
  }
  EXPECT_EQ(file.integers("/long"), (std::vector<std::int64_t>{1, -2, 3}));
  EXPECT_TRUE(file.has("/packed"));
  EXPECT_FALSE(file.has("/packed/more"));
  EXPECT_FALSE(file.has("/other"));
}

TEST(Hdf5File, IsNotLedOutOfTheFile) {
  const TemporaryFolder folder;
  {
    RawFile other(folder / "other.hdf5");
    other.add("/x", H5T_IEEE_F64LE, {3}, {1, 2, 3});
  }
  write_bytes(folder / "raw", std::string(24, 'x'));
  {
    RawFile file(folder / "a.hdf5");
    H5Lcreate_external((folder / "other.hdf5").c_str(), "/x", file, "/link", H5P_DEFAULT,
                       H5P_DEFAULT);
    H5Lcreate_soft("/link", file, "/soft", H5P_DEFAULT, H5P_DEFAULT);
    const hid_t outside = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(outside, (folder / "raw").c_str(), 0, 24);
    file.add("/outside", H5T_IEEE_F64LE, {3}, {}, outside);
  }
  const Hdf5Reader file(folder / "a.hdf5");
  const auto failure = [&](const char* name) {
    return folder.relative(failure_of([&] { file.numbers(name); }));
  };
  EXPECT_EQ(failure("/link"), "a.hdf5: dataset '/link': is missing");
  EXPECT_EQ(failure("/soft"), "a.hdf5: dataset '/soft': is missing");
  EXPECT_EQ(failure("/outside"),
            "a.hdf5: dataset '/outside': lies in another file, must be in this one");
}

TEST(Hdf5File, RefusesWhatTheFileIsTooSmallFor) {
  const TemporaryFolder folder;
  {
    RawFile file(folder / "a.hdf5");
    file.add("/huge", H5T_IEEE_F64LE, {hsize_t{1} << 40}, {}, chunked(1000));
    file.add("/large", H5T_IEEE_F64LE, {hsize_t{1} << 20}, {}, chunked(1000));
    file.add("/text", H5T_C_S1, {1}, {});
  }
  const Hdf5Reader file(folder / "a.hdf5");
  const auto failure = [&](const char* name) {
    return folder.relative(failure_of([&] { file.numbers(name); }));
  };
  EXPECT_EQ(failure("/huge"), "a.hdf5: dataset '/huge': unpacks to far more than the file's size");
  EXPECT_EQ(failure("/large"), "");
  EXPECT_EQ(failure("/text"), "a.hdf5: dataset '/text': must hold numbers");
  EXPECT_EQ(failure("/"), "a.hdf5: dataset '/': is missing");
}

TEST(Hdf5File, LeavesTheSettingsOfOthersAlone) {
  const TemporaryFolder folder;
  H5E_auto2_t before = nullptr, after = nullptr;
  void *data_before = nullptr, *data_after = nullptr;
  H5Eget_auto2(H5E_DEFAULT, &before, &data_before);
  ASSERT_NE(before, nullptr);
  write_bytes(folder / "a.hdf5", "\x89HDF\r\n\x1a\n and nothing");
  testing::internal::CaptureStderr();
  EXPECT_EQ(folder.relative(failure_of([&] { Hdf5Reader file(folder / "a.hdf5"); })),
            "a.hdf5: is no HDF5 file, or a damaged one");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  H5Eget_auto2(H5E_DEFAULT, &after, &data_after);
  EXPECT_EQ(after, before);
}

TEST(Hdf5File, DamagedAndTruncatedFilesAreReadOrRefused) {
  const TemporaryFolder folder;
  const FrictionProblem p = box_on_ground(0.1, 0.4, {8, 0, 0}, 0.01);
  save_fclib(folder / "a.hdf5", p, std::vector<Vec3>(4, {0, 0, 1}));
  const std::string bytes = read_bytes(folder / "a.hdf5");
  std::mt19937 random(1);
  int refused = 0, read = 0;
  const auto attempt = [&](const std::string& changed) {
    write_bytes(folder / "b.hdf5", changed);
    try {
      load_friction_file(folder / "b.hdf5");
      ++read;
    } catch (const InputError& e) {
      EXPECT_NE(std::string(e.what()).find("b.hdf5: "), std::string::npos) << e.what();
      ++refused;
    }
  };
  testing::internal::CaptureStderr();
  for (std::size_t size = 0; size < bytes.size(); size += 1 + random() % 60) {
    attempt(bytes.substr(0, size));
  }
  EXPECT_EQ(read, 0);
  for (int k = 0; k < 800; ++k) {
    std::string changed = bytes;
    for (auto n = random() % 3 + 1; n > 0; --n) {
      changed[random() % changed.size()] = static_cast<char>(random());
    }
    attempt(changed);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_GT(refused, 150);
  EXPECT_GT(read, 150);
}

}  // namespace
}  // namespace abut
