#include "abut/solvers/primal/gauss_seidel.hpp"

#include <algorithm>
#include <cmath>

#include "abut/core/grow.hpp"
#include "abut/laws/law_list.hpp"
#include "abut/problem/contact_kinematics.hpp"
#include "abut/problem/prepare.hpp"
#include "abut/problem/previous_impulses.hpp"

namespace abut {
namespace {

/// Sweeps end when one changes the impulses by no more than this part of them.
constexpr double settled = 0.01;

/// A contact's answer, split along its normal: impulse gamma_n and friction -drag v_free_t.
struct Answer {
  double vn = 0, impulse = 0, drag = 0;
  double slip_scale = 1;  ///< v_t = slip_scale * v_free_t
};

/// SAP: the projection with the contact's own mobility added to R.
Answer solve_sap(const ContactPool& c, int i, double dt, double shares, double vn_free,
                 double slip_free) {
  const double mu = c.friction[i], wn = shares * c.normal_mobility[i],
               wt = shares * c.tangential_mobility[i];
  const double rn = c.normal_regularization[i] + wn, rt = c.tangential_regularization[i] + wt;
  const double yn = (-c.gap[i] / (dt + c.relaxation_time[i]) - vn_free) / rn;
  Answer a;
  if (rn * yn > -mu * slip_free) {
    if (slip_free <= mu * rt * yn) {
      a.impulse = yn;
      a.drag = 1 / rt;
    } else {
      a.impulse = (yn + mu * slip_free / rn) / (1 + mu * mu * rt / rn);
      a.drag = mu * a.impulse / slip_free;
    }
  }
  a.vn = vn_free + wn * a.impulse;
  a.slip_scale = 1 - wt * a.drag;
  return a;
}

/// Slip x with x (1 + w F / sqrt(x^2 + eps^2)) = X, to a percent: Newton from below its root.
double settle_slip(double slip_free, double w, double limit, double eps) {
  if (limit == 0) return slip_free;
  double x = std::max(slip_free - w * limit, slip_free / (1 + w * limit / eps));
  for (int i = 0; i < 4; ++i) {
    const double inverse = 1 / std::sqrt(x * x + eps * eps), drag = w * limit * inverse;
    const double change = (x * (1 + drag) - slip_free) / (1 + drag * eps * eps * inverse * inverse);
    x = std::clamp(x - change, 0.5 * x, slip_free);
    if (std::abs(change) <= 1e-2 * x) break;
  }
  return x;
}

/// The normal law alone against a mobility w: its impulse, and the velocity it saw.
template <NormalLaw Law>
Answer settle(const NormalStep<double>& step, double w, double free) {
  const double impulse = Law::settle(step, w, free);
  return {.vn = free + w * impulse, .impulse = impulse};
}

/// Lagged; Similar with the slip that its impulse n leaves: none where it sticks, X - mu w_t n
/// where it slides, so that z = v_n - mu (s - eps) has the mobility w_n + mu^2 w_t.
template <NormalLaw Law>
Answer solve_regularized(const ContactProblem& p, int i, double shares, double vn_free,
                         double slip_free) {
  const ContactPool& c = p.contacts;
  const NormalStep<double> step = Law::discretize(point_material(c, i), p.time_step, c.gap[i]);
  const double mu = c.friction[i], wn = shares * c.normal_mobility[i],
               wt = shares * c.tangential_mobility[i];
  double eps = c.softness[i];
  const bool lagged = p.model == ContactModel::lagged;
  Answer a = settle<Law>(step, wn, vn_free);
  if (lagged && p.friction.lagged_rule == LaggedRule::fixed_point) {
    eps = friction_softness(p, i, a.impulse);
  }
  if (!lagged) {
    const Answer slides = settle<Law>(step, wn + mu * mu * wt, vn_free - mu * (slip_free - eps));
    if (slip_free - mu * wt * slides.impulse > eps) a = slides;
  }
  const bool lags = lagged && p.friction.lagged_rule != LaggedRule::fixed_point;
  const double limit = mu * (lags ? c.lagged_impulse[i] : a.impulse);
  const double slip = settle_slip(slip_free, wt, limit, eps);
  const double soft = std::sqrt(slip * slip + eps * eps);
  if (!lagged) a.vn += mu * (soft - eps);  // z is what the law saw
  if (slip_free > 0) {
    a.slip_scale = slip / slip_free;
    a.drag = limit / soft * a.slip_scale;
  }
  return a;
}

Answer solve_alone(const ContactProblem& p, int i, double shares, double vn_free,
                   double slip_free) {
  if (p.model == ContactModel::sap) {
    return solve_sap(p.contacts, i, p.time_step, shares, vn_free, slip_free);
  }
  return dispatch_law(
      p.law, [&]<class Law>() { return solve_regularized<Law>(p, i, shares, vn_free, slip_free); });
}

}  // namespace

void GaussSeidel::sweep(const ContactProblem& p, std::span<const std::int32_t> trees,
                        std::span<const std::int32_t> patches, int sweeps) {
  start(p, trees, patches);
  // where the answer depends on the way to it, and with the only patch, no order favours one side
  const bool together = patches.size() == 1 || (p.model == ContactModel::lagged &&
                                                p.friction.lagged_rule == LaggedRule::fixed_point);
  double changed = 1, borne = 0;
  for (int s = 0; s < sweeps && changed > settled * settled * borne; ++s) {
    changed = borne = 0;
    if (together) {
      relax_together(p, trees, patches, changed, borne);
      continue;
    }
    for (std::size_t k = 0; k < patches.size(); ++k) {
      const Patch& patch = p.patches[patches[s % 2 == 0 ? k : patches.size() - 1 - k]];
      for (int i = patch.begin; i < patch.end; ++i) {
        relax(p, patch, i, contact_velocity(p, patch, i, u_.data()), 1, changed, borne);
      }
    }
  }
}

void GaussSeidel::make_room(const ContactProblem& p) {
  abut::make_room(u_, p.velocity.size());
  abut::make_room(generalized_, p.velocity.size());
  abut::make_room(closed_, p.trees.size());
  abut::make_room(work_, p.tree_scratch.size());
  abut::make_room(local_, p.contacts.gap.capacity());
}

void GaussSeidel::start(const ContactProblem& p, std::span<const std::int32_t> trees,
                        std::span<const std::int32_t> patches) {
  u_.resize(p.free_velocity.size());
  generalized_.resize(p.free_velocity.size());
  work_.resize(p.tree_scratch.size());
  local_.resize(p.contacts.size());
  previous_velocity(p, trees, patches, u_, generalized_, work_);
  for (const int k : patches) {
    const Patch& patch = p.patches[k];
    for (int i = patch.begin; i < patch.end; ++i) {
      local_[i].impulse = p.contacts.previous_impulse[i];
    }
  }
}

/// All contacts at once, against the same velocities. Each closed one has its share of the mass of
/// the busier of its bodies.
void GaussSeidel::relax_together(const ContactProblem& p, std::span<const std::int32_t> trees,
                                 std::span<const std::int32_t> patches, double& changed,
                                 double& borne) {
  const ContactPool& c = p.contacts;
  closed_.resize(p.trees.size());
  for (const int t : trees) closed_[t] = 0;
  for (const int k : patches) {
    const Patch& patch = p.patches[k];
    int closed = 0;
    for (int i = patch.begin; i < patch.end; ++i) {
      const Vec3 v = local_[i].velocity = contact_velocity(p, patch, i, u_.data());
      const double own = c.normal_mobility[i] * dot(c.normal[i], local_[i].impulse);
      closed += c.gap[i] + p.time_step * (dot(c.normal[i], v) - own) < 0;
    }
    if (patch.tree_a != world_tree) closed_[patch.tree_a] += closed;
    closed_[patch.tree_b] += closed;
  }
  for (const int k : patches) {
    const Patch& patch = p.patches[k];
    const int a = patch.tree_a == world_tree ? 0 : closed_[patch.tree_a];
    const int shares = std::max({1, a, closed_[patch.tree_b]});
    for (int i = patch.begin; i < patch.end; ++i) {
      relax(p, patch, i, local_[i].velocity, shares, changed, borne);
    }
  }
}

/// Solves contact i alone: its velocity v without its own impulse, through `shares` times its
/// mobilities. Adds the squares of its impulse's change and of itself.
void GaussSeidel::relax(const ContactProblem& p, const Patch& patch, int i, const Vec3& v,
                        double shares, double& changed, double& borne) {
  const ContactPool& c = p.contacts;
  const Vec3 &n = c.normal[i], &point = c.point[i], last = local_[i].impulse;
  const double wn = shares * c.normal_mobility[i], wt = shares * c.tangential_mobility[i];
  const double vn = dot(n, v), last_n = dot(n, last);
  const Vec3 slip_free = v - vn * n - wt * (last - last_n * n);
  const Answer answer = solve_alone(p, i, shares, vn - wn * last_n, norm(slip_free));
  const Vec3 impulse = answer.impulse * n - answer.drag * slip_free;
  local_[i] = {answer.vn * n + answer.slip_scale * slip_free, impulse};
  borne += c.delassus[i] * squared_norm(impulse);
  if (impulse == last) return;
  changed += c.delassus[i] * squared_norm(impulse - last);
  add_response(p, side_a(p, patch, i), point, impulse - last, u_.data(), work_);
  add_response(p, side_b(p, patch, i), point, impulse - last, u_.data(), work_);
}

}  // namespace abut
