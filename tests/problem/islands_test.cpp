#include "abut/problem/islands.hpp"

#include <gtest/gtest.h>

namespace abut {
namespace {

std::vector<std::int32_t> to_vector(std::span<const std::int32_t> s) {
  return {s.begin(), s.end()};
}
using List = std::vector<std::int32_t>;

/// Of these trees, with a contact each.
std::vector<Patch> patches_of(std::initializer_list<std::pair<int, int>> trees) {
  std::vector<Patch> patches;
  for (const auto& [a, b] : trees) {
    const int i = static_cast<int>(patches.size());
    patches.push_back({.tree_a = a, .tree_b = b, .begin = i, .end = i + 1});
  }
  return patches;
}

TEST(Islands, AreOrderedByTheirSmallestTree) {
  const auto patches = patches_of({{-1, 3}, {0, 5}, {1, 3}, {2, 5}});
  Islands islands;
  islands.find(6, patches, {});
  ASSERT_EQ(islands.size(), 2);
  EXPECT_EQ(to_vector(islands.trees_of(0)), (List{0, 2, 5}));
  EXPECT_EQ(to_vector(islands.patches_of(0)), (List{1, 3}));
  EXPECT_EQ(to_vector(islands.trees_of(1)), (List{1, 3}));
  EXPECT_EQ(to_vector(islands.patches_of(1)), (List{0, 2}));
  EXPECT_EQ(to_vector(islands.island_of_tree()), (List{0, 1, 0, 1, -1, 0}));
}

TEST(Islands, TheWorldLinksNothing) {
  const auto patches = patches_of({{-1, 0}, {-1, 1}, {-1, 2}});
  Islands islands;
  islands.find(3, patches, {});
  EXPECT_EQ(islands.size(), 3);
}

TEST(Islands, DormantContactsLinkNothing) {
  auto patches = patches_of({{-1, 0}, {0, 1}, {1, 2}});
  Islands islands;
  islands.dormant = {false, true, false};
  islands.find(3, patches, {});
  ASSERT_EQ(islands.size(), 2);
  EXPECT_EQ(to_vector(islands.patches_of(0)), (List{0}));
  EXPECT_EQ(to_vector(islands.patches_of(1)), (List{2}));
}

TEST(Islands, OneContactThatIsAwakeLinks) {
  auto patches = patches_of({{-1, 0}, {0, 1}});
  patches[1].end = 3;
  Islands islands;
  islands.dormant = {false, true, false};
  islands.find(2, patches, {});
  ASSERT_EQ(islands.size(), 1);
  EXPECT_EQ(to_vector(islands.patches_of(0)), (List{0, 1}));
}

TEST(Islands, NothingTouchingGivesNone) {
  Islands islands;
  islands.find(4, {}, {});
  EXPECT_EQ(islands.size(), 0);
  EXPECT_EQ(to_vector(islands.island_of_tree()), (List{-1, -1, -1, -1}));
  islands.find(0, {}, {});
  EXPECT_EQ(islands.size(), 0);
}

TEST(Islands, ScalarConstraintsLinkAllTreesThatTheirRowsName) {
  ScalarPool scalars;
  const RowEntry own[] = {{4, 0, 1}, {4, 2, 1}}, joint[] = {{1, 0, 1}, {3, 5, 0}, {5, 1, 2}};
  scalars.push_back({}, own);
  scalars.push_back({}, joint);
  const auto patches = patches_of({{-1, 5}, {0, 2}});
  Islands islands;
  islands.find(7, patches, scalars);
  ASSERT_EQ(islands.size(), 3);
  EXPECT_EQ(to_vector(islands.trees_of(0)), (List{0, 2}));
  EXPECT_EQ(to_vector(islands.trees_of(1)), (List{1, 3, 5}));
  EXPECT_EQ(to_vector(islands.patches_of(1)), (List{0}));
  EXPECT_EQ(to_vector(islands.trees_of(2)), (List{4}));
  EXPECT_EQ(to_vector(islands.island_of_tree()), (List{0, 1, 0, 1, 2, 1, -1}));
}

// a single mechanism has a way of its own
TEST(Islands, OneTreeIsOneOrNone) {
  std::vector<Patch> patches = patches_of({{-1, 0}, {0, 0}, {-1, 0}});
  patches[2].end = 4;
  ScalarPool scalars;
  const RowEntry row[] = {{0, 1, 1}};
  scalars.push_back({}, row);
  Islands islands;
  const auto expect = [&](std::vector<char> dormant, const ScalarPool& pool, const List& awake) {
    islands.dormant = std::move(dormant);
    islands.find(1, patches, pool);
    const bool is_acted_on = !awake.empty() || pool.size() > 0;
    ASSERT_EQ(islands.size(), is_acted_on ? 1 : 0);
    EXPECT_EQ(to_vector(islands.island_of_tree()), (List{is_acted_on ? 0 : -1}));
    if (!is_acted_on) return;
    EXPECT_EQ(to_vector(islands.trees_of(0)), (List{0}));
    EXPECT_EQ(to_vector(islands.patches_of(0)), awake);
  };
  expect({}, {}, {0, 1, 2});
  expect({1, 1, 1, 1}, {}, {});
  expect({1, 1, 1, 1}, scalars, {});
  expect({1, 0, 1, 0}, {}, {1, 2});
  expect({1, 1, 0, 1}, scalars, {2});
}

TEST(Islands, LongChainsAreOne) {
  std::vector<Patch> patches;
  for (int i = 999; i > 0; --i) patches.push_back({.tree_a = i - 1, .tree_b = i});
  Islands islands;
  islands.find(1000, patches, {});
  ASSERT_EQ(islands.size(), 1);
  EXPECT_EQ(islands.trees_of(0).size(), 1000u);
}

}  // namespace
}  // namespace abut
