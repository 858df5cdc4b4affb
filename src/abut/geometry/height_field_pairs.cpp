#include <algorithm>
#include <array>

#include "abut/geometry/contact_face.hpp"
#include "abut/geometry/height_field_nearest.hpp"
#include "abut/geometry/height_field_ridges.hpp"
#include "abut/geometry/pairs.hpp"

// A body on a height field (docs/decisions/height-fields.md). All is computed in the field's frame;
// the normals point out of the body, which comes first in the order of kinds.

namespace abut {
namespace {

/// Names of points that are not the body's own begin here.
constexpr std::uint32_t ridge_name = 0x80000000u, wall_name = 0xC0000000u;

class FieldContact {
 public:
  FieldContact(const Shape& body, const Pose& X_WB, const Shape& field, const Pose& X_WF,
               double margin, Manifold& manifold)
      : body_(body), field_(*field.field), X_WF_(X_WF), margin_(margin), m_(manifold) {
    X_.R = transpose_times(X_WF.R, X_WB.R);
    X_.p = to_local(X_WF, X_WB.p);
    // a mesh may have its origin anywhere
    middle_ = body.hull ? X_ * (0.5 * (body.hull->lower + body.hull->upper)) : X_.p;
    const Aabb box = bounding_box(body, X_);
    const Vec3 out = margin * Vec3{1, 1, 1};
    lower_ = box.lower - out, upper_ = box.upper + out;
  }

  void add_round() {
    if (is_apart()) return;
    if (body_.kind == ShapeKind::sphere) {
      add_nearest(nearest_to_ball(field_, X_.p, body_.radius(), margin_), 1, 0);
    } else {
      add_nearest(nearest_to_ellipsoid(field_, body_, X_, margin_), 1, 0);
    }
    finish();
  }

  void add_capsule() {
    if (is_apart()) return;
    find_ground();
    const Vec3 arm = body_.half_length() * X_.R.col[2];
    for (const double end : {-1.0, 1.0}) {
      const Vec3 center = X_.p + end * arm;
      add_support(center - body_.radius() * up_, 1);
      add_nearest(nearest_to_ball(field_, center, body_.radius(), margin_), 1, end > 0);
    }
    add_ridges();
    finish();
  }

  /// A box, a cylinder or a hull: its points as they are on a plane, each against the terrain
  /// around it; those on which it does not stand only where they are below. Then what rises above
  /// the ground below these points.
  void add_faceted() {
    if (is_apart()) return;
    find_ground();
    const Vec3 top = support_point(body_, X_.p, X_.R, up_),
               bottom = support_point(body_, X_.p, X_.R, -up_);
    const double extent = dot(up_, top - bottom);
    const Vec3 ground = {middle_.x, middle_.y, field_.height_at(middle_.x, middle_.y)};
    Manifold on_plane, all;
    stand_on_plane(ground, on_plane);
    stand_on_plane(top, all);
    for (int k = 0; k < all.size; ++k) {
      const ManifoldPoint& p = all.points[k];
      const Vec3 x = p.position + 0.5 * p.gap * up_;
      // the lower half of the body's own points
      add_support(x, p.weight * maximum(1 - 2 * dot(up_, x - bottom) / extent, 0));
      const auto end = on_plane.points.begin() + on_plane.size;
      const bool stands = std::any_of(on_plane.points.begin(), end, [&](const ManifoldPoint& q) {
        return q.feature == p.feature;
      });
      // what is rounded by this little meets the two sides of a groove with two normals
      const NearestPoints nearest =
          nearest_to_ball(field_, x + rounding_ * up_, rounding_, stands ? margin_ : 0);
      add_nearest(nearest, p.weight, p.feature);
    }
    if (body_.kind != ShapeKind::box) add_walls(all);
    add_ridges();
    finish();
  }

 private:
  bool is_apart() const {
    return lower_.z > field_.highest || upper_.z < -field_.base || lower_.x > field_.half_x ||
           upper_.x < -field_.half_x || lower_.y > field_.half_y || upper_.y < -field_.half_y;
  }

  void find_ground();
  void stand_on_plane(const Vec3& at, Manifold& on_plane) const;
  void add_support(const Vec3& at, double weight);
  double inside_bends(int i, int j, bool upper_left, const Vec3& at) const;
  void add_walls(const Manifold& points);
  void add_ridges();
  void add_nearest(const NearestPoints& nearest, double weight, std::uint32_t name);
  void add(const Vec3& at, const Vec3& normal, double gap, double weight, std::uint32_t name);
  void finish();

  /// How much a place counts that rises above the ground below the body's own points, between
  /// them by the inverse squares of the distances: wholly once it does by as much as it is deep.
  double prominence(const Vec3& at, double gap) const {
    double sum = 0, weights = 0;
    for (int k = 0; k < supports_; ++k) {
      const Support& s = support_[k];
      const double w = s.weight / maximum(squared_norm(at - s.at), 1e-18 * size_ * size_);
      sum += w * s.ground, weights += w;
    }
    const double level = maximum(-gap, 1e-3 * size_);
    return std::clamp((dot(up_, at) - sum / weights) / level, 0.0, 1.0);
  }

