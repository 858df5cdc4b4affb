#pragma once

#include <random>
#include <vector>

#include "abut/problem/friction_problem.hpp"

namespace abut {

/// What a random friction problem is made of: bodies at random places, contacts with random
/// normals between them and with the world.
struct RandomFriction {
  int most_bodies = 12, most_contacts = 48;
  double mass_spread = 0;  ///< decades around 1 kg
  bool rests = false;      ///< only gravity moves the bodies; else random velocities
  int most_scalars = 0;    ///< scalar constraints of all kinds, between bodies and with the world
  double compliance = 0;   ///< of those, in units of their mobility
};

/// The same for the same state of `random`. W has the rank of the bodies' dofs at most.
FrictionProblem make_friction_problem(std::mt19937& random, const RandomFriction& what);

/// A box of edges 2 `half` [m] and 1 kg on the ground, with a contact at each lower corner.
/// `force` acts at its center besides its weight [N]; W and g are those of one step.
FrictionProblem box_on_ground(double half, double friction, const Vec3& force, double time_step);

/// A problem of contacts alone with them in another order, and turned about their normals by
/// angles.
FrictionProblem turned(const FrictionProblem& problem, const std::vector<int>& order,
                       const std::vector<double>& angle);

/// A point of one mass [kg] on the ground, and one of another on top of it, which rest.
FrictionProblem two_points(double light, double heavy, double time_step);

}  // namespace abut
