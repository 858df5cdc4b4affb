#pragma once

#include "abut/problem/friction_problem.hpp"

namespace abut {

inline bool is_in_cone(const Vec3& x, double mu) {
  return x.z >= 0 && x.x * x.x + x.y * x.y <= mu * mu * x.z * x.z;
}

/// The projection on the friction cone {|x_t| <= mu x_n}.
Vec3 project_on_cone(const Vec3& x, double mu);

/// The projection on the pyramid {|x_1|, |x_2| <= mu x_n} of the LCP.
Vec3 project_on_pyramid(const Vec3& x, double mu);

/// mu W_nt / W_nn of a contact's own block: how far the friction of RaiSim turns from the slip. 0
/// where nothing moves along the normal.
inline Vec3 tilt_of(const Mat3& w, double mu) {
  if (!(w(2, 2) > 0)) return {};
  return {mu * w(2, 0) / w(2, 2), mu * w(2, 1) / w(2, 2), 0};
}

/// Of a slip and a tilt those tau >= 0 with |slip + tau tilt| = tau, [CB 24] solved for mu gamma_n
/// theta; where there are none, the one that comes closest, and by how much it misses.
struct RaisimSlips {
  int count = 0;
  double tau[2];     ///< [m/s]
  double missed[2];  ///< |slip + tau tilt| - tau [m/s]
};
RaisimSlips raisim_slips(const Vec3& slip, const Vec3& tilt);

/// P_K(gamma - c) of a contact of mobility 1, and what else FrictionCertificate::natural_error has
/// of RaiSim. `tilt` is read of RaiSim alone.
struct NaturalImpulse {
  Vec3 impulse;
  double missed = 0;
};
NaturalImpulse natural_impulse(RigidModel model, double mu, const Vec3& tilt, const Vec3& gamma,
                               const Vec3& sigma);

/// |gamma - P_K(gamma - c)|^2, and what is missed.
double squared_natural_map(RigidModel model, double mu, const Vec3& tilt, const Vec3& gamma,
                           const Vec3& sigma);

}  // namespace abut
