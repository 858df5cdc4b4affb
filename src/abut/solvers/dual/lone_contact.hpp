#pragma once

#include "abut/problem/friction_problem.hpp"

namespace abut {

/// The impulse that solves a model exactly for one contact, sigma = W gamma + g. `last` is its
/// impulse before, where the search for the direction of slip begins. W need not be symmetric.
Vec3 solve_lone_contact(RigidModel model, const Mat3& delassus, const Vec3& g, double mu,
                        const Vec3& last);

}  // namespace abut
