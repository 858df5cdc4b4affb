// Mobility of each contact, and the regularization of its law.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "abut/core/grow.hpp"
#include "abut/core/parallel.hpp"
#include "abut/laws/elasticity.hpp"
#include "abut/problem/contact_kinematics.hpp"
#include "abut/problem/prepared_problem.hpp"

namespace abut {
namespace {

/// A rigid body that a patch touches, or nothing.
class RigidSide {
 public:
  RigidSide(const ContactProblem& p, const InverseMasses& masses, int tree, int body) {
    if (tree == world_tree || body >= 0) return;
    center_ = p.trees[tree].center;
    inverse_mass_ = 1 / p.trees[tree].mass;
    inverse_inertia_ = &masses.inertia(tree);
  }

  /// Adds J A^-1 J^T = 1/m + [r]^T I^-1 [r] of a point to the symmetric w.
  void add_mobility(const Vec3& point, Mat3& w) const {
    if (inverse_inertia_ == nullptr) return;
    const Vec3 r = point - center_;
    const Vec3(&inverse)[3] = inverse_inertia_->col;
    // spin[j]: what a unit impulse along axis j gives the body
    const Vec3 spin[3] = {r.z * inverse[1] - r.y * inverse[2], r.x * inverse[2] - r.z * inverse[0],
                          r.y * inverse[0] - r.x * inverse[1]};
    const double xy = r.z * spin[1].y - r.y * spin[1].z, xz = r.z * spin[2].y - r.y * spin[2].z,
                 yz = r.x * spin[2].z - r.z * spin[2].x;
    w.col[0] += Vec3{inverse_mass_ + r.z * spin[0].y - r.y * spin[0].z, xy, xz};
    w.col[1] += Vec3{xy, inverse_mass_ + r.x * spin[1].z - r.z * spin[1].x, yz};
    w.col[2] += Vec3{xz, yz, inverse_mass_ + r.y * spin[2].x - r.x * spin[2].y};
  }

 private:
  Vec3 center_;
  double inverse_mass_ = 0;
  const Mat3* inverse_inertia_ = nullptr;
};

}  // namespace

void PreparedProblem::estimate_mobilities(ThreadPool* pool) {
  const ContactProblem& p = problem_;
  ContactTerms& terms = contacts_;
  for (auto* v : {&terms.mobility, &terms.normal_mobility, &terms.tangential_mobility,
                  &terms.tangential_regularization}) {
    make_room(*v, p.contacts.gap.capacity());
    v->resize(p.contacts.size());
  }
  if (p.model == ContactModel::raisim) {
    make_room(terms.normal_response, p.contacts.gap.capacity());
    terms.normal_response.resize(p.contacts.size());
  }
  work_.resize(masses_.work_size());
  bodies_.find(p, masses_);
  constexpr int least_per_range = 32;
  for_ranges(pool, static_cast<int>(p.patches.size()), least_per_range, [&](int begin, int end) {
    for (int k = begin; k < end; ++k) estimate_mobilities(p.patches[k]);
  });
}

void PreparedProblem::estimate_mobilities(const Patch& patch) {
  const ContactProblem& p = problem_;
  ContactTerms& terms = contacts_;
  const bool is_own = patch.tree_a == patch.tree_b;  // a tree with itself
  const RigidSide rigid_a(p, masses_, patch.tree_a, patch.body_a),
      rigid_b(p, masses_, patch.tree_b, patch.body_b);
  // a point that no joint can move, like one on an axis, still has a finite R
  const double least = 1e-9 / p.trees[patch.tree_b].mass;
  for (int i = patch.begin; i < patch.end; ++i) {
    const Vec3 &point = p.contacts.point[i], &n = p.contacts.normal[i];
    Mat3 w{};
    rigid_a.add_mobility(point, w);
    rigid_b.add_mobility(point, w);
    if (patch.body_b >= 0) {
      w = w + bodies_.at_point(p, point, patch.body_b, is_own ? patch.body_a : -1);
    }
    if (patch.body_a >= 0 && !is_own) w = w + bodies_.at_point(p, point, patch.body_a, -1);
    const double size =
        std::sqrt(squared_norm(w.col[0]) + squared_norm(w.col[1]) + squared_norm(w.col[2])) / 3;
    terms.mobility[i] = std::max(size, least);
    // a tree's contact with itself may leave rounding alone
    const double along = std::max(dot(n, w * n), 0.0);
    terms.normal_mobility[i] = along;
    if (p.model == ContactModel::raisim) terms.normal_response[i] = w * n;
    terms.tangential_mobility[i] = std::max((w(0, 0) + w(1, 1) + w(2, 2) - along) / 2, 0.0);
    // per unit of weight: a patch must not stiffen with the number of its points
    terms.tangential_regularization[i] =
        p.friction.sigma * terms.mobility[i] / p.contacts.weight[i];
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
  DisjointSets& linked = linked_trees_;
  const auto count = static_cast<int>(p.trees.size());
  linked.reset(count);
  for (const Patch& patch : p.patches) {
    if (patch.joins_trees()) linked.join(patch.tree_a, patch.tree_b);
  }
  for (int i = 0; i < p.scalars.size(); ++i) {
    const std::span<const RowEntry> row = p.scalars.row(i);
    for (const RowEntry& e : row) linked.join(row.front().tree, e.tree);
  }
  make_room(heaviest_, p.trees.size());
  assign(heaviest_, p.trees.size(), 0);
  for (int t = 0; t < count; ++t) {
    double& most = heaviest_[linked.smallest(t)];
    most = std::max(most, p.trees[t].mass);
  }
  const auto load = [&](int t) { return t == world_tree ? 0.0 : heaviest_[linked.smallest(t)]; };
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

Elasticity spring_of(const PreparedProblem& q, int i) {
  if (traits(q.problem().model).is_rigid) {
    const double h = q.problem().time_step, weight = q.problem().contacts.weight[i];
    return {NormalLawKind::kelvin_voigt,
            {.stiffness = weight / (h * h * q.contacts().mobility[i])}};
  }
  PointMaterial material = point_material(q.problem().contacts, i);
  material.stiffness = spring_stiffness(q, i);
  return {q.problem().law_of(i), material};
}

}  // namespace abut
