#include "abut/geometry/height_field_ridges.hpp"

#include <algorithm>

#include "abut/geometry/minimize.hpp"
#include "abut/geometry/pairs.hpp"

namespace abut {
namespace {

/// A body as the ridges below it see it: surfaces that look down, to which they have a distance,
/// and those that bound it sideways. A surface that turns from one to the other moves out of the
/// way by `range`, within which ridges matter.
class Underside {
 public:
  Underside(const Shape& body, const Pose& X_FB, const Vec3& up, double range)
      : body_(body), X_(X_FB), up_(up), down_(-transpose_times(X_FB.R, up)), range_(range) {
    for_each_surface({},
                     [&](double, const Vec3&, double facing) { most_ = maximum(most_, facing); });
  }

  const Vec3& up() const { return up_; }

  /// Signed distance to the nearest of the surfaces that look down.
  double distance(const Vec3& x) const {
    double farthest = -HUGE_VAL;
    for_each_surface(to_local(X_, x), [&](double d, const Vec3&, double facing) {
      const double aside = asideness(facing);
      if (aside < 1) farthest = maximum(farthest, d - aside * range_);
    });
    return farthest;
  }

  /// The normal out of it; between surfaces that are nearest within `slack`, one in between.
  Vec3 normal(const Vec3& x, double slack) const {
    const double least = distance(x) - slack;
    Vec3 sum;
    for_each_surface(to_local(X_, x), [&](double d, const Vec3& n, double facing) {
      const double aside = asideness(facing);
      if (aside < 1) sum += maximum(d - aside * range_ - least, 0) * n;
    });
    return X_.R * direction_or(sum, down_);
  }

  /// Not positive where the point is within range below the body.
  double aside(const Vec3& x) const {
    double farthest = -HUGE_VAL;
    for_each_surface(to_local(X_, x), [&](double d, const Vec3&, double facing) {
      farthest = maximum(farthest, d - (1 - asideness(facing)) * range_);
    });
    return farthest;
  }

 private:
  /// From 0 for a surface that looks down to 1 for one that looks aside or up.
  double asideness(double facing) const { return std::clamp(2 - facing / (0.3 * most_), 0.0, 1.0); }

  /// visit(signed distance of x in the body's axes, outward normal, how much it looks down): of
  /// faces, the round side, and the flat ends of a capsule's axis.
  template <class Visit>
  void for_each_surface(const Vec3& x, const Visit& visit) const {
    if (body_.kind == ShapeKind::hull) {
      const ConvexHull& hull = *body_.hull;
      for (const ConvexHull::Face& f : hull.faces) {
        const Vec3& on_face = hull.vertices[hull.sides[f.begin].vertex];
        visit(dot(f.normal, x - on_face), f.normal, dot(f.normal, down_));
      }
      return;
    }
    const bool is_box = body_.kind == ShapeKind::box, is_capsule = body_.kind == ShapeKind::capsule;
    if (!is_box) {
      const Vec3 radial = {x.x, x.y, 0}, across = {down_.x, down_.y, 0};
      visit(norm(radial) - body_.radius(), direction_or(radial, down_),
            is_capsule ? 1 : norm(across));
    }
    for (int k = is_box ? 0 : 2; k < 3; ++k) {
      const double half = is_box ? body_.size[k] : body_.half_length();
      for (const double sign : {1.0, -1.0}) {
        Vec3 n;
        n[k] = sign;
        visit(sign * x[k] - half, n, is_capsule ? -1 : sign * down_[k]);
      }
    }
  }

