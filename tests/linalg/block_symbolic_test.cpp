#include "abut/linalg/block_symbolic.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <tuple>

#include "abut/linalg/symbolic_cache.hpp"

namespace abut {
namespace {

BlockPattern grid(int side) {
  BlockPattern p;
  p.sizes.assign(side * side, 6);
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x) {
      if (x + 1 < side) p.edges.push_back({y * side + x, y * side + x + 1});
      if (y + 1 < side) p.edges.push_back({y * side + x, (y + 1) * side + x});
    }
  }
  return p;
}

BlockPattern random_pattern(std::mt19937& random, int nodes, int edges) {
  BlockPattern p;
  p.sizes.assign(nodes, 6);
  std::set<std::pair<int, int>> seen;
  for (int e = 0; e < edges; ++e) {
    const int a = static_cast<int>(random() % nodes), b = static_cast<int>(random() % nodes);
    if (a != b && seen.insert(std::minmax(a, b)).second) p.edges.push_back({a, b});
  }
  return p;
}

/// Blocks of the factor by plain elimination on a set of rows per column.
std::int64_t count_by_elimination(const BlockPattern& p, const std::vector<std::int32_t>& order) {
  const int n = p.nodes();
  std::vector<int> place(n);
  for (int k = 0; k < n; ++k) place[order[k]] = k;
  std::vector<std::set<int>> rows(n);
  for (const auto& [a, b] : p.edges) {
    const auto [low, high] = std::minmax(place[a], place[b]);
    rows[low].insert(high);
  }
  std::int64_t blocks = n;
  for (int k = 0; k < n; ++k) {
    blocks += std::ssize(rows[k]);
    if (rows[k].empty()) continue;
    const int parent = *rows[k].begin();
    rows[parent].insert(std::next(rows[k].begin()), rows[k].end());
  }
  return blocks;
}

std::vector<std::int32_t> fill_reducing_order(const BlockPattern& p) {
  Adjacency adjacency;
  adjacency.build(p);
  FillReducingOrder ordering;
  std::vector<std::int32_t> order;
  ordering.find(p.nodes(), adjacency, order);
  return order;
}

bool is_permutation_of_nodes(std::vector<std::int32_t> order, int nodes) {
  std::sort(order.begin(), order.end());
  std::vector<std::int32_t> identity(nodes);
  std::iota(identity.begin(), identity.end(), 0);
  return order == identity;
}

TEST(FillReducingOrder, EliminatesATreeWithoutFill) {
  std::mt19937 random(5);
  for (const int n : {2, 50, 700, 1500}) {  // both sides of the switch to a quotient graph
    BlockPattern p;
    p.sizes.assign(n, 6);
    for (int i = 1; i < n; ++i) p.edges.push_back({static_cast<int>(random() % i), i});
    const auto order = fill_reducing_order(p);
    EXPECT_TRUE(is_permutation_of_nodes(order, n));
    EXPECT_EQ(count_by_elimination(p, order), 2 * n - 1) << n << " nodes";
  }
}

TEST(FillReducingOrder, FillsAGridFarLessThanRowByRow) {
  for (const int side : {20, 40}) {  // 400 nodes by bits, 1600 by a quotient graph
    const BlockPattern p = grid(side);
    const auto order = fill_reducing_order(p);
    ASSERT_TRUE(is_permutation_of_nodes(order, side * side));
    std::vector<std::int32_t> natural(side * side);
    std::iota(natural.begin(), natural.end(), 0);
    EXPECT_LT(count_by_elimination(p, order),
              0.5 * static_cast<double>(count_by_elimination(p, natural)));
  }
}

