#include "abut/problem/body_mobilities.hpp"

#include <algorithm>

#include "abut/linalg/dense_spd.hpp"

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

/// S_a L S_b^T, S = (I, -[r]) of the arms to a point, of a 6 x 6 matrix L (row-major).
Mat3 at_arms(const double* L, const Vec3& arm_a, const Vec3& arm_b) {
  Mat3 w;
  for (int j = 0; j < 3; ++j) {
    Vec3 axis;
    axis[j] = 1;
    const Vec3 turn = cross(arm_b, axis);  // S_b^T e_j = (e_j; r_b x e_j)
    const double load[6] = {axis.x, axis.y, axis.z, turn.x, turn.y, turn.z};
    double out[6];
    for (int r = 0; r < 6; ++r) {
      out[r] = 0;
      for (int c = 0; c < 6; ++c) out[r] += L[6 * r + c] * load[c];
    }
    w.col[j] = Vec3{out[0], out[1], out[2]} + cross(Vec3{out[3], out[4], out[5]}, arm_a);
  }
  return w;
}

}  // namespace

void BodyMobilities::find(const ContactProblem& p, const InverseMasses& masses) {
  masses_ = &masses;
  if (p.bodies.empty()) return;
  is_point_.assign(p.bodies.size(), true);
  for (const Patch& patch : p.patches) {
    for (const int body : {patch.body_a, patch.body_b}) {
      for (int i = patch.begin; body >= 0 && i < patch.end; ++i) {
        if (!(p.contacts.point[i] == p.bodies[body].center)) is_point_[body] = false;
      }
    }
  }
  begin_.resize(p.bodies.size());
  mobilities_.resize(36 * p.bodies.size());
  std::int64_t end = 0;
  for (std::size_t b = 0; b < p.bodies.size(); ++b) {
    begin_[b] = end;
    const Tree& tree = p.trees[p.bodies[b].tree];
    if (tree.kind == TreeKind::dense) end += 6 * std::int64_t{round_up_8(tree.size)};
  }
  rows_.resize(static_cast<std::size_t>(end));
  for (std::size_t b = 0; b < p.bodies.size(); ++b) {
    const ContactBody& body = p.bodies[b];
    if (p.trees[body.tree].kind == TreeKind::sparse) {
      const auto index = static_cast<int>(b);
      find_coupling(p, masses, index, index, mobilities_.data() + 36 * b);
      continue;
    }
    const int n = p.trees[body.tree].size, rows = is_point_[b] ? 3 : 6;
    multiply_by_factor(rows, n, p.jacobians.data() + body.first_element, p.runs_of(body),
                       masses.factor(p, body.tree), rows_.data() + begin_[b]);
  }
}

Mat3 BodyMobilities::at_point(const ContactProblem& p, const Vec3& point, int body_b,
                              int body_a) const {
  const ContactBody& b = p.bodies[body_b];
  const Vec3 arm_b = point - b.center;
  const Vec3 arm_a = body_a < 0 ? Vec3{} : point - p.bodies[body_a].center;
  if (p.trees[b.tree].kind == TreeKind::dense) {
    const auto rows = [&](int body) {
      return body < 0 ? BodyRows{} : BodyRows{rows_.data() + begin_[body], is_point_[body] ? 3 : 6};
    };
    double w[6];
    point_mobility(round_up_8(p.trees[b.tree].size), rows(body_b), &arm_b.x, rows(body_a), &arm_a.x,
                   w);
    return {{{w[0], w[1], w[2]}, {w[1], w[3], w[4]}, {w[2], w[4], w[5]}}};
  }
  Mat3 w = at_arms(mobilities_.data() + 36 * std::ptrdiff_t{body_b}, arm_b, arm_b);
  if (body_a < 0) return w;
  double coupling[36];
  find_coupling(p, *masses_, body_a, body_b, coupling);
  const Mat3 both = at_arms(coupling, arm_a, arm_b);
  return w + at_arms(mobilities_.data() + 36 * std::ptrdiff_t{body_a}, arm_a, arm_a) - both -
         transpose(both);
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
