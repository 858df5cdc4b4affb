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

/// A corner of the overlap of cap and face, or a point of the rim.
struct Corner {
  Vec3 position;  ///< on the cap's plane
  double gap = 0, weight = 0;
  std::uint32_t feature = 0;
  bool on_lowest_edge = false;
};

/// Where a side of the face meets the rim. Along the face's border, leaving crossings lie where
/// the border leaves the disc, so that the rim bounds the overlap until the next entering one.
struct Crossing {
  int corner = 0;    ///< index in Overlap::corners
  double angle = 0;  ///< on the rim
};

struct Overlap {
  int size = 0, crossings = 0;
  Corner corners[16];                // up to 8 crossings and 4 face corners, then 4 rim points
  Crossing leaving[4], entering[4];  // alternate, the first one leaving
  bool whole_disc = false;

  void add(const Corner& corner) {
    if (size < 16) corners[size++] = corner;
  }
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

/// Walks around the border and collects the corners of the overlap with their turning angles.
Overlap walk_border(const Border& b, const Cap& cap, const CapFrame& frame, const BoxFace& face) {
  Overlap overlap;
  bool inside[4];
  for (int k = 0; k < 4; ++k) {
    inside[k] = b.x[k] * b.x[k] + b.y[k] * b.y[k] < cap.radius * cap.radius;
  }
  const double first_side = quarter_angle(b.x[1] - b.x[0], b.y[1] - b.y[0]);
  const auto place = [&](double x, double y) { return cap.center + x * frame.x + y * frame.y; };
  int leaving = 0, entering = 0;
  bool starts_inside = inside[0];
  const auto cross_rim = [&](int k, double t, bool leaves) {
    const int l = (k + 1) & 3;
    t = std::clamp(t, 0.0, 1.0);
    const double x = b.x[k] + t * (b.x[l] - b.x[k]), y = b.y[k] + t * (b.y[l] - b.y[k]);
    const double angle = quarter_angle(x, y), rim = angle + 1, side = first_side + k;
    // In [-1, 3) before the clamp: what rounding puts a little outside [0, 2] is near its end.
    const double turn = std::clamp(wrap(leaves ? rim - side : side - rim, -1), 0.0, 2.0);
    Crossing& c = leaves ? overlap.leaving[leaving++] : overlap.entering[entering++];
    c = {overlap.size, angle};
    overlap.add({place(x, y), b.gap[k] + t * (b.gap[l] - b.gap[k]), turn,
                 0x100 + 2 * (face.feature + face.side_feature[k]) + (leaves ? 1u : 0u),
                 k == face.lowest_side});
  };
  for (int k = 0; k < 4; ++k) {
    const int l = (k + 1) & 3, before = (k + 3) & 3;
    if (inside[k]) {
      overlap.add({place(b.x[k], b.y[k]), b.gap[k], 1,
                   0x200 + face.feature + face.side_feature[k] + face.side_feature[before],
                   k == face.lowest_side || before == face.lowest_side});
    }
    if (inside[k] && inside[l]) continue;
    double t0 = 1, t1 = 0;  // at the inner corner, where rounding finds no crossing
    const bool cut = within_disc(b, k, cap.radius, t0, t1);
    if (!inside[k] && !inside[l] && !(cut && t0 > 0 && t1 < 1)) continue;
    if (!inside[k]) cross_rim(k, t0, false);
    if (!inside[l]) cross_rim(k, t1, true);
  }
  overlap.crossings = leaving;
  if (!starts_inside && entering > 0) {  // the walk met an entering crossing first: it is the last
    const Crossing first = overlap.entering[0];
    for (int i = 1; i < entering; ++i)
      overlap.entering[i - 1] = overlap.entering[i];
    overlap.entering[entering - 1] = first;
  }
  if (leaving == 0 && overlap.size == 0) {
    overlap.whole_disc = true;
    for (int k = 0; k < 4; ++k) {
      const int l = (k + 1) & 3;
      if (b.x[k] * b.y[l] - b.y[k] * b.x[l] <= 0) overlap.whole_disc = false;
    }
  }
  return overlap;
}

/// How much of the quarter turn about `middle` lies between two angles, upper >= lower.
double quarter_within(double middle, double lower, double upper) {
  double sum = 0;
  for (double m = wrap(middle, lower - 4); m - 0.5 < upper; m += 4) {
    sum += std::fmax(0, std::fmin(upper, m + 0.5) - std::fmax(lower, m - 0.5));
  }
  return sum;
}

/// Gives the quarter of the rim about `point` to it or, when it is cut off, to the ends of the cut.
void add_rim_point(Overlap& overlap, const Corner& point, double angle) {
  double quarter = overlap.whole_disc ? 1 : 0;
  bool inside = overlap.whole_disc;
  for (int i = 0; i < overlap.crossings; ++i) {
    const double lower = overlap.leaving[i].angle, upper = wrap(overlap.entering[i].angle, lower);
    quarter += quarter_within(angle, lower, upper);
    inside = inside || wrap(angle, lower) <= upper;
  }
  if (quarter == 0) return;
  if (inside) {
    overlap.add(point);
    overlap.corners[overlap.size - 1].weight = quarter;
    return;
  }
  for (int i = 0; i < overlap.crossings; ++i) {
    const Crossing &from = overlap.entering[i], &to = overlap.leaving[(i + 1) % overlap.crossings];
    const double cut = wrap(to.angle, from.angle) - from.angle;
    const double reached = wrap(angle, from.angle) - from.angle;
    if (reached > cut) continue;
    const double share = cut > 0 ? reached / cut : 0;
    overlap.corners[from.corner].weight += (1 - share) * quarter;
    overlap.corners[to.corner].weight += share * quarter;
    return;
  }
}

}  // namespace

bool add_cap_on_face(const Cap& cap, const BoxFace& face, const Vec3& n, const CylinderMix& mix,
                     double gap, const Vec3& origin, double margin, Manifold& m) {
  // The rim point that is nearest along n to the face's plane lies where the plane comes down.
  const Vec3 slope = face.normal / dot(face.normal, n) - cap.normal / dot(cap.normal, n);
  const double steep = norm(slope);
  const RimFrame rim = rim_frame(cap.R, steep > 1e-7 ? slope / steep : cap.normal);
  const CapFrame frame = {cap.R.col[0], cap.upper ? cap.R.col[1] : -cap.R.col[1]};
  Overlap overlap = walk_border(border_on_cap(cap, frame, face, n), cap, frame, face);
  for (int k = 0; k < 4; ++k) {
    const Vec3 spoke = rim.direction(k);
    const Vec3 x = cap.rim(spoke);
    add_rim_point(overlap,
                  {x, gap_along(x, face.center, face.normal, n), 0,
                   rim_feature(cap.upper, rim.quadrant + k), false},
                  quarter_angle(dot(spoke, frame.x), dot(spoke, frame.y)));
  }
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
    add_point(origin + c.position + (c.gap / 2) * n, c.gap, c.weight, c.feature, m);
  }
  return true;
}

}  // namespace abut
