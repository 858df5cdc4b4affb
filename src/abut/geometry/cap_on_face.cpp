#include <numbers>

#include "abut/geometry/cap_patch.hpp"

// Angles here are in quarter turns about the cap's center.

namespace abut {
namespace {

double quarter_angle(double x, double y) {
  return std::atan2(y, x) / (std::numbers::pi / 2);
}

/// Into [from, from + 4).
double wrap(double angle, double from) {
  return angle - 4 * std::floor((angle - from) / 4);
}

/// A corner of the overlap of cap and face, or a point of the rim, in the cap's plane.
struct Corner {
  double x = 0, y = 0, gap = 0;
  double turn = 0, weight = 0;  ///< in quarter turns; the weight grows by what the rim leaves
  std::uint32_t feature = 0;
  bool on_lowest_edge = false;
};

/// The overlap's corners in the order of the face's border, then rim points. The border enters the
/// disc and leaves it again at crossings; from there to the next entry the rim bounds the overlap.
struct Overlap {
  static constexpr int capacity = 16;  // 8 crossings or corners of the face, 2 x 4 rim points
  int size = 0, border_size = 0;
  Corner corners[capacity];
  int entries[4], exits[4];  ///< indices of corners; exit i follows entry i
  int crossings = 0;
  bool whole_disc = false;

