#include "abut/geometry/height_field_nearest.hpp"

#include <algorithm>

#include "abut/geometry/contact_face.hpp"
#include "abut/geometry/ellipsoid.hpp"
#include "abut/geometry/minimize.hpp"

namespace abut {
namespace {

constexpr double slack = 1e-12;  // of a cell: on a shared edge one of two triangles must answer
constexpr double flat = 1e-12;   // [rad] no ridge

double cell_size(const HeightField& f) {
  return minimum(f.step_x, f.step_y);
}

/// Calls visit(vertex, neighbours, their number) for the vertices of a range of cells.
template <class Visit>
void for_each_vertex(const HeightField& f, const CellRange& cells, const Visit& visit) {
  constexpr int steps[6][2] = {{1, 0}, {1, 1}, {0, 1}, {-1, 0}, {-1, -1}, {0, -1}};
  for (int j = cells.first_row; j <= cells.last_row + 1; ++j) {
    for (int i = cells.first_column; i <= cells.last_column + 1; ++i) {
      Vec3 around[6];
      int count = 0;
      for (const auto& [di, dj] : steps) {
        if (f.has_vertex(i + di, j + dj)) around[count++] = f.vertex(i + di, j + dj);
      }
      visit(f.vertex(i, j), around, count);
    }
  }
}

template <class Visit>
void for_each_edge(const HeightField& f, const CellRange& cells, const Visit& visit) {
  for (int j = cells.first_row; j <= cells.last_row + 1; ++j) {
    for (int i = cells.first_column; i <= cells.last_column + 1; ++i) {
      for (const auto kind : {TerrainEdge::along_x, TerrainEdge::along_y, TerrainEdge::diagonal}) {
        if (TerrainEdge::exists(f, i, j, kind)) visit(TerrainEdge(f, i, j, kind));
      }
    }
  }
}

template <class Visit>
void for_each_triangle(const HeightField& f, const CellRange& cells, const Visit& visit) {
  for (int j = cells.first_row; j <= cells.last_row; ++j) {
    for (int i = cells.first_column; i <= cells.last_column; ++i) {
      for (const bool upper_left : {false, true}) visit(TerrainTriangle(f, i, j, upper_left));
    }
  }
}

/// The wall of the solid, beside a center that is below the border.
bool add_wall(const HeightField& f, const Vec3& c, double radius, double margin,
              NearestPoints& nearest) {
  if (f.is_below(c)) return false;
  const Vec3 at = {std::clamp(c.x, -f.half_x, f.half_x), std::clamp(c.y, -f.half_y, f.half_y), c.z};
  if (c.z >= f.height_at(at.x, at.y)) return false;
  const double distance = norm(c - at);
  if (c.z > -f.base && distance <= radius + margin) {
    nearest.add({at, (c - at) / distance, distance - radius}, 0, 1);
  }
  return true;
}

class BallSearch {
 public:
  BallSearch(const HeightField& f, const Vec3& center, double radius, double margin,
             NearestPoints& nearest)
      : field_(f),
        center_(center),
        radius_(radius),
        depth_(f.is_below(center) ? f.height_at(center.x, center.y) - center.z : 0),
        side_(depth_ > 0 ? -1 : 1),
        cell_(cell_size(f)),
        // from below twice as far as straight up, since farther points count too; what
        // is deeper than some cells goes straight up
        range_(depth_ > 0 ? minimum(2 * depth_, 16 * cell_) : radius + margin),
        nearest_(nearest) {}

  void find() {
    const Vec3& c = center_;
    const CellRange cells(field_, c.x - range_, c.x + range_, c.y - range_, c.y + range_);
    for_each_triangle(field_, cells, [&](const TerrainTriangle& t) {
      const double height = t.height_of(c);
      if (side_ * height < 0) return;
      const Vec3 at = c - height * t.normal;
      if (t.is_under(at, slack)) add(at, t.normal, side_ * height);
    });
    for_each_edge(field_, cells, [&](const TerrainEdge& e) { try_edge(e); });
    for_each_vertex(field_, cells, [&](const Vec3& v, const Vec3* around, int count) {
      try_vertex(v, around, count);
    });
    if (side_ < 0 && nearest_.size == 0) {
      const Vec3 n = field_.normal_at(c.x, c.y);
      nearest_.add({c + depth_ * n.z * n, n, -depth_ * n.z - radius_}, 0, side_);
    }
    nearest_.share(side_, 1e-3 * radius_);
    if (side_ < 0) fade();
  }

