#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "abut/linalg/block_cholesky.hpp"
#include "abut/linalg/edge_requests.hpp"
#include "abut/solvers/primal/island_nodes.hpp"

namespace abut {

/// A of an island's dense and sparse trees: products, diagonals, and its blocks of the Hessian.
class IslandMasses {
 public:
  /// A tree in the island's vectors, padding included.
  struct Part {
    std::int32_t tree = 0, node = 0;  ///< its first
    std::int32_t begin = 0, end = 0;
    const double* matrix = nullptr;  ///< of a dense tree, row-major
    std::int32_t size = 0;           ///< dofs
    std::size_t first_place = 0;     ///< of a sparse tree, in places_
  };

  void make_room(const ContactProblem& problem);
  /// Those of the nodes. The problem and nodes are not to change.
  void gather(const ContactProblem& problem, const IslandNodes& nodes);

  std::span<const Part> parts() const { return parts_; }

  /// y = A x of one part; vectors of the island.
  void multiply(const Part& part, const double* x, double* y) const;
  /// 1/diag(A), zero in the padding.
  void get_scale(const Part& part, double* scale2) const;

  /// Asks for the edges between the nodes of sparse trees.
  void ask_edges(EdgeRequests& requests);
  void take_edges(const EdgeRequests& requests);
  /// Adds A to the blocks of the pattern, which are zero.
  void add_to(BlockCholesky& cholesky) const;

 private:
  const ContactProblem* problem_ = nullptr;
  const IslandNodes* nodes_ = nullptr;
  std::vector<Part> parts_;
  std::vector<std::int32_t> places_;  ///< by node of sparse trees: its first entry in vectors
  std::vector<std::int32_t> asked_, edges_;  ///< of all edges of all groups
};

}  // namespace abut
