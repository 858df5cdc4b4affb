// Derived numbers of the scalar constraints.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "abut/core/grow.hpp"
#include "abut/linalg/dense_spd.hpp"
#include "abut/problem/prepared_problem.hpp"

namespace abut {
namespace {

/// J A^-1 J^T = |J Y|^2 of the part of a row J of a dense tree with n dofs, with the inverse factor
/// Y of its A.
double dense_mobility(int n, const double* factor, std::span<const RowEntry> row,
                      std::span<double> work) {
  const std::ptrdiff_t lead = round_up_8(n);
  double w = 0;
  if (row.size() == 1) {  // one joint's
    const double* y = factor + row[0].dof * lead;
    for (int k = 0; k <= row[0].dof; ++k) w += y[k] * y[k];
    return row[0].value * row[0].value * w;
  }
  double* sum = work.data();
  std::fill_n(sum, n, 0.0);
  for (const RowEntry& e : row) {
    for (int k = 0; k <= e.dof; ++k) sum[k] += e.value * factor[e.dof * lead + k];
  }
  for (int k = 0; k < n; ++k) w += sum[k] * sum[k];
  return w;
}

/// As bodies' mobilities are (BodyMobilities).
double sparse_mobility(const SparseMass& mass, std::span<const RowEntry> row) {
  double w = 0;
  for (const RowEntry& a : row) {
    for (const RowEntry& b : row) {
      if (a.dof / 3 != b.dof / 3) continue;
      w += a.value * b.value * mass.inverse_block(a.dof / 3)(a.dof % 3, b.dof % 3);
    }
  }
  return w;
}

double rigid_mobility(double mass, const Mat3& inverse_inertia, std::span<const RowEntry> row) {
  Vec3 linear, angular;
  for (const RowEntry& e : row) (e.dof < 3 ? linear[e.dof] : angular[e.dof - 3]) += e.value;
  return squared_norm(linear) / mass + dot(angular, inverse_inertia * angular);
}

double mobility(const ContactProblem& p, const InverseMasses& masses, std::span<const RowEntry> row,
                std::span<double> work) {
  double w = 0;
  while (!row.empty()) {
    const int tree = row.front().tree;
    std::size_t count = row.size();  // of the tree's entries
    if (row.back().tree != tree) {
      for (count = 1; row[count].tree == tree;) ++count;
    }
    const std::span<const RowEntry> part = row.first(count);
    const Tree& t = p.trees[tree];
    switch (t.kind) {
      case TreeKind::rigid_body: w += rigid_mobility(t.mass, masses.inertia(tree), part); break;
      case TreeKind::dense: w += dense_mobility(t.size, masses.factor(p, tree), part, work); break;
      case TreeKind::sparse: w += sparse_mobility(masses.sparse(tree), part); break;
    }
    row = row.subspan(count);
  }
  return w;
}

}  // namespace

void PreparedProblem::regularize_scalars() {
  const ContactProblem& p = problem_;
  const ScalarPool& s = p.scalars;
  ScalarTerms& terms = scalars_;
  constexpr double pi = std::numbers::pi, infinite = std::numeric_limits<double>::infinity();
  const double rigid = p.friction.beta * p.friction.beta / (4 * pi * pi), h = p.time_step;
  assign(terms.start, p.trees.size() + 1, 0);
  for (int i = 0; i < s.size(); ++i) {
    ++terms.start[s.first_tree(i) + 1];
    // a row that moves nothing still has a finite R
    const double least = 1e-9 / p.trees[s.first_tree(i)].mass;
    const double w = terms.mobility[i] = std::max(mobility(p, masses_, s.row(i), work_), least);
    switch (s.kind[i]) {
      case ScalarKind::limit:
      case ScalarKind::equality: {
        const double horizon = h + s.relaxation_time[i];
        const bool limit = s.kind[i] == ScalarKind::limit;
        terms.regularization[i] =
            std::max(limit ? rigid * w : 0, 1 / (h * horizon * s.stiffness[i]));
        terms.target[i] = -s.gap[i] / horizon;
        terms.lower[i] = limit ? 0 : -infinite;
        terms.upper[i] = infinite;
        break;
      }
      case ScalarKind::dry_friction:
        terms.regularization[i] = p.friction.sigma * w;
        terms.target[i] = 0;
        terms.lower[i] = h * s.lower_force[i];
        terms.upper[i] = h * s.upper_force[i];
        break;
      case ScalarKind::actuator:
        terms.regularization[i] = 1 / (h * (h * s.stiffness[i] + s.damping[i]));
        terms.target[i] = terms.regularization[i] * h * s.force[i];
        terms.lower[i] = h * s.lower_force[i];
        terms.upper[i] = h * s.upper_force[i];
        break;
    }
  }
  std::vector<std::int32_t>& start = terms.start;
  for (std::size_t t = 1; t < start.size(); ++t) start[t] += start[t - 1];
  for (int i = s.size() - 1; i >= 0; --i) terms.order[--start[s.first_tree(i) + 1]] = i;
  // the starts have run back by one tree
  for (std::size_t t = 1; t < start.size(); ++t) start[t - 1] = start[t];
  start.back() = s.size();
}

}  // namespace abut
