#pragma once

#include "abut/geometry/pairs.hpp"

namespace abut {

/// A point on a contact line, at the coordinate `at` [m] along it.
struct LineNode {
  Vec3 position;  ///< world
  double at = 0, gap = 0;
};

/// The contact of a straight line of one surface (a capsule, a lying cylinder, an edge) with
/// another surface, whose gap along the line is convex.
///
/// Each end of the line in contact is an outer node, where line or partner end, or an inner node,
/// where the partner's surface starts to fall away: the crossing point when two lines cross (both
/// inner nodes are then the same), the border when a line leaves a face. `fall` says which: 0 for
/// the outer node, 1 for the inner one. Between, the contact is the mean over the four choices of
/// two ends. This is what makes crossed lines turn parallel, and lines slide over a border,
/// continuously: fall is a ratio of gaps, which does not care where along the line they are.
struct LineContact {
  LineNode outer[2], inner[2];
  double fall[2] = {0, 0};
  double full_length = 0;  ///< a shorter line has less than the weight 2 [m]
  double level = 0;        ///< a gap this much above the deepest is out of contact [m]
  double weight = 1;       ///< of the whole contact
};

/// Adds up to four points. A line with ends L and R has the weights (1 + s)/2 ± t (1 - s)/2, with
/// s = |LR| / full_length up to 1, and t = (gap_R - gap_L) / level within ±1: one point in contact
/// has weight 1 however short the line is.
void add_line(const LineContact& line, double margin, Manifold& manifold);

/// How far the surface has fallen away where its gap exceeds `straight`, in [0, 1].
inline double fall_of(double gap, double straight, double level) {
  return std::clamp((gap - straight) / level, 0.0, 1.0);
}

/// The gap difference at which a node is out of contact: the depth, and when there is none or
/// little a thousandth of `size`, so that nodes do not flicker while bodies barely touch.
inline double contact_level(double gap, double size) {
  return std::fmax(-gap, 1e-3 * size);
}

/// A round line: a capsule, the side of a cylinder, or with radius 0 the edge of a box.
struct RoundLine {
  Vec3 center, direction;
  double half_length = 0, radius = 0;
  bool flat_ends = false;  ///< a cylinder's: the surface is at right angles to the line
};

/// Distance from the line to its surface along the unit normal `n`.
inline double reach_along(const RoundLine& line, const Vec3& n) {
  return line.flat_ends ? line.radius * norm(cross(line.direction, n)) : line.radius;
}

/// The center, moved so that the surface line that faces `n` most lies at reach_along(n) straight
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

/// Adds the contact of two round lines along `n`, deepest by `gap` at the coordinates `deepest`.
void add_line_pair(const RoundLine& a, const RoundLine& b, const Vec3& n, double gap,
                   const LinePair& deepest, double weight, double margin, Manifold& manifold);

}  // namespace abut
