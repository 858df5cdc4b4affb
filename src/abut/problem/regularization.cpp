// Derived numbers of each contact: Delassus estimate, SAP's regularization, the soft norm's eps.

#include <algorithm>
#include <cmath>

#include "abut/linalg/dense_spd.hpp"
#include "abut/problem/contact_kinematics.hpp"
#include "abut/problem/prepare.hpp"

namespace abut {
namespace {

/// Adds J A^-1 J^T of one side (symmetric 3x3).
void add_delassus(const ContactProblem& p, const ContactSide& side, const Vec3& point, Mat3& w) {
  if (side.tree == nullptr) return;
  if (side.jacobian == nullptr) {
    // column j: the velocity that a unit impulse along axis j gives the point
    const double inverse_mass = 1 / side.tree->mass;
    const Mat3& inverse = p.inverse_inertia[side.tree - p.trees.data()];
    const Vec3 r = point - side.tree->center;
    const Mat3 s = Mat3::skew(r);
    for (int j = 0; j < 3; ++j) {
      w.col[j] -= cross(r, inverse * s.col[j]);
      w.col[j][j] += inverse_mass;
    }
    return;
  }
  const int n = side.tree->size;
  const double* inverse = p.inverses.data() + side.tree->matrix;
  for (int c = 0; c < 3; ++c) {
    for (int k = 0; k < n; ++k) {
      double x = 0;
      for (int l = 0; l < n; ++l) x += inverse[k * n + l] * side.jacobian[c * n + l];
      for (int r = 0; r < 3; ++r) w(r, c) += side.jacobian[r * n + k] * x;
    }
  }
}

}  // namespace

void invert_masses(ContactProblem& p) {
  p.inverse_inertia.resize(p.trees.size());
  p.inverses.resize(p.matrices.size());
  for (std::size_t t = 0; t < p.trees.size(); ++t) {
    const Tree& tree = p.trees[t];
    if (tree.kind == TreeKind::rigid_body) {
      p.inverse_inertia[t] = inverse(tree.inertia);
    } else {
      invert_spd(tree.size, p.matrices.data() + tree.matrix, p.inverses.data() + tree.matrix);
    }
  }
}

void regularize(ContactProblem& p, std::span<const std::int32_t> trees,
                std::span<const std::int32_t> patches) {
  constexpr double pi = 3.14159265358979323846;
  double heaviest = 0;
  for (const int t : trees) heaviest = std::max(heaviest, p.trees[t].mass);
  const double h = p.time_step;
  const double rigid = p.friction.beta * p.friction.beta / (4 * pi * pi);
  ContactPool& c = p.contacts;
  for (const int k : patches) {
    const Patch& patch = p.patches[k];
    for (int i = patch.begin; i < patch.end; ++i) {
      Mat3 w_ii{};
      add_delassus(p, side_a(p, patch, i), c.point[i], w_ii);
      add_delassus(p, side_b(p, patch, i), c.point[i], w_ii);
      const double w = std::sqrt(squared_norm(w_ii.col[0]) + squared_norm(w_ii.col[1]) +
                                 squared_norm(w_ii.col[2])) / 3;
      c.delassus[i] = w;
      // a patch must not stiffen with the number of its points: w counts per unit of weight
      const double compliance = 1 / (h * (h + c.relaxation_time[i]) * c.stiffness[i]);
      c.normal_regularization[i] =
          std::max(rigid * std::min(w, 1 / heaviest), compliance) / c.weight[i];
      c.tangential_regularization[i] = p.friction.sigma * w / c.weight[i];
    }
  }
}

void soften(ContactProblem& p, std::span<const std::int32_t> patches) {
  ContactPool& c = p.contacts;
  for (const int k : patches) {
    for (int i = p.patches[k].begin; i < p.patches[k].end; ++i) {
      c.softness[i] = std::max(p.friction.stiction_tolerance, c.tangential_regularization[i] *
                                                                  c.friction[i] *
                                                                  c.lagged_impulse[i]);
    }
  }
}

}  // namespace abut
