#pragma once

#include <concepts>
#include <span>

#include "abut/linalg/vec3.hpp"
#include "abut/problem/contact_problem.hpp"

namespace abut {

/// What the stepper asks of a family of trees, free bodies or others: kinematics at q0, their part
/// of the contact problem (A, v0, v*), and q = q0 (+) h N v.
template <class Group>
concept TreeGroup = requires(Group g, const Group& c, double dt, const Vec3& gravity,
                             ContactProblem& problem, std::span<const double> velocity) {
  { c.size() } -> std::same_as<int>;
  g.update_kinematics();
  c.add_trees(dt, gravity, problem);
  g.integrate(dt, velocity);
  { c.kinetic_energy() } -> std::same_as<double>;
  { c.potential_energy(gravity) } -> std::same_as<double>;
};

}  // namespace abut
