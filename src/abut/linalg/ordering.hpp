#pragma once

#include <cstdint>
#include <vector>

#include "abut/linalg/block_pattern.hpp"

namespace abut {

/// An elimination order that leaves a symmetric block pattern's factor few blocks, by the graph of
/// nodes, each counted once whatever its size. Buffers are kept between calls; the order depends
/// on the pattern alone.
class FillReducingOrder {
 public:
  /// Writes to order[k] the node eliminated k-th.
  void find(int nodes, const Adjacency& adjacency, std::vector<std::int32_t>& order);

  /// Up to this many nodes the node comes next whose elimination adds the fewest blocks (least
  /// fill), in a graph of rows of bits; beyond the one with the fewest neighbours (minimum degree),
  /// in a quotient graph, whose memory grows with the pattern and not with the square of nodes.
  static constexpr int bitset_limit = 768;

 private:
  void order_by_bitset(int nodes, const Adjacency& adjacency, std::vector<std::int32_t>& order);
  std::vector<std::uint64_t> bits_;
  std::vector<std::int32_t> key_;

  // Quotient graph (approximate minimum degree of Amestoy, Davis and Duff): an eliminated node
  // becomes an element, the clique of the nodes it touched. Slot i of lists_ holds node i's
  // elements, then its remaining neighbours; the lists of elements follow behind.
  struct Node {
    std::int32_t begin = 0;                 ///< into lists_
    std::int32_t elements = 0;              ///< number of elements at the front of the slot
    std::int32_t end = 0;                   ///< behind the last neighbour
    std::int32_t degree = 0;                ///< approximate external degree
    std::int32_t next = -1, previous = -1;  ///< in the list of nodes of this degree
    std::int32_t mark = -1;                 ///< the pivot in whose clique this node was last seen
    bool eliminated = false;
  };
  struct Element {
    std::int32_t begin = 0, end = 0;  ///< into lists_
    std::int32_t outside = 0;         ///< members outside the current pivot's clique
    std::int32_t mark = -1;           ///< the pivot for which `outside` is valid
    bool absorbed = true;
  };
  void order_by_quotient_graph(int nodes, const Adjacency& adjacency,
                               std::vector<std::int32_t>& order);
  void form_clique(int pivot);
  void count_outside(int pivot);
  void update_member(int member, int pivot);
  void link(int node);
  void unlink(int node);
  std::vector<Node> nodes_;
  std::vector<Element> elements_;
  std::vector<std::int32_t> lists_, head_;
  std::int32_t lowest_ = 0;  ///< no list of lower degree has nodes
};

}  // namespace abut
