#include "abut/trees/free_bodies.hpp"

#include <algorithm>
#include <cmath>

namespace abut {
namespace {

bool is_isotropic(const Mat3& inertia) {
  return inertia == inertia(0, 0) * Mat3::identity();
}

/// Solves I (w - w0) + h w x (I w) = h t for w, by Newton from w0; h |w| must be well below 1.
Vec3 spin_implicitly(const Mat3& inertia, const Vec3& w0, const Vec3& moment, double dt) {
  Vec3 w = w0;
  for (int i = 0; i < 20; ++i) {
    const Vec3 momentum = inertia * w;
    const Vec3 residual = inertia * (w - w0) + dt * (cross(w, momentum) - moment);
    const Mat3 slope = inertia + dt * (Mat3::skew(w) * inertia - Mat3::skew(momentum));
    const Vec3 change = inverse(slope) * residual;
    w -= change;
    if (squared_norm(change) <= 1e-30 * squared_norm(w)) break;
  }
  return w;
}

/// The angular velocity of a body that spins freely, in its own axes. Implicit Euler: multiplying
/// its equation by w shows that for t = 0 the energy never grows. In parts of at most 0.2 rad.
Vec3 spin_freely(const Mat3& inertia, const Vec3& w0, const Vec3& moment, double dt) {
  constexpr double longest = 0.2, most_parts = 1000;
  const double speed = norm(w0) + dt * norm(inverse(inertia) * moment);
  const double parts = std::min(most_parts, std::ceil(std::max(1.0, dt * speed / longest)));
  Vec3 w = w0;
  for (int i = 0; i < static_cast<int>(parts); ++i) {
    w = spin_implicitly(inertia, w, moment, dt / parts);
  }
  return w;
}

}  // namespace

void FreeBodies::add(double mass, const Mat3& inertia, MovingBodies& bodies) {
  bodies.add(size());
  mass_.push_back(mass);
  inertia_B_.push_back(inertia);
  inertia_W_.push_back(inertia);
}

void FreeBodies::update_kinematics(int i, const FreeBodyState& state, MovingBodies& bodies) {
  bodies.center[i] = state.center;
  bodies.orientation[i] = state.orientation;
  bodies.linear_velocity[i] = state.linear_velocity;
  bodies.angular_velocity[i] = state.angular_velocity;
  const Mat3 R = bodies.rotation[i] = to_matrix(state.orientation);
  Mat3 I = R * inertia_B_[i] * transpose(R);
  // exactly symmetric, as everything downstream assumes
  I(0, 1) = I(1, 0), I(0, 2) = I(2, 0), I(1, 2) = I(2, 1);
  inertia_W_[i] = is_isotropic(inertia_B_[i]) ? inertia_B_[i] : I;
}

void FreeBodies::update_kinematics(std::span<const FreeBodyState> states, MovingBodies& bodies) {
  for (int i = 0; i < size(); ++i) update_kinematics(i, states[i], bodies);
}

void FreeBodies::add_trees(double dt, const Vec3& gravity, const MovingBodies& bodies,
                           std::span<const Load> loads, ContactProblem& problem) const {
  for (int i = 0; i < size(); ++i) {
    const Vec3 &v = bodies.linear_velocity[i], &w = bodies.angular_velocity[i];
    const auto& [force, moment] = loads[i];
    const Vec3 free_v = v + dt * (gravity + force / mass_[i]);
    Vec3 free_w = w;
    const bool spins = !(w == Vec3{}) && !is_isotropic(inertia_B_[i]);
    if (spins || !(moment == Vec3{})) {
      const Mat3& R = bodies.rotation[i];
      free_w =
          R * spin_freely(inertia_B_[i], transpose_times(R, w), transpose_times(R, moment), dt);
    }
    const double v0[6] = {v.x, v.y, v.z, w.x, w.y, w.z};
    const double v1[6] = {free_v.x, free_v.y, free_v.z, free_w.x, free_w.y, free_w.z};
    problem.add_rigid_body(mass_[i], bodies.center[i], inertia_W_[i], v0, v1);
  }
}

void FreeBodies::integrate(double dt, std::span<const double> velocity,
                           std::span<const FreeBodyState> from, std::span<FreeBodyState> to) {
  for (std::size_t i = 0; i < from.size(); ++i) {
    const double* u = velocity.data() + 6 * i;
    const Vec3 v{u[0], u[1], u[2]}, w{u[3], u[4], u[5]};
    const Quaternion& q = from[i].orientation;
    const bool turns = !(w == Vec3{});  // else the same bits
    to[i] = {.center = from[i].center + dt * v,
             .orientation = turns ? normalized(exp_rotation(dt * w) * q) : q,
             .linear_velocity = v,
             .angular_velocity = w};
  }
}

double FreeBodies::kinetic_energy(const MovingBodies& bodies) const {
  double energy = 0;
  for (int i = 0; i < size(); ++i) {
    const Vec3 spin = transpose_times(bodies.rotation[i], bodies.angular_velocity[i]);
    energy += 0.5 * (mass_[i] * squared_norm(bodies.linear_velocity[i]) +
                     dot(spin, inertia_B_[i] * spin));
  }
  return energy;
}

double FreeBodies::potential_energy(const Vec3& gravity, const MovingBodies& bodies) const {
  double energy = 0;
  for (int i = 0; i < size(); ++i) energy -= mass_[i] * dot(gravity, bodies.center[i]);
  return energy;
}

}  // namespace abut
