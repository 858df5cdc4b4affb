#pragma once

#include <array>
#include <cstdint>

#include "abut/geometry/shape.hpp"

namespace abut {

/// One point at which two surfaces meet or nearly meet.
struct ManifoldPoint {
  Vec3 position;              ///< world, halfway between the two surfaces [m]
  double gap = 0;             ///< signed distance along the normal [m], negative in overlap
  double weight = 1;          ///< multiplies the pair's stiffness, > 0
  std::uint32_t feature = 0;  ///< names the point within the pair; the same while it persists
  Vec3 normal;                ///< world, unit, from A into B
};

/// The contact of two shapes A and B. Two convex shapes have one normal, and each point its own
/// gap; on a height field each point has its own normal (docs/decisions/height-fields.md).
///
/// Weights. A full corner of a patch counts 1, so that they sum to 4 where faces meet, 2 along a
/// line and 1 at a point. A corner of a face polygon counts its turning angle in quarter turns:
/// a corner that splits in two shares its weight, and one that appears on a straight side starts
/// from zero. A body that tilts passes from face to line to point: the weights of the three are
/// mixed by how steeply the feature stands to the normal, between ratios 0.1 and 0.5 of the
/// normal's components (`feature_mix`). Lines shorter than the smaller radius count less, down to
/// 1 when they shrink to a point.
///
/// Continuity. With a force weight * k * max(0, -gap) along the normal at every point, the net
/// wrench of a pair is a continuous function of the poses wherever the normal is; the normal, and
/// with it the deepest gap, is that of the smallest translation that separates the shapes or, when
/// they are apart, of their nearest points. It is not continuous
///   - where two such translations are equally short and there is no memory of the side,
///   - where a box or cylinder is pushed in as deep as its own thickness, so that corners of
///     another face than the one in contact overlap too,
///   - by less than half of one corner's stiffness, where a lying capsule or cylinder rolls over an
///     edge of a box that it runs along, one end beyond the edge's end,
///   - by less than a hundredth of it, where a cylinder meets a corner of a box.
///   - by the shares of unlike faces and edges at a corner of a hull (docs/geometry.md).
/// Gaps of the deepest point are continuous always, to 1e-8 of the smaller box's size and 1e-6 of a
/// cylinder's radius: within these a flat face is preferred. Points at gap > 0, which carry no
/// force, may come and go.
struct Manifold {
  static constexpr int capacity = 24;

  Vec3 normal;   ///< world, unit, from A into B; on a height field that of the deepest point
  int size = 0;  ///< points in use
  std::array<ManifoldPoint, capacity> points;
};

/// What a pair of shapes hands from one step to the next. It belongs to this order of the two; a
/// fresh one asks for the answer that poses alone give.
struct PairMemory {
  /// A vertex of A and one of B; -1 of a shape that has none.
  struct Vertices {
    std::int32_t a = -1, b = -1;
  };
  Vec3 normal;  ///< the last one, from A into B, in A's axes; zero: there is none
  std::int32_t vertex_a = -1,
               vertex_b = -1;  ///< that reached farthest last, of shapes with vertices
  /// Of cores near each other that have vertices: those of the nearest points' simplex, or, where
  /// they overlap, of four points around the origin.
  std::array<Vertices, 4> simplex;
  std::int32_t simplex_size = 0;
  /// Of the face of their difference by which the way out leaves, or of the nearest points' simplex
  /// if it has three; face[0].b < 0: there is none.
  std::array<Vertices, 3> face;

  bool is_fresh() const { return normal == Vec3{} && vertex_a < 0 && vertex_b < 0; }
};

/// Contacts of A and B with gaps up to `margin` [m] (>= 0), in a fixed order for a given pair of
/// features. The manifold is empty when the shapes are farther apart, and for two planes or fields.
///
/// The deepest gap of overlapping shapes is minus the shortest separating translation, with a
/// memory the shortest of those that continue its normal, to 60 degrees, while there are any; that
/// of shapes apart is their distance. Other points have their own distance along the common normal.
/// Exchanging A and B gives the same points with the opposite normal (of two hulls or ellipsoids,
/// to rounding). Two shapes with the same center and axes get an arbitrary unit normal. Never
/// allocates, but for hulls and ellipsoids while a thread's buffers grow; safe to call from many
/// threads.
void collide(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB, double margin,
             PairMemory& memory, Manifold& manifold);

/// Of a pair without a past.
inline void collide(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                    double margin, Manifold& manifold) {
  PairMemory fresh;
  collide(a, X_WA, b, X_WB, margin, fresh, manifold);
}

}  // namespace abut
