#include "abut/sim/mass_properties.hpp"

#include <algorithm>
#include <cstdio>
#include <numbers>
#include <utility>

namespace abut {

namespace {

/// m (|r|^2 1 - r r^T): inertia of a point mass at r about the origin.
Mat3 point_inertia(double mass, const Vec3& r) {
  const double rr = squared_norm(r);
  return {{mass * (Vec3{rr, 0, 0} - r.x * r), mass * (Vec3{0, rr, 0} - r.y * r),
           mass * (Vec3{0, 0, rr} - r.z * r)}};
}

/// One Jacobi rotation that makes a(p, q) zero.
void rotate_away(Mat3& a, int p, int q) {
  if (a(p, q) == 0) return;
  const double theta = (a(q, q) - a(p, p)) / (2 * a(p, q));
  const double t = std::copysign(1, theta) / (std::abs(theta) + std::hypot(theta, 1));
  const double c = 1 / std::hypot(t, 1), s = t * c;
  Mat3 J = Mat3::identity();
  J(p, p) = c, J(q, q) = c, J(p, q) = s, J(q, p) = -s;
  a = transpose_times(J, a * J);
}

/// Sums over the tetrahedra from a point within to the triangles of its faces.
MassProperties mass_properties(const ConvexHull& hull, double density) {
  const Vec3 within = 0.5 * (hull.lower + hull.upper);
  double volume = 0;
  Vec3 moment;    // integral of x
  Mat3 second{};  // integral of x x^T
  const auto outer = [](const Vec3& v) { return Mat3{{v.x * v, v.y * v, v.z * v}}; };
  for (const ConvexHull::Face& face : hull.faces) {
    const auto corner = [&](int k) { return hull.vertices[hull.sides[k].vertex] - within; };
    const Vec3 a = corner(face.begin);
    for (int k = face.begin + 1; k + 1 < face.end; ++k) {
      const Vec3 b = corner(k), c = corner(k + 1), sum = a + b + c;
      const double v = dot(a, cross(b, c)) / 6;
      volume += v;
      moment = moment + (v / 4) * sum;
      second = second + (v / 20) * (outer(sum) + outer(a) + outer(b) + outer(c));
    }
  }
  const double trace = second(0, 0) + second(1, 1) + second(2, 2), mass = density * volume;
  const Vec3 center = (1 / volume) * moment;
  const Mat3 about_within = density * (trace * Mat3::identity() - second);
  return {mass, within + center, about_within - point_inertia(mass, center)};
}

}  // namespace

Vec3 principal_moments(const Mat3& inertia) {
  // Jacobi's method converges quadratically: four sweeps reach round-off from any 3x3 matrix, the
  // others are a reserve.
  Mat3 a = 0.5 * (inertia + transpose(inertia));
  for (int sweep = 0; sweep < 8; ++sweep) {
    rotate_away(a, 0, 1);
    rotate_away(a, 0, 2);
    rotate_away(a, 1, 2);
  }
  Vec3 moments{a(0, 0), a(1, 1), a(2, 2)};
  if (moments.x > moments.y) std::swap(moments.x, moments.y);
  if (moments.y > moments.z) std::swap(moments.y, moments.z);
  if (moments.x > moments.y) std::swap(moments.x, moments.y);
  return moments;
}

void MassProperties::validate(const Origin& at, bool is_part) const {
  const char* sign_rule = is_part ? "must not be negative" : "must be positive";
  const Vec3 moments = principal_moments(inertia);
  const auto has_sign = [&](double value) { return is_part ? value >= 0 : value > 0; };
  const double round_off = is_part ? 1e-9 * moments.z : 0;
  require(std::isfinite(mass), "mass", mass, "kg", "must be finite", at);
  require(has_sign(mass), "mass", mass, "kg", sign_rule, at);
  const char* rule = nullptr;
  if (!is_finite(moments)) {
    rule = "must be finite";
  } else if (!has_sign(moments.x + round_off)) {
    rule = sign_rule;
  } else if (moments.z > (moments.x + moments.y) * (1 + 1e-9)) {
    rule = "none may exceed the sum of the others";
  }
  if (rule == nullptr) return;
  char text[160];
  std::snprintf(text, sizeof text, "principal moments of inertia = %.9g, %.9g, %.9g kg m^2, %s",
                moments.x, moments.y, moments.z, rule);
  fail_input(text, at);
}

MassProperties mass_properties(const Shape& shape, double density) {
  constexpr double pi = std::numbers::pi;
  const Vec3& a = shape.size;
  const double r = shape.radius(), l = shape.half_length();
  const auto solid = [&](double mass, double share, const Vec3& lengths) {
    const Vec3 squares{lengths.x * lengths.x, lengths.y * lengths.y, lengths.z * lengths.z};
    const double sum = squares.x + squares.y + squares.z;
    return MassProperties{mass, {}, Mat3::diagonal(share * mass * (Vec3{sum, sum, sum} - squares))};
  };
  switch (shape.kind) {
    case ShapeKind::plane:
    case ShapeKind::height_field: return {};
    case ShapeKind::hull: return mass_properties(*shape.hull, density);
    case ShapeKind::sphere: return solid(density * 4 / 3 * pi * r * r * r, 1.0 / 5, {r, r, r});
    case ShapeKind::ellipsoid: return solid(density * 4 / 3 * pi * a.x * a.y * a.z, 1.0 / 5, a);
    case ShapeKind::box: return solid(density * 8 * a.x * a.y * a.z, 1.0 / 3, a);
    case ShapeKind::cylinder:
    case ShapeKind::capsule: break;
  }
  // a cylinder, and for a capsule the two halves of a ball, whose mass centers lie 3/8 r beyond its
  // ends
  const double mass = density * 2 * pi * r * r * l;
  const double caps = shape.kind == ShapeKind::capsule ? density * 4 / 3 * pi * r * r * r : 0;
  const double axial = mass * r * r / 2 + caps * 2 / 5 * r * r;
  const double across =
      mass * (r * r / 4 + l * l / 3) + caps * (2.0 / 5 * r * r + l * l + 3.0 / 4 * l * r);
  return {mass + caps, {}, Mat3::diagonal({across, across, axial})};
}

MassProperties transformed(const Pose& X_AB, const MassProperties& body) {
  return {body.mass, X_AB * body.center_of_mass, X_AB.R * body.inertia * transpose(X_AB.R)};
}

MassProperties combined(const MassProperties& a, const MassProperties& b) {
  const double mass = a.mass + b.mass;
  if (!(mass > 0)) return a;
  const Vec3 center = (a.mass * a.center_of_mass + b.mass * b.center_of_mass) / mass;
  return {mass, center,
          a.inertia + point_inertia(a.mass, a.center_of_mass - center) + b.inertia +
              point_inertia(b.mass, b.center_of_mass - center)};
}

}  // namespace abut