  const Shape& body_;
  const Pose& X_;
  Vec3 up_;
  Vec3 down_;  ///< in the body's axes
  double range_;
  double most_ = 0;  ///< how much looks down what does most
};

/// The part of an edge below the body, from 0 to 1 along it.
struct Part {
  double begin = 0, end = 0;
};

/// Where the convex function goes through zero between a place where it is not positive and one
/// where it is.
template <class Function>
double find_crossing(const Function& f, double inside, double outside) {
  for (int k = 0; k < 45; ++k) {  // to 3e-14
    const double middle = 0.5 * (inside + outside);
    (f(middle) <= 0 ? inside : outside) = middle;
  }
  return inside;
}

/// False if no part of the edge is below the body.
template <class Function>
bool find_part(const Function& aside, Part& part) {
  const bool begins = aside(0.0) <= 0, ends = aside(1.0) <= 0;
  part = {0, 1};
  if (begins && ends) return true;
  const double middle = begins ? 0 : ends ? 1 : minimize_convex(aside, 0, 1);
  if (aside(middle) > 0) return false;
  if (!begins) part.begin = find_crossing(aside, middle, 0);
  if (!ends) part.end = find_crossing(aside, middle, 1);
  return true;
}

/// At the deepest point inside of a ridge, where an edge of the body crosses it: the normal lies
/// between those of the two faces that meet there, at right angles to the ridge.
void set_crossing(const Underside& body, RidgePoint& p, const Vec3& along, double step) {
  const Vec3 before = body.normal(p.at - step * along, 1e-3 * step),
             after = body.normal(p.at + step * along, 1e-3 * step);
  const double falls = maximum(-dot(before, along), 0), rises = maximum(dot(after, along), 0);
  if (!(falls + rises > 0)) {
    p.normal = -before;
    return;
  }
  const Vec3 between = (rises * before + falls * after) / (falls + rises);
  p.normal = -between / norm(between);
  p.gap /= norm(between);
}

void add_edge(const TerrainEdge& e, std::uint32_t name, const Underside& body, double margin,
              RidgePoints& points) {
  const Vec3 along = e.end - e.begin;
  const double length = norm(along);
  const auto at = [&](double t) { return e.begin + t * along; };
  const Vec3 middle = at(0.5);
  if (body.aside(middle) > 0.5 * length || body.distance(middle) > 0.5 * length + margin) return;
  Part part;
  if (!find_part([&](double t) { return body.aside(at(t)); }, part)) return;
  const auto distance = [&](double t) { return body.distance(at(t)); };
  double lowest = minimize_convex(distance, part.begin, part.end);
  // an end, where it is as low: on a level stretch, and where the search came as close as it can
  const double lower_end = distance(part.end) < distance(part.begin) ? part.end : part.begin;
  if (distance(lower_end) <= distance(lowest) + 1e-9 * length) lowest = lower_end;

  // The trapezoidal rule on both sides of the deepest point. It gives the same for a level ridge,
  // whichever end is taken for the deepest point.
  const auto add = [&](double t, double stretch, std::uint32_t slot) {
    RidgePoint p;
    p.at = at(t);
    p.gap = distance(t);
    p.length = 0.5 * stretch * length;
    p.share = e.bend * p.length;
    if (p.gap > margin || !(p.share > 0)) return;
    if (t > part.begin && t < part.end) {
      set_crossing(body, p, along / length, 1e-6 * length);
    } else {
      p.normal = -body.normal(p.at, maximum(-0.2 * p.gap, 1e-6 * length));
    }
    const auto vertex = static_cast<std::uint32_t>(t == 0 ? e.from : e.to);
    p.name = t == 0 || t == 1 ? 4 * vertex : name + slot;
    if (dot(p.normal, body.up()) > 0) points.add(p);
  };
  add(part.begin, lowest - part.begin, 1);
  add(part.end, part.end - lowest, 2);
  add(lowest, part.end - part.begin, lowest == part.begin ? 1 : lowest == part.end ? 2 : 3);
}

}  // namespace

void RidgePoints::add(const RidgePoint& point) {
  for (int k = 0; k < size; ++k) {
    if (points[k].name != point.name) continue;
    points[k].length += point.length;
    points[k].share += point.share;
    return;
  }
  if (size < capacity) {
    points[size++] = point;
    return;
  }
  RidgePoint* highest =
      std::max_element(points, points + size,
                       [](const RidgePoint& a, const RidgePoint& b) { return a.gap < b.gap; });
  if (point.gap < highest->gap) *highest = point;
}

double RidgePoints::count(const Vec3& up, double apart) const {
  double sum = 0, squares = 0;
  Vec3 mean;
  for (int k = 0; k < size; ++k) {
    const RidgePoint& p = points[k];
    if (p.share == 0) continue;
    sum += p.share, mean += p.share * p.at;
    for (int i = 0; i < size; ++i) {
      squares += p.share * points[i].share * maximum(1 - norm(p.at - points[i].at) / apart, 0);
    }
  }
  if (!(squares > 0)) return 0;
  mean = mean / sum;
  // spread along the two main directions, by the eigenvalues of the second moments
  const Vec3 u = any_perpendicular(up), v = cross(up, u);
  double uu = 0, uv = 0, vv = 0;
  for (int k = 0; k < size; ++k) {
    const double x = dot(points[k].at - mean, u), y = dot(points[k].at - mean, v);
    uu += points[k].share * x * x, uv += points[k].share * x * y, vv += points[k].share * y * y;
  }
  const double middle = 0.5 * (uu + vv), half = std::hypot(0.5 * (uu - vv), uv);
  const double ratio = middle > 0 ? maximum(middle - half, 0) / (middle + half) : 0;
  return minimum(2 + 2 * minimum(10 * ratio, 1), sum * sum / squares);
}

RidgePoints ridges_below(const HeightField& field, const Shape& shape, const Pose& X_FB,
                         const Vec3& up, double floor, double margin) {
  RidgePoints points;
  const Aabb box = bounding_box(shape, X_FB);
  const Vec3 half = 0.5 * (box.upper - box.lower);
  const Underside body(shape, X_FB, up, 0.1 * norm(half));
  const CellRange cells(field, box.lower.x - margin, box.upper.x + margin, box.lower.y - margin,
                        box.upper.y + margin);
  for (int j = cells.first_row; j <= cells.last_row + 1; ++j) {
    for (int i = cells.first_column; i <= cells.last_column + 1; ++i) {
      for (const auto kind : {TerrainEdge::along_x, TerrainEdge::along_y, TerrainEdge::diagonal}) {
        if (!TerrainEdge::exists(field, i, j, kind)) continue;
        const TerrainEdge e(field, i, j, kind);
        if (e.bend <= 1e-12 || maximum(e.begin.z, e.end.z) < box.lower.z - margin) continue;
        if (maximum(dot(up, e.begin), dot(up, e.end)) <= floor) continue;
        // vertices have names that are multiples of 4 below all of these
        const auto count = static_cast<std::uint32_t>(field.heights.size());
        const std::uint32_t edge = 3 * static_cast<std::uint32_t>(e.from) + kind;
        add_edge(e, 4 * (count + edge), body, margin, points);
      }
    }
  }
  return points;
}

}  // namespace abut
