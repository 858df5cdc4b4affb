#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace abut {

/// Two nodes that share a nonzero off-diagonal block; a != b.
struct BlockEdge {
  std::int32_t a = 0, b = 0;
  bool operator==(const BlockEdge&) const = default;
};

/// The nonzero pattern of a symmetric block matrix: one node per diagonal block, and each pair of
/// coupled nodes once. All diagonal blocks are present.
struct BlockPattern {
  std::vector<std::int32_t> sizes;  ///< rows of each diagonal block, > 0
  std::vector<BlockEdge> edges;

  int nodes() const { return static_cast<int>(sizes.size()); }
  void clear() { sizes.clear(), edges.clear(); }
  bool operator==(const BlockPattern&) const = default;
};

/// Both directions of the edges, by node, in the order of the edges.
struct Adjacency {
  struct Neighbour {
    std::int32_t node, edge;
  };
  std::vector<std::int32_t> start;
  std::vector<Neighbour> neighbours;

  void build(const BlockPattern& pattern);
  std::span<const Neighbour> of(int node) const {
    return {neighbours.data() + start[node], neighbours.data() + start[node + 1]};
  }
};

}  // namespace abut