// each node comes when no other would add fewer edges; of equals the one whose neighbours went
// longest ago, of these the smallest
TEST(FillReducingOrder, EliminatesByLeastFill) {
  std::mt19937 random(9);
  for (int trial = 0; trial < 60; ++trial) {
    const int n = 1 + static_cast<int>(random() % 150);  // of one, two and three words
    const BlockPattern p = random_pattern(random, n, static_cast<int>(random() % (3 * n)));
    std::vector<std::set<int>> graph(n);
    for (const auto& [a, b] : p.edges) graph[a].insert(b), graph[b].insert(a);
    std::vector<int> touched(n, 0);
    std::set<int> left;
    for (int i = 0; i < n; ++i) left.insert(i);
    const auto fill = [&](int node) {
      int pairs = 0;
      for (const int a : graph[node]) {
        for (const int b : graph[node]) pairs += a < b && !graph[a].contains(b);
      }
      return pairs;
    };
    int step = 0;
    for (const int pivot : fill_reducing_order(p)) {
      const auto key = [&](int node) { return std::tuple(fill(node), touched[node], node); };
      const int best = *std::ranges::min_element(left, {}, key);
      ASSERT_EQ(pivot, best) << "trial " << trial << ", step " << step;
      left.erase(pivot);
      ++step;
      const std::set<int> clique = graph[pivot];
      for (const int a : clique) {
        graph[a].insert(clique.begin(), clique.end());
        graph[a].erase(a), graph[a].erase(pivot);
        touched[a] = step;
      }
    }
  }
}

TEST(FillReducingOrder, BothGraphsFillAboutTheSame) {
  std::mt19937 random(6);
  const int n = FillReducingOrder::bitset_limit;
  BlockPattern p = random_pattern(random, n, 2 * n);
  const auto exact = count_by_elimination(p, fill_reducing_order(p));
  p.sizes.push_back(6);  // one lone node more: the other algorithm
  const auto approximate = count_by_elimination(p, fill_reducing_order(p));
  EXPECT_LT(static_cast<double>(approximate), 1.15 * static_cast<double>(exact));
}

TEST(BlockSymbolic, PanelsHoldTheFactorAndFewExplicitZeros) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 50; ++trial) {
    const int n = 1 + static_cast<int>(random() % 60);
    const BlockPattern p = random_pattern(random, n, 2 * n);
    SymbolicAnalysis analysis;
    BlockSymbolic symbolic;
    analysis.analyze(p, symbolic);
    const auto needed = count_by_elimination(p, fill_reducing_order(p));
    EXPECT_GE(symbolic.factor_blocks, needed);
    EXPECT_LE(symbolic.factor_blocks, needed + needed / 2 + 2);
  }
}

TEST(BlockSymbolic, LoneNodesAreFrontsWithoutUpdates) {
  BlockPattern p{.sizes = {6, 6, 6}, .edges = {}};
  SymbolicAnalysis analysis;
  BlockSymbolic symbolic;
  analysis.analyze(p, symbolic);
  ASSERT_EQ(symbolic.fronts.size(), 3u);
  for (const Front& f : symbolic.fronts) {
    EXPECT_EQ(f.pivots, 6);
    EXPECT_EQ(f.rows, 0);
    EXPECT_EQ(f.update_begin, f.update_end);
  }
}

TEST(SymbolicCache, AnalyzesOnlyPatternsItDoesNotHold) {
  SymbolicCache cache;
  std::mt19937 random(8);
  const BlockPattern lone{.sizes = {6}, .edges = {}};
  const BlockPattern pair{.sizes = {6, 6}, .edges = {{0, 1}}};
  const BlockPattern big = random_pattern(random, 40, 80), other = random_pattern(random, 40, 80);
  for (int step = 0; step < 5; ++step) {
    for (const BlockPattern* p : {&lone, &pair, &big, &lone, &other}) {
      EXPECT_EQ(cache.get(*p).diagonal.size(), p->sizes.size());
      EXPECT_EQ(cache.get(*p).off_diagonal.size(), p->edges.size());
    }
  }
  EXPECT_EQ(cache.analyses(), 4);
}