  /// A point of the body's own.
  struct Support {
    Vec3 at;            ///< [m]
    double ground = 0;  ///< height below it along up_ [m]
    double weight = 0;
  };

  const Shape& body_;
  const HeightField& field_;
  const Pose& X_WF_;
  double margin_;
  Manifold& m_;
  Pose X_;               ///< of the body in the field's frame
  Vec3 middle_;          ///< of what the body measures along its own axes
  Vec3 lower_, upper_;   ///< its bounds with the margin
  Vec3 up_;              ///< normal of the ground around it
  double size_ = 0;      ///< its extent [m]
  double rounding_ = 0;  ///< radius of its corners [m]
  int supports_ = 0;
  std::array<Support, Manifold::capacity> support_;
};

/// The ground's normal from the slopes across the body: it changes continuously with the pose, and
/// is exact on a plane.
void FieldContact::find_ground() {
  const double rx = 0.5 * (upper_.x - lower_.x) - margin_,
               ry = 0.5 * (upper_.y - lower_.y) - margin_;
  const auto slope = [&](const Vec3& offset, double half) {
    const auto inside = [&](const Vec3& x) {
      return Vec3{std::clamp(x.x, -field_.half_x, field_.half_x),
                  std::clamp(x.y, -field_.half_y, field_.half_y), 0};
    };
    const Vec3 p = inside(middle_ - offset), q = inside(middle_ + offset);
    const double run = norm(q - p);
    if (!(run > 1e-9 * half)) return 0.0;
    return (field_.height_at(q.x, q.y) - field_.height_at(p.x, p.y)) / run;
  };
  up_ = {-slope({rx, 0, 0}, rx), -slope({0, ry, 0}, ry), 1};
  up_ = up_ / norm(up_);
  size_ = 0.5 * norm(upper_ - lower_ - 2 * margin_ * Vec3{1, 1, 1});
  rounding_ = 5e-3 * size_;
}

void FieldContact::stand_on_plane(const Vec3& at, Manifold& on_plane) const {
  const Vec3 u = any_perpendicular(up_);
  const Pose X_FP = {at, {{u, cross(up_, u), up_}}};
  const double everything = 1e6 * (size_ + norm(X_.p - at));
  collide(Shape::plane(), X_FP, body_, X_, everything, on_plane);
}

/// A point of the body's own, and the ground below it.
void FieldContact::add_support(const Vec3& at, double weight) {
  if (weight <= 0) return;
  const double ground = dot(up_, Vec3{at.x, at.y, field_.height_at(at.x, at.y)});
  support_[supports_++] = {at, ground, weight};
}

/// Falls to zero towards those sides of a triangle at which the surface bends, within a tenth of
/// the body's size, less for slight bends.
double FieldContact::inside_bends(int i, int j, bool upper_left, const Vec3& at) const {
  const TerrainEdge sides[] = {
      {field_, i, j, TerrainEdge::diagonal},
      {field_, upper_left ? i : i + 1, j, TerrainEdge::along_y},
      {field_, i, upper_left ? j + 1 : j, TerrainEdge::along_x},
  };
  double share = 1;
  for (const TerrainEdge& e : sides) {
    const double width = 0.1 * size_ * minimum(10 * std::abs(e.bend), 1);
    const Vec3 along = e.end - e.begin;
    const double distance = norm(cross(at - e.begin, along)) / norm(along);
    if (distance < width) share *= distance / width;
  }
  return share;
}

/// Slopes that meet another point of the body than those on which it stands.
void FieldContact::add_walls(const Manifold& points) {
  NearestPoints nearest;
  const CellRange cells(field_, lower_.x, upper_.x, lower_.y, upper_.y);
  for (int j = cells.first_row; j <= cells.last_row; ++j) {
    for (int i = cells.first_column; i <= cells.last_column; ++i) {
      for (const bool upper_left : {false, true}) {
        const TerrainTriangle t(field_, i, j, upper_left);
        const Vec3 x = support_point(body_, X_.p, X_.R, -t.normal);
        double gap = t.height_of(x);
        const Vec3 at = x - gap * t.normal;
        if (gap < 0) {  // behind a ridge the plane is above the surface
          const double depth = t.normal.z * (field_.height_at(x.x, x.y) - x.z);
          if (depth <= 0) continue;
          gap = maximum(gap, -2 * depth);
        }
        if (gap > margin_ || !t.is_under(at, 1e-12) || prominence(at, gap) == 0) continue;
        const auto name = wall_name + 2 * static_cast<std::uint32_t>(field_.index(i, j));
        nearest.add({x - gap * t.normal, t.normal, gap, inside_bends(i, j, upper_left, at),
                     name + upper_left},
                    1e-9 * size_, 1);
      }
    }
  }
  for (int k = 0; k < nearest.size; ++k) {
    const NearestPoint& f = nearest.points[k];
    double known = 0;  // the weight that this point of the body has already
    for (int i = 0; i < points.size; ++i) {
      const ManifoldPoint& p = points.points[i];
      const Vec3 x = p.position + 0.5 * p.gap * up_;
      if (norm(x - f.at - f.gap * f.normal) < 1e-6 * size_) known += p.weight;
    }
    add(f.at, f.normal, f.gap, f.weight * maximum(prominence(f.at, f.gap) - known, 0), f.name);
  }
}

/// Their shares count as far as they are as deep as the deepest: one peak weighs 1, a level ridge 2
/// by its ends, more of them up to 4. All of them fade with the length of ridge below the body.
void FieldContact::add_ridges() {
  const double fine = 1e-3 * size_, whole = 0.1 * size_;
  double floor = HUGE_VAL;
  for (int k = 0; k < supports_; ++k) floor = minimum(floor, support_[k].ground);
  RidgePoints ridges = ridges_below(field_, body_, X_, up_, floor, margin_ + fine);
  std::array<double, RidgePoints::capacity> rise;
  double deepest = margin_ + fine;  // of those that rise, as far as they do
  for (int k = 0; k < ridges.size; ++k) {
    const RidgePoint& p = ridges.points[k];
    rise[k] = prominence(p.at, p.gap);
    deepest = minimum(deepest, rise[k] * p.gap + (1 - rise[k]) * (margin_ + fine));
  }
  const double level = maximum(-deepest, fine);
  double sum = 0, length = 0;
  for (int k = 0; k < ridges.size; ++k) {
    RidgePoint& p = ridges.points[k];
    const double part = rise[k] * std::clamp(1 - (p.gap - deepest) / level, 0.0, 1.0);
    p.share *= part;
    sum += p.share, length += part * p.length;
  }
  if (!(sum > 0)) return;
  const double points = ridges.count(up_, whole) * minimum(length / whole, 1);
  for (int k = 0; k < ridges.size; ++k) {
    const RidgePoint& p = ridges.points[k];
    add(p.at, p.normal, p.gap, points * p.share / sum * rise[k], ridge_name + p.name);
  }
}

/// Several points nearest to one are told apart by their normals' order along x and y, so that they
/// keep their names while the body slides along a groove.
void FieldContact::add_nearest(const NearestPoints& nearest, double weight, std::uint32_t name) {
  // a plane pair's name may use the two highest bits
  const std::uint32_t folded = (name & 0x01FFFFFFu) | (name >> 30) << 25;
  for (int k = 0; k < nearest.size; ++k) {
    const NearestPoint& f = nearest.points[k];
    std::uint32_t rank = 0;
    for (int i = 0; i < nearest.size; ++i) {
      const Vec3 &a = nearest.points[i].normal, &b = f.normal;
      rank += a.x != b.x ? a.x < b.x : a.y < b.y;
    }
    add(f.at, f.normal, f.gap, weight * f.weight, 8 * folded + rank);
  }
}

/// In the field's frame; when the manifold is full, the deepest points stay.
void FieldContact::add(const Vec3& at, const Vec3& normal, double gap, double weight,
                       std::uint32_t name) {
  if (gap > margin_ || weight < smallest_weight) return;
  const ManifoldPoint point = {X_WF_ * (at + 0.5 * gap * normal), gap, weight, name,
                               -(X_WF_.R * normal)};
  if (m_.size < Manifold::capacity) {
    m_.points[m_.size++] = point;
    return;
  }
  auto highest = std::max_element(
      m_.points.begin(), m_.points.end(),
      [](const ManifoldPoint& a, const ManifoldPoint& b) { return a.gap < b.gap; });
  if (gap < highest->gap) *highest = point;
}

void FieldContact::finish() {
  const auto end = m_.points.begin() + m_.size;
  const auto deepest = std::min_element(
      m_.points.begin(), end,
      [](const ManifoldPoint& a, const ManifoldPoint& b) { return a.gap < b.gap; });
  if (deepest != end) m_.normal = deepest->normal;
}

}  // namespace

void collide_round_height_field(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                                double margin, PairMemory&, Manifold& m) {
  FieldContact(a, X_WA, b, X_WB, margin, m).add_round();
}

void collide_capsule_height_field(const Shape& a, const Pose& X_WA, const Shape& b,
                                  const Pose& X_WB, double margin, PairMemory&, Manifold& m) {
  FieldContact(a, X_WA, b, X_WB, margin, m).add_capsule();
}

void collide_faceted_height_field(const Shape& a, const Pose& X_WA, const Shape& b,
                                  const Pose& X_WB, double margin, PairMemory&, Manifold& m) {
  FieldContact(a, X_WA, b, X_WB, margin, m).add_faceted();
}

}  // namespace abut
