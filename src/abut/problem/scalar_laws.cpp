// Derived numbers of the scalar constraints.

#include <algorithm>
#include <cmath>
#include <limits>

#include "abut/problem/prepare.hpp"

namespace abut {

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
    const Tree& tree = p.trees[s.tree[i]];
    const double* inverse = p.inverses.data() + tree.matrix;
    double w = 0;
    for (const RowEntry& a : s.row(i)) {
      for (const RowEntry& b : s.row(i))
        w += a.value * inverse[a.dof * tree.size + b.dof] * b.value;
    }
    s.mobility[i] = w;
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
