#include "abut/trees/free_bodies.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "abut/core/assert.hpp"
#include "abut/core/parallel.hpp"
#include "abut/trees/free_body_kernels.hpp"

namespace abut {
namespace {

// what the kernels take them for
static_assert(sizeof(FreeBodyState) == free_body_numbers * sizeof(double) &&
              sizeof(Vec3) == 3 * sizeof(double) && sizeof(Quaternion) == 4 * sizeof(double) &&
              sizeof(Mat3) == 9 * sizeof(double));

bool is_isotropic(const Mat3& inertia) {
  return inertia == inertia(0, 0) * Mat3::identity();
}

constexpr int most_iterations = 20;

bool is_small(const Vec3& change, const Vec3& w) {
  return squared_norm(change) <= 1e-30 * squared_norm(w);
}

/// At w: the equation's residual, its slope, and the momentum that it is about.
struct SpinEquation {
  Vec3 residual, momentum;
  Mat3 slope;
};

/// Angular velocity at a step's end, in the body's axes.
struct Spin {
  Vec3 w;
  SpinEquation last{};  ///< of the last iteration
  int iterations = 0;
  bool converged = false;

  /// The residual relative to what the momentum and the moment's impulse are.
  FreeMotion motion(const Vec3& impulse) const {
    const double scale = norm(last.momentum) + norm(impulse);
    return {.iterations = iterations,
            .residual = scale > 0 ? norm(last.residual) / scale : 0,
            .converged = converged};
  }
};

/// Newton's method from w0; `at` gives the SpinEquation at w.
template <class At>
Spin solve_spin(const Vec3& w0, const At& at) {
  Spin s{.w = w0};
  while (s.iterations < most_iterations && !s.converged) {
    s.last = at(s.w);
    const Vec3 change = inverse(s.last.slope) * s.last.residual;
    s.w -= change;
    s.iterations += 1;
    s.converged = is_small(change, s.w);
  }
  return s;
}

/// Solves I (w - w0) + h w x (I w) = h t for w; h |w| must be well below 1.
Spin spin_implicitly(const Mat3& inertia, const Vec3& w0, const Vec3& moment, double dt) {
  return solve_spin(w0, [&](const Vec3& w) -> SpinEquation {
    const Vec3 momentum = inertia * w;
    return {inertia * (w - w0) + dt * (cross(w, momentum) - moment), momentum,
            inertia + dt * (Mat3::skew(w) * inertia - Mat3::skew(momentum))};
  });
}

/// Solves I (w - w0) + x x I (w0 + w)/2 = h (t - x x t/2), x = h (w0 + w)/2; moment t in the body's
/// axes at the step's start.
Spin spin_by_midpoint(const Mat3& inertia, const Vec3& w0, const Vec3& moment, double dt) {
  return solve_spin(w0, [&](const Vec3& w) -> SpinEquation {
    const Vec3 mean = 0.5 * (w0 + w), x = dt * mean;
    const Vec3 momentum = inertia * mean + 0.5 * dt * moment;
    return {inertia * (w - w0) + cross(x, momentum) - dt * moment, momentum,
            inertia + 0.5 * (Mat3::skew(x) * inertia) + (-0.5 * dt) * Mat3::skew(momentum)};
  });
}

/// The angular velocity of a body that spins freely, in its own axes. Implicit Euler: multiplying
/// its equation by w shows that for t = 0 the energy never grows. In parts of at most 0.2 rad.
Vec3 spin_freely(const Mat3& inertia, const Vec3& w0, const Vec3& moment, double dt) {
  constexpr double longest = 0.2, most_parts = 1000;
  const double speed = norm(w0) + dt * norm(inverse(inertia) * moment);
  const double parts = std::min(most_parts, std::ceil(std::max(1.0, dt * speed / longest)));
  Vec3 w = w0;
  for (int i = 0; i < static_cast<int>(parts); ++i) {
    w = spin_implicitly(inertia, w, moment, dt / parts).w;
  }
  return w;
}

/// The rotation by x = h w of Cayley's map: (1 - x/2)^-1 (1 + x/2), x as its skew matrix.
Quaternion cayley_rotation(const Vec3& x) {
  return normalized(Quaternion{1, 0.5 * x.x, 0.5 * x.y, 0.5 * x.z});
}

/// x = h (w0 + w)/2 with w0 and w [rad/s], world axes, in the axes of a body that x turns, at their
/// own time: with w_1 = R^T w, R = cayley_rotation(x), it is linear in x.
Vec3 mean_turn(const Vec3& w0, const Vec3& w, double dt) {
  const Vec3 s = (0.25 * dt) * (w0 - w), y = (0.5 * dt) * (w0 + w);
  return (y - cross(s, y) + dot(s, y) * s) / (1 + squared_norm(s));
}

/// v* of a body's turning, world axes, and its inertia there at q_t.
struct FreeTurn {
  Vec3 w;
  Mat3 inertia;
  FreeMotion motion;
};

/// Exactly symmetric, as everything downstream assumes.
Mat3 world_inertia(const Mat3& R, const Mat3& inertia) {
  if (is_isotropic(inertia)) return inertia;
  Mat3 I = R * inertia * transpose(R);
  I(0, 1) = I(1, 0), I(0, 2) = I(2, 0), I(1, 2) = I(2, 1);
  return I;
}

/// The equation in the body's axes is that at its own time; w, moment: world axes at q0.
FreeTurn turn_freely(SteppingScheme scheme, const Mat3& R, const Mat3& inertia,
                     const Mat3& inertia_W, const Vec3& w, const Vec3& moment, double dt) {
  const Vec3 w0 = transpose_times(R, w), t = transpose_times(R, moment);
  const auto or_robust = [&](const Spin& s) {
    return s.converged ? s.w : spin_freely(inertia, w0, t, dt);
  };
  switch (scheme) {
    case SteppingScheme::symplectic_euler:
      return {R * spin_freely(inertia, w0, t, dt), inertia_W, {}};
    case SteppingScheme::implicit_euler: {
      const Spin s = spin_implicitly(inertia, w0, t, dt);
      const Vec3 w1 = R * or_robust(s);
      return {w1, world_inertia(to_matrix(exp_rotation(dt * w1)) * R, inertia), s.motion(dt * t)};
    }
    case SteppingScheme::midpoint: {
      const Spin s = spin_by_midpoint(inertia, w0, t, dt);
      const Vec3 w1 = or_robust(s), x = R * ((0.5 * dt) * (w0 + w1));
      return {to_matrix(cayley_rotation(x)) * (R * w1),
              world_inertia(to_matrix(cayley_rotation(0.5 * x)) * R, inertia), s.motion(dt * t)};
    }
    case SteppingScheme::explicit_euler:
    case SteppingScheme::accelerations:
      return {w + R * (inverse(inertia) * (dt * (t - cross(w0, inertia * w0)))), inertia_W, {}};
  }
  return {};
}

}  // namespace

void FreeBodies::add(double mass, const Mat3& inertia, MovingBodies& bodies) {
  bodies.add(size());
  bodies.orientation.emplace_back();
  mass_.push_back(mass);
  inertia_B_.push_back(inertia);
  inertia_W_.push_back(inertia);
  is_isotropic_.push_back(is_isotropic(inertia));
}

FreeBodyView FreeBodies::view(std::span<const FreeBodyState> states, MovingBodies& bodies) {
  return {.states = &states.data()->center.x,
          .inertia_B = &inertia_B_.data()->col[0].x,
          .is_isotropic = is_isotropic_.data(),
          .center = &bodies.center.data()->x,
          .orientation = &bodies.orientation.data()->w,
          .linear_velocity = &bodies.linear_velocity.data()->x,
          .angular_velocity = &bodies.angular_velocity.data()->x,
          .rotation = &bodies.rotation.data()->col[0].x,
          .inertia_W = &inertia_W_.data()->col[0].x};
}

void FreeBodies::update_kinematics(int i, std::span<const FreeBodyState> states,
                                   MovingBodies& bodies) {
  free_body_kernels().update_kinematics(view(states, bodies), i, i + 1);
}

void FreeBodies::update_kinematics(std::span<const FreeBodyState> states, MovingBodies& bodies,
                                   ThreadPool* pool) {
  if (states.empty()) return;
  const FreeBodyView all = view(states, bodies);
  for_ranges(pool, size(), least_per_range,
             [&](int begin, int end) { free_body_kernels().update_kinematics(all, begin, end); });
}

FreeMotion FreeBodies::set_trees(double dt, const Vec3& gravity, const MovingBodies& bodies,
                                 std::span<const Load> loads, ContactProblem& problem,
                                 ThreadPool* pool) const {
  FreeMotion worst;
  std::mutex mutex;  // guards it
  const auto set = [&](int i, FreeTurn& turn, FreeMotion& motion) {
    const Vec3 &v = bodies.linear_velocity[i], &w = bodies.angular_velocity[i];
    const auto& [force, moment] = loads[i];
    const Vec3 free_v = v + dt * (gravity + force / mass_[i]);
    Vec3 free_w = w;
    const Mat3* inertia = &inertia_W_[i];
    const bool spins = !(w == Vec3{}) && !is_isotropic_[i];
    if (spins || !(moment == Vec3{})) {
      turn = turn_freely(scheme_, bodies.rotation[i], inertia_B_[i], inertia_W_[i], w, moment, dt);
      free_w = turn.w;
      inertia = &turn.inertia;
      motion.take_worse(turn.motion);
    }
    const double v0[6] = {v.x, v.y, v.z, w.x, w.y, w.z};
    const double v1[6] = {free_v.x, free_v.y, free_v.z, free_w.x, free_w.y, free_w.z};
    problem.set_rigid_body(i, mass_[i], bodies.center[i], *inertia, v0, v1);
  };
  for_ranges(pool, size(), least_per_range, [&](int begin, int end) {
    FreeTurn turn;
    FreeMotion motion;
    for (int i = begin; i < end; ++i) set(i, turn, motion);
    const std::lock_guard lock(mutex);
    worst.take_worse(motion);
  });
  return worst;
}

void FreeBodies::integrate(double dt, std::span<const double> velocity,
                           std::span<const FreeBodyState> from, std::span<FreeBodyState> to,
                           ThreadPool* pool) const {
  const auto move = [&](int i) {
    const FreeBodyState& at = from[i];
    const double* u = velocity.data() + std::ptrdiff_t{6} * i;
    const Vec3 v{u[0], u[1], u[2]}, w{u[3], u[4], u[5]};
    const auto turned = [&](const Vec3& spin) {  // without one the same bits
      return spin == Vec3{} ? at.orientation : normalized(exp_rotation(dt * spin) * at.orientation);
    };
    FreeBodyState next{
        .center = {}, .orientation = {}, .linear_velocity = v, .angular_velocity = w};
    switch (scheme_) {
      case SteppingScheme::symplectic_euler:
      case SteppingScheme::implicit_euler: ABUT_ASSERT(false); break;  // by the kernel
      case SteppingScheme::midpoint:
        next.center = at.center + (0.5 * dt) * (at.linear_velocity + v);
        next.orientation =
            normalized(cayley_rotation(mean_turn(at.angular_velocity, w, dt)) * at.orientation);
        break;
      case SteppingScheme::explicit_euler:
        next.center = at.center + dt * at.linear_velocity;
        next.orientation = turned(at.angular_velocity);
        break;
      case SteppingScheme::accelerations:
        next.center = at.center + (0.5 * dt) * (at.linear_velocity + v);
        next.orientation = turned(0.5 * (at.angular_velocity + w));
        break;
    }
    to[i] = next;
  };
  const bool by_kernel =
      scheme_ == SteppingScheme::symplectic_euler || scheme_ == SteppingScheme::implicit_euler;
  for_ranges(pool, static_cast<int>(from.size()), least_per_range, [&](int begin, int end) {
    if (by_kernel) {
      return free_body_kernels().integrate(dt, velocity.data(), &from.data()->center.x,
                                           &to.data()->center.x, begin, end);
    }
    for (int i = begin; i < end; ++i) move(i);
  });
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
