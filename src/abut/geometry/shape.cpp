#include "abut/geometry/shape.hpp"

#include <limits>

namespace abut {

void Shape::validate(const Origin& at) const {
  const auto positive = [&](double length, const char* name) {
    require(length > 0 && std::isfinite(length), name, length, "m", "must be positive and finite",
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
  }
}

const char* to_string(ShapeKind kind) {
  switch (kind) {
    case ShapeKind::plane: return "plane";
    case ShapeKind::sphere: return "sphere";
    case ShapeKind::capsule: return "capsule";
    case ShapeKind::cylinder: return "cylinder";
    case ShapeKind::box: return "box";
  }
  return "";
}

Aabb bounding_box(const Shape& shape, const Pose& X_WS) {
  const Mat3& R = X_WS.R;
  Vec3 reach;
  switch (shape.kind) {
    case ShapeKind::plane: {
      constexpr double inf = std::numeric_limits<double>::infinity();
      return {{-inf, -inf, -inf}, {inf, inf, inf}};
    }
    case ShapeKind::sphere: reach = shape.radius() * Vec3{1, 1, 1}; break;
    case ShapeKind::capsule:
      reach = shape.half_length() * abs(R.col[2]) + shape.radius() * Vec3{1, 1, 1};
      break;
    case ShapeKind::cylinder: {
      const Vec3& axis = R.col[2];
      const auto disc = [&](double a) { return std::sqrt(std::fmax(0, 1 - a * a)); };
      reach = shape.half_length() * abs(axis) +
              shape.radius() * Vec3{disc(axis.x), disc(axis.y), disc(axis.z)};
      break;
    }
    case ShapeKind::box:
      reach = shape.size.x * abs(R.col[0]) + shape.size.y * abs(R.col[1]) +
              shape.size.z * abs(R.col[2]);
      break;
  }
  return {X_WS.p - reach, X_WS.p + reach};
}

}  // namespace abut
