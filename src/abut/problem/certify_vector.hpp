#pragma once

#include <cmath>

#include "abut/linalg/vec3.hpp"

namespace abut::judging {

/// Three numbers of the type that a certificate is computed in.
template <class Real>
struct Vector {
  Real x = 0, y = 0, z = 0;

  Vector() = default;
  Vector(Real x_, Real y_, Real z_) : x(x_), y(y_), z(z_) {}
  explicit Vector(const Vec3& v) : x(v.x), y(v.y), z(v.z) {}

  Vector& operator+=(const Vector& b) { return *this = *this + b; }
  friend Vector operator+(const Vector& a, const Vector& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
  }
  friend Vector operator-(const Vector& a, const Vector& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
  }
  friend Vector operator*(Real s, const Vector& a) { return {s * a.x, s * a.y, s * a.z}; }
  friend Real dot(const Vector& a, const Vector& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
  friend Vector cross(const Vector& a, const Vector& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
  }
  friend Real norm(const Vector& a) { return std::sqrt(dot(a, a)); }
  Vec3 rounded() const {
    return {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)};
  }
  bool is_zero() const { return x == 0 && y == 0 && z == 0; }
};

}  // namespace abut::judging