 private:
  void add(const Vec3& at, const Vec3& normal, double distance) {
    if (distance > range_) return;
    nearest_.add({at, normal, side_ * distance - radius_}, 1e-9 * cell_, side_);
  }

  void add_offset(const Vec3& at, const Vec3& offset, const Vec3& fallback) {
    const double distance = norm(offset);
    // the direction of a shorter one is rounding
    add(at, distance > 1e-9 * cell_ ? side_ / distance * offset : fallback, distance);
  }

  void try_edge(const TerrainEdge& e) {
    if (e.sides == 2 && side_ * e.bend <= flat) return;
    if (e.sides == 1 && side_ < 0) return;
    const Vec3 along = e.end - e.begin;
    const double t = dot(center_ - e.begin, along) / squared_norm(along);
    if (!(t > 0 && t < 1)) return;
    const Vec3 at = e.begin + t * along, offset = center_ - at;
    const Vec3 up = e.sides == 2 ? e.normal[0] + e.normal[1] : e.normal[0];
    if (side_ * dot(offset, up) < 0 && e.sides == 2) return;
    for (int k = 0; k < e.sides; ++k) {
      if (dot(offset, e.inward[k]) > slack * cell_) return;
    }
    add_offset(at, offset, up / norm(up));
  }

  void try_vertex(const Vec3& v, const Vec3* around, int count) {
    const Vec3 offset = center_ - v;
    if (side_ * offset.z < 0) return;
    for (int k = 0; k < count; ++k) {
      if (dot(offset, around[k] - v) > slack * cell_ * cell_) return;
    }
    add_offset(v, offset, field_.normal_at(v.x, v.y));
  }

  /// From below, the border is a way out too: what is nearer to it than deep loses its weight.
  void fade() {
    const double inside =
        minimum(field_.half_x - std::abs(center_.x), field_.half_y - std::abs(center_.y));
    const double share = minimum(inside / depth_, 1);
    for (int k = 0; k < nearest_.size; ++k) nearest_.points[k].weight *= share;
  }