// the islands of a heap: each has a pattern of its own, which comes back in every step
TEST(SymbolicCache, HoldsThePatternsOfAllIslandsOfAHeap) {
  std::mt19937 random(5);
  std::vector<BlockPattern> patterns;
  for (int nodes = 2; nodes <= 8; ++nodes) {
    for (int k = 0; k < 10; ++k) patterns.push_back(random_pattern(random, nodes, nodes));
  }
  for (int nodes = 9; nodes <= 32; ++nodes)
    patterns.push_back(random_pattern(random, nodes, nodes));
  SymbolicCache cache;
  cache.reserve(1000, 5000, {1000, 1});
  for (const BlockPattern& p : patterns) cache.get(p);
  const auto first = cache.analyses();
  for (int step = 0; step < 10; ++step) {
    for (const BlockPattern& p : patterns) cache.get(p);
  }
  // few are in one set with more than three others
  EXPECT_LT(cache.analyses() - first, std::ssize(patterns) / 2);
}

std::vector<std::int64_t> numbers(const BlockSymbolic& s) {
  std::vector<std::int64_t> all = {s.vector_size, s.value_count, s.inverse_count, s.factor_blocks};
  for (const Front& f : s.fronts) {
    all.insert(all.end(),
               {f.pivots, f.rows, f.pivot_rows, f.leading, f.panel, f.inverse, f.pivot_begin,
                f.pivot_end, f.below_begin, f.below_end, f.update_begin, f.update_end});
  }
  for (const Strip& t : s.strips) all.insert(all.end(), {t.row, t.count, t.vector});
  for (const FrontUpdate& u : s.updates) {
    all.insert(all.end(), {u.source, u.strip, u.columns, u.target});
  }
  all.insert(all.end(), s.targets.begin(), s.targets.end());
  for (const auto* slots : {&s.diagonal, &s.off_diagonal}) {
    for (const BlockSlot& b : *slots) all.insert(all.end(), {b.offset, b.leading, b.transposed});
  }
  all.insert(all.end(), s.vector_offset.begin(), s.vector_offset.end());
  return all;
}

// small patterns that share slots, large ones that push each other out, and room made in between
TEST(SymbolicCache, GivesWhatAFreshAnalysisGives) {
  std::mt19937 random(3);
  std::vector<BlockPattern> patterns(1);  // one of them empty
  for (int k = 0; k < 150; ++k) {
    BlockPattern p;
    const int nodes = 1 + static_cast<int>(k % 10 == 0 ? 32 + random() % 8 : random() % 14);
    const int sizes[] = {6, 6, 3, 20};
    for (int i = 0; i < nodes; ++i) p.sizes.push_back(sizes[random() % 4]);
    std::set<std::pair<int, int>> seen;
    for (int e = 0; e < nodes; ++e) {
      const int a = static_cast<int>(random() % nodes), b = static_cast<int>(random() % nodes);
      if (a != b && seen.insert(std::minmax(a, b)).second) p.edges.push_back({a, b});
    }
    patterns.push_back(p);
  }
  SymbolicCache cache;
  for (int use = 0; use < 1500; ++use) {
    // one after another, some of them several times in a row
    const BlockPattern& p = patterns[use % 3 == 0 ? random() % patterns.size() : use / 3 % 20];
    if (use % 400 == 0) cache.reserve(use / 40, use / 20, {use / 40, 1});
    SymbolicAnalysis analysis;
    BlockSymbolic fresh;
    analysis.analyze(p, fresh);
    ASSERT_EQ(numbers(cache.get(p)), numbers(fresh)) << "use " << use;
  }
  EXPECT_LT(cache.analyses(), 1500);
}

TEST(BlockSymbolic, EmptyPatternHasNoFronts) {
  SymbolicAnalysis analysis;
  BlockSymbolic symbolic;
  analysis.analyze(BlockPattern{}, symbolic);
  EXPECT_TRUE(symbolic.fronts.empty());
  EXPECT_EQ(symbolic.vector_size, 0);
}

}  // namespace
}  // namespace abut
