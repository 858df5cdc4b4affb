#pragma once

#include <random>
#include <vector>

#include "abut/problem/force_problem.hpp"
#include "abut/problem/friction_problem.hpp"

namespace abut {

/// Bodies in a plane, contacts and joints between them; body -1 is the world.
struct PlanarScene {
  struct Body {
    double mass = 1, inertia = 1;  // [kg], [kg m^2]
    double x = 0, y = 0;
    double v_x = 0, v_y = 0, spin = 0;
    double a_x = 0, a_y = -9.81, turn = 0;  // without forces of contact
  };
  struct Contact {
    int a = -1, b = 0;
    double x = 0, y = 0;      // where
    double n_x = 0, n_y = 1;  // from a to b
    double friction = 0;
    bool has_tangent = true;
    double normal_bias = 0, tangent_bias = 0;  // of a, besides that of the bodies' accelerations
  };
  struct Joint {
    int a = -1, b = 0;
    double x = 0, y = 0;
  };
  std::vector<Body> bodies;
  std::vector<Contact> contacts;
  std::vector<Joint> joints;

  /// Contacts first: n, and t = (n_y, -n_x); then two rows per joint, along x and y. Accelerations
  /// are those of points of the bodies, centripetal ones among them; slip is that of the bodies'
  /// velocities.
  ForceProblem forces() const;
  /// Adds forces that a = A f + b belongs to, to the accelerations of the bodies.
  void accelerate(const std::vector<double>& force);
};

/// Random bodies with random contacts, at rest under random accelerations.
PlanarScene random_planar_scene(std::mt19937& random, int most_bodies, int most_contacts);

/// The contacts of a friction problem with g for b: rows (t1, t2, n) of each.
ForceProblem to_forces(const FrictionProblem& problem);

/// Equal cubes of 1 m and 1 kg on each other on the ground, under gravity, with contacts at the
/// four corners of each face: level by level, rows (t1, t2, n) of each.
ForceProblem stack_of_cubes(int levels, double friction);

/// Its normals alone.
ForceProblem without_friction(const ForceProblem& problem);

}  // namespace abut