  const HeightField& field_;
  Vec3 center_;
  double radius_, depth_, side_, cell_, range_;
  NearestPoints& nearest_;
};

}  // namespace

void NearestPoints::add(const NearestPoint& point, double same_place, double side) {
  for (int k = 0; k < size; ++k) {
    if (squared_norm(points[k].at - point.at) <= same_place * same_place) return;
  }
  if (size < capacity) {
    points[size++] = point;
    return;
  }
  const auto is_nearer = [&](const NearestPoint& a, const NearestPoint& b) {
    return side * a.gap < side * b.gap;
  };
  NearestPoint* farthest = std::max_element(points, points + size, is_nearer);
  if (is_nearer(point, *farthest)) *farthest = point;
}

void NearestPoints::share(double side, double level) {
  double sum = 0;
  for (int j = 0; j < size; ++j) {
    double weight = 1;
    for (int i = 0; i < size; ++i) {
      if (i == j) continue;
      const NearestPoint &a = points[i], &b = points[j];
      const Vec3 offset = side * (b.at - a.at);
      const double above = maximum(dot(a.normal, offset), 0),
                   below = maximum(-dot(b.normal, offset), 0);
      const double ratio = above + below > 0 ? above / (above + below) : 0.5;
      const double spread = 1 + dot(a.normal, b.normal);
      const double part = spread > 0 ? minimum(2 / spread * ratio, 1) : 1;
      const double room = level - b.gap;
      const double touch = room > 0 ? std::clamp((level - a.gap) / room, 0.0, 1.0) : 1;
      weight *= 1 - touch * (1 - part);
    }
    points[j].weight = weight;
    sum += weight;
  }
  if (sum > 0 && sum < 1) {
    for (int j = 0; j < size; ++j) points[j].weight /= sum;
  }
}

NearestPoints nearest_to_ball(const HeightField& field, const Vec3& center, double radius,
                              double margin) {
  NearestPoints nearest;
  const double range = radius + margin;
  if (center.z - range > field.highest || center.z < -field.base ||
      std::abs(center.x) > field.half_x + range || std::abs(center.y) > field.half_y + range) {
    return nearest;
  }
  if (add_wall(field, center, radius, margin, nearest)) return nearest;
  BallSearch(field, center, radius, margin, nearest).find();
  return nearest;
}

NearestPoints nearest_to_ellipsoid(const HeightField& field, const Shape& s, const Pose& X_FE,
                                   double margin) {
  NearestPoints nearest;
  const Aabb box = bounding_box(s, X_FE);
  if (box.lower.z - margin > field.highest || box.upper.z < -field.base) return nearest;
  // where an edge is nearest is found to 1e-8 of its length
  const double rough = 1e-6, same = 1e-5 * cell_size(field);
  const CellRange cells(field, box.lower.x - margin, box.upper.x + margin, box.lower.y - margin,
                        box.upper.y + margin);
  for_each_triangle(field, cells, [&](const TerrainTriangle& t) {
    const Vec3 lowest = support_point(s, X_FE.p, X_FE.R, -t.normal);
    const double gap = t.height_of(lowest);
    const Vec3 at = lowest - gap * t.normal;
    if (gap > margin || !t.is_under(at, slack)) return;
    // behind a ridge the body is below the triangle's plane, but not, or not as much, below the
    // surface
    const double depth = t.normal.z * (field.height_at(lowest.x, lowest.y) - lowest.z);
    if (gap < 0 && depth <= 0) return;
    nearest.add({at, t.normal, gap < 0 ? std::max(gap, -2 * depth) : gap}, same, 1);
  });
  const auto on_ellipsoid = [&](const Vec3& x) {
    EllipsoidPoint p = nearest_on_ellipsoid(s.size, to_local(X_FE, x));
    p.normal = X_FE.R * p.normal;
    return p;
  };
  for_each_edge(field, cells, [&](const TerrainEdge& e) {
    if (e.sides == 2 && e.bend <= flat) return;
    const Vec3 middle = 0.5 * (e.begin + e.end);
    if (on_ellipsoid(middle).distance - 0.5 * norm(e.end - e.begin) > margin) return;
    const auto at = [&](double t) { return e.begin + t * (e.end - e.begin); };
    const double t = minimize_convex([&](double x) { return on_ellipsoid(at(x)).distance; }, 0, 1);
    const EllipsoidPoint p = on_ellipsoid(at(t));
    if (p.distance > margin || p.normal.z > 0 || t < 1e-7 || t > 1 - 1e-7) return;
    for (int k = 0; k < e.sides; ++k) {
      if (-dot(p.normal, e.inward[k]) > rough) return;
    }
    nearest.add({at(t), -p.normal, p.distance}, same, 1);
  });
  for_each_vertex(field, cells, [&](const Vec3& v, const Vec3* around, int count) {
    const EllipsoidPoint p = on_ellipsoid(v);
    if (p.distance > margin || p.normal.z > 0) return;
    for (int k = 0; k < count; ++k) {
      if (dot(p.normal, around[k] - v) < -rough * norm(around[k] - v)) return;
    }
    nearest.add({v, -p.normal, p.distance}, same, 1);
  });
  nearest.share(1, 1e-3 * std::min({s.size.x, s.size.y, s.size.z}));
  if (nearest.size == 0 && field.is_below(X_FE.p)) {
    // deep between slopes, where no place is nearest: up at its lowest point
    const Vec3 n = field.normal_at(X_FE.p.x, X_FE.p.y);
    const Vec3 lowest = support_point(s, X_FE.p, X_FE.R, -n);
    const double gap = n.z * (lowest.z - field.height_at(lowest.x, lowest.y));
    if (gap < 0) nearest.add({lowest - gap * n, n, gap}, 0, 1);
  }
  return nearest;
}

}  // namespace abut
