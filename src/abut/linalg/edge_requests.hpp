#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "abut/linalg/block_pattern.hpp"

namespace abut {

/// Edges that a pattern needs, however often they are asked for. Buffers are kept.
class EdgeRequests {
 public:
  void make_room(std::size_t requests, std::size_t edges);
  void clear() { asked_.clear(); }
  bool empty() const { return asked_.empty(); }

  /// For the nodes a and b. Returns the request's number.
  int ask(std::int32_t a, std::int32_t b) {
    asked_.push_back({a, b});
    return static_cast<int>(asked_.size()) - 1;
  }

  /// Adds those edges that the pattern has not yet.
  void enter(BlockPattern& pattern);

  /// The edge that a request got; its nodes may be in the other order.
  std::int32_t edge(int request) const { return edge_[request]; }

 private:
  std::vector<BlockEdge> asked_;
  std::vector<std::int32_t> edge_;
  /// Pairs of nodes as a number, with the edge or, behind those, the request that they are of.
  std::vector<std::pair<std::uint64_t, std::int32_t>> links_;
};

}  // namespace abut
