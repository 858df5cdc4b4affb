// Judges a solution by the problem alone. The laws are written out here a second time, from
// docs/notation.md and in another form than src/abut/laws, so that no error can hide in both.

#include "abut/problem/certify.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "abut/core/error.hpp"
#include "abut/core/grow.hpp"
#include "abut/problem/contact_kinematics.hpp"

namespace abut {
namespace {

/// h f(x, xdot) of the normal laws, as their force is defined.
double normal_impulse(NormalLawKind law, double h, double k, double d, double tau, double gap,
                      double vn) {
  const double x = -gap - h * vn;
  switch (law) {
    case NormalLawKind::kelvin_voigt: return h * k * std::max(0.0, x - tau * vn);
    case NormalLawKind::hunt_crossley: return h * k * std::max(0.0, x) * std::max(0.0, 1 - d * vn);
    case NormalLawKind::hertz: break;
  }
  const double overlap = std::max(0.0, x);
  return h * k * overlap * std::sqrt(overlap) * std::max(0.0, 1 - d * vn);
}

/// The projection of y on the friction cone in the norm of R, by regions of y.
Vec3 project(const Vec3& y, const Vec3& n, double mu, double rt, double rn) {
  const double yn = dot(n, y);
  const Vec3 yt = y - yn * n;
  const double yr = norm(yt);
  if (rn * yn <= -mu * rt * yr) return {};
  if (yr <= mu * yn) return y;
  const double gamma_n = (yn + mu * rt / rn * yr) / (1 + mu * mu * rt / rn);
  return gamma_n * n + (mu * gamma_n / yr) * yt;
}

/// The impulse that the model's law gives at contact velocity v.
Vec3 law_impulse(const ContactProblem& p, int i, const Vec3& v) {
  const ContactPool& c = p.contacts;
  const double h = p.time_step, mu = c.friction[i];
  const Vec3& n = c.normal[i];
  const double vn = dot(n, v);
  const Vec3 vt = v - vn * n;
  if (p.model == ContactModel::sap) {
    const double rn = c.normal_regularization[i], rt = c.tangential_regularization[i];
    const double v_hat = -c.gap[i] / (h + c.relaxation_time[i]);
    return project((-1 / rt) * vt + ((v_hat - vn) / rn) * n, n, mu, rt, rn);
  }
  const auto impulse = [&](double z) {
    return normal_impulse(p.law, h, c.weight[i] * c.stiffness[i], c.dissipation[i],
                          c.relaxation_time[i], c.gap[i], z);
  };
  const double eps = c.softness[i], soft = std::sqrt(dot(vt, vt) + eps * eps);
  if (p.model == ContactModel::lagged) {
    return impulse(vn) * n - (mu * c.lagged_impulse[i] / soft) * vt;
  }
  const double gamma_n = impulse(vn - mu * (soft - eps));
  return gamma_n * n - (mu * gamma_n / soft) * vt;
}

/// max of numbers of which one may be NaN, which then wins.
double worst(double a, double b) {
  return b > a || std::isnan(b) ? b : a;
}

double distance_to_cone(const Vec3& x, const Vec3& n, double mu) {
  const double xn = dot(n, x), xt = norm(x - xn * n);
  if (xt <= mu * xn) return 0;
  if (mu * xt <= -xn) return std::hypot(xn, xt);
  return (xt - mu * xn) / std::sqrt(1 + mu * mu);
}

double distance_to_dual_cone(const Vec3& x, const Vec3& n, double mu) {
  const double xn = dot(n, x), xt = norm(x - xn * n);
  if (mu * xt <= xn) return 0;
  if (xt <= -mu * xn) return std::hypot(xn, xt);
  return (mu * xt - xn) / std::sqrt(1 + mu * mu);
}

/// gamma . R (gamma - y), with R (gamma - y) = v_c - v_hat + R gamma.
double sap_slack(const ContactProblem& p, int i, const Vec3& v, const Vec3& gamma) {
  const ContactPool& c = p.contacts;
  const Vec3& n = c.normal[i];
  const double rn = c.normal_regularization[i], rt = c.tangential_regularization[i];
  const double v_hat = -c.gap[i] / (p.time_step + c.relaxation_time[i]);
  return dot(gamma, v + rt * gamma + ((rn - rt) * dot(n, gamma) - v_hat) * n);
}

void judge_as_ncp(const ContactProblem& p, int i, const Vec3& v, const Vec3& gamma,
                  Certificate& result) {
  const Vec3& n = p.contacts.normal[i];
  const double h = p.time_step, mu = p.contacts.friction[i];
  // a pair that is still apart may approach by its gap
  const Vec3 open = v + (std::max(0.0, p.contacts.gap[i]) / h) * n;
  const Vec3 lambda = (1 / h) * gamma;
  const double slip = norm(open - dot(n, open) * n);
  const Vec3 sigma = (1 / h) * (open + (mu * slip) * n);
  result.ncp_primal = worst(result.ncp_primal, distance_to_cone(lambda, n, mu));
  result.ncp_dual = worst(result.ncp_dual, distance_to_dual_cone(sigma, n, mu));
  result.ncp_complementarity = worst(result.ncp_complementarity, std::abs(dot(lambda, sigma)));
}

/// A x of one tree.
void multiply(const ContactProblem& p, const Tree& t, const double* x, double* y) {
  if (t.kind == TreeKind::rigid_body) {
    const Vec3 moment = t.inertia * Vec3{x[3], x[4], x[5]};
    for (int k = 0; k < 3; ++k) {
      y[k] = t.mass * x[k];
      y[3 + k] = moment[k];
    }
    return;
  }
  const double* a = p.matrices.data() + t.matrix;
  std::fill_n(y, t.size, 0.0);
  // columns are rows, A is symmetric: two at a time
  int c = 0;
  for (; c + 1 < t.size; c += 2, a += 2 * t.size) {
    for (int r = 0; r < t.size; ++r) y[r] += a[r] * x[c] + a[t.size + r] * x[c + 1];
  }
  if (c < t.size) {
    for (int r = 0; r < t.size; ++r) y[r] += a[r] * x[c];
  }
}

double diagonal(const ContactProblem& p, const Tree& t, int k) {
  if (t.kind == TreeKind::rigid_body) return k < 3 ? t.mass : t.inertia(k - 3, k - 3);
  return p.matrices[t.matrix + k * t.size + k];
}

}  // namespace

int Certifier::root(int tree) {
  while (root_[tree] != tree) tree = root_[tree] = root_[root_[tree]];
  return tree;
}

/// The impulses of one patch: adds their momentum and joins the trees that they link.
void Certifier::judge_patch(const ContactProblem& p, const Patch& patch,
                            std::span<const double> velocity, std::span<const Vec3> impulse,
                            Certificate& result) {
  PatchSums& sums = patch_sums_.emplace_back();
  bool linked = false;
  for (int i = patch.begin; i < patch.end; ++i) {
    const Vec3 v = contact_velocity(p, patch, i, velocity.data());
    const Vec3 gamma = law_impulse(p, i, v);
    judge_as_ncp(p, i, v, impulse[i], result);
    sums.mismatch += p.contacts.delassus[i] * squared_norm(gamma - impulse[i]);
    sums.gross += p.contacts.delassus[i] * squared_norm(gamma);
    if (gamma == Vec3{} && impulse[i] == Vec3{}) continue;
    linked = linked || !(gamma == Vec3{});
    if (p.model == ContactModel::sap) sums.slack += std::abs(sap_slack(p, i, v, impulse[i]));
    add_impulse(p, patch, i, gamma, generalized_.data());
  }
  if (patch.tree_a == world_tree || !linked) return;
  const int a = root(patch.tree_a), b = root(patch.tree_b);
  root_[std::max(a, b)] = std::min(a, b);
}

/// The impulses of the scalar constraints, with their law written out by cases.
void Certifier::judge_scalars(const ContactProblem& p, std::span<const double> velocity,
                              std::span<const double> impulse) {
  const ScalarPool& s = p.scalars;
  const double h = p.time_step;
  assign(scalar_sums_, p.trees.size(), {});
  for (int i = 0; i < s.size(); ++i) {
    const Tree& tree = p.trees[s.tree[i]];
    double c = 0;
    for (const RowEntry& e : s.row(i)) c += e.value * velocity[tree.velocity + e.dof];
    double gamma = 0;
    if (s.kind[i] == ScalarKind::limit || s.kind[i] == ScalarKind::equality) {
      const double reach = h + s.relaxation_time[i], over = s.gap[i] + reach * c;
      if (s.kind[i] == ScalarKind::equality || !(over >= 0))
        gamma = -over / (reach * s.regularization[i]);
    } else {
      double force = -c / (h * s.regularization[i]);
      if (s.kind[i] == ScalarKind::actuator) {
        force = s.force[i] - (h * s.stiffness[i] + s.damping[i]) * c;
      }
      if (force > s.upper_force[i]) force = s.upper_force[i];
      if (force < s.lower_force[i]) force = s.lower_force[i];
      gamma = h * force;
    }
    for (const RowEntry& e : s.row(i)) generalized_[tree.velocity + e.dof] += e.value * gamma;
    const double mismatch = gamma - impulse[i];
    scalar_sums_[s.tree[i]].mismatch += s.mobility[i] * mismatch * mismatch;
    scalar_sums_[s.tree[i]].gross += s.mobility[i] * gamma * gamma;
  }
}

void Certifier::add_tree(const ContactProblem& p, int tree, std::span<const double> velocity) {
  const Tree& t = p.trees[tree];
  IslandSums& sums = island_sums_[root(tree)];
  momentum_.resize(2 * static_cast<std::size_t>(t.size));
  double *av = momentum_.data(), *a_free = av + t.size;
  multiply(p, t, velocity.data() + t.velocity, av);
  multiply(p, t, p.free_velocity.data() + t.velocity, a_free);
  for (int k = 0; k < t.size; ++k) {
    const double d2 = 1 / diagonal(p, t, k), j = generalized_[t.velocity + k];
    const double r = av[k] - a_free[k] - j;
    sums.residual += d2 * r * r;
    sums.momentum += d2 * av[k] * av[k];
    sums.impulse += d2 * j * j;
  }
}

Certificate Certifier::certify(const ContactProblem& p, std::span<const double> velocity,
                               std::span<const Vec3> impulse,
                               std::span<const double> scalar_impulse) {
  if (!p.is_prepared()) fail_input("certify: the problem is not prepared");
  if (velocity.size() != p.velocity.size() || impulse.size() != p.contacts.gap.size()) {
    fail_input("certify: got " + std::to_string(velocity.size()) + " velocities and " +
               std::to_string(impulse.size()) + " impulses, the problem has " +
               std::to_string(p.velocity.size()) + " and " + std::to_string(p.contacts.gap.size()));
  }
  if (std::ssize(scalar_impulse) != p.scalars.size()) {
    fail_input("certify: got " + std::to_string(scalar_impulse.size()) +
               " impulses of scalar constraints, the problem has " +
               std::to_string(p.scalars.size()));
  }
  Certificate result;
  assign(generalized_, velocity.size(), 0);
  root_.resize(p.trees.size());
  std::iota(root_.begin(), root_.end(), 0);
  patch_sums_.clear();
  make_room(patch_sums_, p.patches.capacity());
  for (const Patch& patch : p.patches) judge_patch(p, patch, velocity, impulse, result);
  judge_scalars(p, velocity, scalar_impulse);
  assign(island_sums_, p.trees.size(), {});
  for (std::size_t t = 0; t < p.trees.size(); ++t) add_tree(p, static_cast<int>(t), velocity);
  for (std::size_t k = 0; k < p.patches.size(); ++k) {
    IslandSums& island = island_sums_[root(p.patches[k].tree_b)];
    island.slack += patch_sums_[k].slack;
    island.mismatch += patch_sums_[k].mismatch;
    island.gross += patch_sums_[k].gross;
  }
  for (std::size_t t = 0; t < p.trees.size(); ++t) {
    IslandSums& island = island_sums_[root(static_cast<int>(t))];
    island.mismatch += scalar_sums_[t].mismatch;
    island.gross += scalar_sums_[t].gross;
  }
  for (std::size_t t = 0; t < p.trees.size(); ++t) {
    if (root_[t] != static_cast<std::int32_t>(t)) continue;
    const IslandSums& s = island_sums_[t];
    const double scale = std::sqrt(std::max(s.momentum, s.impulse));
    const double gross = std::sqrt(s.gross), rest = at_rest * (1 + gross);
    const bool rests = scale < rest && s.residual < rest * rest;
    if (rests && s.mismatch < rest * rest) continue;
    result.impulse_error =
        worst(result.impulse_error, std::sqrt(s.mismatch) / std::max(scale, gross));
    if (rests) continue;
    const double error = std::sqrt(s.residual) / scale;
    if (!(error <= result.momentum_error) && !std::isnan(result.momentum_error)) {
      result.momentum_error = error;
      result.worst_tree = static_cast<int>(t);
    }
    result.complementarity_error = worst(result.complementarity_error, s.slack / (scale * scale));
  }
  return result;
}

bool is_finite(const Certificate& c) {
  return std::isfinite(c.momentum_error) && std::isfinite(c.impulse_error) &&
         std::isfinite(c.complementarity_error) && std::isfinite(c.ncp_primal) &&
         std::isfinite(c.ncp_dual) && std::isfinite(c.ncp_complementarity);
}

Certificate certify(const ContactProblem& problem, std::span<const double> velocity,
                    std::span<const Vec3> impulse, std::span<const double> scalar_impulse) {
  Certifier certifier;
  return certifier.certify(problem, velocity, impulse, scalar_impulse);
}

}  // namespace abut
