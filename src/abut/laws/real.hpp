#pragma once

// Laws are written once, over a type Real that is double or a pack of contacts in registers
// (linalg/simd.hpp). Here is what they need for double; packs bring their own.

namespace abut {

#define ABUT_LAW_INLINE inline __attribute__((always_inline))

ABUT_LAW_INLINE double select(bool condition, double a, double b) {
  return condition ? a : b;
}
ABUT_LAW_INLINE double max(double a, double b) {
  return a > b ? a : b;
}
ABUT_LAW_INLINE double min(double a, double b) {
  return a < b ? a : b;
}
ABUT_LAW_INLINE bool all(bool condition) {
  return condition;
}
ABUT_LAW_INLINE double sqrt(double a) {
  return __builtin_sqrt(a);
}

/// Whether Real is double, not a pack.
template <class Real>
inline constexpr bool is_one_contact = sizeof(Real) == sizeof(double);

/// Three components of a contact velocity or impulse, for one contact or a pack of them.
template <class Real>
struct Triple {
  Real x, y, z;
};
template <class Real>
ABUT_LAW_INLINE Triple<Real> operator+(const Triple<Real>& a, const Triple<Real>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class Real>
ABUT_LAW_INLINE Triple<Real> operator-(const Triple<Real>& a, const Triple<Real>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class Real>
ABUT_LAW_INLINE Triple<Real> operator*(const Real& s, const Triple<Real>& a) {
  return {s * a.x, s * a.y, s * a.z};
}
template <class Real>
ABUT_LAW_INLINE Real dot(const Triple<Real>& a, const Triple<Real>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

}  // namespace abut
