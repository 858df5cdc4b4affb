#include "abut/linalg/ordering.hpp"

#include <algorithm>

#include "abut/core/grow.hpp"
#include "abut/linalg/kernels.hpp"

namespace abut {

void FillReducingOrder::find(int nodes, const Adjacency& adjacency,
                             std::vector<std::int32_t>& order) {
  order.resize(nodes);
  if (nodes <= bitset_limit) {
    order_by_bitset(nodes, adjacency, order);
  } else {
    order_by_quotient_graph(nodes, adjacency, order);
  }
}

void FillReducingOrder::order_by_bitset(int nodes, const Adjacency& adjacency,
                                        std::vector<std::int32_t>& order) {
  const std::size_t words = (nodes + 63) / 64;
  assign(bits_, nodes * words, 0);
  static_assert(bitset_limit < 1024, "a key of the kernel has ten bits below the fill");
  key_.resize(nodes);
  for (int i = 0; i < nodes; ++i) {
    std::uint64_t* row = bits_.data() + i * words;
    for (const auto [j, edge] : adjacency.of(i)) row[j / 64] |= std::uint64_t{1} << (j % 64);
  }
  linalg_kernels().order_by_bits(nodes, bits_.data(), key_.data(), order.data());
}

void FillReducingOrder::link(int node) {
  Node& n = nodes_[node];
  n.previous = -1;
  n.next = head_[n.degree];
  if (n.next >= 0) nodes_[n.next].previous = node;
  head_[n.degree] = node;
  lowest_ = std::min(lowest_, n.degree);
}

void FillReducingOrder::unlink(int node) {
  const Node& n = nodes_[node];
  (n.previous >= 0 ? nodes_[n.previous].next : head_[n.degree]) = n.next;
  if (n.next >= 0) nodes_[n.next].previous = n.previous;
}

/// Makes `pivot` an element: appends the union of its neighbours and of its elements' members.
void FillReducingOrder::form_clique(int pivot) {
  Node& p = nodes_[pivot];
  p.eliminated = true;
  p.mark = pivot;
  Element& clique = elements_[pivot];
  clique.begin = static_cast<std::int32_t>(lists_.size());
  const auto take = [&](int node) {
    if (nodes_[node].mark == pivot || nodes_[node].eliminated) return;
    nodes_[node].mark = pivot;
    lists_.push_back(node);
  };
  for (int k = p.begin; k < p.begin + p.elements; ++k) {
    Element& absorbed = elements_[lists_[k]];
    for (int m = absorbed.begin; m < absorbed.end; ++m) take(lists_[m]);
    absorbed.absorbed = true;
  }
  for (int k = p.begin + p.elements; k < p.end; ++k) take(lists_[k]);
  clique.end = static_cast<std::int32_t>(lists_.size());
  clique.absorbed = false;
}

/// For every element that touches the pivot's clique: how many of its members lie outside.
void FillReducingOrder::count_outside(int pivot) {
  const Element& clique = elements_[pivot];
  for (int m = clique.begin; m < clique.end; ++m) {
    const Node& member = nodes_[lists_[m]];
    for (int k = member.begin; k < member.begin + member.elements; ++k) {
      Element& e = elements_[lists_[k]];
      if (e.absorbed) continue;
      if (e.mark != pivot) {
        e.mark = pivot;
        e.outside = e.end - e.begin;
      }
      --e.outside;
    }
  }
}

/// Drops what the pivot's clique covers from the member's lists and bounds its new degree.
void FillReducingOrder::update_member(int member, int pivot) {
  Node& n = nodes_[member];
  const Element& clique = elements_[pivot];
  std::int32_t degree = clique.end - clique.begin - 1;
  int write = n.begin;
  const int old_elements_end = n.begin + n.elements;
  for (int k = n.begin; k < old_elements_end; ++k) {
    Element& e = elements_[lists_[k]];
    if (e.absorbed) continue;
    if (e.outside == 0) {
      e.absorbed = true;  // its clique is part of the pivot's
      continue;
    }
    degree += e.outside;
    lists_[write++] = lists_[k];
  }
  // the neighbours move to make room for the pivot: one of them or an element has just gone
  const int kept = write;
  int neighbours_end = kept;
  for (int k = old_elements_end; k < n.end; ++k) {
    const int other = lists_[k];
    if (nodes_[other].eliminated || nodes_[other].mark == pivot) continue;
    lists_[neighbours_end++] = other;
    ++degree;
  }
  lists_[neighbours_end] = lists_[kept];
  lists_[kept] = pivot;
  n.elements = kept + 1 - n.begin;
  n.end = neighbours_end + 1;
  n.degree = std::min(n.degree + clique.end - clique.begin - 1, degree);
}

void FillReducingOrder::order_by_quotient_graph(int nodes, const Adjacency& adjacency,
                                                std::vector<std::int32_t>& order) {
  nodes_.assign(nodes, {});
  elements_.assign(nodes, {});
  assign(head_, nodes, -1);
  lists_.clear();
  for (const auto [node, edge] : adjacency.neighbours) lists_.push_back(node);
  lowest_ = nodes;
  for (int i = nodes - 1; i >= 0; --i) {
    nodes_[i].begin = adjacency.start[i];
    nodes_[i].end = adjacency.start[i + 1];
    nodes_[i].degree = nodes_[i].end - nodes_[i].begin;
    link(i);
  }
  for (int k = 0; k < nodes; ++k) {
    while (head_[lowest_] < 0) ++lowest_;
    const int pivot = head_[lowest_];
    unlink(pivot);
    order[k] = pivot;
    form_clique(pivot);
    count_outside(pivot);
    const Element clique = elements_[pivot];
    for (int m = clique.begin; m < clique.end; ++m) {
      const int member = lists_[m];
      unlink(member);
      update_member(member, pivot);
      nodes_[member].degree = std::min(nodes_[member].degree, nodes - k - 2);
      link(member);
    }
  }
}

}  // namespace abut
