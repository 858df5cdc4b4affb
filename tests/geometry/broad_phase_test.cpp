#include "abut/geometry/broad_phase.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <random>
#include <set>

namespace abut {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
const Aabb everywhere{{-inf, -inf, -inf}, {inf, inf, inf}};

/// A broad phase with the list that its user keeps.
class Followed {
 public:
  Followed(std::vector<std::int32_t> groups,
           std::vector<std::pair<std::int32_t, HalfSpace>> planes = {}) {
    broad_phase_.reset(std::move(groups), std::move(planes));
  }
  bool update(const std::vector<Aabb>& boxes, double skin) {
    if (!broad_phase_.update(boxes, std::vector<double>(boxes.size(), skin))) return false;
    std::erase_if(pairs_, [&](const auto& p) {
      return broad_phase_.has_moved(p.first) || broad_phase_.has_moved(p.second);
    });
    for (const auto& [a, b] : broad_phase_.found()) {
      EXPECT_TRUE(pairs_.insert({a, b}).second) << "pair " << a << ", " << b << " found twice";
    }
    return true;
  }
  const std::set<std::pair<int, int>>& pairs() const { return pairs_; }

 private:
  BroadPhase broad_phase_;
  std::set<std::pair<int, int>> pairs_;
};

Aabb cube(const Vec3& center, double half) {
  const Vec3 h{half, half, half};
  return {center - h, center + h};
}

bool touch(const Aabb& a, const Aabb& b) {
  for (int k = 0; k < 3; ++k) {
    if (!(a.lower[k] <= b.upper[k] && b.lower[k] <= a.upper[k])) return false;
  }
  return true;
}

TEST(BroadPhase, FindsAllPairsThatBruteForceFinds) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> u(-1, 1);
  for (const int n : {1, 2, 20, 200}) {
    for (const double speed : {0.0, 0.01, 0.3}) {
      std::vector<std::int32_t> groups;
      std::vector<Vec3> center, velocity;
      for (int i = 0; i < n; ++i) {
        groups.push_back(i < n / 5 ? -1 : i / 2);  // the world, and bodies of two shapes
        center.push_back(2 * Vec3{u(random), u(random), u(random)});
        velocity.push_back(speed * Vec3{u(random), u(random), u(random)});
      }
      Followed followed(groups);
      for (int step = 0; step < 60; ++step) {
        std::vector<Aabb> boxes;
        for (int i = 0; i < n; ++i) {
          if (i % 3 == 0) center[i] += velocity[i];  // some move, most stay
          boxes.push_back(cube(center[i], 0.1 + 0.001 * (i % 50)));
        }
        followed.update(boxes, 0.05);
        for (int i = 0; i < n; ++i) {
          for (int j = i + 1; j < n; ++j) {
            if (groups[i] == groups[j] || !touch(boxes[i], boxes[j])) continue;
            EXPECT_TRUE(followed.pairs().contains({i, j})) << "step " << step << ", " << n;
          }
        }
      }
      for (const auto& [i, j] : followed.pairs()) EXPECT_NE(groups[i], groups[j]);
    }
  }
}

// A tray of many boxes: its walls are as wide as all of it, one box has left it, and some the
// numbers. Few move far, or all of them a little; now and then the tray turns, and with it the
// axes.
TEST(BroadPhase, FindsPairsOfWideBoxesAndFarOnes) {
  constexpr int n = 400;
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  std::mt19937 random(4);
  std::uniform_real_distribution<double> u(-1, 1);
  std::vector<std::int32_t> groups(n);
  for (int i = 0; i < n; ++i) groups[i] = i;
  Followed followed(groups);
  std::vector<Vec3> center(n), half(n);
  int met = 0;
  for (int step = 0; step < 60; ++step) {
    const int turn = step / 20;  // the tray is flat along this axis
    const auto along = [&](double x, double y, double z) {
      return turn == 0 ? Vec3{x, y, z} : (turn == 1 ? Vec3{z, x, y} : Vec3{y, z, x});
    };
    std::vector<Aabb> boxes;
    for (int i = 0; i < n; ++i) {
      const bool is_wall = i % 100 == 0, is_long = i % 10 == 3;
      if (step % 20 == 0 || random() % 10 == 0) {
        center[i] = along(4 * u(random), 3 * u(random), 0.2 * u(random));
        if (i == 7 && step % 2 == 1) center[i] = {1e6, 1e7, 1e6};
        if (i % 20 == 8 && step % 20 > 5) center[i] = {-nan, -nan, -nan};
        const double size = 0.05 + 0.03 * u(random);
        half[i] = is_wall   ? along(i % 200 == 0 ? 5 : 0.1, i % 200 == 0 ? 0.1 : 4, 0.5)
                  : is_long ? along(size, 6 * size, size)
                            : Vec3{size, size, size};
      }
      if (step % 4 == 3) center[i] += 0.04 * Vec3{u(random), u(random), u(random)};
      boxes.push_back({center[i] - half[i], center[i] + half[i]});
    }
    followed.update(boxes, 0.02);
    for (int i = 0; i < n; ++i) {
      for (int j = i + 1; j < n; ++j) {
        if (!touch(boxes[i], boxes[j])) continue;
        ++met;
        EXPECT_TRUE(followed.pairs().contains({i, j})) << "step " << step;
      }
    }
  }
  EXPECT_GT(met, 60 * n / 10);
}

