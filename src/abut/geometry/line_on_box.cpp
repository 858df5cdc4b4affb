#include "abut/geometry/line_on_box.hpp"

namespace abut {
namespace {

/// The box axis that `out` lies along, or -1.
int face_axis(const Vec3& out) {
  for (int i = 0; i < 3; ++i) {
    if (out[(i + 1) % 3] == 0 && out[(i + 2) % 3] == 0) return i;
  }
  return -1;
}

}  // namespace

double deepest_on_box(const LineOnBox& contact) {
  const Vec3 &h = contact.half_extents, &out = contact.out, &x = contact.line.center,
             &d = contact.line.direction;
  const double half = contact.line.half_length, climb = dot(d, out);
  if (std::abs(climb) > 1e-12) return -std::copysign(half, climb);
  if (face_axis(out) >= 0) return 0;
  Vec3 corner = {std::copysign(h.x, out.x), std::copysign(h.y, out.y), std::copysign(h.z, out.z)};
  for (int i = 0; i < 3; ++i) {
    if (out[i] != 0) continue;
    Vec3 edge;
    edge[i] = 1, corner[i] = 0;
    return nearest_on_segments(corner - x, d, half, edge, h[i]).a;
  }
  return std::clamp(dot(corner - x, d), -half, half);
}

double distance_to_box(const Vec3& x, const Vec3& h) {
  const Vec3 beyond = abs(x) - h;
  return norm(Vec3{maximum(beyond.x, 0), maximum(beyond.y, 0), maximum(beyond.z, 0)});
}

namespace {

/// The line in the box frame, straight above its surface.
struct LineAbove {
  const LineOnBox& contact;
  const Pose& X_WB;
  Vec3 x, d;  ///< center and direction
  double support = 0;
  int face = -1;     ///< the axis of the face in contact; -1 at an edge or vertex
  double start = 0;  ///< a deepest coordinate, over the face if there is one

  LineNode node(double s, double gap) const {
    return {X_WB * (x + s * d - (support + gap / 2) * contact.out), s, gap};
  }
  double gap_to_face(double s) const {
    const double height = std::copysign(1.0, contact.out[face]) * (x[face] + s * d[face]);
    return height - contact.half_extents[face] - support;
  }
  /// To the box, at least the deepest gap: for points beyond the surface the line touches.
  double gap_to_box(double s) const {
    return maximum(distance_to_box(x + s * d, contact.half_extents) - support, contact.gap);
  }
  /// Where the line, going from `start` in a direction of +-1, leaves the slab of an axis or ends.
  double leaves(int axis, double direction) const {
    const double limit = direction * contact.line.half_length;
    if (d[axis] == 0) return limit;
    const double side = std::copysign(contact.half_extents[axis], direction * d[axis]);
    const double s = (side - x[axis]) / d[axis];
    return direction > 0 ? std::clamp(s, start, limit) : std::clamp(s, limit, start);
  }
};

/// Moves the start over the face. A line that misses it, which takes rounding, keeps its start.
void start_over_face(LineAbove& line) {
  const Vec3& h = line.contact.half_extents;
  double lower = -line.contact.line.half_length, upper = -lower;
  for (const int axis : {(line.face + 1) % 3, (line.face + 2) % 3}) {
    if (line.d[axis] == 0) continue;
    const double s0 = (-h[axis] - line.x[axis]) / line.d[axis],
                 s1 = (h[axis] - line.x[axis]) / line.d[axis];
    lower = maximum(lower, minimum(s0, s1)), upper = minimum(upper, maximum(s0, s1));
  }
  if (lower <= upper) line.start = std::clamp(line.start, lower, upper);
}

/// The end of the contact in the direction +-1 along the line: the inner node where the line
/// leaves the first of the box's slabs that it runs in, over a face, the outer one at the next.
LineEnd line_end(const LineAbove& line, double direction) {
  const double limit = direction * line.contact.line.half_length;
  double first = limit, second = limit;
  for (int axis = 0; axis < 3; ++axis) {
    const double out = line.contact.out[axis];
    const bool within = out == 0 || direction * line.d[axis] * out < 0;
    if (axis == line.face || !within) continue;
    const double s = line.leaves(axis, direction);
    if (direction * s <= direction * first) {
      second = first, first = s;
    } else if (direction * s < direction * second) {
      second = s;
    }
  }
  LineEnd end;
  end.inner = line.node(first, line.face >= 0 ? line.gap_to_face(first) : line.gap_to_box(first));
  end.outer = line.node(second, line.gap_to_box(second));
  return end;
}

/// How far the surface falls away between the inner and the outer node of an end, seen from what
/// there is of the line before.
double border_chance(const LineAbove& line, const LineContact& contact, int i) {
  const LineNode &inner = contact.ends[i].inner, &outer = contact.ends[i].outer;
  if (inner.at == outer.at) return 1;
  double straight = 0;
  if (line.face >= 0) {
    straight = line.gap_to_face(outer.at);
  } else {
    const double length = std::abs(inner.at - line.start);
    const double slope = length > 0 ? (inner.gap - line.contact.gap) / length : 0;
    straight = inner.gap + slope * std::abs(outer.at - inner.at);
  }
  const double before = std::abs(inner.at - contact.ends[1 - i].outer.at) / contact.full_length;
  return std::clamp(minimum(before, 1) * (outer.gap - straight) / contact.level, 0.0, 1.0);
}

}  // namespace

void add_line_on_box(const LineOnBox& contact, const Pose& X_WB, double weight, double margin,
                     Manifold& m) {
  LineContact line;
  line.weight = weight;
  const Vec3& h = contact.half_extents;
  line.full_length = minimum(minimum(contact.line.radius, 2 * contact.line.half_length),
                             2 * minimum(h.x, minimum(h.y, h.z)));
  line.level = contact_level(contact.gap, line.full_length);

  LineAbove above = {contact,
                     X_WB,
                     center_behind_surface(contact.line, -contact.out),
                     contact.line.direction,
                     support_along(contact.line, contact.out),
                     face_axis(contact.out),
                     contact.deepest};
  if (above.face >= 0) start_over_face(above);
  line.deepest = above.node(above.start, contact.gap);
  line.ends[0] = line_end(above, -1);
  line.ends[1] = line_end(above, 1);
  for (const int i : {0, 1}) line.ends[i].border = border_chance(above, line, i);
  if (above.face < 0) line.lean_on_deepest();
  add_line(line, margin, m);
}

}  // namespace abut
