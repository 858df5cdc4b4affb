#pragma once

// For users who have Eigen: abut's plain types seen as Eigen's, without a copy. abut itself never
// includes this header.

#include <Eigen/Core>
#include <span>

#include "abut/linalg/vec3.hpp"

namespace abut {

static_assert(sizeof(Vec3) == 3 * sizeof(double) && sizeof(Mat3) == 9 * sizeof(double));

inline Eigen::Map<Eigen::Vector3d> as_eigen(Vec3& v) {
  return Eigen::Map<Eigen::Vector3d>(&v.x);
}
inline Eigen::Map<const Eigen::Vector3d> as_eigen(const Vec3& v) {
  return Eigen::Map<const Eigen::Vector3d>(&v.x);
}

inline Eigen::Map<Eigen::Matrix3d> as_eigen(Mat3& m) {
  return Eigen::Map<Eigen::Matrix3d>(&m.col[0].x);
}
inline Eigen::Map<const Eigen::Matrix3d> as_eigen(const Mat3& m) {
  return Eigen::Map<const Eigen::Matrix3d>(&m.col[0].x);
}

/// Velocities and other flat arrays.
inline Eigen::Map<Eigen::VectorXd> as_eigen(std::span<double> v) {
  return {v.data(), static_cast<Eigen::Index>(v.size())};
}
inline Eigen::Map<const Eigen::VectorXd> as_eigen(std::span<const double> v) {
  return {v.data(), static_cast<Eigen::Index>(v.size())};
}

/// Impulses, points, normals: one column each.
inline Eigen::Map<const Eigen::Matrix3Xd> as_eigen(std::span<const Vec3> v) {
  return {v.empty() ? nullptr : &v.front().x, 3, static_cast<Eigen::Index>(v.size())};
}

/// An Eigen 3-vector, or an expression of one, as abut's.
template <class Derived>
Vec3 to_vec3(const Eigen::MatrixBase<Derived>& v) {
  EIGEN_STATIC_ASSERT_VECTOR_SPECIFIC_SIZE(Derived, 3);
  const Eigen::Vector3d e = v;
  return {e.x(), e.y(), e.z()};
}

/// An Eigen 3x3 matrix, or an expression of one, as abut's.
template <class Derived>
Mat3 to_mat3(const Eigen::MatrixBase<Derived>& m) {
  EIGEN_STATIC_ASSERT_MATRIX_SPECIFIC_SIZE(Derived, 3, 3);
  Mat3 result;
  as_eigen(result) = m;
  return result;
}

}  // namespace abut
