// The normal impulse that Lagged friction multiplies, before the solve.

#include <algorithm>
#include <cmath>

#include "abut/core/grow.hpp"
#include "abut/laws/law_list.hpp"
#include "abut/problem/contact_kinematics.hpp"
#include "abut/problem/prepare.hpp"
#include "abut/problem/previous_impulses.hpp"

namespace abut {
namespace {

/// h f(phi0, v_n0): the step's law at a gap shifted by the motion that it would assume.
template <NormalLaw Law>
void predict_from_state(ContactProblem& p) {
  ContactPool& c = p.contacts;
  for (const Patch& patch : p.patches) {
    for (int i = patch.begin; i < patch.end; ++i) {
      const double vn = dot(c.normal[i], contact_velocity(p, patch, i, p.velocity.data()));
      const double gap = c.gap[i] - p.time_step * vn;
      c.lagged_impulse[i] =
          Law::evaluate(Law::discretize(point_material(c, i), p.time_step, gap), vn).impulse;
    }
  }
}

/// The impulse that contact i alone gives with `shares` times its mobility, where the velocity vn
/// holds its last impulse.
template <NormalLaw Law>
double answer_alone(const ContactProblem& p, int i, double vn, double shares) {
  const ContactPool& c = p.contacts;
  const double last = std::max(0.0, dot(c.normal[i], c.previous_impulse[i]));
  const double w = shares * c.normal_mobility[i];
  return Law::settle(Law::discretize(point_material(c, i), p.time_step, c.gap[i]), w,
                     vn - w * last);
}

/// One Jacobi pass of the normal laws, all against the velocity u that the last impulses give. A
/// body shares its mass among its closed contacts, as each of them takes up its motion alone.
template <NormalLaw Law>
void predict_by_pass(ContactProblem& p, const std::vector<double>& u) {
  ContactPool& c = p.contacts;
  std::vector<std::int32_t>& closed = p.closed_contacts;
  assign(closed, p.trees.size(), 0);
  for (const Patch& patch : p.patches) {
    for (int i = patch.begin; i < patch.end; ++i) {
      const double vn = dot(c.normal[i], contact_velocity(p, patch, i, u.data()));
      c.lagged_impulse[i] = vn;  // until the next loop
      if (!(answer_alone<Law>(p, i, vn, 1) > 0)) continue;
      if (patch.tree_a != world_tree) ++closed[patch.tree_a];
      ++closed[patch.tree_b];
    }
  }
  for (const Patch& patch : p.patches) {
    const int a = patch.tree_a == world_tree ? 0 : closed[patch.tree_a];
    const int shares = std::max({1, a, static_cast<int>(closed[patch.tree_b])});
    for (int i = patch.begin; i < patch.end; ++i) {
      c.lagged_impulse[i] = answer_alone<Law>(p, i, c.lagged_impulse[i], shares);
    }
  }
}

}  // namespace

void predict_impulses(ContactProblem& p) {
  ContactPool& c = p.contacts;
  c.lagged_impulse.resize(c.size());
  c.softness.resize(c.size());
  const bool from_state = p.friction.lagged_rule == LaggedRule::state;
  if (!from_state) previous_velocity(p, p.scratch, p.impulse_scratch);
  dispatch_law(p.law, [&]<class Law>() {
    from_state ? predict_from_state<Law>(p) : predict_by_pass<Law>(p, p.scratch);
  });
  for (int i = 0; i < c.size(); ++i) {
    c.softness[i] = friction_softness(p, i, c.lagged_impulse[i]);
  }
}

double friction_softness(const ContactProblem& p, int i, double lagged_impulse) {
  const ContactPool& c = p.contacts;
  return std::max(p.friction.stiction_tolerance,
                  c.tangential_regularization[i] * c.friction[i] * lagged_impulse);
}

}  // namespace abut
