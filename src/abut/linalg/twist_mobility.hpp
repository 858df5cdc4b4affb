#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "abut/linalg/vec3.hpp"

namespace abut {

/// What an impulse does to a body's twist: the center's velocity is linear f + coupling m, the
/// angular velocity coupling^T f + angular m, with the impulse f at the center and its moment m
/// about it. Or what it does to one body's twist less that of another, on which its opposite acts.
struct TwistMobility {
  Vec3 center;   ///< [m]
  Mat3 angular;  ///< behind the center, as a kernel reads both at once
  /// Else a rigid body's: linear is per_mass times 1, coupling zero; neither is set.
  bool is_coupled = false;
  double per_mass = 0;    ///< [1/kg], if it is not coupled
  Mat3 linear, coupling;  ///< if it is coupled

  /// What no impulse moves: the world.
  void be_at_rest() { center = {}, angular = {}, per_mass = 0, is_coupled = false; }
  void be_rigid_body(const Vec3& at, double mass, const Mat3& inverse_inertia) {
    center = at;
    angular = inverse_inertia;
    per_mass = 1 / mass;
    is_coupled = false;
  }
  /// With the 6 x 6 matrix, of which all or the lower triangle is given, row-major.
  void be_matrix(const Vec3& at, const double matrix[36]);
};

/// TwistMobility::be_rigid_body() of `count` bodies. Of each, from `first` on and `stride` numbers
/// apart, mass, center and inertia follow each other: 13 numbers. With the same bits.
void be_rigid_bodies(int count, const double* first, std::ptrdiff_t stride,
                     TwistMobility* mobilities);

/// Where point_mobilities() writes, one each a point, with W = sum over the sides of J A^-1 J^T, J
/// the point's velocity, and its normal n. None is negative, though a tree's contact with itself
/// may leave rounding alone.
struct PointMobilities {
  double* mean = nullptr;        ///< |W|_F / 3, at least least_mean
  double* normal = nullptr;      ///< n . W n
  double* tangential = nullptr;  ///< (tr W - n . W n) / 2
  Vec3* response = nullptr;      ///< W n; may be null
  double least_mean = 0;         ///< [1/kg]
};

/// Of `count` points of a patch, whose sides are the bodies that it touches.
void point_mobilities(int count, const Vec3* points, const Vec3* normals,
                      std::span<const TwistMobility* const> sides, const PointMobilities& result);

/// Two of a list of bodies.
struct BodyPair {
  std::int32_t a = 0, b = 0;
};

/// Of `count` points, each between two of `bodies`, none of which is coupled; of one and the world
/// with what is at rest. `least_mean` is not needed, as a rigid body's W is at least 1/m.
void point_mobilities(int count, const Vec3* points, const Vec3* normals,
                      const TwistMobility* bodies, const BodyPair* pairs,
                      const PointMobilities& result);

}  // namespace abut
