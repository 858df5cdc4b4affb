// The pairs that the broad phase keeps are those whose fat boxes meet, no more and no fewer.

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "abut/geometry/broad_phase.hpp"

namespace abut {
namespace {

using Pairs = std::set<std::pair<int, int>>;

/// Shapes with the fat boxes that they should have, by the rule of the header.
struct Crowd {
  std::vector<std::int32_t> groups;
  std::vector<std::pair<std::int32_t, HalfSpace>> planes;
  std::vector<Vec3> center;
  std::vector<double> half, skin;
  std::vector<Aabb> fat;

  bool is_plane(int i) const {
    return std::any_of(planes.begin(), planes.end(), [&](const auto& p) { return p.first == i; });
  }
  Aabb box(int i) const {
    const Vec3 h = half[i] * Vec3{1, 1.5, 0.5};
    return {center[i] - h, center[i] + h};
  }
  std::vector<Aabb> boxes() const {
    std::vector<Aabb> all;
    for (int i = 0; i < std::ssize(groups); ++i) all.push_back(box(i));
    return all;
  }
  void fatten(int i) {
    const Vec3 s = skin[i] * Vec3{1, 1, 1};
    fat[i] = {box(i).lower - s, box(i).upper + s};
  }
  bool has_left(int i) const {
    for (int k = 0; k < 3; ++k) {
      if (box(i).lower[k] < fat[i].lower[k] || box(i).upper[k] > fat[i].upper[k]) return true;
    }
    return false;
  }
  Pairs expected() const {
    Pairs pairs;
    for (int i = 0; i < std::ssize(groups); ++i) {
      for (int j = i + 1; j < std::ssize(groups); ++j) {
        if (groups[i] == groups[j] || is_plane(i) || is_plane(j) || !fat[i].meets(fat[j])) continue;
        pairs.insert({i, j});
      }
    }
    for (const auto& [plane, half_space] : planes) {
      for (int j = 0; j < std::ssize(groups); ++j) {
        if (is_plane(j) || groups[j] == groups[plane]) continue;
        double least = HUGE_VAL;  // over the corners
        for (int k = 0; k < 8; ++k) {
          least =
              std::fmin(least, dot(half_space.normal, {k & 1 ? fat[j].lower.x : fat[j].upper.x,
                                                       k & 2 ? fat[j].lower.y : fat[j].upper.y,
                                                       k & 4 ? fat[j].lower.z : fat[j].upper.z}));
        }
        if (least <= half_space.offset) pairs.insert({plane, j});
      }
    }
    return pairs;
  }
};

/// What a user of the broad phase knows after an update.
void follow(const BroadPhase& phase, Pairs& pairs) {
  std::erase_if(
      pairs, [&](const auto& p) { return phase.has_moved(p.first) || phase.has_moved(p.second); });
  for (const auto& [a, b] : phase.found()) {
    EXPECT_TRUE(pairs.insert({a, b}).second) << "pair " << a << ", " << b << " found twice";
  }
}

/// Sizes of 1 : 1000, skins of their own, two planes, far from the origin.
Crowd crowd(std::mt19937& random, int count, const Vec3& away, const Vec3& spread) {
  std::uniform_real_distribution<double> u(-1, 1);
  Crowd c;
  for (int i = 0; i < count; ++i) {
    c.groups.push_back(i % 7 == 0 ? -1 : i / 3);
    c.center.push_back(away +
                       Vec3{spread.x * u(random), spread.y * u(random), spread.z * u(random)});
    c.half.push_back(0.3 * std::pow(10, 1.5 * u(random) - 1.5));
    c.skin.push_back(0.02 * (1 + u(random)));
  }
  c.fat.resize(c.groups.size());
  if (count > 7) {
    c.planes = {{0, {{0, 0, 1}, away.z - 0.5}},
                {7, {{0.6, 0, -0.8}, dot(Vec3{0.6, 0, -0.8}, away) - 0.3}}};
  }
  return c;
}

// whether one moves, few do, most do or all are told to be new; while the crowd grows long along
// another axis; and the pair of one box that is as large as everything
TEST(BroadPhaseSearch, FindsExactlyThePairsOfFatBoxes) {
  for (const int count : {0, 1, 2, 8, 60}) {
    for (const Vec3& away : {Vec3{}, Vec3{1e5, -1e5, 2e5}}) {
      std::mt19937 random(count + 1);
      std::uniform_real_distribution<double> u(-1, 1);
      Crowd c = crowd(random, count, away, {2, 0.5, 0.5});
      if (count > 20) c.half[20] = 3;
      BroadPhase phase;
      phase.reset(c.groups, c.planes);
      Pairs pairs;
      for (int step = 0; step < 120; ++step) {
        SCOPED_TRACE(testing::Message() << count << " shapes, step " << step);
        const double share = step % 30 == 0 ? 1 : step % 3 == 0 ? 0.6 : step % 3 == 1 ? 0.05 : 0;
        for (int i = 0; i < count; ++i) {
          if (u(random) < 2 * share - 1)
            c.center[i] += 0.05 * Vec3{u(random), u(random), u(random)};
          if (step == 60) c.center[i].y += 20 * (c.center[i].x - away.x);  // long along y now
        }
        bool any = false;
        const bool anew = step == 0 || step % 50 == 49;
        if (anew) phase.forget();
        for (int i = 0; i < count; ++i) {
          if (c.is_plane(i) || !(anew || c.has_left(i))) continue;
          c.fatten(i), any = true;
        }
        EXPECT_EQ(phase.update(c.boxes(), c.skin), any);
        if (any) follow(phase, pairs);
        ASSERT_EQ(pairs, c.expected());
      }
    }
  }
}

// it stops at the limit and does not take the pairs it has for all of them
TEST(BroadPhaseSearch, SearchesAgainUntilThereIsRoomForAllPairs) {
  constexpr int count = 30;
  std::vector<std::int32_t> groups(count);
  for (int i = 0; i < count; ++i) groups[i] = i;
  const std::vector<Aabb> heap(count, {{-1, -1, -1}, {1, 1, 1}});
  const std::vector<double> skins(count, 0.1);
  constexpr std::size_t all = count * (count - 1) / 2;
  for (const std::size_t most : {std::size_t{1}, std::size_t{100}, all - 1, all, all + 1}) {
    SCOPED_TRACE(most);
    BroadPhase phase;
    phase.reset(groups, {});
    phase.limit_pairs(most);
    for (int k = 0; k < 2; ++k) {
      const bool full = most <= all;
      EXPECT_EQ(phase.update(heap, skins), k == 0 || full);
      if (k > 0 && !full) break;
      EXPECT_EQ(phase.is_full(), full);
      EXPECT_GE(phase.found().size(), std::min(most, all));
      EXPECT_LT(phase.found().size(), most + count) << "it ends with the shape that fills it";
    }
    phase.limit_pairs(all + 1);
    Pairs pairs;
    if (phase.update(heap, skins)) {
      follow(phase, pairs);
      EXPECT_EQ(pairs.size(), all);
    }
    EXPECT_FALSE(phase.is_full());
    EXPECT_FALSE(phase.update(heap, skins));
  }
}

// what it knew of other shapes is gone, more or fewer of them
TEST(BroadPhaseSearch, ResetForgetsOtherShapes) {
  std::mt19937 random(9);
  BroadPhase phase;
  for (const int count : {40, 3, 0, 25}) {
    Crowd c = crowd(random, count, {}, {0.5, 0.5, 0.5});
    phase.reset(c.groups, c.planes);
    EXPECT_TRUE(phase.found().empty());
    for (int i = 0; i < count; ++i) c.fatten(i);
    Pairs pairs;
    EXPECT_EQ(phase.update(c.boxes(), c.skin), count > 0);
    follow(phase, pairs);
    EXPECT_EQ(pairs, c.expected()) << count;
  }
}

}  // namespace
}  // namespace abut
