#include <numbers>

#include "abut/geometry/contact_face.hpp"

namespace abut {
namespace {

/// Axes across the contact normal.
struct Frame {
  Vec3 u, v, n;
  explicit Frame(const Vec3& normal) : n(normal) {
    const Vec3 a = abs(n);
    const Vec3 axis = a.x <= a.y && a.x <= a.z ? Vec3{1, 0, 0}
                      : a.y <= a.z             ? Vec3{0, 1, 0}
                                               : Vec3{0, 0, 1};
    u = cross(axis, n);
    u = u / norm(u);
    v = cross(n, u);
  }
};

// Not initialized: arrays of them are large, and used in part.

struct Point2 {
  double u, v;
};
double cross2(const Point2& a, const Point2& b) {
  return a.u * b.v - a.v * b.u;
}

/// A corner seen along the normal; `side` starts here: of A's polygon, or sides + of B's.
struct Corner {
  Point2 at;
  double height;  ///< of the surface that is not clipped against, along the normal [m]
  int side;
};

/// A face's outline seen along the normal, counterclockwise about it.
struct Outline {
  int size;
  Point2 at[ContactFace::capacity];
  Point2 side(int k) const {
    const Point2 &p = at[k], &q = at[k + 1 < size ? k + 1 : 0];
    return {q.u - p.u, q.v - p.v};
  }
  /// How far x is inside a side from `begin` on, times the side's length.
  static double inside(const Point2& x, const Point2& begin, const Point2& side) {
    return cross2(side, {x.u - begin.u, x.v - begin.v});
  }
};

Outline seen(const ContactFace& face, const Frame& f, bool reversed) {
  Outline outline;
  outline.size = face.size;
  for (int k = 0; k < face.size; ++k) {
    const Vec3& x = face.corner[reversed ? face.size - 1 - k : k];
    outline.at[k] = {dot(x, f.u), dot(x, f.v)};
  }
  return outline;
}

/// Height of a face's plane along the normal at a place.
class Level {
 public:
  Level(const ContactFace& face, const Frame& f) {
    const double per_height = 1 / dot(face.normal, f.n);
    rise_ = {-per_height * dot(face.normal, f.u), -per_height * dot(face.normal, f.v)};
    base_ = per_height * dot(face.normal, face.corner[0]);
  }
  double at(const Point2& x) const { return base_ + (x.u * rise_.u + x.v * rise_.v); }

 private:
  double base_;
  Point2 rise_;
};

struct Polygon {
  static constexpr int capacity = 2 * ContactFace::capacity;
  int size;
  Corner corners[capacity];
};

/// Cuts off what is outside side k of the outline (Sutherland and Hodgman). False if all is inside;
/// else `cut` is what is left.
bool clip(const Polygon& p, const Outline& outline, int k, Polygon& cut) {
  double in[Polygon::capacity];
  bool is_inside = true;
  const Point2 begin = outline.at[k], side = outline.side(k);
  for (int i = 0; i < p.size; ++i) {
    in[i] = Outline::inside(p.corners[i].at, begin, side);
    is_inside = is_inside && in[i] >= 0;
  }
  if (is_inside) return false;
  cut.size = 0;
  const auto push = [&](const Corner& c) {
    if (cut.size < Polygon::capacity) cut.corners[cut.size++] = c;
  };
  for (int i = 0; i < p.size; ++i) {
    const int next = i + 1 < p.size ? i + 1 : 0;
    const Corner &c = p.corners[i], &d = p.corners[next];
    if (in[i] >= 0) push(c);
    if ((in[i] >= 0) == (in[next] >= 0)) continue;
    const double t = in[i] / (in[i] - in[next]);
    push({{c.at.u + t * (d.at.u - c.at.u), c.at.v + t * (d.at.v - c.at.v)},
          c.height + t * (d.height - c.height),
          in[i] >= 0 ? k : c.side});
  }
  return true;
}

/// The turn from one side to the next in quarter turns, 0 to 2.
double quarter_turns(const Point2& from, const Point2& to) {
  const double turn = std::atan2(cross2(from, to), from.u * to.u + from.v * to.v);
  return std::clamp(turn / (std::numbers::pi / 2), 0.0, 2.0);
}

class FacePatch {
 public:
  FacePatch(const ContactFace& a, const ContactFace& b, const Nearest& nearest, const Vec3& origin,
            double size, double margin, Manifold& manifold)
      : a_(a),
        b_(b),
        frame_(nearest.normal),
        origin_(origin),
        deepest_(nearest.gap),
        slack_(1e-8 * size),
        margin_(margin),
        m_(manifold) {}

  // Each returns what its share leaves to the nearest point: all of it where nothing lies over the
  // face.
  double add_faces(double share);
  /// The edge of one over the face of the other, whose side of the normal is `sign`.
  double add_edge(const ContactFace& edge, const ContactFace& face, double sign, double share);

 private:
  struct Found {
    Point2 at;
    double height, gap, weight;  ///< height along the normal [m]
    std::uint32_t feature;
  };
  double add(const Found* found, int count, double share);

