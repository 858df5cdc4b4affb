// The way that takes least time is found from times alone: of a clock that the tests make up.

#include "abut/core/fastest_way.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <vector>

namespace abut {
namespace {

/// Seconds that a unit of work takes in one way and part, at a run.
using Costs = std::function<double(int way, int part, int run)>;

constexpr int ways = 4, parts = 3;
constexpr int trial = FastestWay::settling + FastestWay::judged;

/// The ways of some runs of so much work.
std::vector<int> run(FastestWay& fastest, int runs, const Costs& costs, double work = 100,
                     int first = 0) {
  std::vector<int> taken;
  for (int r = first; r < first + runs; ++r) {
    const int way = fastest.way();
    std::array<double, parts> seconds{}, amounts{};
    for (int k = 0; k < parts; ++k) {
      amounts[k] = work * (k + 1);
      seconds[k] = amounts[k] * costs(way, k, r);
    }
    fastest.took(seconds, amounts);
    taken.push_back(way);
  }
  return taken;
}

int count(const std::vector<int>& taken, int way) {
  return static_cast<int>(std::ranges::count(taken, way));
}

TEST(FastestWay, IsFoundAfterOneTrialOfEach) {
  for (int best = 0; best < ways; ++best) {
    FastestWay fastest(ways, parts);
    EXPECT_EQ(fastest.way(), ways - 1);
    const auto costs = [&](int way, int, int) { return way == best ? 1.0 : 1.1; };
    const std::vector<int> first = run(fastest, ways * trial, costs);
    for (int w = 0; w < ways; ++w) EXPECT_EQ(count(first, w), trial);
    EXPECT_EQ(fastest.way(), best);
    // then others take a small part of the runs
    const std::vector<int> later = run(fastest, 10 * FastestWay::period, costs);
    EXPECT_GT(count(later, best), 0.97 * 10 * FastestWay::period);
    for (int w = 0; w < ways; ++w) EXPECT_GE(count(later, w), 3 * trial);
  }
}

// a part may be faster where another one is slower; it is the whole run that counts
TEST(FastestWay, IsThatOfAllParts) {
  FastestWay fastest(ways, parts);
  run(fastest, ways * trial, [](int way, int part, int) {
    if (way == 1) return part == 0 ? 0.1 : 2.0;
    if (way == 2) return part == 2 ? 0.5 : 1.2;  // 1.2 + 2 * 1.2 + 3 * 0.5 < 6
    return 1.0;
  });
  EXPECT_EQ(fastest.way(), 2);
}

TEST(FastestWay, StaysWhereAnotherIsHardlyFaster) {
  FastestWay fastest(ways, parts);
  run(fastest, 20 * FastestWay::period, [](int way, int, int) { return way == 0 ? 0.98 : 1.0; });
  EXPECT_EQ(fastest.way(), ways - 1);
}

// the first runs of a trial, and single ones at any time
TEST(FastestWay, DoesNotDependOnSlowRuns) {
  FastestWay fastest(ways, parts);
  int since = 0, last = -1;
  const auto taken = run(fastest, 20 * FastestWay::period, [&](int way, int part, int r) {
    if (part == 0) since = way == last ? since + 1 : 0;
    last = way;
    const double usual = way == 1 ? 1.0 : 1.2;
    return since < FastestWay::settling || r % 4 == 0 ? 30 * usual : usual;
  });
  EXPECT_GT(count(taken, 1), 0.9 * 20 * FastestWay::period);
}

// cores move apart, or near again
TEST(FastestWay, FollowsWhatChanges) {
  FastestWay fastest(ways, parts);
  const auto far = [](int way, int, int) { return 1.0 + way; };
  const auto near = [](int way, int, int) { return 1.0 / (1 + way); };
  run(fastest, 2 * FastestWay::period, far);
  EXPECT_EQ(fastest.way(), 0);
  run(fastest, ways * (FastestWay::period + trial), near);
  EXPECT_EQ(fastest.way(), ways - 1);
}

// what pays for much work need not pay for little; before the next trial is due
TEST(FastestWay, IsSoughtAgainForMoreWork) {
  FastestWay fastest(ways, parts);
  run(fastest, ways * trial + 100, [](int way, int, int) { return 1.0 + way; });
  EXPECT_EQ(fastest.way(), 0);
  const auto much = [](int way, int, int) { return 1.0 / (1 + way); };
  run(fastest, 60 + ways * trial, much, 1000);
  EXPECT_EQ(fastest.way(), ways - 1);
}

// impact and flight in turn: all ways are tried less and less often
TEST(FastestWay, IsNotSoughtForEverWhereWorkComesAndGoes) {
  for (const int half : {5, 10, 25, 50, 100}) {
    FastestWay fastest(ways, parts);
    const auto costs = [](int way, int, int) { return 1.0 + 0.2 * way; };
    int in_best = 0;
    for (int r = 0; r < 10000; r += half) {
      in_best += count(run(fastest, half, costs, r / half % 2 == 0 ? 100 : 1000), 0);
    }
    EXPECT_GT(in_best, 9000) << half << " runs each";
  }
}

// by less than twice from single trial to single trial
TEST(FastestWay, IsSoughtAgainForWorkThatGrowsSlowly) {
  FastestWay fastest(ways, parts);
  std::vector<int> taken;
  double work = 100;
  for (int r = 0; r < 4 * FastestWay::period; ++r, work *= 1.001) {
    taken.push_back(run(
                        fastest, 1, [](int, int, int) { return 1.0; }, work)
                        .front());
  }
  // more than singly: 2 of all ways, and single ones
  EXPECT_GE(std::ranges::count_if(taken, [&](int way) { return way != ways - 1; }),
            3 * (ways - 1) * trial);
}

TEST(FastestWay, LearnsNothingFromRunsWithoutWork) {
  FastestWay fastest(ways, parts);
  const auto costs = [](int, int, int) { return 1.0; };
  for (const int way : run(fastest, 100, costs, 0)) EXPECT_EQ(way, ways - 1);
  for (const int way : run(fastest, trial, costs)) EXPECT_EQ(way, ways - 1);
  EXPECT_EQ(fastest.way(), 0) << "the trial of the last way is over";
}

}  // namespace
}  // namespace abut
