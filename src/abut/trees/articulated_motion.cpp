// The free motion of a mechanism and where it leads, by each stepping scheme.

#include <algorithm>
#include <cmath>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>

#include "abut/linalg/dense_spd.hpp"
#include "abut/trees/articulated_tree_data.hpp"

namespace abut {
namespace {

using Eigen::VectorXd;
using ConstVectorRef = Eigen::Ref<const VectorXd>;

/// What A has of h D and of h K.
struct Shares {
  double damped, stiff;
};
Shares implicit_shares(SteppingScheme scheme, double dt) {
  const SchemeTraits t = traits(scheme);
  return {t.spring_theta, dt * (t.spring_theta * t.theta_vq)};
}

}  // namespace

void ArticulatedTree::Data::add_loads(const TreeMotion& at, std::span<const Load> loads) {
  for (std::size_t i = 0; i < loads.size(); ++i) {
    if (loads[i] == Load{}) continue;
    add_load(at, static_cast<int>(i), at.center(node[i]), loads[i], forces.data());
  }
}

/// [rad/s]
double ArticulatedTree::Data::fastest_turn() const {
  double most = 0;
  for (std::size_t i = 0; i < here.nodes.size(); ++i) {
    most = std::max(most, squared_norm(here.angular(static_cast<int>(i))));
  }
  return std::sqrt(most);
}

/// A = M + h theta D + h^2 theta theta_vq K with the M of `at`, whose columns are rows of the lower
/// triangle: the one that is written.
void ArticulatedTree::Data::write_matrix(double dt, const TreeMotion& at, double* matrix) const {
  const int nv = model.nv;
  const auto [damped, stiff] = implicit_shares(scheme, dt);
  for (int r = 0; r < nv; ++r) {
    std::copy_n(at.mass.data() + std::ptrdiff_t{r} * nv, r + 1, matrix + std::ptrdiff_t{r} * nv);
    matrix[std::ptrdiff_t{r} * nv + r] += dt * (damped * damping[r] + stiff * stiffness[r]);
  }
}

/// step = h (f - C v - g - K (q - q_s) - (D + h theta K) v), with C v + g of `at`, q = free_q.
void ArticulatedTree::Data::find_push(double dt, const TreeMotion& at, const VectorXd& velocity) {
  step = forces - Eigen::Map<const VectorXd>(at.bias.data(), forces.size());
  const double ahead_by = dt * traits(scheme).spring_theta;
  step.array() -= (damping + ahead_by * stiffness).array() * velocity.array();
  for (std::size_t s = 0; s < springs.size(); ++s) {
    const int i = springs[s];
    step[i] -= stiffness[i] * (free_q[spring_position[s]] - spring_reference[i]);
  }
  step *= dt;
}

/// v += A^-1 times that.
void ArticulatedTree::Data::accelerate(double dt, const TreeMotion& at,
                                       const double* inverse_factor, VectorXd& velocity) {
  find_push(dt, at, velocity);
  add_inverse_times(model.nv, inverse_factor, step.data(), velocity.data(), work.data());
}

/// The same with the M of `at`.
void ArticulatedTree::Data::accelerate(double dt, const TreeMotion& at, VectorXd& velocity) {
  find_push(dt, at, velocity);
  write_matrix(dt, at, inertia.data());
  if (solve_definite(model.nv, inertia.data(), step.data(), work.data())) {
    velocity += step;
  } else {
    velocity.setConstant(NAN);  // which no step hides
  }
}

/// One part of the free motion: free_v by the dynamics at its middle, then free_q for the next.
/// Where the inverse factor of the step's A is given, the velocity at the middle is the mean of v
/// and where the step with Coriolis forces from here ends: to second order, too, but no good where
/// dampers are stiff.
void ArticulatedTree::Data::advance_by_midpoint(double dt, bool at_state,
                                                const double* inverse_factor) {
  if (!at_state) compute(free_q, free_v, ahead);
  middle_v = free_v;
  if (inverse_factor != nullptr) {
    accelerate(dt, here, inverse_factor, middle_v);
    middle_v = 0.5 * (free_v + middle_v);
  } else {
    accelerate(0.5 * dt, at_state ? here : ahead, middle_v);
  }
  step = 0.5 * dt * free_v;
  pinocchio::integrate(model, free_q, step, next);
  compute(next, middle_v, ahead);
  accelerate(dt, ahead, free_v);
  if (!in_parts) return;
  step = dt * free_v;
  pinocchio::integrate(model, free_q, step, next);
  free_q.swap(next);
}

/// A constant acceleration a moves a body by a h^2 in one step and by a h^2 (p + 1)/(2 p) in p
/// parts. Constraints hold against the first: what they hold would be lifted by the difference, so
/// that the parts begin where it is made up for.
void ArticulatedTree::Data::shift_start(double dt, double parts, const double* inverse_factor) {
  step = forces;
  for (int i = 0; i < std::ssize(links); ++i) {
    const Load weight{links[i].mass * gravity, {}};
    add_load(here, i, here.center(node[i]), weight, step.data());
  }
  for (std::size_t s = 0; s < springs.size(); ++s) {
    const int i = springs[s];
    step[i] -= stiffness[i] * (q[spring_position[s]] - spring_reference[i]);
  }
  step *= dt * dt * (parts - 1) / (2 * parts);
  middle_v.setZero();
  add_inverse_times(model.nv, inverse_factor, step.data(), middle_v.data(), work.data());
  pinocchio::integrate(model, q, middle_v, free_q);
}

/// Whether springs and dampers change no joint's own velocity by more than a tenth in a step.
bool ArticulatedTree::Data::is_slack(double dt, const double* inverse_factor) const {
  const auto [damped, stiff] = implicit_shares(scheme, dt);
  for (int i = 0; i < model.nv; ++i) {
    const double resistance = dt * (damped * damping[i] + stiff * stiffness[i]);
    if (resistance == 0) continue;
    const double* y = inverse_factor + std::ptrdiff_t{i} * round_up_8(model.nv);
    double mobility = 0;  // with that in A
    for (int k = 0; k <= i; ++k) mobility += y[k] * y[k];
    if (resistance * mobility > 0.1) return false;
  }
  return true;
}

/// free_v in the steps that a free motion with explicit Coriolis forces asks for.
void ArticulatedTree::Data::advance_robustly(double dt, const double* inverse_factor) {
  // turns [rad] up to which Coriolis forces may be explicit in the step, and in one part of it
  constexpr double slow = 0.02, longest = 0.1, most_parts = 100;
  const double turn = dt * fastest_turn();
  in_parts = false;
  if (turn <= slow) return accelerate(dt, here, inverse_factor, free_v);
  const double parts = std::clamp(std::ceil(turn / longest), 1.0, most_parts);
  in_parts = parts > 1;
  if (in_parts) shift_start(dt, parts, inverse_factor);
  const bool has_factor = !in_parts && is_slack(dt, inverse_factor);
  for (int k = 0; k < parts; ++k) {
    advance_by_midpoint(dt / parts, k == 0, has_factor ? inverse_factor : nullptr);
  }
}

/// r = M(q_t) (v - v0) - h k(q_t, v_t) for v = free_v, with `ahead` at q_t, v_t. Returns its norm
/// relative to what it is a sum of, each entry by its inertia.
double ArticulatedTree::Data::find_residual(double dt, std::span<const Load> loads) {
  const SchemeTraits t = traits(scheme);
  const auto M = [&](int r, int c) { return ahead.mass[r * std::ptrdiff_t{model.nv} + c]; };
  step = (t.theta * dt) * ((1 - t.theta_vq) * v + t.theta_vq * free_v);
  middle_v = (1 - t.theta) * v + t.theta * free_v;
  pinocchio::integrate(model, q, step, next);
  compute(next, middle_v, ahead);
  forces = newton->joint_forces;
  add_loads(ahead, loads);
  double square = 0, whole = 0;
  for (int i = 0; i < model.nv; ++i) {
    double change = 0, momenta = 0;
    for (int j = 0; j < model.nv; ++j) {  // of M the lower triangle
      const double m = i < j ? M(j, i) : M(i, j);
      change += m * (free_v[j] - v[j]);
      momenta += std::abs(m) * (std::abs(free_v[j]) + std::abs(v[j]));
    }
    const double resistance = damping[i] * middle_v[i] + stiffness[i] * step[i];
    const double bias = ahead.bias[i];
    newton->residual[i] = change - dt * (forces[i] - bias - resistance);
    newton->scale[i] = momenta + dt * (std::abs(forces[i]) + std::abs(bias) + std::abs(resistance));
  }
  for (std::size_t s = 0; s < springs.size(); ++s) {
    const int i = springs[s];
    const double spring = dt * stiffness[i] * (q[spring_position[s]] - spring_reference[i]);
    newton->residual[i] += spring;
    newton->scale[i] += std::abs(spring);
  }
  for (int i = 0; i < model.nv; ++i) {
    square += newton->residual[i] * newton->residual[i] / M(i, i);
    whole += newton->scale[i] * newton->scale[i] / M(i, i);
  }
  return square > 0 ? std::sqrt(square / whole) : square;  // not a number if it is not
}

/// dr/dv at `ahead`, up to how the axes of free and ball joints turn on the way.
void ArticulatedTree::Data::find_slope(double dt) {
  const SchemeTraits t = traits(scheme);
  const auto [damped, stiff] = implicit_shares(scheme, dt);
  Eigen::MatrixXd& S = newton->slope;
  S = Eigen::Map<const Eigen::MatrixXd>(ahead.mass.data(), model.nv, model.nv)
          .selfadjointView<Eigen::Upper>();  // rows are its columns
  S.diagonal() += dt * (damped * damping + stiff * stiffness);
  if (!is_depth_first) return;  // Pinocchio's derivatives are wrong there; it converges more slowly
  newton->acceleration = (free_v - v) / dt;
  pinocchio::Data& of = newton->derivatives;
  of.dtau_dq.setZero();
  of.dtau_dv.setZero();
  pinocchio::computeRNEADerivatives(model, of, ConstVectorRef(next), ConstVectorRef(middle_v),
                                    ConstVectorRef(newton->acceleration));
  S += (dt * t.theta) * of.dtau_dv;
  S += (dt * dt * t.theta * t.theta_vq) * of.dtau_dq;
}

/// free_v from r = 0 by Newton's method.
FreeMotion ArticulatedTree::Data::solve_free_motion(double dt, std::span<const Load> loads) {
  constexpr int most_iterations = 40;
  // below the first nothing is left but rounding, to the second it may go on as it was
  constexpr double exact = 1e-14, enough = 1e-12;
  FreeMotion m{.converged = false};
  for (double last = HUGE_VAL; m.iterations <= most_iterations; ++m.iterations) {
    m.residual = find_residual(dt, loads);
    if (!std::isfinite(m.residual)) break;
    m.converged = m.residual <= exact || (m.residual <= enough && 2 * m.residual > last);
    if (m.converged || m.iterations == most_iterations) break;
    last = m.residual;
    find_slope(dt);
    newton->factor.compute(newton->slope);
    step = newton->factor.solve(newton->residual);
    free_v -= step;
  }
  return m;
}

FreeMotion ArticulatedTree::free_motion(double dt, std::span<const double> joint_forces,
                                        std::span<const Load> loads, std::span<double> matrix,
                                        std::span<double> inverse_factor,
                                        std::span<double> free_velocity) {
  Data& d = *d_;
  const int nv = d.model.nv;
  d.forces = Eigen::Map<const VectorXd>(joint_forces.data(), nv);
  d.free_q = d.q;
  d.free_v = d.v;
  d.in_parts = false;
  FreeMotion found;
  const TreeMotion* at = &d.here;  // with the M of A
  if (d.newton) {
    d.newton->joint_forces = d.forces;
    found = d.solve_free_motion(dt, loads);
    if (found.converged) at = &d.ahead;
  }
  const auto [damped, stiff] = implicit_shares(d.scheme, dt);
  copy_mass(*at, matrix);
  for (int r = 0; r < nv; ++r) {
    matrix[r * (nv + 1)] += dt * (damped * d.damping[r] + stiff * d.stiffness[r]);
  }
  invert_factor(nv, matrix.data(), inverse_factor.data());
  if (at == &d.here) {
    d.forces = Eigen::Map<const VectorXd>(joint_forces.data(), nv);
    d.free_v = d.v;
    d.add_loads(d.here, loads);
    if (d.scheme == SteppingScheme::explicit_euler || d.scheme == SteppingScheme::accelerations) {
      d.accelerate(dt, d.here, inverse_factor.data(), d.free_v);
    } else {
      d.advance_robustly(dt, inverse_factor.data());
    }
  }
  Eigen::Map<VectorXd>(free_velocity.data(), nv) = d.free_v;
  return found;
}

void ArticulatedTree::integrate(double dt, std::span<const double> velocity, std::span<double> q) {
  Data& d = *d_;
  const Eigen::Map<const VectorXd> v(velocity.data(), d.v.size());
  const double share = traits(d.scheme).theta_vq;
  if (share < 1) {
    d.step = dt * ((1 - share) * d.v + share * v);
    pinocchio::integrate(d.model, d.q, d.step, d.next);
  } else if (d.in_parts) {
    // from where the free motion ends, by what constraints changed
    d.step = dt * (v - d.free_v);
    pinocchio::integrate(d.model, d.free_q, d.step, d.next);
  } else {
    d.step = dt * v;
    pinocchio::integrate(d.model, d.q, d.step, d.next);
  }
  std::copy_n(d.next.data(), d.next.size(), q.data());
}

}  // namespace abut
