#pragma once

#include <vector>

#include "abut/problem/prepared_problem.hpp"
#include "abut/solvers/primal/contact_kernels.hpp"

namespace abut {

/// The scalar constraints of one island (constraints/scalar_pool.hpp has their law), with
/// velocities c and directions d of c along a step.
class IslandScalars {
 public:
  void make_room(const ScalarPool& pool);
  void clear() { rows_.clear(), entries_.clear(); }

  /// Those of one tree, whose velocities begin at `offset` in the island's vectors.
  void add(const ScalarPool& pool, const ScalarTerms& terms, int tree, int offset);

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

  /// Adds J^T K J at c to the lower triangle of the block of the node at `offset`, column-major.
  void add_hessian(int offset, double* block, std::int64_t leading) const;

  /// Largest w/R where the law acts, for the round-off of v in gamma.
  double stiffest() const;

  /// Sum of w gamma^2.
  double gross() const;

  /// Into the solution's order.
  void write_impulses(std::vector<double>& impulse) const;

 private:
  struct Row {
    std::int32_t index = 0;  ///< in the problem's pool
    std::int32_t offset = 0, begin = 0, end = 0;
    double target = 0, regularization = 1, lower = 0, upper = 0, mobility = 0;
    double velocity = 0, direction = 0, impulse = 0;
  };
  static double impulse_at(const Row& r, double c);
  static bool acts(const Row& r, double c);
  static void add_terms(const Row& r, double alpha, ContactSums& sums);

  std::vector<Row> rows_;
  std::vector<RowEntry> entries_;
};

}  // namespace abut
