#include "abut/io/npz.hpp"

#include <cstring>
#include <limits>
#include <random>

#include "abut/io/npy.hpp"
#include "io/files_testing.hpp"

namespace abut {
namespace {

constexpr std::size_t any = NpzReader::any;
const std::vector<double> numbers = {1, -0.0, 1e-310, 0.1, std::numeric_limits<double>::max(), 3};

void add_numbers(NpzWriter& w, const char* name = "x") {
  w.add(name, std::span<const double>(numbers), {2, 3});
}

std::string sample_file(const TemporaryFolder& folder) {
  const std::vector<std::int32_t> integers = {-1, 2};
  const std::uint8_t code = 7;
  NpzWriter w;
  add_numbers(w);
  w.add("empty", std::span<const double>(), {0, 3});
  w.add("i", std::span<const std::int32_t>(integers), {2});
  w.add("code", std::span<const std::uint8_t>(&code, 1), {});
  w.write(folder / "a.npz");
  return folder / "a.npz";
}

/// What the reader says of a file with array x taken as 2 x 3 numbers.
std::string read_failure(const TemporaryFolder& folder, const std::string& path) {
  return folder.relative(failure_of([&] { NpzReader(path).take<double>("x", {2, 3}); }));
}

/// The same, of one .npy text in an archive.
std::string member_failure(const std::string& npy) {
  return failure_of([&] {
    try {
      parse_npy_head(npy);
    } catch (const std::invalid_argument& e) {
      throw InputError(e.what());
    }
  });
}

std::string npy(const std::string& dictionary) {
  std::string text("\x93NUMPY\x01\x00", 8);
  text += static_cast<char>(dictionary.size());
  text += '\0';
  return text + dictionary;
}

TEST(Npz, RoundTripIsBitExact) {
  const TemporaryFolder folder;
  NpzReader r(sample_file(folder));
  const auto x = r.take<double>("x", {any, 3});
  ASSERT_EQ(x.size(), numbers.size());
  EXPECT_EQ(std::memcmp(x.data(), numbers.data(), x.size() * sizeof(double)), 0);
  EXPECT_TRUE(r.take<double>("empty", {any, 3}).empty());
  EXPECT_EQ(r.take<std::int32_t>("i", {2}), (std::vector<std::int32_t>{-1, 2}));
  EXPECT_EQ(r.take<std::uint8_t>("code"), 7);
  EXPECT_EQ(failure_of([&] { r.require_all_taken(); }), "");
}

TEST(Npz, EqualArraysGiveEqualBytes) {
  const TemporaryFolder folder;
  const std::string first = read_bytes(sample_file(folder));
  EXPECT_EQ(read_bytes(sample_file(folder)), first);
}

TEST(Npz, NamesFileAndArrayThatDoesNotFit) {
  const TemporaryFolder folder;
  NpzReader r(sample_file(folder));
  const auto failure = [&](const auto& take) { return folder.relative(failure_of(take)); };
  EXPECT_EQ(failure([&] { r.take<double>("y", {1}); }), "a.npz: array 'y': is missing");
  EXPECT_EQ(failure([&] {
              r.take<std::int32_t>("x", {2, 3});
            }),
            "a.npz: array 'x': its element type is '<f8', must be '<i4'");
  EXPECT_EQ(failure([&] {
              r.take<double>("x", {3, 2});
            }),
            "a.npz: array 'x': its shape is (2, 3), must be (3, 2)");
  EXPECT_EQ(failure([&] { r.take<double>("x", {any}); }),
            "a.npz: array 'x': its shape is (2, 3), must be (any,)");
  EXPECT_EQ(failure([&] { r.take<double>("x"); }),
            "a.npz: array 'x': its shape is (2, 3), must be ()");
  EXPECT_EQ(failure([&] { r.require_all_taken(); }),
            "a.npz: array 'code': is not part of the format");
}

TEST(Npz, NumbersMustBeFinite) {
  const TemporaryFolder folder;
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::infinity()}) {
    const std::vector<double> x = {0, 0, 0, 0, bad, 0};
    NpzWriter w;
    w.add("x", std::span<const double>(x), {2, 3});
    w.write(folder / "a.npz");
    EXPECT_EQ(read_failure(folder, folder / "a.npz"),
              std::string("a.npz: array 'x': number 4 is ") + (bad < 0 ? "infinite" : "NaN") +
                  ", must be finite");
  }
}

