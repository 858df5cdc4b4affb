#include "abut/linalg/edge_requests.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

namespace abut {
namespace {

using Pair = std::pair<int, int>;

// against a map: an edge for each pair that is there or asked for, those that were there kept
TEST(EdgeRequests, GiveEachPairOneEdge) {
  std::mt19937 random(1);
  EdgeRequests requests;
  for (int trial = 0; trial < 300; ++trial) {
    const int nodes = 2 + static_cast<int>(random() % 12);
    const auto any_pair = [&] {
      const int a = static_cast<int>(random() % nodes);
      return Pair(a, (a + 1 + static_cast<int>(random() % (nodes - 1))) % nodes);
    };
    BlockPattern pattern;
    pattern.sizes.assign(nodes, 6);
    std::map<Pair, int> edges;
    for (int k = static_cast<int>(random() % 15); k > 0; --k) {
      const auto [a, b] = any_pair();
      if (!edges.emplace(std::minmax(a, b), std::ssize(pattern.edges)).second) continue;
      pattern.edges.push_back({a, b});
    }
    const std::vector<BlockEdge> before = pattern.edges;
    requests.clear();
    EXPECT_TRUE(requests.empty());
    std::vector<Pair> asked;
    for (int k = static_cast<int>(random() % 40); k > 0; --k) {
      asked.push_back(any_pair());
      EXPECT_EQ(requests.ask(asked.back().first, asked.back().second), std::ssize(asked) - 1);
    }
    EXPECT_EQ(requests.empty(), asked.empty());
    requests.enter(pattern);

    ASSERT_GE(pattern.edges.size(), before.size());
    EXPECT_TRUE(std::equal(before.begin(), before.end(), pattern.edges.begin()));
    for (std::size_t k = 0; k < asked.size(); ++k) {
      const BlockEdge& e = pattern.edges.at(requests.edge(static_cast<int>(k)));
      EXPECT_EQ(Pair(std::minmax(e.a, e.b)), Pair(std::minmax(asked[k].first, asked[k].second)));
      edges.emplace(std::minmax(asked[k].first, asked[k].second), -1);
    }
    EXPECT_EQ(pattern.edges.size(), edges.size()) << "none twice, and none that nobody needs";
    const std::size_t count = pattern.edges.size();
    requests.enter(pattern);
    EXPECT_EQ(pattern.edges.size(), count) << "all are there";
  }
}

}  // namespace
}  // namespace abut
