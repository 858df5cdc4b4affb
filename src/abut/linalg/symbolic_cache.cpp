#include "abut/linalg/symbolic_cache.hpp"

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

namespace abut {
namespace {

auto vectors(SharingPlan& p) {
  return std::tie(p.subtrees, p.shared, p.chunks, p.outside);
}
auto vectors(BlockPattern& p, BlockSymbolic& s) {
  return std::tuple_cat(std::tie(p.sizes, p.edges, s.fronts, s.strips, s.updates, s.targets,
                                 s.diagonal, s.off_diagonal, s.vector_offset, s.sharing.order),
                        vectors(s.sharing.of_two), vectors(s.sharing.of_more));
}

/// Room for what `made` holds, and for half as much again, in every slot that has less.
template <class Slot>
void make_room(std::span<Slot> slots, Slot& made) {
  const auto one = [&]<std::size_t i>(std::integral_constant<std::size_t, i>) {
    const std::size_t size = std::get<i>(vectors(made.pattern, made.symbolic)).size();
    if (std::get<i>(vectors(slots[0].pattern, slots[0].symbolic)).capacity() >= size) return;
    for (Slot& s : slots) std::get<i>(vectors(s.pattern, s.symbolic)).reserve(size + size / 2);
  };
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    (one(std::integral_constant<std::size_t, i>{}), ...);
  }
  (std::make_index_sequence<std::tuple_size_v<decltype(vectors(made.pattern, made.symbolic))>>{});
}

std::uint64_t hash(const BlockPattern& pattern) {
  std::uint64_t h = 0xcbf29ce484222325u;
  const auto add = [&](std::int32_t x) {
    h = (h ^ static_cast<std::uint32_t>(x)) * 0x9e3779b97f4a7c15u;
    h ^= h >> 29;
  };
  for (const std::int32_t size : pattern.sizes) add(size);
  for (const BlockEdge& e : pattern.edges) add(e.a), add(e.b);
  return h;
}

}  // namespace

/// Of a pattern of so many nodes.
int SymbolicCache::most_strips(int nodes) const {
  const auto more = std::min(reserved_pivots_.all - reserved_nodes_,
                             std::int64_t{nodes} * (reserved_pivots_.widest - 1));
  return typical_strips * nodes + static_cast<int>(std::max<std::int64_t>(0, more));
}

void SymbolicCache::reserve(int nodes, int edges, const PivotStrips& pivots) {
  if (nodes <= reserved_nodes_ && edges <= reserved_edges_ && pivots.all <= reserved_pivots_.all &&
      pivots.widest <= reserved_pivots_.widest) {
    return;
  }
  if (nodes > reserved_nodes_) reserved_nodes_ = std::max(nodes, 2 * reserved_nodes_);
  if (edges > reserved_edges_) reserved_edges_ = std::max(edges, 2 * reserved_edges_);
  reserved_pivots_ = {std::max(pivots.all + reserved_nodes_ - nodes, reserved_pivots_.all),
                      std::max(pivots.widest, reserved_pivots_.widest)};
  reserve(made_, reserved_nodes_, reserved_edges_, most_strips(reserved_nodes_));
  int below = 0;  // the nodes on the shelf at hand
  for (Shelf& shelf : shelves_) {
    if (reserved_nodes_ <= below) break;
    const int most = std::min(reserved_nodes_, shelf.nodes);
    // no more than there can be islands of this size at once
    add_sets(shelf, std::min(shelf.most_sets, reserved_nodes_ / (ways * (below + 1)) + 1));
    int most_edges = reserved_edges_, strips = most_strips(most);
    if (shelf.nodes <= dense_pattern) {
      most_edges = most * (most - 1) / 2;
      strips = std::min(strips, (most + most_edges) * reserved_pivots_.widest);
    }
    for (Slot& s : shelf.slots) reserve(s, most, most_edges, strips);
    below = shelf.nodes;
  }
  // bands give the analysis' own buffers their sizes, for either way to order: narrow ones have
  // many fronts, wide ones many rows
  for (const int n :
       {reserved_nodes_, std::min(reserved_nodes_, FillReducingOrder::bitset_limit)}) {
    for (const int width : {0, 1, 10}) warm_up(n, width);
  }
}

void SymbolicCache::warm_up(int nodes, int width) {
  made_.pattern.clear();
  made_.pattern.sizes.assign(nodes, 6);
  for (std::int32_t away = 1; away <= width; ++away) {
    for (std::int32_t i = 0; i + away < nodes; ++i) made_.pattern.edges.push_back({i, i + away});
  }
  analysis_.analyze(made_.pattern, made_.symbolic);
}

void SymbolicCache::reserve(Slot& s, int nodes, int edges, int strips) {
  s.pattern.sizes.reserve(nodes);
  s.pattern.edges.reserve(edges);
  s.symbolic.fronts.reserve(nodes);
  s.symbolic.strips.reserve(strips);
  s.symbolic.updates.reserve(2 * strips);
  s.symbolic.targets.reserve(16 * strips);
  s.symbolic.diagonal.reserve(nodes);
  s.symbolic.off_diagonal.reserve(edges);
  s.symbolic.vector_offset.reserve(nodes);
  s.symbolic.sharing.order.reserve(nodes);
  for (SharingPlan* plan : {&s.symbolic.sharing.of_two, &s.symbolic.sharing.of_more}) {
    std::apply([&](auto&... v) { (v.reserve(nodes), ...); }, vectors(*plan));
  }
}

/// Up to this number. What a shelf held may then be in another set than its hash says, and is made
/// anew.
void SymbolicCache::add_sets(Shelf& shelf, int sets) {
  const auto slots = static_cast<std::size_t>(ways) * sets;
  if (slots > shelf.slots.size()) shelf.slots.resize(slots);
}

SymbolicCache::Shelf& SymbolicCache::shelf_of(int nodes) {
  Shelf& shelf = *std::find_if(shelves_.begin(), shelves_.end(),
                               [&](const Shelf& s) { return nodes <= s.nodes; });
  if (shelf.slots.empty()) add_sets(shelf, 1);
  return shelf;
}

const BlockSymbolic& SymbolicCache::get(const BlockPattern& pattern) {
  Shelf& shelf = shelf_of(pattern.nodes());
  const std::uint64_t h = hash(pattern);
  const std::span set(&shelf.slots[ways * (h % (shelf.slots.size() / ways))], ways);
  auto slot = std::ranges::find_if(
      set, [&](const Slot& s) { return s.last_use >= 0 && s.hash == h && s.pattern == pattern; });
  if (slot == set.end()) {
    slot = std::ranges::min_element(set, {}, &Slot::last_use);
    made_.hash = h;
    made_.pattern = pattern;
    analysis_.analyze(pattern, made_.symbolic);
    make_room(std::span(shelf.slots), made_);
    *slot = made_;
    ++analyses_;
  }
  slot->last_use = uses_++;
  return slot->symbolic;
}

}  // namespace abut
