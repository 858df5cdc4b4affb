#pragma once

#include "abut/core/error.hpp"
#include "abut/geometry/shape.hpp"
#include "abut/linalg/rotation.hpp"

namespace abut {

/// Mass of a rigid body, all in one frame.
struct MassProperties {
  double mass = 0;      ///< [kg]
  Vec3 center_of_mass;  ///< [m]
  Mat3 inertia;         ///< about the center of mass [kg m^2]

  /// Throws InputError unless mass and principal moments of inertia are finite and positive (or
  /// zero, for a part of a larger body), and no moment exceeds the sum of the two others by more
  /// than 1e-9 of it.
  void validate(const Origin& at = {}, bool is_part = false) const;
};

/// A homogeneous solid in the shape's own frame, density in kg/m^3: m = rho V and the textbook's
/// moments. Those of a hull are sums over
/// tetrahedra. None (zero) for planes and height fields.
MassProperties mass_properties(const Shape& shape, double density);

/// The same body seen from frame A: X_AB is the pose of the frame that `body` is given in.
MassProperties transformed(const Pose& X_AB, const MassProperties& body);

/// Two bodies in the same frame, joined rigidly (parallel-axis theorem).
MassProperties combined(const MassProperties& a, const MassProperties& b);

/// Eigenvalues of a symmetric matrix, ascending, to about 1e-15 of the largest. NaN for NaN.
Vec3 principal_moments(const Mat3& inertia);

}  // namespace abut
