// The normal impulse that Lagged friction multiplies.

#include <algorithm>
#include <cmath>

#include "abut/laws/law_list.hpp"
#include "abut/problem/contact_kinematics.hpp"
#include "abut/problem/prepare.hpp"

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

/// One Gauss-Seidel sweep of the normal laws; u is the velocity that the impulses so far give.
template <NormalLaw Law>
void predict_by_sweep(ContactProblem& p, std::vector<double>& u) {
  ContactPool& c = p.contacts;
  for (const Patch& patch : p.patches) {
    for (int i = patch.begin; i < patch.end; ++i) {
      const Vec3 &n = c.normal[i], &point = c.point[i];
      const double w = c.normal_mobility[i], last = std::max(0.0, dot(n, c.previous_impulse[i]));
      const double vn = dot(n, contact_velocity(p, patch, i, u.data()));
      const double impulse = Law::settle(
          Law::discretize(point_material(c, i), p.time_step, c.gap[i]), w, vn - w * last);
      c.lagged_impulse[i] = impulse;
      if (impulse == last) continue;
      const Vec3 change = (impulse - last) * n;
      add_response(p, side_a(p, patch, i), point, change, u.data(), p.tree_scratch);
      add_response(p, side_b(p, patch, i), point, change, u.data(), p.tree_scratch);
    }
  }
}

/// The velocity that the last impulses would give.
void start_from_last_impulses(ContactProblem& p, std::vector<double>& u) {
  u = p.free_velocity;
  for (const Patch& patch : p.patches) {
    for (int i = patch.begin; i < patch.end; ++i) {
      const Vec3& gamma = p.contacts.previous_impulse[i];
      if (gamma == Vec3{}) continue;
      add_response(p, side_a(p, patch, i), p.contacts.point[i], gamma, u.data(), p.tree_scratch);
      add_response(p, side_b(p, patch, i), p.contacts.point[i], gamma, u.data(), p.tree_scratch);
    }
  }
}

}  // namespace

void predict_impulses(ContactProblem& p) {
  ContactPool& c = p.contacts;
  c.lagged_impulse.resize(c.size());
  c.softness.resize(c.size());
  const bool sweep = p.friction.lagged_rule == LaggedRule::sweep;
  if (sweep) start_from_last_impulses(p, p.scratch);
  dispatch_law(p.law, [&]<class Law>() {
    sweep ? predict_by_sweep<Law>(p, p.scratch) : predict_from_state<Law>(p);
  });
  for (int i = 0; i < c.size(); ++i) {
    c.softness[i] = std::max(p.friction.stiction_tolerance,
                             c.tangential_regularization[i] * c.friction[i] * c.lagged_impulse[i]);
  }
}

}  // namespace abut
