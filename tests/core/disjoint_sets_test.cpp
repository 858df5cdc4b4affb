#include "abut/core/disjoint_sets.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace abut {
namespace {

// against labels that are replaced throughout
TEST(DisjointSets, TellWhetherTwoWereApart) {
  DisjointSets sets;
  sets.reset(6);
  EXPECT_TRUE(sets.join(4, 1));
  EXPECT_FALSE(sets.join(1, 4));
  EXPECT_FALSE(sets.join(3, 3));
  EXPECT_TRUE(sets.join(5, 3));
  EXPECT_TRUE(sets.join(5, 4));
  EXPECT_FALSE(sets.join(1, 3));
}

TEST(DisjointSets, AreNamedByTheirSmallestMember) {
  std::mt19937 random(1);
  DisjointSets sets;
  for (const int count : {1, 2, 50, 7}) {
    sets.reset(count);
    std::vector<int> label(count);
    for (int i = 0; i < count; ++i) label[i] = i;
    for (int k = 0; k < count; ++k) {
      const int a = static_cast<int>(random() % count), b = static_cast<int>(random() % count);
      sets.join(a, b);
      const int low = std::min(label[a], label[b]), high = std::max(label[a], label[b]);
      std::replace(label.begin(), label.end(), high, low);
      for (int i = 0; i < count; ++i) EXPECT_EQ(sets.smallest(i), label[i]);
    }
    for (int k = 0; k < count; ++k) sets.join((3 * k) % count, (3 * k + 1) % count);
    DisjointSets one_by_one = sets;
    const auto all = sets.all_smallest();
    ASSERT_EQ(std::ssize(all), count);
    for (int i = 0; i < count; ++i) {
      EXPECT_EQ(all[i], one_by_one.smallest(i));
    }
  }
}

}  // namespace
}  // namespace abut