  const ContactFace &a_, &b_;
  Frame frame_;
  Vec3 origin_;
  double deepest_;  ///< gap of the contact [m]
  double slack_;    ///< so much of it may be missed: 1e-8 of the shapes' size [m]
  double margin_;
  Manifold& m_;
};

/// Adds the points of one overlap, whose weights are those of a share of 1. No gap is deeper than
/// the contact's, which faces that are flat to 1e-4 only might claim. Where the outlines miss the
/// deepest point (a cap is round, a face may have more corners than its outline) the nearest point
/// stands in for it: by a part of one corner that grows with what is missed, measured in depths, as
/// of level faces nothing is missed and any of their points is the nearest.
double FacePatch::add(const Found* found, int count, double share) {
  constexpr double light = 1e-3;  // of a corner: where a face is seen from its side
  double shallow = HUGE_VAL, farthest = -HUGE_VAL, sum = 0;
  for (int i = 0; i < count; ++i) {
    farthest = maximum(farthest, found[i].gap);
    sum += found[i].weight;
  }
  if (sum < smallest_weight) return share;
  for (int i = 0; i < count; ++i) {
    const double part = minimum(found[i].weight / light, 1);
    shallow = minimum(shallow, part * found[i].gap + (1 - part) * farthest);
  }
  const double missed = maximum(shallow - deepest_ - slack_, 0);
  const double instead = missed > 0 ? minimum(missed / (missed + std::abs(deepest_)), sum) : 0;
  for (int i = 0; i < count; ++i) {
    const Found& f = found[i];
    const double gap = maximum(f.gap, deepest_), weight = share * (1 - instead / sum) * f.weight;
    if (gap > margin_ || weight < smallest_weight) continue;
    const Vec3 x = f.at.u * frame_.u + f.at.v * frame_.v + f.height * frame_.n;
    add_point(origin_ + x, gap, weight, f.feature, m_);
  }
  return share * instead;
}

double FacePatch::add_faces(double share) {
  const Outline outline_a = seen(a_, frame_, false), outline_b = seen(b_, frame_, true);
  Polygon polygons[2];
  int at = 0;
  Polygon& whole = polygons[at];
  whole.size = b_.size;
  for (int k = 0; k < b_.size; ++k) {
    const Vec3& x = b_.corner[b_.size - 1 - k];
    whole.corners[k] = {outline_b.at[k], dot(x, frame_.n), a_.size + k};
  }
  for (int k = 0; k < a_.size && polygons[at].size > 0; ++k) {  // a plane has no sides
    if (clip(polygons[at], outline_a, k, polygons[1 - at])) at = 1 - at;
  }
  const Polygon& p = polygons[at];
  if (p.size < 3) return share;
  const Level level(a_, frame_);
  const double scale = 0.25 + 0.75 * minimum(a_.face_scale, b_.face_scale);
  const auto direction = [&](int side) {
    return side < a_.size ? outline_a.side(side) : outline_b.side(side - a_.size);
  };
  Found found[Polygon::capacity];
  for (int i = 0; i < p.size; ++i) {
    const Corner& c = p.corners[i];
    const int last = p.corners[i > 0 ? i - 1 : p.size - 1].side;
    const double below = level.at(c.at);
    const auto sides = static_cast<std::uint32_t>(16 * last + c.side);
    found[i] = {c.at, 0.5 * (below + c.height), c.height - below,
                scale * quarter_turns(direction(last), direction(c.side)),
                ((a_.name * 31 + b_.name) << 8) + sides};
  }
  return add(found, p.size, share);
}

double FacePatch::add_edge(const ContactFace& edge, const ContactFace& face, double sign,
                           double share) {
  Corner ends[2];
  for (int k = 0; k < 2; ++k) {
    const Vec3& x = edge.edge[k];
    ends[k] = {{dot(x, frame_.u), dot(x, frame_.v)}, dot(x, frame_.n), k};
  }
  const Outline outline = seen(face, frame_, sign < 0);
  double begin = 0, end = 1;
  for (int k = 0; k < outline.size; ++k) {
    const Point2 start = outline.at[k], side = outline.side(k);
    const double in_0 = Outline::inside(ends[0].at, start, side),
                 in_1 = Outline::inside(ends[1].at, start, side);
    if (in_0 < 0 && in_1 < 0) return share;
    const double t = in_0 / (in_0 - in_1);
    if (in_0 < 0) begin = maximum(begin, t);
    if (in_1 < 0) end = minimum(end, t);
  }
  if (begin > end) return share;
  const Level level(face, frame_);
  const double scale = minimum(edge.edge_scale, face.face_scale) * (end - begin);
  Found found[2];
  for (int k = 0; k < 2; ++k) {
    const double t = k == 0 ? begin : end;
    const Point2 at = {ends[0].at.u + t * (ends[1].at.u - ends[0].at.u),
                       ends[0].at.v + t * (ends[1].at.v - ends[0].at.v)};
    const double height = ends[0].height + t * (ends[1].height - ends[0].height);
    const double other = level.at(at);
    found[k] = {at, 0.5 * (height + other), sign * (height - other), 0.5 * (1 + scale),
                0x40000000u + ((edge.edge_name * 31 + face.name) << 2) + 2 * (sign < 0) +
                    static_cast<std::uint32_t>(t == begin ? 0 : 1)};
  }
  return add(found, 2, share);
}

}  // namespace

void add_contact_of_faces(const ContactFace& a, const ContactFace& b, const Nearest& nearest,
                          const Vec3& origin, double size, double margin, Manifold& m) {
  FacePatch patch(a, b, nearest, origin, size, margin, m);
  m.normal = nearest.normal;
  const double faces = a.mix.face * b.mix.face, edge_b = a.mix.face * b.mix.edge,
               edge_a = a.mix.edge * b.mix.face;
  double left = 1 - faces - edge_b - edge_a;
  if (faces > 0) left += patch.add_faces(faces);
  if (edge_b > 0) left += patch.add_edge(b, a, 1, edge_b);
  if (edge_a > 0) left += patch.add_edge(a, b, -1, edge_a);
  if (left >= smallest_weight && nearest.gap <= margin) {
    add_point(origin + nearest.position, nearest.gap, left, 0x80000000u, m);
  }
}

}  // namespace abut
