#include "abut/linalg/edge_requests.hpp"

#include <algorithm>

#include "abut/core/grow.hpp"

namespace abut {

void EdgeRequests::make_room(std::size_t requests, std::size_t edges) {
  abut::make_room(asked_, requests);
  abut::make_room(edge_, requests);
  if (requests > 0) abut::make_room(links_, requests + edges);
}

void EdgeRequests::enter(BlockPattern& pattern) {
  edge_.resize(asked_.size());
  if (asked_.empty()) return;
  const auto name = [](const BlockEdge& e) {
    const auto [low, high] = std::minmax(e.a, e.b);
    return std::uint64_t{static_cast<std::uint32_t>(low)} << 32 | static_cast<std::uint32_t>(high);
  };
  // equal names side by side, those of edges that are there first
  links_.clear();
  const auto present = static_cast<std::int32_t>(pattern.edges.size());
  for (int e = 0; e < present; ++e) links_.emplace_back(name(pattern.edges[e]), e);
  for (int k = 0; k < std::ssize(asked_); ++k) links_.emplace_back(name(asked_[k]), present + k);
  std::sort(links_.begin(), links_.end());
  std::uint64_t last = 0;
  std::int32_t edge = -1;
  for (const auto& [nodes, source] : links_) {
    if (edge < 0 || nodes != last) edge = source < present ? source : -1;
    last = nodes;
    if (source < present) continue;
    if (edge < 0) {
      edge = static_cast<std::int32_t>(pattern.edges.size());
      pattern.edges.push_back(asked_[source - present]);
    }
    edge_[source - present] = edge;
  }
}

}  // namespace abut
