#include "abut/linalg/block_pattern.hpp"

#include "abut/core/grow.hpp"

namespace abut {

void Adjacency::build(const BlockPattern& pattern) {
  const int nodes = pattern.nodes();
  const int edges = static_cast<int>(pattern.edges.size());
  assign(start, nodes + 1, 0);
  neighbours.resize(2 * pattern.edges.size());
  for (const auto& [a, b] : pattern.edges) {
    ++start[a + 1];
    ++start[b + 1];
  }
  for (int i = 0; i < nodes; ++i) start[i + 1] += start[i];
  // start[i] runs through row i and ends where row i + 1 began: shift back afterwards
  for (int e = 0; e < edges; ++e) {
    const auto [a, b] = pattern.edges[e];
    neighbours[start[a]++] = {b, e};
    neighbours[start[b]++] = {a, e};
  }
  for (int i = nodes; i > 0; --i) start[i] = start[i - 1];
  start[0] = 0;
}

}  // namespace abut
