#pragma once

#include "abut/linalg/solve3.hpp"
#include "abut/problem/friction_problem.hpp"

namespace abut {

/// The impulse that solves a model exactly for one contact, sigma = W gamma + g. `last` is its
/// impulse before, where the search for the direction of slip begins. W need not be symmetric.
Vec3 solve_lone_contact(RigidModel model, const Mat3& delassus, const Vec3& g, double mu,
                        const Vec3& last);

/// Where W_ii has no inverse to speak of, as of contacts of arms with few joints: a proximal step,
/// W + eps and g - eps last, which has the same answers once nothing changes. Of RaiSim without the
/// normal's part, or its friction would turn.
struct ProximalContact {
  Mat3 delassus;
  Vec3 g;

  ProximalContact(RigidModel model, const Mat3& w, const Vec3& g, const Vec3& last);
  /// -W^-1 g, the impulse that leaves no velocity.
  Vec3 holding_impulse() const { return -solve3(delassus, g); }
};

}  // namespace abut