  void add(const Corner& corner) {
    if (size < capacity) corners[size++] = corner;
  }
  double angle(int i) const { return quarter_angle(corners[i].x, corners[i].y); }
  int next_on_border(int i) const { return i + 1 < border_size ? i + 1 : 0; }
};

/// The face's border in the cap's plane: x and y of corner k, counterclockwise.
struct Border {
  double x[4], y[4], gap[4];
};

struct CapFrame {
  Vec3 x, y;  ///< y so that angles run counterclockwise about the outward normal
};

Border border_on_cap(const Cap& cap, const CapFrame& frame, const BoxFace& face, const Vec3& n) {
  Border border;
  const double slant = 1 / dot(n, cap.normal);
  for (int k = 0; k < 4; ++k) {
    const Vec3 offset = face.corner(k) - cap.center;
    const double gap = dot(offset, cap.normal) * slant;
    const Vec3 foot = offset - gap * n;
    border.x[k] = dot(foot, frame.x), border.y[k] = dot(foot, frame.y), border.gap[k] = gap;
  }
  return border;
}

/// The part of a side within the disc as fractions of the side; false if there is none.
bool within_disc(const Border& b, int k, double radius, double& t0, double& t1) {
  const int l = (k + 1) & 3;
  const double dx = b.x[l] - b.x[k], dy = b.y[l] - b.y[k];
  const double length2 = dx * dx + dy * dy, along = b.x[k] * dx + b.y[k] * dy;
  const double aside = b.x[k] * dy - b.y[k] * dx;  // times the side's length
  const double root = radius * radius * length2 - aside * aside;
  if (root <= 0) return false;
  const double half = std::sqrt(root);
  t0 = (-along - half) / length2, t1 = (-along + half) / length2;
  return true;
}

/// A crossing of side k of the face with the rim, at the fraction t of the side.
Corner crossing(const Border& b, int k, double t, bool enters, const BoxFace& face) {
  const int l = (k + 1) & 3;
  t = std::clamp(t, 0.0, 1.0);
  Corner c;
  c.x = b.x[k] + t * (b.x[l] - b.x[k]), c.y = b.y[k] + t * (b.y[l] - b.y[k]);
  c.gap = b.gap[k] + t * (b.gap[l] - b.gap[k]);
  const double rim = quarter_angle(c.x, c.y) + 1;
  const double side = quarter_angle(b.x[1] - b.x[0], b.y[1] - b.y[0]) + k;
  // In [-1, 3) before the clamp: what rounding puts a little outside [0, 2] is near its end.
  c.turn = c.weight = std::clamp(wrap(enters ? side - rim : rim - side, -1), 0.0, 2.0);
  c.feature = 0x100 + 2 * (face.feature + face.side_feature[k]) + (enters ? 0u : 1u);
  c.on_lowest_edge = k == face.lowest_side;
  return c;
}

/// Walks around the border and collects the overlap's corners with their turning angles.
Overlap walk_border(const Border& b, double radius, const BoxFace& face) {
  Overlap overlap;
  bool inside[4], surrounds = true;
  for (int k = 0; k < 4; ++k) {
    const int l = (k + 1) & 3;
    inside[k] = b.x[k] * b.x[k] + b.y[k] * b.y[k] < radius * radius;
    surrounds = surrounds && b.x[k] * b.y[l] - b.y[k] * b.x[l] > 0;
  }
  int entries = 0, exits = 0;
  for (int k = 0; k < 4; ++k) {
    const int l = (k + 1) & 3, before = (k + 3) & 3;
    if (inside[k]) {
      overlap.add({b.x[k], b.y[k], b.gap[k], 1, 1,
                   0x200 + face.feature + face.side_feature[k] + face.side_feature[before],
                   k == face.lowest_side || before == face.lowest_side});
    }
    if (inside[k] && inside[l]) continue;
    double t0 = 1, t1 = 0;  // at the inner corner, where rounding finds no crossing
    const bool cut = within_disc(b, k, radius, t0, t1);
    if (!inside[k] && !inside[l] && !(cut && t0 > 0 && t1 < 1)) continue;
    if (!inside[k]) {
      overlap.entries[entries++] = overlap.size;
      overlap.add(crossing(b, k, t0, true, face));
    }
    if (!inside[l]) {
      overlap.exits[exits++] = overlap.size;
      overlap.add(crossing(b, k, t1, false, face));
    }
  }
  if (inside[0] && exits > 0) {  // the walk began behind the last entry: its exit came first
    const int first = overlap.exits[0];
    for (int i = 1; i < exits; ++i) overlap.exits[i - 1] = overlap.exits[i];
    overlap.exits[exits - 1] = first;
  }
  overlap.crossings = exits;
  overlap.border_size = overlap.size;
  overlap.whole_disc = overlap.size == 0 && surrounds;
  return overlap;
}

/// How much of the quarter turn about `middle` lies between two angles, upper >= lower.
double quarter_within(double middle, double lower, double upper) {
  double sum = 0;
  for (double m = wrap(middle, lower - 4); m - 0.5 < upper; m += 4) {
    sum += maximum(minimum(upper, m + 0.5) - maximum(lower, m - 0.5), 0);
  }
  return sum;
}

/// Where a corner between two sides stands among the rim points, from 0 at the normal of the first
/// side to 1 at that of the next: on the rim at its own angle, at the cap's center and wherever the
/// center lies beyond both sides halfway.
double place_of_corner(const Corner& c, double normal, double radius) {
  const double angle = normal * (std::numbers::pi / 2), cosine = std::cos(angle),
               sine = std::sin(angle);
  const double soft = 0.25 * maximum(radius - std::sqrt(c.x * c.x + c.y * c.y), 0);
  return quarter_angle(maximum(cosine * c.x + sine * c.y, 0) + soft,
                       maximum(cosine * c.y - sine * c.x, 0) + soft);
}

/// Shares a rim point's weight between the two corners of a cut next to it. Corners lie within the
/// normals of their two sides: these run around in order even when the center lies beyond the
/// border.
void share_in_cut(Overlap& overlap, int cut, double angle, double weight, double radius) {
  const int entry = overlap.entries[cut], exit = overlap.exits[cut];
  const double start = overlap.angle(entry);
  double from_angle = start, normal = start + overlap.corners[entry].turn;
  angle = wrap(angle, start);
  for (int from = entry; from != exit;) {
    const int to = overlap.next_on_border(from);
    double to_angle = wrap(overlap.angle(to), start);
    if (to != exit) {
      to_angle = normal + place_of_corner(overlap.corners[to], normal, radius);
      normal += 1;
    }
    if (angle <= to_angle || to == exit) {
      const double length = to_angle - from_angle;
      const double lever = length > 0 ? std::clamp((angle - from_angle) / length, 0.0, 1.0) : 0;
      overlap.corners[from].weight += (1 - lever) * weight;
      overlap.corners[to].weight += lever * weight;
      return;
    }
    from = to, from_angle = to_angle;
  }
}

/// Gives the quarter of the rim about `point` to it or, when the border cuts it off, to corners of
/// the cut.
void add_rim_point(Overlap& overlap, Corner point, double share, double radius) {
  const double angle = quarter_angle(point.x, point.y);
  point.weight = overlap.whole_disc ? share : 0;
  int cut = -1;
  for (int i = 0; i < overlap.crossings; ++i) {
    const double lower = overlap.angle(overlap.exits[i]);
    const double upper = wrap(overlap.angle(overlap.entries[(i + 1) % overlap.crossings]), lower);
    point.weight += share * quarter_within(angle, lower, upper);
    const double entry = overlap.angle(overlap.entries[i]);
    if (wrap(angle, entry) < wrap(lower, entry)) cut = i;
  }
  if (point.weight == 0) return;
  if (cut < 0) return overlap.add(point);
  share_in_cut(overlap, cut, angle, point.weight, radius);
}

/// A centroid times its weight, or a difference of such.
struct Moment {
  double x = 0, y = 0;
};

/// Of the turning angle along the overlap's boundary: corners and arcs.
Moment moment_of_boundary(const Overlap& overlap, double radius) {
  constexpr double quarter = std::numbers::pi / 2;
  Moment moment;
  for (int i = 0; i < overlap.border_size; ++i) {
    const Corner& c = overlap.corners[i];
    moment.x += c.weight * c.x, moment.y += c.weight * c.y;
  }
  for (int i = 0; i < overlap.crossings; ++i) {
    const double lower = overlap.angle(overlap.exits[i]);
    const double upper = wrap(overlap.angle(overlap.entries[(i + 1) % overlap.crossings]), lower);
    moment.x += radius / quarter * (std::sin(quarter * upper) - std::sin(quarter * lower));
    moment.y -= radius / quarter * (std::cos(quarter * upper) - std::cos(quarter * lower));
  }
  return moment;
}

/// Shifts weights so that their moment comes to the given one, as far as no weight changes by more
/// than half: a uniform depth then acts where the overlap is, not where its samples are.
void correct_moment(Overlap& overlap, const Moment& moment, double radius) {
  double sum = 0;
  Moment m;
  for (int i = 0; i < overlap.size; ++i) {
    const Corner& c = overlap.corners[i];
    sum += c.weight, m.x += c.weight * c.x, m.y += c.weight * c.y;
  }
  const double cx = m.x / sum, cy = m.y / sum;
  // The smallest relative changes a . (x - c) that do, were it not for the small diagonal: it
  // keeps points almost in line from being asked for a moment across the line.
  double xx = 1e-3 * radius * radius, xy = 0, yy = xx;
  for (int i = 0; i < overlap.size; ++i) {
    const Corner& c = overlap.corners[i];
    xx += c.weight * (c.x - cx) * (c.x - cx), xy += c.weight * (c.x - cx) * (c.y - cy);
    yy += c.weight * (c.y - cy) * (c.y - cy);
  }
  const double det = xx * yy - xy * xy, ex = moment.x - m.x, ey = moment.y - m.y;
  const double ax = (yy * ex - xy * ey) / det, ay = (xx * ey - xy * ex) / det;
  double new_sum = 0;
  for (int i = 0; i < overlap.size; ++i) {
    Corner& c = overlap.corners[i];
    c.weight *= 1 + std::clamp(ax * (c.x - cx) + ay * (c.y - cy), -0.5, 0.5);
    new_sum += c.weight;
  }
  for (int i = 0; i < overlap.size; ++i) overlap.corners[i].weight *= sum / new_sum;
}

/// Adds four rim points, or where the border cuts off some, shares their weight.
void add_rim(Overlap& overlap, const Cap& cap, const CapFrame& frame, const RimFrame& rim,
             std::uint32_t first_feature, double share, const BoxFace& face, const Vec3& n) {
  if (share == 0) return;
  for (int k = 0; k < 4; ++k) {
    const Vec3 spoke = rim.direction(k);
    Corner point;
    point.x = cap.radius * dot(spoke, frame.x), point.y = cap.radius * dot(spoke, frame.y);
    point.gap = gap_along(cap.rim(spoke), face.center, face.normal, n);
    point.feature = first_feature + rim_feature(cap.upper, rim.quadrant + k);
    add_rim_point(overlap, point, share, cap.radius);
  }
}

}  // namespace

bool add_cap_on_face(const Cap& cap, const BoxFace& face, const Vec3& n, const CylinderMix& mix,
                     double gap, const Vec3& origin, double margin, Manifold& m) {
  const CapFrame frame = {cap.R.col[0], cap.upper ? cap.R.col[1] : -cap.R.col[1]};
  Overlap overlap = walk_border(border_on_cap(cap, frame, face, n), cap.radius, face);
  const Moment moment = moment_of_boundary(overlap, cap.radius);
  // The rim point that is nearest along n to the face's plane lies where the plane comes down.
  const Vec3 slope = face.normal / dot(face.normal, n) - cap.normal / dot(cap.normal, n);
  const double steep = norm(slope);
  const RimFrame downhill = rim_frame(cap.R, steep > 1e-7 ? slope / steep : cap.normal);
  const double share = overlap.crossings > 0 ? downhill_share(steep, gap, cap.radius) : 1;
  add_rim(overlap, cap, frame, downhill, 0, share, face, n);
  add_rim(overlap, cap, frame, {cap.R.col[0], cap.R.col[1], 0, 0}, 8, 1 - share, face, n);
  if (overlap.crossings > 0) correct_moment(overlap, moment, cap.radius);
  int deepest = 0;
  for (int i = 1; i < overlap.size; ++i) {
    if (overlap.corners[i].gap < overlap.corners[deepest].gap) deepest = i;
  }
  if (overlap.size == 0 || !agrees(overlap.corners[deepest].gap, gap, cap)) return false;

  const double faces = mix.cap * face.mix.face, edge = mix.cap * face.mix.edge;
  double point = 1 - faces;
  for (int i = 0; i < overlap.size; ++i) {
    Corner& c = overlap.corners[i];
    c.weight *= faces;
    if (c.on_lowest_edge) c.weight += edge, point -= edge / 2;
  }
  if (point > 0) overlap.corners[deepest].weight += point;
  for (int i = 0; i < overlap.size; ++i) {
    const Corner& c = overlap.corners[i];
    if (c.gap > margin || c.weight < smallest_weight) continue;
    const Vec3 position = cap.center + c.x * frame.x + c.y * frame.y;
    add_point(origin + position + (c.gap / 2) * n, c.gap, c.weight, c.feature, m);
  }
  return true;
}

}  // namespace abut
