#include "abut/problem/body_mobilities.hpp"

#include <algorithm>
#include <utility>

#include "abut/core/grow.hpp"

namespace abut {
namespace {

/// to += J_a A_ii^-1 J_b^T of three columns of each, those of node i; 6 x 6, row-major.
void add_node(const double* a, int columns_a, const double* b, int columns_b, const Mat3& inverse,
              double* to) {
  for (int c = 0; c < 6; ++c) {
    const double* row = b + static_cast<std::ptrdiff_t>(c) * columns_b;
    const Vec3 u = inverse * Vec3{row[0], row[1], row[2]};
    for (int r = 0; r < 6; ++r) {
      const double* j = a + static_cast<std::ptrdiff_t>(r) * columns_a;
      to[6 * r + c] += j[0] * u.x + j[1] * u.y + j[2] * u.z;
    }
  }
}

/// X M, X moving the first of a pair of twists by d: v + w x d.
void move_rows(const Vec3& d, double m[36]) {
  for (int c = 0; c < 6; ++c) {
    const Vec3 by = cross(Vec3{m[18 + c], m[24 + c], m[30 + c]}, d);
    for (int r = 0; r < 3; ++r) m[6 * r + c] += by[r];
  }
}

void transpose(double m[36]) {
  for (int r = 0; r < 6; ++r) {
    for (int c = 0; c < r; ++c) std::swap(m[6 * r + c], m[6 * c + r]);
  }
}

}  // namespace

std::size_t rows_ahead(const ContactProblem& p) {
  std::size_t all = 0, widest = 0;
  for (const Tree& t : p.trees) {
    if (t.kind != TreeKind::dense) continue;
    const auto padded = static_cast<std::size_t>(round_up_8(t.size));
    all += static_cast<std::size_t>(t.size) * padded;
    widest = std::max(widest, padded);
  }
  return std::min(most_ahead, 6 * std::min(all, widest * p.bodies.capacity()));
}

/// For as many bodies as the problem has room for.
void BodyMobilities::make_room(const ContactProblem& p) {
  const std::size_t bodies = p.bodies.capacity();
  if (begin_.capacity() >= bodies) return;
  begin_.reserve(bodies);
  mobilities_.reserve(bodies);
  is_point_.reserve(bodies);
  rows_.reserve(rows_ahead(p));
}

void BodyMobilities::find(const ContactProblem& p, const InverseMasses& masses) {
  masses_ = &masses;
  make_room(p);
  if (p.bodies.empty()) return;
  assign(is_point_, p.bodies.size(), true);
  for (const Patch& patch : p.patches) {
    for (const int body : {patch.body_a, patch.body_b}) {
      for (int i = patch.begin; body >= 0 && i < patch.end; ++i) {
        if (!(p.contacts.point[i] == p.bodies[body].center)) is_point_[body] = false;
      }
    }
  }
  resize(begin_, p.bodies.size());
  resize(mobilities_, p.bodies.size());
  std::int64_t end = 0;
  for (std::size_t b = 0; b < p.bodies.size(); ++b) {
    begin_[b] = end;
    const Tree& tree = p.trees[p.bodies[b].tree];
    if (tree.kind == TreeKind::dense) end += 6 * std::int64_t{round_up_8(tree.size)};
  }
  rows_.resize(static_cast<std::size_t>(end));
  for (std::size_t b = 0; b < p.bodies.size(); ++b) {
    const ContactBody& body = p.bodies[b];
    double mobility[36];
    if (p.trees[body.tree].kind == TreeKind::sparse) {
      const auto index = static_cast<int>(b);
      find_coupling(p, masses, index, index, mobility);
    } else {
      const int n = p.trees[body.tree].size;
      const BodyRows rows = rows_of(static_cast<int>(b));
      multiply_by_factor(rows.count, n, p.jacobians.data() + body.first_element, p.runs_of(body),
                         masses.factor(p, body.tree), rows_.data() + begin_[b]);
      relative_mobility(round_up_8(n), rows, {}, nullptr, mobility);
    }
    mobilities_[b].be_matrix(body.center, mobility);
  }
}

BodyRows BodyMobilities::rows_of(int body) const {
  return {rows_.data() + begin_[body], is_point_[body] ? 3 : 6};
}

TwistMobility BodyMobilities::relative(const ContactProblem& p, int body_b, int body_a) const {
  const ContactBody &a = p.bodies[body_a], &b = p.bodies[body_b];
  const Vec3 d = b.center - a.center;
  TwistMobility result;
  double mobility[36];
  if (p.trees[b.tree].kind == TreeKind::dense) {
    relative_mobility(round_up_8(p.trees[b.tree].size), rows_of(body_b), rows_of(body_a), &d.x,
                      mobility);
    result.be_matrix(b.center, mobility);
    return result;
  }
  // M_bb - X M_ab - (X M_ab)^T + X M_aa X^T
  double coupling[36], own[36];
  find_coupling(p, *masses_, body_b, body_b, mobility);
  find_coupling(p, *masses_, body_a, body_b, coupling);
  find_coupling(p, *masses_, body_a, body_a, own);
  move_rows(d, coupling);
  move_rows(d, own);
  transpose(own);
  move_rows(d, own);
  for (int r = 0; r < 6; ++r) {
    for (int c = 0; c < 6; ++c) {
      mobility[6 * r + c] += own[6 * r + c] - coupling[6 * r + c] - coupling[6 * c + r];
    }
  }
  result.be_matrix(b.center, mobility);
  return result;
}

void BodyMobilities::find_coupling(const ContactProblem& p, const InverseMasses& masses, int body_a,
                                   int body_b, double coupling[36]) const {
  const ContactBody &a = p.bodies[body_a], &b = p.bodies[body_b];
  if (p.trees[a.tree].kind == TreeKind::sparse) {
    std::fill_n(coupling, 36, 0.0);
    const double *ja = p.jacobians.data() + a.first_element,
                 *jb = p.jacobians.data() + b.first_element;
    p.for_each_run(a, [&](int dof_a, int column_a, int) {
      p.for_each_run(b, [&](int dof_b, int column_b, int) {
        if (dof_a != dof_b) return;
        add_node(ja + column_a, a.columns, jb + column_b, b.columns,
                 masses.sparse(a.tree).inverse_block(dof_a / 3), coupling);
      });
    });
    return;
  }
  const int n = p.trees[p.bodies[body_a].tree].size;
  const auto rows = [&](int body) { return is_point_[body] ? 3 : 6; };
  std::fill_n(coupling, 36, 0.0);
  multiply_rows(rows(body_a), rows(body_b), round_up_8(n), rows_.data() + begin_[body_a],
                rows_.data() + begin_[body_b], coupling);
}

}  // namespace abut
