#include "abut/geometry/shape.hpp"

#include <algorithm>
#include <limits>

#include "abut/core/assert.hpp"

namespace abut {

void Shape::validate(const Origin& at) const {
  const auto positive = [&](double length, const char* name) {
    // squares of larger ones, and of their ratios, would overflow in the end
    require(length > 0 && length <= 1e9, name, length, "m", "must be positive and at most 1e9 m",
            at);
  };
  switch (kind) {
    case ShapeKind::plane: return;
    case ShapeKind::sphere: positive(radius(), "radius"); return;
    case ShapeKind::capsule:
    case ShapeKind::cylinder:
      positive(radius(), "radius");
      positive(half_length(), "half_length");
      return;
    case ShapeKind::box:
      positive(size.x, "half_extents x");
      positive(size.y, "half_extents y");
      positive(size.z, "half_extents z");
      return;
    case ShapeKind::ellipsoid:
      positive(size.x, "radii x");
      positive(size.y, "radii y");
      positive(size.z, "radii z");
      return;
    case ShapeKind::hull:
    case ShapeKind::height_field: ABUT_ASSERT(hull != nullptr || field != nullptr); return;
  }
}

double Shape::bounding_radius() const {
  switch (kind) {
    case ShapeKind::plane: return 0;
    case ShapeKind::sphere: return radius();
    case ShapeKind::capsule: return radius() + half_length();
    case ShapeKind::cylinder: return std::hypot(radius(), half_length());
    case ShapeKind::box: return norm(half_extents());
    case ShapeKind::ellipsoid: return std::max({size.x, size.y, size.z});
    case ShapeKind::hull: return hull->bounding_radius;
    case ShapeKind::height_field:
      return norm(Vec3{field->half_x, field->half_y, maximum(field->base, field->highest)});
  }
  return 0;
}

double Shape::half_thickness() const {
  switch (kind) {
    case ShapeKind::plane:
    case ShapeKind::height_field: return std::numeric_limits<double>::infinity();
    case ShapeKind::sphere:
    case ShapeKind::capsule: return radius();
    case ShapeKind::cylinder: return std::min(radius(), half_length());
    case ShapeKind::box:
    case ShapeKind::ellipsoid: return std::min({size.x, size.y, size.z});
    case ShapeKind::hull: {
      const Vec3 sides = hull->upper - hull->lower;
      return 0.5 * std::min({sides.x, sides.y, sides.z});
    }
  }
  return 0;
}

const char* to_string(ShapeKind kind) {
  switch (kind) {
    case ShapeKind::plane: return "plane";
    case ShapeKind::sphere: return "sphere";
    case ShapeKind::capsule: return "capsule";
    case ShapeKind::cylinder: return "cylinder";
    case ShapeKind::box: return "box";
    case ShapeKind::ellipsoid: return "ellipsoid";
    case ShapeKind::hull: return "hull";
    case ShapeKind::height_field: return "height field";
  }
  return "";
}

namespace {

Aabb box_around(const Vec3& lower, const Vec3& upper, const Pose& X_WS) {
  const Mat3& R = X_WS.R;
  const Vec3 half = 0.5 * (upper - lower), middle = X_WS * (0.5 * (upper + lower));
  const Vec3 extent = half.x * abs(R.col[0]) + half.y * abs(R.col[1]) + half.z * abs(R.col[2]);
  return {middle - extent, middle + extent};
}

}  // namespace

Aabb bounding_box(const Shape& shape, const Pose& X_WS) {
  const Mat3& R = X_WS.R;
  Vec3 extent;
  switch (shape.kind) {
    case ShapeKind::plane: {
      constexpr double inf = std::numeric_limits<double>::infinity();
      return {{-inf, -inf, -inf}, {inf, inf, inf}};
    }
    case ShapeKind::sphere: extent = shape.radius() * Vec3{1, 1, 1}; break;
    case ShapeKind::capsule:
      extent = shape.half_length() * abs(R.col[2]) + shape.radius() * Vec3{1, 1, 1};
      break;
    case ShapeKind::cylinder: {
      const Vec3& axis = R.col[2];
      const auto disc = [&](double a) { return std::sqrt(std::max(0.0, 1 - a * a)); };
      extent = shape.half_length() * abs(axis) +
               shape.radius() * Vec3{disc(axis.x), disc(axis.y), disc(axis.z)};
      break;
    }
    case ShapeKind::box:
      extent = shape.size.x * abs(R.col[0]) + shape.size.y * abs(R.col[1]) +
               shape.size.z * abs(R.col[2]);
      break;
    case ShapeKind::ellipsoid: {
      const Vec3 x = shape.size.x * R.col[0], y = shape.size.y * R.col[1],
                 z = shape.size.z * R.col[2];
      for (int k = 0; k < 3; ++k) extent[k] = std::sqrt(x[k] * x[k] + y[k] * y[k] + z[k] * z[k]);
      break;
    }
    case ShapeKind::hull: return box_around(shape.hull->lower, shape.hull->upper, X_WS);
    case ShapeKind::height_field: {
      const HeightField& f = *shape.field;
      return box_around({-f.half_x, -f.half_y, -f.base}, {f.half_x, f.half_y, f.highest}, X_WS);
    }
  }
  return {X_WS.p - extent, X_WS.p + extent};
}

}  // namespace abut
