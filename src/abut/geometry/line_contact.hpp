#pragma once

#include "abut/geometry/pairs.hpp"

namespace abut {

/// A point on a contact line, at the coordinate `at` [m] along it.
struct LineNode {
  Vec3 position;  ///< world
  double at = 0, gap = 0;
};

/// One end of a line in contact: the inner node, where the partner's surface has a border, or the
/// outer one, where line or partner end beyond it. `border` is the blend of the former: how far
/// the surface falls away behind the border.
struct LineEnd {
  LineNode inner, outer;
  double border = 1;
};

/// The contact of a straight line of one surface (a capsule, a lying cylinder, an edge) with
/// another surface, whose gap along the line is convex.
///
/// It is the mean over the choices of its two ends. Where lines cross or a line leans over an edge,
/// the gap has a kink at the deepest point, which then is one of the ends. All chances are ratios
/// of gaps, so that crossed lines turn parallel, and lines slide over a border, continuously,
/// although the deepest point may jump from one end to the other.
struct LineContact {
  LineEnd ends[2];  ///< in the order of their coordinates
  LineNode deepest;
  double lean[2] = {0, 0};  ///< blend that the deepest point replaces this end alone
  double crossed = 0;       ///< blend that it is the only point
  double full_length = 0;   ///< a shorter line has less than the weight 2 [m]
  double level = 0;         ///< a gap this much above the deepest is out of contact [m]
  double weight = 1;        ///< of the whole contact

  /// Sets `lean` from the kink at the deepest point: the steeper side is the one replaced.
  void lean_on_deepest();
};

/// Adds up to five points. A line with ends L and R has the weights (1 + s)/2 ± t (1 - s)/2, with
/// s = |LR| / full_length up to 1, and t = (gap_R - gap_L) / level within ±1: one point in contact
/// has weight 1 however short the line is.
void add_line(const LineContact& line, double margin, Manifold& manifold);

/// The gap difference at which a node is out of contact: the depth, and when there is none or
/// little a thousandth of `size`, so that nodes do not flicker while bodies barely touch.
inline double contact_level(double gap, double size) {
  return maximum(-gap, 1e-3 * size);
}

/// A round line: a capsule, the side of a cylinder, or with radius 0 the edge of a box.
struct RoundLine {
  Vec3 center, direction;
  double half_length = 0, radius = 0;
  bool flat_ends = false;  ///< a cylinder's: the surface is at right angles to the line
};

/// Distance from the line to its surface along the unit normal `n`.
inline double support_along(const RoundLine& line, const Vec3& n) {
  return line.flat_ends ? line.radius * norm(cross(line.direction, n)) : line.radius;
}

/// The center, moved so that the surface line that faces `n` most lies at support_along(n) straight
/// along n. Only a cylinder not at right angles to n moves: its rim is not below its axis.
inline Vec3 center_behind_surface(const RoundLine& line, const Vec3& n) {
  const double along = dot(line.direction, n);
  if (!line.flat_ends || along == 0) return line.center;
  const Vec3 across = n - along * line.direction;
  return line.center + line.radius * (direction_or(across, n) - norm(across) * n);
}

/// Coordinates along two lines.
struct LinePair {
  double a = 0, b = 0;
};

/// The nearest points of two segments, given by center difference c = c_B - c_A, unit directions
/// and half lengths. Any of them when there are many.
LinePair nearest_on_segments(const Vec3& c, const Vec3& a, double half_a, const Vec3& b,
                             double half_b);

/// The coordinates at which two round lines in contact along `n`, from A to B, are deepest: the end
/// of a line that is not at right angles to n, and of two that are the nearest points.
LinePair deepest_on_lines(const RoundLine& a, const RoundLine& b, const Vec3& n);

/// Adds the contact of two round lines along `n`, deepest by `gap` at the coordinates `deepest`.
void add_line_pair(const RoundLine& a, const RoundLine& b, const Vec3& n, double gap,
                   const LinePair& deepest, double weight, double margin, Manifold& manifold);

}  // namespace abut
