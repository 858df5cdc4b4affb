#include "abut/io/friction_file.hpp"

#include "abut/io/npz.hpp"
#include "io/files_testing.hpp"

namespace abut {
namespace {

/// Arrays of a file, to be changed and written.
struct Arrays {
  std::vector<std::int32_t> row = {0, 1, 2, 3, 4, 5, 0, 3, 1}, column = {0, 1, 2, 3, 4, 5, 3, 0, 2};
  std::vector<double> value = {1, 2, 3, 4, 5, 6, -0.5, -0.25, 7}, q = {-1, 0.1, 0.2, -2, 0.3, 0.4};
  std::vector<double> mu = {0.5, 0.7}, stored;
  bool extra = false;

  std::string write(const TemporaryFolder& folder) const {
    NpzWriter w;
    const auto add = [&](const char* name, const auto& v) {
      using T = typename std::decay_t<decltype(v)>::value_type;
      w.add(name, std::span<const T>(v), {v.size()});
    };
    add("W_row", row), add("W_col", column), add("W_val", value), add("q", q), add("mu", mu);
    if (!stored.empty()) add("sol_r", stored);
    if (extra) add("other", mu);
    w.write(folder / "p.npz");
    return folder / "p.npz";
  }
  std::string failure(const TemporaryFolder& folder) const {
    const std::string path = write(folder);
    return folder.relative(failure_of([&] { load_friction_file(path); }));
  }
};

TEST(FrictionFile, NormalsComeFirstAndEntriesMayComeTwice) {
  const TemporaryFolder folder;
  Arrays a;
  a.row.push_back(0), a.column.push_back(0), a.value.push_back(10);
  a.stored = {1, 2, 3, 4, 5, 6};
  const std::string path = a.write(folder);
  EXPECT_TRUE(is_friction_file(path));
  const FrictionFile f = load_friction_file(path);
  const FrictionProblem& p = f.problem;
  ASSERT_EQ(p.contacts(), 2);
  EXPECT_EQ(p.velocity[0], (Vec3{0.1, 0.2, -1}));
  EXPECT_EQ(f.stored_impulse[1], (Vec3{5, 6, 4}));
  const Mat3& own = p.delassus.block[p.delassus.find(0, 0)];
  EXPECT_EQ(own(2, 2), 11);  // the normal, 1 + 10
  EXPECT_EQ(own(0, 0), 2);
  EXPECT_EQ(own(0, 1), 7) << "entry (1, 2)";
  EXPECT_EQ(p.delassus.block[p.delassus.find(0, 1)](2, 2), -0.5);
  EXPECT_EQ(p.delassus.block[p.delassus.find(1, 0)](2, 2), -0.25) << "not symmetric: as it is";
}

TEST(FrictionFile, StoredZerosAreNoAnswer) {
  const TemporaryFolder folder;
  Arrays a;
  a.stored.assign(6, 0);
  EXPECT_TRUE(load_friction_file(a.write(folder)).stored_impulse.empty());
}

TEST(FrictionFile, ReadsContactBenchsDenseForm) {
  const TemporaryFolder folder;
  NpzWriter w;
  const std::vector<double> g = {2, 0, 1, 0, 2, 0, 1, 0, 4}, velocity = {0.1, 0.2, -1}, mu = {0.5};
  w.add("G", std::span<const double>(g), {3, 3});
  w.add("g", std::span<const double>(velocity), {3, 1});
  w.add("mus", std::span<const double>(mu), {1});
  w.write(folder / "d.npz");
  const FrictionProblem p = load_friction_file(folder / "d.npz").problem;
  EXPECT_EQ(p.velocity[0], (Vec3{0.1, 0.2, -1}));
  EXPECT_EQ(p.delassus.block[0](2, 2), 4);
  EXPECT_EQ(p.delassus.block[0](0, 2), 1);
}

TEST(FrictionFile, SaysWhatIsWrong) {
  const TemporaryFolder folder;
  const auto failure = [&](const auto& change) {
    Arrays a;
    change(a);
    return a.failure(folder);
  };
  EXPECT_EQ(failure([](Arrays& a) { a.row[3] = 6; }),
            "p.npz: array 'W_row': entry 3 is 6, must be 0 to 5");
  EXPECT_EQ(failure([](Arrays& a) { a.column[8] = -1; }),
            "p.npz: array 'W_col': entry 8 is -1, must be 0 to 5");
  EXPECT_EQ(failure([](Arrays& a) { a.q.pop_back(); }),
            "p.npz: array 'q': its shape is (5,), must be (6,)");
  EXPECT_EQ(failure([](Arrays& a) { a.mu[1] = -0.1; }),
            "p.npz: contact 1: friction = -0.1, must not be negative");
  EXPECT_EQ(failure([](Arrays& a) { a.value[0] = a.value[1] = a.value[2] = 0; }),
            "p.npz: contact 0: trace of W_ii / 3 = 0 1/kg, must be positive");
  EXPECT_EQ(failure([](Arrays& a) { a.extra = true; }),
            "p.npz: array 'other': is not part of the format");
}

}  // namespace
}  // namespace abut
