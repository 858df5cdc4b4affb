#pragma once

#include "abut/linalg/vec3.hpp"

namespace abut {

/// Vectors x with |x_t| <= x_n, and the algebra in which they are the squares:
/// x o y = (x_n y_t + y_n x_t, x.y), with the unit e = (0, 0, 1) (Alizadeh and Goldfarb 2003).
Vec3 jordan_product(const Vec3& a, const Vec3& b);

/// y -> a o y
Mat3 arrow(const Vec3& a);

/// x_n^2 - |x_t|^2, without cancellation next to the boundary.
double jordan_determinant(const Vec3& x);

/// x and s = x - d inside the cone with x o s = k e, k > 0, from d: the square root in the algebra.
Vec3 jordan_root(const Vec3& d, double k);

/// The largest step a <= most with x + a d in the cone, x being inside.
double step_in_cone(const Vec3& x, const Vec3& d, double most);

}  // namespace abut
