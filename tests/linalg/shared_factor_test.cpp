// A factorization that threads share against the same by one thread, which block_cholesky_test.cpp
// checks against Eigen: each double is to be the same.

#include "abut/linalg/shared_factor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "abut/linalg/block_cholesky.hpp"
#include "support/with_team.hpp"

namespace abut {
namespace {

/// Bodies in a box, each coupled to its neighbors, with nodes of these sizes.
BlockPattern pile(std::mt19937& random, int width, int height, const std::vector<int>& sizes) {
  BlockPattern p;
  const auto node = [&](int x, int y, int z) { return (z * width + y) * width + x; };
  for (int i = 0; i < width * width * height; ++i)
    p.sizes.push_back(sizes[random() % sizes.size()]);
  for (int z = 0; z < height; ++z) {
    for (int y = 0; y < width; ++y) {
      for (int x = 0; x < width; ++x) {
        if (x + 1 < width) p.edges.push_back({node(x, y, z), node(x + 1, y, z)});
        if (y + 1 < width) p.edges.push_back({node(x, y, z), node(x, y + 1, z)});
        if (z + 1 < height) p.edges.push_back({node(x, y, z), node(x, y, z + 1)});
      }
    }
  }
  return p;
}

BlockPattern all_coupled(std::vector<int> sizes) {
  BlockPattern p{.sizes = std::move(sizes), .edges = {}};
  for (int a = 0; a < p.nodes(); ++a) {
    for (int b = 0; b < a; ++b) p.edges.push_back({a, b});
  }
  return p;
}

/// Some of one pattern and some of another, none coupled to any other.
BlockPattern apart(const BlockPattern& one, int count, const BlockPattern& other = {},
                   int others = 0) {
  BlockPattern all;
  for (int k = 0; k < count + others; ++k) {
    const BlockPattern& p = k < count ? one : other;
    const auto first = static_cast<std::int32_t>(all.nodes());
    all.sizes.insert(all.sizes.end(), p.sizes.begin(), p.sizes.end());
    for (const BlockEdge& e : p.edges) all.edges.push_back({e.a + first, e.b + first});
  }
  return all;
}

/// Calls f(a, b, block) for the blocks of a diagonally dominant matrix, of the nodes a and b: edges
/// first. The diagonal of node `bad`, if it is not -1, begins
/// with `value`.
template <class F>
void for_each_block(std::mt19937& random, const BlockPattern& p, int bad, double value,
                    const F& f) {
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<double> block;
  const auto fill = [&](int size) {
    block.resize(size);
    for (double& x : block) x = number(random);
  };
  for (const BlockEdge& e : p.edges) {
    fill(p.sizes[e.a] * p.sizes[e.b]);
    f(e.a, e.b, block);
  }
  for (int i = 0; i < p.nodes(); ++i) {
    const int size = p.sizes[i];
    fill(size * size);
    for (int k = 0; k < size; ++k) block[k * size + k] = 1000;
    if (i == bad) block[0] = value;
    f(i, i, block);
  }
}

/// That matrix.
void write(std::mt19937& random, BlockCholesky& cholesky, const BlockPattern& p, int bad = -1,
           double value = 0) {
  int edge = 0;
  for_each_block(random, p, bad, value, [&](int a, int b, const std::vector<double>& block) {
    if (a == b) {
      cholesky.add_diagonal(a, p.sizes[a], block);
    } else {
      cholesky.add_off_diagonal(edge++, p.sizes[a], p.sizes[b], block);
    }
  });
}

/// The largest number of A x - b, with this b.
double residual(std::mt19937& random, const BlockSymbolic& symbolic, const BlockPattern& p,
                std::span<const double> x, std::span<const double> b) {
  std::vector<double> rest(b.begin(), b.end());
  for_each_block(random, p, -1, 0, [&](int node, int other, const std::vector<double>& block) {
    const int rows = symbolic.vector_offset[node], columns = symbolic.vector_offset[other];
    for (int r = 0; r < p.sizes[node]; ++r) {
      for (int c = 0; c < p.sizes[other]; ++c) {
        if (node == other && c > r) break;  // the lower triangle counts
        const double number = block[r * p.sizes[other] + c];
        rest[rows + r] -= number * x[columns + c];
        if (rows + r != columns + c) rest[columns + c] -= number * x[rows + r];
      }
    }
  });
  double largest = 0;
  for (int i = 0; i < p.nodes(); ++i) {
    for (int k = 0; k < p.sizes[i]; ++k) {
      largest = std::max(largest, std::abs(rest[symbolic.vector_offset[i] + k]));
    }
  }
  return largest;
}

/// A b of the pattern alone.
AlignedBuffer<double> right_side(const BlockSymbolic& symbolic) {
  AlignedBuffer<double> b;
  b.resize(symbolic.vector_size);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = std::sin(static_cast<double>(i));
  return b;
}

/// A^-1 b.
std::vector<double> solution(BlockCholesky& cholesky, Team* team = nullptr) {
  AlignedBuffer<double> x = right_side(cholesky.symbolic());
  cholesky.solve(x.span(), team);
  return {x.span().begin(), x.span().end()};
}

struct Case {
  const char* name;
  BlockPattern pattern;
};

std::vector<Case> cases() {
  std::mt19937 random(1);
  return {
      {"bodies", pile(random, 5, 8, {6})},
      {"flat pile", pile(random, 14, 2, {6})},
      {"mechanisms among bodies", pile(random, 5, 6, {6, 6, 6, 7, 3, 29})},
      {"joints", pile(random, 7, 5, {1, 2, 3, 5})},
      {"one front of bodies", all_coupled(std::vector(40, 6))},
      {"one front of odd nodes", all_coupled({7, 31, 6, 6, 6, 6, 13, 6, 6, 6, 6, 6, 6, 6, 6, 6,
                                              6, 6,  6, 6, 6, 6, 6,  6, 5, 6, 6, 6, 6, 6, 6, 6})},
      {"one node", all_coupled({200})},
      {"piles apart", apart(all_coupled(std::vector(40, 6)), 4)},
      {"a large pile and small ones",
       apart(all_coupled(std::vector(50, 6)), 1, pile(random, 4, 3, {6}), 2)}};
}

class SharedFactorOf : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Threads, SharedFactorOf, testing::Values(1, 2, 3, 5));

TEST_P(SharedFactorOf, HasTheBitsOfOneThread) {
  ThreadPool pool(GetParam());
  for (const auto& [name, pattern] : cases()) {
    SCOPED_TRACE(name);
    BlockSymbolic symbolic;
    SymbolicAnalysis().analyze(pattern, symbolic);
    ASSERT_TRUE(symbolic.sharing.pays());
    BlockCholesky one, all;
    for (unsigned seed = 0; seed < 5; ++seed) {
      const auto make = [&](BlockCholesky& c, Team* team) {
        std::mt19937 random(seed);
        c.reset(symbolic, team);
        write(random, c, pattern);
        EXPECT_TRUE(c.factor(team));
      };
      make(one, nullptr);
      const std::vector<double> expected = solution(one);
      with_team(pool, [&](Team& team) {
        make(all, &team);
        EXPECT_EQ(expected, solution(all, &team));
      });
      EXPECT_EQ(expected, solution(all));
    }
    for (unsigned seed = 5; seed < 9; ++seed) {  // at once, with what is left from before
      const bool is_kept = seed % 2 == 1;
      AlignedBuffer<double> x[2];
      for (const bool shared : {false, true}) {
        BlockCholesky& c = shared ? all : one;
        with_team(pool, [&](Team& all_of_it) {
          Team* team = shared ? &all_of_it : nullptr;
          std::mt19937 random(seed);
          c.reset(symbolic, team);
          write(random, c, pattern);
          x[shared] = right_side(symbolic);
          EXPECT_TRUE(c.factor_and_solve(x[shared].span(), team, is_kept));
        });
      }
      std::mt19937 random(seed);
      const AlignedBuffer<double> b = right_side(symbolic);
      EXPECT_LT(residual(random, symbolic, pattern, x[0].span(), b.span()), 1e-14);
      EXPECT_TRUE(std::ranges::equal(x[0].span(), x[1].span()));
      if (is_kept) {
        EXPECT_EQ(solution(one), solution(all));
      }
    }
  }
}

// what a larger matrix leaves is cleared, too, by one thread or by all
TEST_P(SharedFactorOf, BeginsAnewAfterAnother) {
  ThreadPool pool(GetParam());
  std::mt19937 random(4);
  BlockSymbolic symbolic[2];
  const BlockPattern patterns[2] = {pile(random, 6, 8, {6}), pile(random, 5, 8, {6})};
  for (int k = 0; k < 2; ++k) SymbolicAnalysis().analyze(patterns[k], symbolic[k]);
  ASSERT_GT(symbolic[0].value_count, symbolic[1].value_count);
  const auto solve = [&](BlockCholesky& c, int which, Team* team) {
    std::mt19937 numbers(which);
    c.reset(symbolic[which], team);
    write(numbers, c, patterns[which]);
    EXPECT_TRUE(c.factor(team));
    return solution(c, team);
  };
  std::vector<double> expected[2];
  for (int k = 0; k < 2; ++k) {
    BlockCholesky fresh;
    expected[k] = solve(fresh, k, nullptr);
  }
  BlockCholesky cholesky;
  with_team(pool, [&](Team& team) {
    for (int trial = 0; trial < 40; ++trial) {
      const auto which = static_cast<unsigned>(random());
      const int k = static_cast<int>(which % 2);
      EXPECT_EQ(solve(cholesky, k, (which & 2) != 0 ? &team : nullptr), expected[k]);
    }
  });
}

// helpers come between what is done with a factor
TEST_P(SharedFactorOf, IsForAnyNumberOfMembers) {
  ThreadPool pool(GetParam());
  for (const auto& [name, pattern] : cases()) {
    SCOPED_TRACE(name);
    BlockSymbolic symbolic;
    SymbolicAnalysis().analyze(pattern, symbolic);
    const auto make = [&](BlockCholesky& c, Team* team) {
      std::mt19937 random(7);
      c.reset(symbolic, team);
      write(random, c, pattern);
    };
    BlockCholesky one, all;
    make(one, nullptr);
    ASSERT_TRUE(one.factor());
    const std::vector<double> expected = solution(one);
    for (const int others : {1, 2, 3}) {
      ThreadPool other(others);
      const auto with = [&](bool is_other, const auto& work) {
        with_team(is_other ? other : pool, [&](Team& team) { work(&team); });
      };
      for (unsigned which = 0; which < 8; ++which) {
        with((which & 1) != 0, [&](Team* team) { make(all, team); });
        with((which & 2) != 0, [&](Team* team) { EXPECT_TRUE(all.factor(team)); });
        with((which & 4) != 0, [&](Team* team) { EXPECT_EQ(solution(all, team), expected); });
      }
    }
  }
}

TEST_P(SharedFactorOf, RefusesAnIndefiniteMatrix) {
  ThreadPool pool(GetParam());
  for (const auto& [name, pattern] : cases()) {
    BlockSymbolic symbolic;
    SymbolicAnalysis().analyze(pattern, symbolic);
    BlockCholesky cholesky;
    const auto solve = [&](BlockCholesky& c, Team* team) {
      std::mt19937 random(3);
      c.reset(symbolic, team);
      write(random, c, pattern);
      EXPECT_TRUE(c.factor(team));
      return solution(c, team);
    };
    BlockCholesky fresh;
    const std::vector<double> expected = solve(fresh, nullptr);
    for (int bad = 0; bad < pattern.nodes(); bad += 1 + pattern.nodes() / 20) {
      for (const double value : {-1.0, std::nan("")}) {
        SCOPED_TRACE(testing::Message() << name << ", node " << bad << ", " << value);
        std::mt19937 random(2);
        cholesky.reset(symbolic);
        write(random, cholesky, pattern, bad, value);
        with_team(pool, [&](Team& team) { EXPECT_FALSE(cholesky.factor(&team)); });
        AlignedBuffer<double> x = right_side(symbolic);
        with_team(pool, [&](Team& team) {
          cholesky.reset(symbolic, &team);
          write(random, cholesky, pattern, bad, value);
          EXPECT_FALSE(cholesky.factor_and_solve(x.span(), &team));
        });
        with_team(pool, [&](Team& team) {  // nothing is left of it
          EXPECT_EQ(solve(cholesky, bad % 2 == 0 ? &team : nullptr), expected);
        });
      }
    }
  }
}

/// Every front is shared or in one subtree, whose parents follow; chunks make up each panel.
void check_plan(const BlockSymbolic& s, const SharingPlan& plan) {
  constexpr int shared_one = 1'000'000;
  std::vector<int> owner(s.fronts.size(), -1);  // subtree; after them the shared fronts
  for (int t = 0; t < std::ssize(plan.subtrees); ++t) {
    for (int k = plan.subtrees[t].begin; k < plan.subtrees[t].end; ++k) {
      EXPECT_EQ(std::exchange(owner[k], t), -1);
    }
  }
  for (const auto& shared : plan.shared) {
    EXPECT_EQ(std::exchange(owner[shared.front], shared_one), -1);
    const Front& f = s.fronts[shared.front];
    int row = 0, strip = f.pivot_begin;
    for (int c = shared.chunk_begin; c < shared.chunk_end; ++c) {
      const SharingPlan::Chunk& chunk = plan.chunks[c];
      EXPECT_EQ(chunk.begin, row);
      EXPECT_EQ(chunk.begin % 8, 0);
      EXPECT_EQ(chunk.strip_begin, strip);
      if (chunk.strip_end > strip) {
        EXPECT_EQ(s.strips[strip].row, row);
      }
      row = chunk.end;
      strip = chunk.strip_end;
    }
    EXPECT_EQ(row, f.leading);
    EXPECT_EQ(strip, f.pivot_end);
  }
  std::vector<int> front_at(s.vector_size, -1);  // of the pivots at a place of a vector
  for (int k = 0; k < std::ssize(s.fronts); ++k) {
    for (int i = s.fronts[k].pivot_begin; i < s.fronts[k].pivot_end; ++i) {
      front_at[s.strips[i].vector] = k;
    }
  }
  for (int k = 0; k < std::ssize(s.fronts); ++k) {
    const Front& f = s.fronts[k];
    EXPECT_GE(owner[k], 0) << "front " << k;
    for (int u = f.update_begin; u < f.update_end; ++u) {
      const int source = owner[s.updates[u].source];
      EXPECT_TRUE(owner[k] == source || owner[k] == shared_one) << "front " << k;
    }
    for (int i = f.pivot_begin; i < f.below_end; ++i) {
      const bool is_inside =
          owner[k] != shared_one && owner[front_at[s.strips[i].vector]] == owner[k];
      EXPECT_EQ(i < plan.outside[k], is_inside) << "front " << k << ", strip " << i;
    }
  }
}

/// What the second of two threads contributes to shared fronts is added up apart, and one thread
/// goes over all that contributes to a front before it.
void check_sums_apart(const BlockSymbolic& s) {
  enum Owner { first, second, both };
  const SharingPlan& plan = s.sharing.of(2);
  std::vector<Owner> owner(s.fronts.size(), both);
  for (int t = 0; t < std::ssize(plan.subtrees); ++t) {
    for (int k = plan.subtrees[t].begin; k < plan.subtrees[t].end; ++k) {
      owner[k] = t < plan.second ? first : second;
    }
  }
  std::int64_t room = 0;
  for (int k = 0; k < std::ssize(s.fronts); ++k) {
    const Front& f = s.fronts[k];
    EXPECT_EQ(f.below_apart, owner[k] == second ? plan.outside[k] : f.below_end) << "front " << k;
    for (int u = f.update_begin; u < f.update_end; ++u) {
      const bool is_apart = owner[k] == both && owner[s.updates[u].source] == second;
      EXPECT_EQ(u >= f.apart_begin && u < f.apart_end, is_apart) << "front " << k;
      if (u >= f.apart_end) {
        EXPECT_EQ(owner[s.updates[u].source], both) << "front " << k;
      }
    }
    if (f.apart_begin == f.apart_end) continue;
    EXPECT_EQ(f.apart, room);
    room += f.leading * f.pivots + 8;
  }
  EXPECT_EQ(room, s.sharing.apart_count);
  std::vector<int> place(s.fronts.size(), -1);
  int count = 0;
  for (const FrontRange r : s.sharing.order) {
    for (int k = r.begin; k < r.end; ++k) EXPECT_EQ(std::exchange(place[k], count++), -1);
  }
  EXPECT_EQ(count, std::ssize(s.fronts));
  for (int k = 0; k < std::ssize(s.fronts); ++k) {
    for (int u = s.fronts[k].update_begin; u < s.fronts[k].update_end; ++u) {
      EXPECT_LT(place[s.updates[u].source], place[k]);
    }
  }
}

TEST(SharingPlan, CoversTheFactor) {
  for (const auto& [name, pattern] : cases()) {
    SCOPED_TRACE(name);
    BlockSymbolic s;
    SymbolicAnalysis().analyze(pattern, s);
    check_plan(s, s.sharing.of(2));
    check_plan(s, s.sharing.of(3));
    check_sums_apart(s);
    EXPECT_LE(s.sharing.of(2).shared.size(), s.sharing.of(3).shared.size());
    const auto work = [&](const FrontRange& r) {
      double sum = 0;
      for (int k = r.begin; k < r.end; ++k) sum += flops(s.fronts[k]);
      return sum;
    };
    EXPECT_TRUE(std::ranges::is_sorted(s.sharing.of(3).subtrees, std::ranges::greater{}, work));
    const SharingPlan& two = s.sharing.of(2);  // alike, or made of the smallest subtrees
    double share[2] = {};
    for (int t = 0; t < std::ssize(two.subtrees); ++t) {
      share[t >= two.second] += work(two.subtrees[t]);
    }
    EXPECT_TRUE(std::ranges::min(share) >= 0.5 * std::ranges::max(share) ||
                two.subtrees.size() == s.sharing.of(3).subtrees.size());
  }
}

TEST(SharingPlan, LeavesSmallFactorsToOneThread) {
  BlockSymbolic symbolic;
  SymbolicAnalysis().analyze(all_coupled(std::vector(10, 6)), symbolic);
  EXPECT_FALSE(symbolic.sharing.pays());
  BlockPattern chain{.sizes = std::vector(5000, 6), .edges = {}};  // many flops in small fronts
  for (std::int32_t i = 0; i + 1 < chain.nodes(); ++i) chain.edges.push_back({i, i + 1});
  SymbolicAnalysis().analyze(chain, symbolic);
  EXPECT_GT(symbolic.flops, 1e6);
  EXPECT_FALSE(symbolic.sharing.pays());
}

}  // namespace
}  // namespace abut
