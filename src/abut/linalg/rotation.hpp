#pragma once

#include "abut/linalg/vec3.hpp"

namespace abut {

/// Unit quaternion, scalar first: the rotation R_WB from B to W.
struct Quaternion {
  double w = 1, x = 0, y = 0, z = 0;
  bool operator==(const Quaternion&) const = default;
};

inline Quaternion operator*(const Quaternion& a, const Quaternion& b) {
  return {
      a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
inline double norm(const Quaternion& a) {
  return std::sqrt(a.w * a.w + a.x * a.x + a.y * a.y + a.z * a.z);
}
inline Quaternion normalized(const Quaternion& a) {
  const double s = 1 / norm(a);
  return {s * a.w, s * a.x, s * a.y, s * a.z};
}

/// The rotation matrix of a unit quaternion.
inline Mat3 to_matrix(const Quaternion& q) {
  const double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z, xy = q.x * q.y, xz = q.x * q.z,
               yz = q.y * q.z, wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
  return {{{1 - 2 * (yy + zz), 2 * (xy + wz), 2 * (xz - wy)},
           {2 * (xy - wz), 1 - 2 * (xx + zz), 2 * (yz + wx)},
           {2 * (xz + wy), 2 * (yz - wx), 1 - 2 * (xx + yy)}}};
}

/// The unit quaternion of a rotation matrix (the branch with the largest component).
Quaternion to_quaternion(const Mat3& R);

/// exp of the rotation vector `a` [rad]: the rotation by |a| about a/|a|.
Quaternion exp_rotation(const Vec3& a);

/// Position and orientation of a frame B in a frame W: x_W = R x_B + p.
struct Pose {
  Vec3 p;                     ///< [m]
  Mat3 R = Mat3::identity();  ///< columns: axes of B in W

  bool operator==(const Pose&) const = default;
};

inline Vec3 operator*(const Pose& X, const Vec3& point) {
  return X.R * point + X.p;
}
inline Pose operator*(const Pose& a, const Pose& b) {
  return {a * b.p, a.R * b.R};
}
/// X^-1 times a point.
inline Vec3 to_local(const Pose& X, const Vec3& point) {
  return transpose_times(X.R, point - X.p);
}

}  // namespace abut
