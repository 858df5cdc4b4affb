// Minimum degree on rows of bits. Integer work: the order is the same for every instruction set.

#include "abut/linalg/kernel_functions.hpp"

namespace abut::ABUT_ISA {
namespace {

constexpr std::int32_t gone = 0x7fffffff;

int lowest_degree(const std::int32_t* degree, int nodes) {
  std::int32_t least = gone;
  for (int i = 0; i < nodes; ++i) least = degree[i] < least ? degree[i] : least;
  int node = 0;
  while (degree[node] != least) ++node;
  return node;
}

/// Joins the pivot's neighbours to one clique, in which `member` is one; returns its new degree.
std::int32_t join(std::uint64_t* row, const std::uint64_t* clique, int words, int member,
                  int pivot) {
  for (int w = 0; w < words; ++w) row[w] |= clique[w];
  row[pivot / 64] &= ~(std::uint64_t{1} << (pivot % 64));
  row[member / 64] &= ~(std::uint64_t{1} << (member % 64));
  std::int32_t count = 0;
  for (int w = 0; w < words; ++w) count += __builtin_popcountll(row[w]);
  return count;
}

}  // namespace

void order_by_bits(int nodes, std::uint64_t* bits, std::int32_t* degree, std::int32_t* order) {
  const int words = (nodes + 63) / 64;
  for (int k = 0; k < nodes; ++k) {
    const int pivot = lowest_degree(degree, nodes);
    order[k] = pivot;
    degree[pivot] = gone;
    const std::uint64_t* clique = bits + static_cast<std::ptrdiff_t>(pivot) * words;
    for (int w = 0; w < words; ++w) {
      for (std::uint64_t left = clique[w]; left != 0; left &= left - 1) {
        const int member = 64 * w + __builtin_ctzll(left);
        degree[member] =
            join(bits + static_cast<std::ptrdiff_t>(member) * words, clique, words, member, pivot);
      }
    }
  }
}

}  // namespace abut::ABUT_ISA
