#pragma once

// The numbers that the laws need besides what a problem gives: mobilities and regularizations.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <span>
#include <vector>

#include "abut/core/grow.hpp"
#include "abut/problem/certify_vector.hpp"
#include "abut/problem/prepared_problem.hpp"

namespace abut::judging {

/// Calls f(dof, column) for each column of a body's Jacobian, with the dof of its tree.
template <class F>
void for_each_column(const ContactProblem& p, const ContactBody& body, const F& f) {
  int column = 0;
  for (std::int64_t k = body.first_run; k < body.first_run + body.runs; ++k) {
    for (int dof = p.body_runs[k].begin; dof < p.body_runs[k].end; ++dof) f(dof, column++);
  }
}

/// A symmetric 3x3 matrix.
template <class Real>
struct Symmetric {
  Real xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;

  /// By cofactors.
  Symmetric inverse() const {
    const Real x = yy * zz - yz * yz, y = xz * yz - xy * zz, z = xy * yz - xz * yy;
    const Real scale = 1 / (xx * x + xy * y + xz * z);
    return {.xx = scale * x,
            .xy = scale * y,
            .xz = scale * z,
            .yy = scale * (xx * zz - xz * xz),
            .yz = scale * (xy * xz - xx * yz),
            .zz = scale * (xx * yy - xy * xy)};
  }
  /// x . this x
  Real product(const Real* x) const {
    return xx * x[0] * x[0] + yy * x[1] * x[1] + zz * x[2] * x[2] +
           2 * (xy * x[0] * x[1] + xz * x[0] * x[2] + yz * x[1] * x[2]);
  }
  /// x . this y
  Real product(const Real* x, const Real* y) const {
    return x[0] * (xx * y[0] + xy * y[1] + xz * y[2]) + x[1] * (xy * y[0] + yy * y[1] + yz * y[2]) +
           x[2] * (xz * y[0] + yz * y[1] + zz * y[2]);
  }
  Real norm() const {  // Frobenius'
    return std::sqrt(xx * xx + yy * yy + zz * zz + 2 * (xy * xy + xz * xz + yz * yz));
  }
};

/// Of a contact.
template <class Real>
struct ContactNumbers {
  Real w = 0, rt = 0;              ///< [1/kg]
  Real rn = 0, target = 0;         ///< SAP: R_n [1/kg], v_hat [m/s]
  Vector<Real> normal_response{};  ///< RaiSim: W_ii n [1/kg]

  ContactNumbers<double> rounded() const {
    return {.w = static_cast<double>(w),
            .rt = static_cast<double>(rt),
            .rn = static_cast<double>(rn),
            .target = static_cast<double>(target)};
  }
};

/// Of a scalar constraint.
template <class Real>
struct ScalarNumbers {
  Real w = 0, r = 0;
};

/// Those of the preparation: what a step's certificate can afford.
class PreparedNumbers {
 public:
  void start(const PreparedProblem& problem, std::span<const char> /*only*/) {
    problem_ = &problem;
  }
  ContactNumbers<double> of_contact(const ContactProblem& p, const Patch& /*patch*/, int i) const {
    const ContactTerms& terms = problem_->contacts();
    if (p.model != ContactModel::sap) {
      ContactNumbers<double> n{.w = terms.mobility[i], .rt = terms.tangential_regularization[i]};
      if (p.model == ContactModel::raisim) {
        n.normal_response = Vector<double>(terms.normal_response[i]);
      }
      return n;
    }
    return {.w = terms.mobility[i],
            .rt = terms.tangential_regularization[i],
            .rn = terms.normal_regularization[i],
            .target = -p.contacts.gap[i] / (p.time_step + p.contacts.relaxation_time[i])};
  }
  const ContactTerms& terms() const { return problem_->contacts(); }
  ScalarNumbers<double> of_scalar(const ContactProblem& /*p*/, int i) const {
    return {.w = problem_->scalars().mobility[i], .r = problem_->scalars().regularization[i]};
  }

