// The normal impulse that Lagged friction multiplies, before the solve.

#include <algorithm>
#include <cmath>

#include "abut/core/grow.hpp"
#include "abut/laws/elasticity.hpp"
#include "abut/laws/law_list.hpp"
#include "abut/problem/contact_kinematics.hpp"
#include "abut/problem/prepared_problem.hpp"
#include "abut/problem/previous_impulses.hpp"

namespace abut {
namespace {

/// h f(phi0, v_n0): the step's law at a gap shifted by the motion that it would assume.
void predict_from_state(const ContactProblem& p, std::vector<double>& impulse) {
  const ContactPool& c = p.contacts;
  for (const Patch& patch : p.patches) {
    const PatchMotion motion(p, patch, p.velocity.data());
    for (int i = patch.begin; i < patch.end; ++i) {
      const double vn = dot(c.normal[i], motion.of(i));
      const double gap = c.gap[i] - p.time_step * vn;
      impulse[i] = dispatch_law(p.law_of(i), [&]<class Law>() {
        return Law::evaluate(Law::discretize(point_material(c, i), p.time_step, gap), vn).impulse;
      });
    }
  }
}

/// The impulse that contact i alone gives with `shares` times its mobility, where the velocity vn
/// holds its last impulse.
double answer_alone(const PreparedProblem& q, int i, double vn, double shares) {
  const ContactProblem& p = q.problem();
  const ContactPool& c = p.contacts;
  const double last = std::max(0.0, dot(c.normal[i], c.previous_impulse[i]));
  const double w = shares * q.contacts().normal_mobility[i];
  return dispatch_law(p.law_of(i), [&]<class Law>() {
    return Law::solve_alone(Law::discretize(point_material(c, i), p.time_step, c.gap[i]), w,
                            vn - w * last);
  });
}

/// One Jacobi pass of the normal laws, all against the velocity u that the last impulses give. A
/// body shares its mass among its `closed` contacts, as each of them takes up its motion alone.
void predict_by_pass(const PreparedProblem& q, const std::vector<double>& u,
                     std::vector<std::int32_t>& closed, std::vector<double>& impulse) {
  const ContactProblem& p = q.problem();
  assign(closed, p.trees.size(), 0);
  for (const Patch& patch : p.patches) {
    const PatchMotion motion(p, patch, u.data());
    for (int i = patch.begin; i < patch.end; ++i) {
      const double vn = dot(p.contacts.normal[i], motion.of(i));
      impulse[i] = vn;  // until the next loop
      if (!(answer_alone(q, i, vn, 1) > 0)) continue;
      if (patch.joins_trees()) ++closed[patch.tree_a];
      ++closed[patch.tree_b];
    }
  }
  for (const Patch& patch : p.patches) {
    const int a = patch.joins_trees() ? closed[patch.tree_a] : 0;
    const int shares = std::max({1, a, static_cast<int>(closed[patch.tree_b])});
    for (int i = patch.begin; i < patch.end; ++i) {
      impulse[i] = answer_alone(q, i, impulse[i], shares);
    }
  }
}

}  // namespace

/// gamma_n0 by the problem's LaggedRule, and eps of it.
void PreparedProblem::predict_impulses() {
  const ContactProblem& p = problem_;
  for (auto* v : {&contacts_.lagged_impulse, &contacts_.slip_tolerance}) {
    make_room(*v, p.contacts.gap.capacity());
    resize(*v, p.contacts.size());
  }
  const bool from_state = p.friction.lagged_rule == LaggedRule::state;
  if (!from_state) {
    for (auto* v : {&velocity_, &impulse_}) resize(*v, p.velocity.size());
    previous_velocity(*this, velocity_, impulse_, work_);
  }
  if (from_state) {
    predict_from_state(p, contacts_.lagged_impulse);
  } else {
    predict_by_pass(*this, velocity_, closed_, contacts_.lagged_impulse);
  }
  for (int i = 0; i < p.contacts.size(); ++i) {
    contacts_.slip_tolerance[i] = slip_tolerance(*this, i, contacts_.lagged_impulse[i]);
  }
}

double slip_tolerance(const PreparedProblem& q, int i, double lagged_impulse) {
  const ContactProblem& p = q.problem();
  return std::max(p.friction.stiction_tolerance, q.contacts().tangential_regularization[i] *
                                                     p.contacts.friction[i] * lagged_impulse);
}

double tangential_stiffness(const ContactProblem& p, int i, double lagged_impulse) {
  const Elasticity elasticity(p.law_of(i), point_material(p.contacts, i));
  return elasticity.tangential(std::max(0.0, lagged_impulse) / p.time_step);
}

}  // namespace abut