TEST(Npz, AnArrayThatIsThereTwice) {
  const TemporaryFolder folder;
  NpzWriter w;
  add_numbers(w, "x");
  add_numbers(w, "y");
  w.write(folder / "a.npz");
  std::string bytes = read_bytes(folder / "a.npz");
  for (std::size_t at; (at = bytes.find("y.npy")) != std::string::npos;) bytes[at] = 'x';
  write_bytes(folder / "a.npz", bytes);
  EXPECT_EQ(read_failure(folder, folder / "a.npz"), "a.npz: array 'x': it appears twice");
}

TEST(Npz, WhatIsNoArchive) {
  const TemporaryFolder folder;
  EXPECT_EQ(read_failure(folder, folder.write("a.npz", "")), "a.npz: holds no array");
  EXPECT_EQ(read_failure(folder, folder.write("a.npz", std::string(100, 'x'))),
            "a.npz: is not an .npz file: Not a zip archive");
  EXPECT_EQ(read_failure(folder, folder / "absent.npz"),
            "FileError: cannot read 'absent.npz': No such file or directory");
}

TEST(Npz, HeadsThatAreNotAsNumpyWritesThem) {
  const std::string good = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }";
  EXPECT_EQ(member_failure(npy(good)), "");
  EXPECT_EQ(member_failure(npy("{\"shape\":(),\"fortran_order\":True,\"descr\":\"<f8\"}\n")), "");
  EXPECT_EQ(member_failure("text"), "it is not an .npy array");
  EXPECT_EQ(member_failure(npy(good).substr(0, 40)), "its .npy header is cut off");
  EXPECT_EQ(member_failure(npy("{'descr': '<f8', 'shape': (2, 3), }")),
            "its .npy header is not complete");
  EXPECT_EQ(member_failure(npy("{'descr': '<f8', 'descr': '<f8', }")),
            "its .npy header has a key twice");
  EXPECT_EQ(member_failure(npy("{'descr': [('a', '<f8')], 'shape': (), }")),
            "it has a structured element type");
  EXPECT_EQ(member_failure(npy("{'descr': '<f8', 'shape': (-1,), }")),
            "its .npy header has an invalid shape");
  EXPECT_EQ(member_failure(npy("{'shape': (99999999999999999999999,), }")),
            "its .npy header has an invalid shape");
  EXPECT_EQ(member_failure(npy("{'size': 3}")), "its .npy header has an unknown key 'size'");
  for (std::size_t length = 0; length < good.size(); ++length) {
    EXPECT_NE(member_failure(npy(good.substr(0, length))), "") << length;
  }
}

TEST(Npz, ChangedNumbersDoNotPass) {
  const TemporaryFolder folder;
  std::string bytes = read_bytes(sample_file(folder));
  bytes.replace(bytes.find("(2, 3)"), 6, "(3, 2)");
  EXPECT_EQ(read_failure(folder, folder.write("b.npz", bytes)),
            "b.npz: array 'x': it cannot be unpacked: CRC error");
}

TEST(Npz, TruncatedAtEveryByte) {
  const TemporaryFolder folder;
  const std::string bytes = read_bytes(sample_file(folder));
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    write_bytes(folder / "b.npz", bytes.substr(0, length));
    EXPECT_NE(read_failure(folder, folder / "b.npz"), "") << length;
  }
}

TEST(Npz, RandomBytesChangedGiveTheNumbersOrAnError) {
  const TemporaryFolder folder;
  const std::string bytes = read_bytes(sample_file(folder));
  std::mt19937 random(5);
  for (int trial = 0; trial < 3000; ++trial) {
    std::string changed = bytes;
    for (auto n = 1 + random() % 3; n > 0; --n) {
      changed[random() % changed.size()] ^= static_cast<char>(1 + random() % 255);
    }
    write_bytes(folder / "b.npz", changed);
    EXPECT_EQ(failure_of([&] {
                try {
                  EXPECT_EQ(NpzReader(folder / "b.npz").take<double>("x", {2, 3}), numbers);
                } catch (const InputError&) {
                }
              }),
              "");
  }
}

}  // namespace
}  // namespace abut
