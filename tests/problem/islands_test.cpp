#include "abut/problem/islands.hpp"

#include <gtest/gtest.h>

namespace abut {
namespace {

std::vector<std::int32_t> to_vector(std::span<const std::int32_t> s) {
  return {s.begin(), s.end()};
}
using List = std::vector<std::int32_t>;

Patch patch(int a, int b) {
  return {.tree_a = a, .tree_b = b};
}

TEST(Islands, AreOrderedByTheirSmallestTree) {
  const std::vector<Patch> patches = {patch(-1, 3), patch(0, 5), patch(1, 3), patch(2, 5)};
  const std::vector<char> dormant(4, false);
  Islands islands;
  islands.find(6, patches, dormant);
  ASSERT_EQ(islands.size(), 2);
  EXPECT_EQ(to_vector(islands.trees_of(0)), (List{0, 2, 5}));
  EXPECT_EQ(to_vector(islands.patches_of(0)), (List{1, 3}));
  EXPECT_EQ(to_vector(islands.trees_of(1)), (List{1, 3}));
  EXPECT_EQ(to_vector(islands.patches_of(1)), (List{0, 2}));
  EXPECT_EQ(to_vector(islands.island_of_tree()), (List{0, 1, 0, 1, -1, 0}));
}

TEST(Islands, TheWorldLinksNothing) {
  const std::vector<Patch> patches = {patch(-1, 0), patch(-1, 1), patch(-1, 2)};
  Islands islands;
  islands.find(3, patches, std::vector<char>(3, false));
  EXPECT_EQ(islands.size(), 3);
}

TEST(Islands, DormantPatchesLinkNothing) {
  const std::vector<Patch> patches = {patch(-1, 0), patch(0, 1), patch(1, 2)};
  Islands islands;
  islands.find(3, patches, std::vector<char>{false, true, false});
  ASSERT_EQ(islands.size(), 2);
  EXPECT_EQ(to_vector(islands.patches_of(0)), (List{0}));
  EXPECT_EQ(to_vector(islands.patches_of(1)), (List{2}));
}

TEST(Islands, NothingTouchingGivesNone) {
  Islands islands;
  islands.find(4, {}, {});
  EXPECT_EQ(islands.size(), 0);
  EXPECT_EQ(to_vector(islands.island_of_tree()), (List{-1, -1, -1, -1}));
  islands.find(0, {}, {});
  EXPECT_EQ(islands.size(), 0);
}

TEST(Islands, LongChainsAreOne) {
  std::vector<Patch> patches;
  for (int i = 999; i > 0; --i) patches.push_back(patch(i - 1, i));
  Islands islands;
  islands.find(1000, patches, std::vector<char>(patches.size(), false));
  ASSERT_EQ(islands.size(), 1);
  EXPECT_EQ(islands.trees_of(0).size(), 1000u);
}

}  // namespace
}  // namespace abut