// they change places with each other, few and all of them
TEST(BroadPhase, FindsPairsOfBoxesThatJump) {
  constexpr int n = 300;
  std::mt19937 random(2);
  std::vector<std::int32_t> groups(n);
  for (int i = 0; i < n; ++i) groups[i] = i;
  Followed followed(groups);
  std::vector<int> place = groups;
  for (int step = 0; step < 20; ++step) {
    if (step % 2 == 1) {
      std::shuffle(place.begin(), place.end(), random);
    } else {
      std::reverse(place.begin() + 10 * step, place.begin() + 10 * step + 40);
    }
    const double y = step < 10 ? 0 : 1;  // along another axis then
    std::vector<Aabb> boxes;
    for (const int k : place) boxes.push_back(cube({(1 - y) * k, y * k, 0}, 0.45 + 0.1 * (k % 2)));
    followed.update(boxes, 0.04);
    EXPECT_EQ(followed.pairs().size(), static_cast<std::size_t>(n - 1));
    for (const auto& [a, b] : followed.pairs()) EXPECT_EQ(std::abs(place[a] - place[b]), 1);
  }
}

// as those of a world that diverged are
TEST(BroadPhase, SurvivesBoxesThatAreNoNumbers) {
  constexpr int n = 300;
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  std::mt19937 random(3);
  std::vector<std::int32_t> groups(n);
  for (int i = 0; i < n; ++i) groups[i] = i;
  Followed followed(groups);
  std::vector<int> place = groups;
  for (int step = 0; step < 20; ++step) {
    std::vector<Aabb> boxes;
    for (const int k : place) {
      boxes.push_back(cube({step > 0 && k % 7 == 0 ? nan : 1.0 * k, 0, 0}, 0.6));
    }
    followed.update(boxes, 0.01);
    for (const auto& [a, b] : followed.pairs()) EXPECT_NE(a, b);
    std::shuffle(place.begin(), place.end(), random);
  }
}

TEST(BroadPhase, SearchesOnlyWhenABoxLeavesItsSkin) {
  Followed followed({0, 1});
  EXPECT_TRUE(followed.update({cube({0, 0, 0}, 1), cube({1.5, 0, 0}, 1)}, 0.1));
  EXPECT_EQ(followed.pairs().size(), 1u);
  EXPECT_FALSE(followed.update({cube({0.05, 0, 0}, 1), cube({1.5, 0, 0}, 1)}, 0.1));
  EXPECT_TRUE(followed.update({cube({0.15, 0, 0}, 1), cube({1.5, 0, 0}, 1)}, 0.1));
  EXPECT_TRUE(followed.update({cube({-5, 0, 0}, 1), cube({1.5, 0, 0}, 1)}, 0.1));
  EXPECT_TRUE(followed.pairs().empty());
}

TEST(BroadPhase, PlanesMeetWhatReachesThem) {
  const HalfSpace ground{{0, 0, 1}, 0}, slope{{0.6, 0, 0.8}, 2};
  Followed followed({-1, 0, 1, -1}, {{0, ground}, {3, slope}});
  followed.update({everywhere, cube({0, 0, 5}, 1), cube({0, 0, 0.5}, 1), everywhere}, 0.01);
  EXPECT_TRUE(followed.pairs().contains({0, 2}));
  EXPECT_TRUE(followed.pairs().contains({3, 2}));
  EXPECT_FALSE(followed.pairs().contains({0, 1}));
  EXPECT_FALSE(followed.pairs().contains({3, 1}));
  EXPECT_FALSE(followed.pairs().contains({0, 3})) << "both are the world";
}

TEST(BroadPhase, AnEmptySceneHasNoPairs) {
  Followed followed({});
  EXPECT_FALSE(followed.update({}, 0.1));
  EXPECT_TRUE(followed.pairs().empty());
}

}  // namespace
}  // namespace abut
