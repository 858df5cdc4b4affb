// Derived numbers of the scalar constraints.

#include <algorithm>
#include <cmath>
#include <limits>

#include "abut/linalg/dense_spd.hpp"
#include "abut/problem/prepare.hpp"

namespace abut {

namespace {

/// J A^-1 J^T = |J Y|^2 of a row J, with the inverse factor Y of the tree's A.
double mobility(ContactProblem& p, const Tree& tree, std::span<const RowEntry> row) {
  const double* factor = p.inverse_factor(tree);
  const std::ptrdiff_t lead = round_up_8(tree.size);
  double w = 0;
  if (row.size() == 1) {  // one joint's
    const double* y = factor + row[0].dof * lead;
    for (int k = 0; k <= row[0].dof; ++k) w += y[k] * y[k];
    return row[0].value * row[0].value * w;
  }
  double* sum = p.tree_scratch.data();
  std::fill_n(sum, tree.size, 0.0);
  for (const RowEntry& e : row) {
    for (int k = 0; k <= e.dof; ++k) sum[k] += e.value * factor[e.dof * lead + k];
  }
  for (int k = 0; k < tree.size; ++k) w += sum[k] * sum[k];
  return w;
}

}  // namespace

void regularize_scalars(ContactProblem& p) {
  ScalarPool& s = p.scalars;
  constexpr double pi = 3.14159265358979323846, infinite = std::numeric_limits<double>::infinity();
  const double rigid = p.friction.beta * p.friction.beta / (4 * pi * pi), h = p.time_step;
  for (auto* v : {&s.mobility, &s.regularization, &s.target, &s.lower, &s.upper}) {
    v->resize(s.kind.size());
  }
  s.start.assign(p.trees.size() + 1, 0);
  for (int i = 0; i < s.size(); ++i) {
    ++s.start[s.tree[i] + 1];
    const double w = s.mobility[i] = mobility(p, p.trees[s.tree[i]], s.row(i));
    switch (s.kind[i]) {
      case ScalarKind::limit:
      case ScalarKind::equality: {
        const double reach = h + s.relaxation_time[i];
        const bool limit = s.kind[i] == ScalarKind::limit;
        s.regularization[i] = std::max(limit ? rigid * w : 0, 1 / (h * reach * s.stiffness[i]));
        s.target[i] = -s.gap[i] / reach;
        s.lower[i] = limit ? 0 : -infinite;
        s.upper[i] = infinite;
        break;
      }
      case ScalarKind::dry_friction:
        s.regularization[i] = p.friction.sigma * w;
        s.target[i] = 0;
        s.lower[i] = h * s.lower_force[i];
        s.upper[i] = h * s.upper_force[i];
        break;
      case ScalarKind::actuator:
        s.regularization[i] = 1 / (h * (h * s.stiffness[i] + s.damping[i]));
        s.target[i] = s.regularization[i] * h * s.force[i];
        s.lower[i] = h * s.lower_force[i];
        s.upper[i] = h * s.upper_force[i];
        break;
    }
  }
  for (std::size_t t = 1; t < s.start.size(); ++t) s.start[t] += s.start[t - 1];
  s.order.resize(s.kind.size());
  for (int i = s.size() - 1; i >= 0; --i) s.order[--s.start[s.tree[i] + 1]] = i;
  // the starts have run back by one tree
  for (std::size_t t = 1; t < s.start.size(); ++t) s.start[t - 1] = s.start[t];
  s.start.back() = s.size();
}

}  // namespace abut
