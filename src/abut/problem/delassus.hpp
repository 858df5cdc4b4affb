#pragma once

#include "abut/problem/friction_problem.hpp"
#include "abut/problem/prepared_problem.hpp"

namespace abut {

/// What rigid contact adds to a step that it solves by velocities alone.
struct RigidRules {
  double restitution = 0;  ///< e: pairs that meet at -v_n part at e v_n, 0 to 1 [-]
  double baumgarte = 0;    ///< overlap is let out at this rate, 0 to 1/h [1/s]
};

/// The axes (t1, t2, n) of a contact, in columns.
Mat3 contact_axes(const Vec3& normal);

/// The rigid friction problem of a step's contacts: W = J A^-1 J^T in their axes, and
///
///     g = J v* + b - c n,   c = -phi_0/h of pairs apart, baumgarte (-phi_0) of overlaps,
///                           where e > 0, at least e (-v_n0) of pairs that meet in this step.
///
/// Stiffness, dissipation and regularization of the contacts have no part in it.
/// @throws InputError if the problem is not prepared, or has scalar constraints, sparse trees or
/// friction that depends on the direction, which rigid models here do not know; if a rule is out of
/// its range
FrictionProblem make_friction_problem(const PreparedProblem& problem, const RigidRules& rules = {});

/// The velocities of the step under impulses of its contacts, in their axes: v* + A^-1 J^T gamma.
std::vector<double> velocities_of(const PreparedProblem& problem, std::span<const Vec3> impulse);

}  // namespace abut
