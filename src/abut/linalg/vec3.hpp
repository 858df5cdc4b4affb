#pragma once

#include <cmath>

namespace abut {

/// The larger and the smaller number, without a branch; b if either is NaN, unlike std::fmax() and
/// std::fmin(), for which GCC calls the library.
inline double maximum(double a, double b) {
#if defined(__SSE2__)
  typedef double Vec __attribute__((vector_size(16)));
  return __builtin_ia32_maxsd(Vec{a, 0}, Vec{b, 0})[0];
#else
  return a > b ? a : b;
#endif
}
inline double minimum(double a, double b) {
#if defined(__SSE2__)
  typedef double Vec __attribute__((vector_size(16)));
  return __builtin_ia32_minsd(Vec{a, 0}, Vec{b, 0})[0];
#else
  return a < b ? a : b;
#endif
}

/// Three numbers in one frame; the name of the variable says the frame and the unit.
struct Vec3 {
  double x = 0, y = 0, z = 0;

  double& operator[](int i) { return i == 0 ? x : i == 1 ? y : z; }
  double operator[](int i) const { return i == 0 ? x : i == 1 ? y : z; }
  bool operator==(const Vec3&) const = default;

  Vec3& operator+=(const Vec3& b) { return x += b.x, y += b.y, z += b.z, *this; }
  Vec3& operator-=(const Vec3& b) { return x -= b.x, y -= b.y, z -= b.z, *this; }
  Vec3& operator*=(double s) { return x *= s, y *= s, z *= s, *this; }
};

inline Vec3 operator+(const Vec3& a, const Vec3& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
inline Vec3 operator-(const Vec3& a, const Vec3& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline Vec3 operator-(const Vec3& a) {
  return {-a.x, -a.y, -a.z};
}
inline Vec3 operator*(double s, const Vec3& a) {
  return {s * a.x, s * a.y, s * a.z};
}
inline Vec3 operator*(const Vec3& a, double s) {
  return s * a;
}
inline Vec3 operator/(const Vec3& a, double s) {
  return {a.x / s, a.y / s, a.z / s};
}

inline double dot(const Vec3& a, const Vec3& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline double squared_norm(const Vec3& a) {
  return dot(a, a);
}
inline double norm(const Vec3& a) {
  return std::sqrt(dot(a, a));
}
inline Vec3 abs(const Vec3& a) {
  return {std::abs(a.x), std::abs(a.y), std::abs(a.z)};
}
/// Component by component.
inline Vec3 multiply_each(const Vec3& a, const Vec3& b) {
  return {a.x * b.x, a.y * b.y, a.z * b.z};
}
inline bool is_finite(const Vec3& a) {
  return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z);
}

/// Some unit vector perpendicular to the unit vector `n`; continuous except where n.z changes sign.
inline Vec3 any_perpendicular(const Vec3& n) {
  const double sign = std::copysign(1.0, n.z);
  const double a = -1 / (sign + n.z);
  return {1 + sign * n.x * n.x * a, sign * n.x * n.y * a, -sign * n.x};
}

/// A 3x3 matrix by columns. For a rotation R_WB the columns are the axes of B in W.
struct Mat3 {
  Vec3 col[3];

  static Mat3 identity() { return {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}; }
  static Mat3 diagonal(const Vec3& d) { return {{{d.x, 0, 0}, {0, d.y, 0}, {0, 0, d.z}}}; }
  /// skew(r) u = r x u
  static Mat3 skew(const Vec3& r) { return {{{0, r.z, -r.y}, {-r.z, 0, r.x}, {r.y, -r.x, 0}}}; }

  double operator()(int row, int column) const { return col[column][row]; }
  double& operator()(int row, int column) { return col[column][row]; }
  bool operator==(const Mat3&) const = default;
};

inline Vec3 operator*(const Mat3& a, const Vec3& b) {
  return a.col[0] * b.x + a.col[1] * b.y + a.col[2] * b.z;
}
inline Mat3 operator*(const Mat3& a, const Mat3& b) {
  return {{a * b.col[0], a * b.col[1], a * b.col[2]}};
}
inline Mat3 operator*(double s, const Mat3& a) {
  return {{s * a.col[0], s * a.col[1], s * a.col[2]}};
}
inline Mat3 operator+(const Mat3& a, const Mat3& b) {
  return {{a.col[0] + b.col[0], a.col[1] + b.col[1], a.col[2] + b.col[2]}};
}
inline Mat3 operator-(const Mat3& a, const Mat3& b) {
  return {{a.col[0] - b.col[0], a.col[1] - b.col[1], a.col[2] - b.col[2]}};
}
inline Mat3 transpose(const Mat3& a) {
  return {{{a.col[0].x, a.col[1].x, a.col[2].x},
           {a.col[0].y, a.col[1].y, a.col[2].y},
           {a.col[0].z, a.col[1].z, a.col[2].z}}};
}
/// a^T b, without forming a^T.
inline Vec3 transpose_times(const Mat3& a, const Vec3& b) {
  return {dot(a.col[0], b), dot(a.col[1], b), dot(a.col[2], b)};
}
inline Mat3 transpose_times(const Mat3& a, const Mat3& b) {
  return {
      {transpose_times(a, b.col[0]), transpose_times(a, b.col[1]), transpose_times(a, b.col[2])}};
}
inline double determinant(const Mat3& a) {
  return dot(a.col[0], cross(a.col[1], a.col[2]));
}
/// Inverse by cofactors; not finite when singular.
inline Mat3 inverse(const Mat3& a) {
  const Vec3 r0 = cross(a.col[1], a.col[2]), r1 = cross(a.col[2], a.col[0]),
             r2 = cross(a.col[0], a.col[1]);
  const double s = 1 / dot(a.col[0], r0);
  return transpose(Mat3{{s * r0, s * r1, s * r2}});
}

}  // namespace abut
