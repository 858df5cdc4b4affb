// Least fill on rows of bits. Integer work: the order is the same for every instruction set.

#include <cstddef>

#include "abut/linalg/kernel_functions.hpp"
#include "abut/linalg/simd.hpp"

namespace abut::ABUT_ISA {
namespace {

constexpr std::int32_t gone = 0x7fffffff;
constexpr int age_bits = 10;  // of a key, below its fill

/// A graph as a row of bits per node, and by node a key: the edges that its elimination adds, which
/// are the pairs of its neighbours that are not neighbours of each other, above the step in which
/// it was last touched.
struct Graph {
  int words;
  std::uint64_t* bits;
  std::int32_t* key;

  ABUT_INLINE std::uint64_t* row(int node) const {
    return bits + static_cast<std::ptrdiff_t>(node) * words;
  }
  ABUT_INLINE void add_fill(int node, std::int32_t pairs) const {
    key[node] += pairs * (1 << age_bits);
  }
};

ABUT_INLINE std::uint64_t bit(int node) {
  return std::uint64_t{1} << (node % 64);
}

/// Calls f(node) for each bit, in ascending order.
template <class F>
ABUT_INLINE void for_each_bit(std::uint64_t left, int word, const F& f) {
  for (; left != 0; left &= left - 1) f(64 * word + __builtin_ctzll(left));
}

int least_key(const std::int32_t* key, int nodes) {
  constexpr int block = 32;
  std::int32_t least = gone;
  for (int i = 0; i < nodes; ++i) least = key[i] < least ? key[i] : least;
  int node = 0;
  // a block at once, without a branch for each node, then within the block
  for (std::int32_t any = 0; node + block <= nodes; node += block) {
    for (int i = 0; i < block; ++i) any |= key[node + i] == least ? 1 : 0;
    if (any != 0) break;
  }
  while (key[node] != least) ++node;
  return node;
}

void count_fill(const Graph& g, int node) {
  const std::uint64_t* row = g.row(node);
  std::int32_t count = 0, links = 0;  // neighbours; each edge between two of them twice
  for (int w = 0; w < g.words; ++w) {
    for_each_bit(row[w], w, [&](int other) {
      ++count;
      const std::uint64_t* of_other = g.row(other);
      for (int k = 0; k < g.words; ++k) links += __builtin_popcountll(row[k] & of_other[k]);
    });
  }
  g.key[node] = 0;
  g.add_fill(node, (count * (count - 1) - links) / 2);
}

/// Takes the pivot from its neighbour's row: the pairs it was in there are gone.
void leave(const Graph& g, const std::uint64_t* clique, int pivot, int member, int step) {
  std::uint64_t* row = g.row(member);
  row[pivot / 64] &= ~bit(pivot);
  std::int32_t apart = 0;
  for (int w = 0; w < g.words; ++w) apart += __builtin_popcountll(row[w] & ~clique[w]);
  const std::int32_t fill = g.key[member] >> age_bits;
  g.key[member] = step + (fill - apart) * (1 << age_bits);
}

/// Adds an edge: both get pairs with those who are no neighbours of the other; who is a neighbour
/// of both has a pair less.
void link(const Graph& g, int a, int b) {
  std::uint64_t *of_a = g.row(a), *of_b = g.row(b);
  std::int32_t only_a = 0, only_b = 0;
  for (int w = 0; w < g.words; ++w) {
    only_a += __builtin_popcountll(of_a[w] & ~of_b[w]);
    only_b += __builtin_popcountll(of_b[w] & ~of_a[w]);
    for_each_bit(of_a[w] & of_b[w], w, [&](int both) { g.add_fill(both, -1); });
  }
  g.add_fill(a, only_a);
  g.add_fill(b, only_b);
  of_a[b / 64] |= bit(b);
  of_b[a / 64] |= bit(a);
}

}  // namespace

void order_by_bits(int nodes, std::uint64_t* bits, std::int32_t* key, std::int32_t* order) {
  const Graph g{(nodes + 63) / 64, bits, key};
  for (int i = 0; i < nodes; ++i) count_fill(g, i);
  for (int k = 0; k < nodes; ++k) {
    const int pivot = least_key(key, nodes);
    const bool fills = key[pivot] >> age_bits > 0;
    order[k] = pivot;
    key[pivot] = gone;
    const std::uint64_t* clique = g.row(pivot);
    const auto for_each_member = [&](const auto& f) {
      for (int w = 0; w < g.words; ++w) for_each_bit(clique[w], w, f);
    };
    for_each_member([&](int member) { leave(g, clique, pivot, member, k + 1); });
    if (!fills) continue;
    for_each_member([&](int member) {
      const std::uint64_t* row = g.row(member);
      for (int w = member / 64; w < g.words; ++w) {
        std::uint64_t missing = clique[w] & ~row[w];
        if (w == member / 64) missing &= ~(bit(member) | (bit(member) - 1));
        for_each_bit(missing, w, [&](int other) { link(g, member, other); });
      }
    });
  }
}

}  // namespace abut::ABUT_ISA
