// Mobility of each contact, and the regularization of its law.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "abut/core/grow.hpp"
#include "abut/linalg/dense_spd.hpp"
#include "abut/problem/contact_kinematics.hpp"
#include "abut/problem/prepared_problem.hpp"

namespace abut {
namespace {

/// Adds J A^-1 J^T of this side, symmetric 3x3, to w.
inline void add_delassus(const ContactProblem& p, const InverseMasses& masses,
                         const ContactSide& side, const Vec3& point, Mat3& w,
                         std::span<double> work) {
  if (side.tree == nullptr) return;
  const auto tree = static_cast<int>(side.tree - p.trees.data());
  if (side.jacobian == nullptr) {
    // column j: the velocity that a unit impulse along axis j gives the point
    const double inverse_mass = 1 / side.tree->mass;
    const Mat3& inverse = masses.inertia(tree);
    const Vec3 r = point - side.tree->center;
    const Mat3 s = Mat3::skew(r);
    for (int j = 0; j < 3; ++j) {
      w.col[j] -= cross(r, inverse * s.col[j]);
      w.col[j][j] += inverse_mass;
    }
    return;
  }
  double s[6] = {};  // xx, xy, xz, yy, yz, zz
  add_mobility(side.tree->size, masses.factor(p, tree), side.jacobian, s, work.data());
  w.col[0] += Vec3{s[0], s[1], s[2]};
  w.col[1] += Vec3{s[1], s[3], s[4]};
  w.col[2] += Vec3{s[2], s[4], s[5]};
}

}  // namespace

void PreparedProblem::estimate_mobilities() {
  const ContactProblem& p = problem_;
  ContactTerms& terms = contacts_;
  for (auto* v : {&terms.mobility, &terms.normal_mobility, &terms.tangential_mobility,
                  &terms.tangential_regularization}) {
    make_room(*v, p.contacts.gap.capacity());
    v->resize(p.contacts.size());
  }
  work_.resize(masses_.work_size());
  for (const Patch& patch : p.patches) {
    for (int i = patch.begin; i < patch.end; ++i) {
      const Vec3 &point = p.contacts.point[i], &n = p.contacts.normal[i];
      Mat3 w{};
      add_delassus(p, masses_, side_a(p, patch, i), point, w, work_);
      add_delassus(p, masses_, side_b(p, patch, i), point, w, work_);
      const double size =
          std::sqrt(squared_norm(w.col[0]) + squared_norm(w.col[1]) + squared_norm(w.col[2])) / 3;
      // a point that no joint can move, like one on an axis, still has a finite R
      const double least = 1e-9 / p.trees[patch.tree_b].mass;
      terms.mobility[i] = std::max(size, least);
      terms.normal_mobility[i] = dot(n, w * n);
      terms.tangential_mobility[i] = (w(0, 0) + w(1, 1) + w(2, 2) - terms.normal_mobility[i]) / 2;
      // per unit of weight: a patch must not stiffen with the number of its points
      terms.tangential_regularization[i] =
          p.friction.sigma * terms.mobility[i] / p.contacts.weight[i];
    }
  }
}

/// SAP's R_n = max( beta^2/(4 pi^2) min(w, 1/m_max), 1/(h (h + tau_d) k) ) / weight, m_max the
/// heaviest body linked to the contact, however indirectly: a light body under a heavy
/// one is near-rigid for the load it carries.
void PreparedProblem::regularize_contacts() {
  const ContactProblem& p = problem_;
  contacts_.normal_regularization.clear();
  if (!traits(p.model).is_near_rigid) return;
  constexpr double pi = std::numbers::pi;
  const double rigid = p.friction.beta * p.friction.beta / (4 * pi * pi), h = p.time_step;
  // over all contacts: which of them sleep must not change the problem
  make_room(neighbourhoods_.patches, p.patches.capacity());
  neighbourhoods_.find(static_cast<int>(p.trees.size()), p.patches, p.scalars);
  const auto island_of = neighbourhoods_.island_of_tree();
  make_room(heaviest_, p.trees.size());
  assign(heaviest_, neighbourhoods_.size(), 0);
  for (std::size_t t = 0; t < p.trees.size(); ++t) {
    if (island_of[t] < 0) continue;
    double& most = heaviest_[island_of[t]];
    most = std::max(most, p.trees[t].mass);
  }
  const auto load = [&](int t) {
    if (t == world_tree) return 0.0;
    return island_of[t] < 0 ? p.trees[t].mass : heaviest_[island_of[t]];
  };
  const ContactPool& c = p.contacts;
  make_room(contacts_.normal_regularization, c.gap.capacity());
  contacts_.normal_regularization.resize(c.size());
  for (const Patch& patch : p.patches) {
    const double mass = std::max(load(patch.tree_a), load(patch.tree_b));
    for (int i = patch.begin; i < patch.end; ++i) {
      const double compliance = 1 / (h * (h + c.relaxation_time[i]) * c.stiffness[i]);
      contacts_.normal_regularization[i] =
          std::max(rigid * std::min(contacts_.mobility[i], 1 / mass), compliance) / c.weight[i];
    }
  }
}

double spring_stiffness(const PreparedProblem& q, int i) {
  const ContactProblem& p = q.problem();
  const ContactPool& c = p.contacts;
  if (!traits(p.model).is_near_rigid) return c.weight[i] * c.stiffness[i];
  const double h = p.time_step;
  return 1 / (h * (h + c.relaxation_time[i]) * q.contacts().normal_regularization[i]);
}

}  // namespace abut
