#pragma once

#include "abut/problem/friction_problem.hpp"

namespace abut {

/// The impulse that solves a model exactly for one contact, sigma = W gamma + g. `last` is its
/// impulse before, where the search for the direction of slip begins. W need not be symmetric.
Vec3 solve_lone_contact(RigidModel model, const Mat3& delassus, const Vec3& g, double mu,
                        const Vec3& last);

/// The impulse that leaves no velocity, -W^-1 g. Where W_ii is singular, as of contacts of arms
/// with few joints, one near `last` that leaves hardly any, and none after some sweeps: a proximal
/// step.
Vec3 holding_impulse(const Mat3& delassus, const Vec3& g, const Vec3& last);

}  // namespace abut
