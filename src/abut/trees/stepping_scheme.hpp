#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "abut/core/traits_table.hpp"

namespace abut {

/// How a step of size h goes from (q0, v0) to (q, v), with the impulses gamma of contacts and
/// constraints [SAP 7, 12]:
///
///     M(q_t) (v - v0) = h k(q_t, v_t) + J^T gamma
///     q = q0 (+) h v_q,   q_t = q0 (+) theta h v_q,   v_t = (1 - theta) v0 + theta v
///     v_q = (1 - theta_vq) v0 + theta_vq v
///
/// J is taken at q0. Without impulses v is v*.
enum class SteppingScheme : std::uint8_t {
  symplectic_euler,
  implicit_euler,
  midpoint,
  explicit_euler,
  accelerations,
};

/// All of them, in the order of their numbers; files and the command line know those listed here.
inline constexpr std::array stepping_schemes = {
    SteppingScheme::symplectic_euler, SteppingScheme::implicit_euler, SteppingScheme::midpoint,
    SteppingScheme::explicit_euler, SteppingScheme::accelerations};

/// Those that find velocities at a step's end, under any model.
inline constexpr std::array velocity_schemes = {
    SteppingScheme::symplectic_euler, SteppingScheme::implicit_euler, SteppingScheme::midpoint,
    SteppingScheme::explicit_euler};

/// How a scheme is called, and its numbers. Code that has to know more of a scheme switches over
/// all of them, which does not compile when one is missing.
struct SchemeTraits {
  std::string_view name, description;
  double theta;         ///< of forces and M
  double theta_vq;      ///< of the velocity that moves q
  double spring_theta;  ///< theta of springs, dampers and servos
};
constexpr SchemeTraits make_traits(SteppingScheme scheme) {
  switch (scheme) {
    case SteppingScheme::symplectic_euler:
      return {.name = "symplectic-euler",
              .description =
                  "order 1; moves with the step's end velocity, springs and dampers "
                  "implicit; robust at any step",
              .theta = 0,
              .theta_vq = 1,
              .spring_theta = 1};
    case SteppingScheme::implicit_euler:
      return {.name = "implicit-euler",
              .description = "order 1; all forces at the step's end; loses energy",
              .theta = 1,
              .theta_vq = 1,
              .spring_theta = 1};
    case SteppingScheme::midpoint:
      return {.name = "midpoint",
              .description =
                  "order 2; all forces in the step's middle; keeps the energy of springs "
                  "and tops; impacts go in deeper",
              .theta = 0.5,
              .theta_vq = 0.5,
              .spring_theta = 0.5};
    case SteppingScheme::explicit_euler:
      return {.name = "explicit-euler",
              .description =
                  "order 1; all forces at the step's start; gains energy: for comparisons only",
              .theta = 0,
              .theta_vq = 0,
              .spring_theta = 0};
    case SteppingScheme::accelerations:
      return {.name = "accelerations",
              .description =
                  "impacts by impulses, contact forces from accelerations at each instant "
                  "[BARAFF]; rigid models",
              .theta = 0,
              .theta_vq = 0.5,
              .spring_theta = 0.5};
  }
  return {};
}

inline constexpr TraitsTable scheme_traits(stepping_schemes);
constexpr const SchemeTraits& traits(SteppingScheme scheme) {
  return scheme_traits[scheme];
}

constexpr std::string_view to_string(SteppingScheme scheme) {
  return traits(scheme).name;
}

/// How the equation of v* was solved, where it is implicit: of the worst tree, if of several.
struct FreeMotion {
  int iterations = 0;     ///< of Newton's method
  double residual = 0;    ///< |r| relative to the momenta and impulses that r is a sum of [-]
  bool converged = true;  ///< else v* is what symplectic Euler takes it to be

  void take_worse(const FreeMotion& other) {
    iterations = other.iterations > iterations ? other.iterations : iterations;
    residual = other.residual > residual ? other.residual : residual;
    converged = converged && other.converged;
  }
};

/// A force f0 - K x - D xdot of a spring and damper along one coordinate x as the problem of a step
/// knows it, by its rate c at the step's end: force - h stiffness c - damping c.
struct SteppedSpring {
  double stiffness, damping, force;
};

/// The force at q_t and v_t; `force`: f0 at q0 and xdot = 0, `rate`: xdot at q0, both along J.
constexpr SteppedSpring stepped_spring(SteppingScheme scheme, double dt, double stiffness,
                                       double damping, double force, double rate) {
  const SchemeTraits t = traits(scheme);
  const double theta = t.spring_theta;
  const double k = theta * t.theta_vq, k0 = theta * (1 - t.theta_vq), d0 = 1 - theta;
  const double at_start = k0 != 0 || d0 != 0 ? (dt * k0 * stiffness + d0 * damping) * rate : 0;
  return {k * stiffness, theta * damping, force - at_start};
}

}  // namespace abut
