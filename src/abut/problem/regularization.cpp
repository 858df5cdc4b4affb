// Mobility of each contact, and the regularization of its law.

#include <algorithm>
#include <numbers>

#include "abut/core/grow.hpp"
#include "abut/core/parallel.hpp"
#include "abut/laws/elasticity.hpp"
#include "abut/problem/contact_kinematics.hpp"
#include "abut/problem/prepared_problem.hpp"

namespace abut {

void PreparedProblem::estimate_mobilities(ThreadPool* pool) {
  const ContactProblem& p = problem_;
  ContactTerms& terms = contacts_;
  if (p.model == ContactModel::raisim) {
    make_room(terms.normal_response, p.contacts.gap.capacity());
    resize(terms.normal_response, p.contacts.size());
  }
  bodies_.find(p, masses_);
  make_room(sides_, p.contacts.gap.capacity());
  resize(sides_, p.contacts.size());
  shares_.for_each(pool, [&](const PatchShares::Range& r) {
    int done = r.begin;  // patches before it have their mobilities
    for (int k = r.begin; k < r.end; ++k) {
      const Patch& patch = p.patches[k];
      if (!patch.is_of_rigid_bodies()) {
        estimate_rigid_mobilities(done, k);
        estimate_mobilities(patch);
        done = k + 1;
      } else {
        const BodyPair pair{patch.tree_a + 1, patch.tree_b + 1};
        for (int i = patch.begin; i < patch.end; ++i) sides_[i] = pair;
      }
    }
    estimate_rigid_mobilities(done, r.end);
    const int begin = p.patches[r.begin].begin, end = p.patches[r.end - 1].end;
    for (int i = begin; i < end; ++i) {  // per unit of weight: else many points would be stiff
      terms.tangential_regularization[i] =
          p.friction.sigma * terms.mobility[i] / p.contacts.weight[i];
    }
    const double* gap = p.contacts.gap.data();
    std::copy(gap + begin, gap + end, terms.given_gap.data() + begin);
    std::fill_n(terms.allowance.data() + begin, end - begin, 0.0);
  });
}

/// Where those from this contact on come.
PointMobilities PreparedProblem::mobilities_from(int contact) {
  const bool responds = problem_.model == ContactModel::raisim;
  return {.mean = contacts_.mobility.data() + contact,
          .normal = contacts_.normal_mobility.data() + contact,
          .tangential = contacts_.tangential_mobility.data() + contact,
          .response = responds ? contacts_.normal_response.data() + contact : nullptr};
}

/// Of patches that follow each other, between rigid bodies, or these and the world.
void PreparedProblem::estimate_rigid_mobilities(int first, int end) {
  const ContactProblem& p = problem_;
  if (first == end) return;
  const int begin = p.patches[first].begin, count = p.patches[end - 1].end - begin;
  point_mobilities(count, p.contacts.point.data() + begin, p.contacts.normal.data() + begin,
                   masses_.bodies(), sides_.data() + begin, mobilities_from(begin));
}

void PreparedProblem::estimate_mobilities(const Patch& patch) {
  const ContactProblem& p = problem_;
  const int begin = patch.begin;
  PointMobilities to = mobilities_from(begin);
  // a point that no joint can move, like one on an axis, still has a finite R
  to.least_mean = 1e-9 / p.trees[patch.tree_b].mass;
  const auto estimate = [&](const auto&... sides) {
    const TwistMobility* const list[] = {&sides...};
    point_mobilities(patch.end - begin, p.contacts.point.data() + begin,
                     p.contacts.normal.data() + begin, list, to);
  };
  const auto side = [&](int tree, int body) -> const TwistMobility& {
    return body < 0 ? masses_.rigid_body(tree) : bodies_.of_body(body);
  };
  const TwistMobility& b = side(patch.tree_b, patch.body_b);
  if (patch.tree_a == world_tree) {
    estimate(b);
  } else if (patch.tree_a == patch.tree_b) {
    estimate(bodies_.relative(p, patch.body_b, patch.body_a));
  } else {
    estimate(side(patch.tree_a, patch.body_a), b);
  }
}

/// SAP's R_n = max( beta^2/(4 pi^2) min(w, 1/m_max), 1/(h (h + tau_d) k) ) / weight, m_max the
/// heaviest body linked to the contact, however indirectly: a light body under a heavy
/// one is near-rigid for the load it carries.
void PreparedProblem::regularize_contacts(ThreadPool* pool) {
  const ContactProblem& p = problem_;
  const ContactPool& c = p.contacts;
  if (!traits(p.model).is_near_rigid) return contacts_.normal_regularization.clear();
  const std::size_t trees = p.trees.size();
  make_room(contacts_.normal_regularization, c.gap.capacity());
  make_room(heaviest_, trees);
  linked_trees_.make_room(trees);
  resize(contacts_.normal_regularization, c.size());
  if (c.size() == 0) return;
  constexpr double pi = std::numbers::pi;
  const double rigid = p.friction.beta * p.friction.beta / (4 * pi * pi), h = p.time_step;
  // over all contacts: which of them sleep must not change the problem
  DisjointSets& linked = linked_trees_;
  const auto count = static_cast<int>(trees);
  linked.reset(count);
  for (const Patch& patch : p.patches) {
    if (patch.joins_trees()) linked.join(patch.tree_a, patch.tree_b);
  }
  for (int i = 0; i < p.scalars.size(); ++i) {
    const std::span<const RowEntry> row = p.scalars.row(i);
    for (const RowEntry& e : row) linked.join(row.front().tree, e.tree);
  }
  assign(heaviest_, trees, 0);
  const std::span<const std::int32_t> set = linked.all_smallest();
  for (int t = 0; t < count; ++t) {
    double& most = heaviest_[set[t]];
    most = std::max(most, p.trees[t].mass);
  }
  for (int t = 0; t < count; ++t) heaviest_[t] = heaviest_[set[t]];
  const double *heaviest = heaviest_.data(), *mobility = contacts_.mobility.data();
  const double *relaxation_time = c.relaxation_time.data(), *stiffness = c.stiffness.data(),
               *weight = c.weight.data();
  double* result = contacts_.normal_regularization.data();
  const auto regularize = [=](const Patch& patch) {
    const double of_a = patch.tree_a == world_tree ? 0 : heaviest[patch.tree_a];
    const double per_mass = 1 / std::max(of_a, heaviest[patch.tree_b]);
    for (int i = patch.begin; i < patch.end; ++i) {
      const double compliance = 1 / (h * (h + relaxation_time[i]) * stiffness[i]);
      result[i] = std::max(rigid * std::min(mobility[i], per_mass), compliance) / weight[i];
    }
  };
  shares_.for_each(pool, [&](const PatchShares::Range& r) {
    for (int k = r.begin; k < r.end; ++k) regularize(p.patches[k]);
  });
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