 private:
  const PreparedProblem* problem_ = nullptr;
};

/// Derived a second time from what the problem's builder wrote, in another form than the
/// preparation does it (of a dense tree by triangular solves, not by an inverse): in an answer
/// judged by them an error of the preparation shows.
template <class Real>
class OwnNumbers {
 public:
  /// For what is at the trees marked in `only`; at all if it is empty.
  void start(const PreparedProblem& problem, std::span<const char> only);
  ContactNumbers<Real> of_contact(const ContactProblem& p, const Patch& patch, int i);
  ScalarNumbers<Real> of_scalar(const ContactProblem& p, int i);

 private:
  void factor(const ContactProblem& p, int tree);
  void invert_blocks(const ContactProblem& p, int tree);
  void link(const ContactProblem& p);
  int root(int tree);
  void add_rigid(const ContactProblem& p, int tree, int contact, Symmetric<Real>& sum);
  void add_rows(const ContactProblem& p, int body, int contact, int sign);
  void add_dense(int tree, int size, Symmetric<Real>& sum);
  void add_sparse(int tree, int size, Symmetric<Real>& sum);
  void solve(int tree, int size, Real* x) const;

  struct Body {
    Symmetric<Real> inverse;  ///< of a rigid body's inertia
    Real inverse_mass = 0;    ///< of the heaviest body
    std::int64_t factor = 0;  ///< of a dense tree: first element of L, A = L^T L; of a sparse one
                              ///< among inverse_blocks_
    std::int32_t first_row = 0;  ///< of a dense tree's L among all dofs
  };
  Real rigid_ = 0;  ///< beta^2/(4 pi^2)
  std::vector<Body> bodies_;
  std::vector<Real> factors_;                    ///< of the dense trees, row-major, lower triangles
  std::vector<std::int32_t> columns_;            ///< that are not zero left of the diagonals
  std::vector<IndexRun> row_columns_;            ///< by dof: its row's in columns_
  std::vector<Symmetric<Real>> inverse_blocks_;  ///< of the diagonal ones of sparse trees
  std::vector<Real> rows_;                       ///< three of the largest tree's
  std::vector<std::int32_t> root_;               ///< by tree: one of those that are linked to it
  std::vector<Real> least_mobility_;             ///< by tree: 1/mass of the heaviest of those
};

template <class Real>
void OwnNumbers<Real>::start(const PreparedProblem& problem, std::span<const char> only) {
  const ContactProblem& p = problem.problem();
  const Real turn = 2 * std::numbers::pi_v<Real>, beta = p.friction.beta;
  rigid_ = beta * beta / (turn * turn);
  resize(bodies_, p.trees.size());
  inverse_blocks_.clear();
  make_room(factors_, p.matrices.size());
  columns_.clear();
  make_room(columns_, p.matrices.size() / 2);
  make_room(row_columns_, p.velocity.capacity());
  resize(row_columns_, p.velocity.size());
  int largest = 6;
  std::size_t nodes = 0;
  for (const Tree& tree : p.trees) nodes += tree.kind == TreeKind::sparse ? tree.nodes() : 0;
  make_room(inverse_blocks_, nodes);  // whichever trees come first
  for (int t = 0; t < static_cast<int>(p.trees.size()); ++t) {
    const Tree& tree = p.trees[t];
    Body& body = bodies_[t];
    body.inverse_mass = 1 / Real(tree.mass);
    largest = std::max(largest, static_cast<int>(tree.size));
    if (!only.empty() && !only[t]) continue;
    if (tree.kind != TreeKind::rigid_body) {
      tree.kind == TreeKind::dense ? factor(p, t) : invert_blocks(p, t);
      continue;
    }
    const Mat3& a = tree.inertia;
    body.inverse = Symmetric<Real>{a(0, 0), a(0, 1), a(0, 2), a(1, 1), a(1, 2), a(2, 2)}.inverse();
  }
  assign(rows_, 3 * static_cast<std::size_t>(largest), 0);
  if (p.model == ContactModel::sap && p.friction.beta > 0) link(p);
}

/// A = L^T L, from the last row to the first: so what branches of a mechanism do not share stays
/// zero, and is left out.
template <class Real>
void OwnNumbers<Real>::factor(const ContactProblem& p, int tree) {
  const Tree& t = p.trees[tree];
  const int n = t.size;
  const double* a = p.matrices.data() + t.first_element;
  bodies_[tree].factor = t.first_element;
  bodies_[tree].first_row = t.first_dof;
  resize(factors_, p.matrices.size());
  Real* l = factors_.data() + t.first_element;
  for (int r = 0; r < n; ++r) std::copy_n(a + r * n, r + 1, l + r * n);
  for (int k = n - 1; k >= 0; --k) {
    Real* row = l + k * n;
    const Real pivot = row[k] = std::sqrt(row[k]);
    const std::size_t begin = columns_.size();
    for (int c = 0; c < k; ++c) {
      if (row[c] == 0) continue;
      row[c] /= pivot;
      columns_.push_back(c);
    }
    const std::span columns = std::span(columns_).subspan(begin);
    row_columns_[t.first_dof + k] = {static_cast<std::int32_t>(begin),
                                     static_cast<std::int32_t>(columns_.size())};
    for (const std::int32_t r : columns) {
      for (const std::int32_t c : columns) {
        if (c > r) break;
        l[r * n + c] -= row[r] * row[c];
      }
    }
  }
}

template <class Real>
void OwnNumbers<Real>::invert_blocks(const ContactProblem& p, int tree) {
  bodies_[tree].factor = std::ssize(inverse_blocks_);
  p.sparse_matrices.for_each_block(p.trees[tree], [&](int row, int column, const double* a) {
    if (row != column) return;
    const Symmetric<Real> block{a[0], a[1], a[2], a[4], a[5], a[8]};
    inverse_blocks_.push_back(block.inverse());
  });
}

/// x becomes L^-T x: |x|^2 is then its x . A^-1 x.
template <class Real>
void OwnNumbers<Real>::solve(int tree, int n, Real* x) const {
  const Real* l = factors_.data() + bodies_[tree].factor;
  for (int k = n - 1; k >= 0; --k) {
    if (x[k] == 0) continue;
    const Real* row = l + k * n;
    x[k] /= row[k];
    const IndexRun columns = row_columns_[bodies_[tree].first_row + k];
    for (int i = columns.begin; i < columns.end; ++i) x[columns_[i]] -= row[columns_[i]] * x[k];
  }
}

template <class Real>
int OwnNumbers<Real>::root(int tree) {
  while (root_[tree] != tree) tree = root_[tree] = root_[root_[tree]];
  return tree;
}

/// What patches and scalar constraints link, whether they act or not, and its heaviest body.
template <class Real>
void OwnNumbers<Real>::link(const ContactProblem& p) {
  resize(root_, p.trees.size());
  std::iota(root_.begin(), root_.end(), 0);
  const auto join = [&](int tree_a, int tree_b) {
    const int a = root(tree_a), b = root(tree_b);
    root_[std::max(a, b)] = std::min(a, b);
  };
  for (const Patch& patch : p.patches) {
    if (patch.joins_trees()) join(patch.tree_a, patch.tree_b);
  }
  for (int i = 0; i < p.scalars.size(); ++i) {
    int last = p.scalars.first_tree(i);
    for (const RowEntry& e : p.scalars.row(i)) {
      if (e.tree != last) join(last, e.tree);
      last = e.tree;
    }
  }
  resize(least_mobility_, p.trees.size());
  // roots are the smallest of their trees
  for (int t = 0; t < static_cast<int>(p.trees.size()); ++t) {
    const int r = root_[t] = root(t);
    least_mobility_[r] =
        r == t ? bodies_[t].inverse_mass : std::min(least_mobility_[r], bodies_[t].inverse_mass);
  }
  for (std::size_t t = 0; t < p.trees.size(); ++t) least_mobility_[t] = least_mobility_[root_[t]];
}

/// sum += J A^-1 J^T of a rigid body.
template <class Real>
void OwnNumbers<Real>::add_rigid(const ContactProblem& p, int tree, int contact,
                                 Symmetric<Real>& sum) {
  const Tree& t = p.trees[tree];
  // x, y, z: the moments r x e_k of unit impulses; then v . e_j = omega . (r x e_j)
  const Vector<Real> r = Vector<Real>(p.contacts.point[contact]) - Vector<Real>(t.center);
  const Body& body = bodies_[tree];
  const Symmetric<Real>& a = body.inverse;
  const Real yx = a.xz * r.x - a.xx * r.z, yy = a.yz * r.x - a.xy * r.z,
             yz = a.zz * r.x - a.xz * r.z;
  const Real zx = a.xx * r.y - a.xy * r.x, zy = a.xy * r.y - a.yy * r.x,
             zz = a.xz * r.y - a.yz * r.x;
  const Real xy = a.yy * r.z - a.yz * r.y, xz = a.yz * r.z - a.zz * r.y;
  sum.xx += body.inverse_mass + (r.z * xy - r.y * xz);
  sum.xy += r.z * yy - r.y * yz;
  sum.xz += r.z * zy - r.y * zz;
  sum.yy += body.inverse_mass + (r.x * yz - r.z * yx);
  sum.yz += r.x * zz - r.z * zx;
  sum.zz += body.inverse_mass + (r.y * zx - r.x * zy);
}

/// Adds sign times the three rows of J of a contact at a body of a dense tree to rows_.
template <class Real>
void OwnNumbers<Real>::add_rows(const ContactProblem& p, int body, int contact, int sign) {
  const ContactBody& b = p.bodies[body];
  const int n = b.columns, width = p.trees[b.tree].size;
  const Vector<Real> r = Vector<Real>(p.contacts.point[contact]) - Vector<Real>(b.center);
  const double* j = p.jacobians.data() + b.first_element;
  for_each_column(p, b, [&](int to, int k) {
    const Vector<Real> linear(j[k], j[n + k], j[2 * n + k]);
    const Vector<Real> v =
        linear + cross(Vector<Real>(j[3 * n + k], j[4 * n + k], j[5 * n + k]), r);
    rows_[to] += Real(sign) * v.x, rows_[width + to] += Real(sign) * v.y,
        rows_[2 * width + to] += Real(sign) * v.z;
  });
}

/// sum += J A^-1 J^T of the rows at hand.
template <class Real>
void OwnNumbers<Real>::add_dense(int tree, int n, Symmetric<Real>& sum) {
  Real *x = rows_.data(), *y = x + n, *z = y + n;
  for (Real* row : {x, y, z}) solve(tree, n, row);
  for (int k = 0; k < n; ++k) {
    sum.xx += x[k] * x[k], sum.xy += x[k] * y[k], sum.xz += x[k] * z[k];
    sum.yy += y[k] * y[k], sum.yz += y[k] * z[k], sum.zz += z[k] * z[k];
  }
}

/// The same with the inverses of the diagonal blocks for A^-1.
template <class Real>
void OwnNumbers<Real>::add_sparse(int tree, int n, Symmetric<Real>& sum) {
  const Real *x = rows_.data(), *y = x + n, *z = y + n;
  const auto is_zero = [](const Real* v) { return v[0] == 0 && v[1] == 0 && v[2] == 0; };
  for (int k = 0; k < n; k += 3) {
    if (is_zero(x + k) && is_zero(y + k) && is_zero(z + k)) continue;
    const Symmetric<Real>& a = inverse_blocks_[bodies_[tree].factor + k / 3];
    sum.xx += a.product(x + k), sum.yy += a.product(y + k), sum.zz += a.product(z + k);
    sum.xy += a.product(x + k, y + k), sum.xz += a.product(x + k, z + k);
    sum.yz += a.product(y + k, z + k);
  }
}

template <class Real>
ContactNumbers<Real> OwnNumbers<Real>::of_contact(const ContactProblem& p, const Patch& patch,
                                                  int i) {
  const ContactPool& c = p.contacts;
  Symmetric<Real> sum;
  const auto clear_rows = [&](int tree) {
    std::fill_n(rows_.data(), 3 * p.trees[tree].size, Real(0));
  };
  const auto add_tree = [&](int tree) {
    const Tree& t = p.trees[tree];
    t.kind == TreeKind::sparse ? add_sparse(tree, t.size, sum) : add_dense(tree, t.size, sum);
  };
  const auto add_side = [&](int tree, int body) {
    if (tree == world_tree) return;
    if (body < 0) return add_rigid(p, tree, i, sum);
    clear_rows(tree);
    add_rows(p, body, i, 1);
    add_tree(tree);
  };
  if (patch.tree_a == patch.tree_b) {  // one tree, which moves both sides
    clear_rows(patch.tree_b);
    add_rows(p, patch.body_a, i, -1);
    add_rows(p, patch.body_b, i, 1);
    add_tree(patch.tree_b);
  } else {
    add_side(patch.tree_a, patch.body_a);
    add_side(patch.tree_b, patch.body_b);
  }
  // a point that nothing can move still has a mobility
  const Real least = Real(1e-9) * bodies_[patch.tree_b].inverse_mass;
  const Real w = std::max(Real(1) / 3 * sum.norm(), least), weight = c.weight[i];
  ContactNumbers<Real> result{.w = w};
  const Real rt = Real(p.friction.sigma) * w;
  if (p.model == ContactModel::raisim) {
    const Vector<Real> n(c.normal[i]);
    result.normal_response = {sum.xx * n.x + sum.xy * n.y + sum.xz * n.z,
                              sum.xy * n.x + sum.yy * n.y + sum.yz * n.z,
                              sum.xz * n.x + sum.yz * n.y + sum.zz * n.z};
  }
  if (p.model != ContactModel::sap) {
    result.rt = rt / weight;
    return result;
  }
  const Real h = p.time_step, horizon = h + Real(c.relaxation_time[i]);
  const Real stiffness = h * horizon * Real(c.stiffness[i]);
  const Real compliance = 1 / (weight * stiffness), per_weight = stiffness * compliance;
  const Real least_rn = rigid_ > 0 ? rigid_ * std::min(w, least_mobility_[patch.tree_b]) : Real(0);
  result.rt = rt * per_weight;
  result.rn = std::max(least_rn * per_weight, compliance);
  result.target = -Real(c.gap[i]) / horizon;
  return result;
}

template <class Real>
ScalarNumbers<Real> OwnNumbers<Real>::of_scalar(const ContactProblem& p, int i) {
  const ScalarPool& s = p.scalars;
  const std::span<const RowEntry> row = s.row(i);
  ScalarNumbers<Real> result;
  for (std::size_t k = 0; k < row.size();) {
    const int tree = row[k].tree, n = p.trees[tree].size;
    Real* x = rows_.data();
    std::fill_n(x, n, Real(0));
    for (; k < row.size() && row[k].tree == tree; ++k) x[row[k].dof] += Real(row[k].value);
    if (p.trees[tree].kind == TreeKind::rigid_body) {
      const Body& body = bodies_[tree];
      result.w += body.inverse_mass * (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
      result.w += body.inverse.product(x + 3);
      continue;
    }
    if (p.trees[tree].kind == TreeKind::sparse) {
      for (int d = 0; d < n; d += 3) {
        result.w += inverse_blocks_[bodies_[tree].factor + d / 3].product(x + d);
      }
      continue;
    }
    solve(tree, n, x);
    for (int d = 0; d < n; ++d) result.w += x[d] * x[d];
  }
  result.w = std::max(result.w, Real(1e-9) * bodies_[row.front().tree].inverse_mass);
  const Real h = p.time_step;
  const Real compliance = 1 / (h * (h + Real(s.relaxation_time[i])) * Real(s.stiffness[i]));
  switch (s.kind[i]) {
    case ScalarKind::limit: result.r = std::max(rigid_ * result.w, compliance); break;
    case ScalarKind::equality: result.r = compliance; break;
    case ScalarKind::dry_friction: result.r = Real(p.friction.sigma) * result.w; break;
    case ScalarKind::actuator:
      result.r = 1 / (h * (h * Real(s.stiffness[i]) + Real(s.damping[i])));
      break;
  }
  return result;
}

}  // namespace abut::judging
