#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "abut/linalg/block_cholesky.hpp"
#include "abut/linalg/edge_requests.hpp"
#include "abut/problem/prepared_problem.hpp"
#include "abut/solvers/primal/contact_kernels.hpp"
#include "abut/solvers/primal/island_nodes.hpp"

namespace abut {

/// The scalar constraints of one island (constraints/scalar_pool.hpp has their law), with
/// velocities c and directions d of c along a step.
class IslandScalars {
 public:
  void make_room(const ScalarPool& pool);
  /// How many edges those of the pool may ask for.
  static std::size_t most_edges(const ScalarPool& pool);
  void clear();

  /// Those whose first tree this is.
  void add(const ScalarPool& pool, const ScalarTerms& terms, int tree, const IslandNodes& nodes);

  /// Asks for the edges between the nodes that rows link.
  void ask_edges(EdgeRequests& requests);
  void take_edges(const EdgeRequests& requests, const BlockPattern& pattern);

  bool empty() const { return rows_.empty(); }
  int size() const { return static_cast<int>(rows_.size()); }

  /// c = J x, or d = J x.
  void velocities(const double* x, bool direction);
  void clear_directions();

  /// gamma at c + alpha d, with the potential, gamma . d and d . K d there.
  ContactSums evaluate(double alpha);
  /// The same sums, nothing written.
  ContactSums line(double alpha) const;

  /// c += alpha d.
  void advance(double alpha);

  /// y += J^T gamma.
  void add_impulses(double* y) const;

  /// Adds J^T K J at c to the blocks of the pattern.
  void add_hessian(BlockCholesky& cholesky) const;

  /// Calls f(a, b) for nodes that a constraint with an impulse links.
  template <class Function>
  void for_each_link(const Function& f) const {
    for (const Row& r : rows_) {
      if (r.impulse == 0) continue;
      for (int s = r.part_begin + 1; s < r.part_end; ++s) {
        f(parts_[r.part_begin].node, parts_[s].node);
      }
    }
  }

  /// Largest w/R where the law acts, for the round-off of v in gamma.
  double stiffest() const;

  /// Sum of w gamma^2.
  double gross() const;

  /// Into the solution's order.
  void write_impulses(std::vector<double>& impulse) const;

 private:
  struct Row {
    std::int32_t index = 0;           ///< in the problem's pool
    std::int32_t begin = 0, end = 0;  ///< entries
    std::int32_t part_begin = 0, part_end = 0;
    std::int32_t pair_begin = 0, pair_end = 0;
    double target = 0, regularization = 1, lower = 0, upper = 0, mobility = 0;
    double stiffness = 1;  ///< 1/R
    double velocity = 0, direction = 0, impulse = 0;
  };
  struct Entry {
    std::int32_t at, dof;  ///< in the island's vectors, and of its node
    double value;
  };
  /// A row's entries on one node.
  struct Part {
    std::int32_t node;
    std::int32_t begin, end;  ///< entries
  };
  /// Of two parts of a row; `rows` is the one whose node is the edge's a. The edge is a request
  /// first.
  struct Pair {
    std::int32_t rows, columns, edge;
  };
  void start_part(std::int32_t first_part, std::int32_t node);
  double product(const Row& r, const double* x) const;
  static bool acts(const Row& r, double c);
  static double add_terms(const Row& r, double alpha, ContactSums& sums);

  std::vector<Row> rows_;
  std::vector<Part> parts_;
  std::vector<Entry> entries_;
  std::vector<Pair> pairs_;
};

}  // namespace abut
