// Which worker has which patches.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <random>

#include "abut/core/parallel.hpp"
#include "abut/problem/patch_shares.hpp"

namespace abut {
namespace {

/// Those with the world first, each kind by its trees: the order of contacts that a query finds.
std::vector<Patch> sorted_patches(std::mt19937& random, int trees, int count) {
  std::uniform_int_distribution<int> tree(0, trees - 1);
  std::vector<Patch> patches;
  for (int k = 0; k < count; ++k) {
    const int a = tree(random), b = tree(random);
    patches.push_back(a == b ? Patch{.tree_a = world_tree, .tree_b = a}
                             : Patch{.tree_a = std::min(a, b), .tree_b = std::max(a, b)});
    if (k % 2 == 0) patches.back() = {.tree_a = world_tree, .tree_b = b};
  }
  std::ranges::sort(patches, {}, [](const Patch& x) { return std::pair(x.tree_a, x.tree_b); });
  return patches;
}

int tree_of(const Patch& x) {
  return x.tree_a == world_tree ? x.tree_b : x.tree_a;
}

/// All patches once, in order, and all trees.
void expect_whole(const PatchShares& shares, int patches, int trees) {
  int end = 0, index = 0;
  for (const PatchShares::Range& r : shares.ranges()) {
    EXPECT_EQ(r.begin, end);
    EXPECT_LT(r.begin, r.end);
    EXPECT_EQ(r.index, index++);
    EXPECT_LT(r.worker, shares.workers());
    end = r.end;
  }
  EXPECT_EQ(end, patches);
  EXPECT_EQ(shares.first_tree(0), 0);
  EXPECT_EQ(shares.first_tree(shares.workers()), trees);
  for (int w = 0; w < shares.workers(); ++w) {
    EXPECT_LE(shares.first_tree(w), shares.first_tree(w + 1));
  }
}

TEST(PatchShares, HaveTheSameTreesInAllOfAWorkersRanges) {
  std::mt19937 random(3);
  for (const int threads : {1, 2, 3, 7}) {
    ThreadPool pool(threads);
    for (const int count : {0, 1, 63, 64, 400, 3000}) {
      const int trees = 10 + count / 3;
      const std::vector<Patch> patches = sorted_patches(random, trees, count);
      PatchShares shares;
      shares.find(patches, trees, &pool);
      expect_whole(shares, count, trees);
      EXPECT_EQ(shares.are_for(&pool), threads > 1 && count >= 64);
      std::vector<int> of_worker(shares.workers());
      for (const PatchShares::Range& r : shares.ranges()) {
        of_worker[r.worker] += r.end - r.begin;
        for (int k = r.begin; k < r.end; ++k) {
          EXPECT_LE(shares.first_tree(r.worker), tree_of(patches[k]));
          EXPECT_LT(tree_of(patches[k]), shares.first_tree(r.worker + 1));
        }
      }
      if (count < 400) continue;
      for (const int of : of_worker) EXPECT_NEAR(of, count / shares.workers(), 25);
    }
  }
}

// a problem's patches may come in any order
TEST(PatchShares, AreWholeWhateverTheOrder) {
  std::mt19937 random(4);
  ThreadPool pool(3);
  PatchShares shares;
  for (int trial = 0; trial < 50; ++trial) {
    const int count = 64 + trial * 5, trees = 40;
    std::vector<Patch> patches = sorted_patches(random, trees, count);
    std::ranges::shuffle(patches, random);
    shares.find(patches, trees, &pool);
    expect_whole(shares, count, trees);
  }
}

// what a cache has of a tree's contacts is worth more than even shares
TEST(PatchShares, KeepTheirTreesWhileTheyServe) {
  ThreadPool pool(2);
  const auto of_trees = [](int first, int end) {
    std::vector<Patch> patches;
    for (int t = first; t < end; ++t) patches.push_back({.tree_a = world_tree, .tree_b = t});
    return patches;
  };
  PatchShares shares;
  shares.find(of_trees(0, 1000), 1000, &pool);
  EXPECT_EQ(shares.first_tree(1), 500);
  shares.find(of_trees(80, 1000), 1000, &pool);  // 420 and 500
  EXPECT_EQ(shares.first_tree(1), 500);
  shares.find(of_trees(200, 1000), 1000, &pool);  // 300 and 500
  EXPECT_EQ(shares.first_tree(1), 600);
  shares.find(of_trees(0, 800), 800, &pool);  // other trees
  EXPECT_EQ(shares.first_tree(1), 400);
}

// a world shares its loops and its solves apart from each other
TEST(PatchShares, AreThereWheneverThreadsShare) {
  ThreadPool pool(2);
  std::mt19937 random(6);
  pool.share(false);
  PatchShares shares;
  shares.find(sorted_patches(random, 100, 500), 100, &pool);
  EXPECT_FALSE(shares.are_for(&pool));
  pool.share(true);
  EXPECT_TRUE(shares.are_for(&pool));
}

// a tray has most contacts: the others still are everybody's
TEST(PatchShares, OfATreeWithMostPatchesLeaveTheRestEven) {
  ThreadPool pool(4);
  std::vector<Patch> patches;
  for (int t = 1; t <= 2000; ++t) {
    patches.push_back(t <= 1000 ? Patch{.tree_a = 0, .tree_b = t}
                                : Patch{.tree_a = t, .tree_b = t + 1});
  }
  PatchShares shares;
  shares.find(patches, 2002, &pool);
  std::vector<int> of_worker(4);
  for (const PatchShares::Range& r : shares.ranges()) of_worker[r.worker] += r.end - r.begin;
  EXPECT_EQ(of_worker[0], 1000);
  for (int w = 1; w < 4; ++w) EXPECT_NEAR(of_worker[w], 333, 2);
}

TEST(PatchShares, EachWorkerHasItsOwnRanges) {
  std::mt19937 random(5);
  ThreadPool pool(3), other(2);
  const std::vector<Patch> patches = sorted_patches(random, 100, 500);
  PatchShares shares;
  shares.find(patches, 100, &pool);
  std::vector<std::atomic<int>> visits(patches.size());
  std::vector<std::thread::id> thread(3);
  pool.for_each_worker([&](int worker) { thread[worker] = std::this_thread::get_id(); });
  std::atomic<int> strangers = 0;
  shares.for_each(&pool, [&](const PatchShares::Range& r) {
    strangers += std::this_thread::get_id() != thread[r.worker];
    for (int k = r.begin; k < r.end; ++k) ++visits[k];
  });
  EXPECT_EQ(strangers, 0);
  EXPECT_TRUE(std::ranges::all_of(visits, [](const auto& v) { return v == 1; }));
  // one after the other where there are no such workers
  pool.share(false);
  for (ThreadPool* none : {static_cast<ThreadPool*>(nullptr), &pool, &other}) {
    std::vector<int> begins;
    shares.for_each(none, [&](const PatchShares::Range& r) { begins.push_back(r.begin); });
    EXPECT_EQ(begins.size(), shares.ranges().size());
    EXPECT_TRUE(std::ranges::is_sorted(begins));
  }
}

}  // namespace
}  // namespace abut
