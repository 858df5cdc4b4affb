#pragma once

// The kernels for two boxes: the axis that separates them best, the overlap of two faces, and what
// its corners weigh.

#include "abut/geometry/box_face.hpp"

namespace abut {

/// Two boxes; vectors from A's center along world axes.
struct BoxPair {
  const Vec3 &half_a, &half_b;
  const Mat3 &A, &B;  // columns: axes
  Vec3 center;        // of B
};

/// The axis with the largest gap, of the 15 that can separate two boxes. Edges that are parallel to
/// 1e-7 rad have none: faces separate those.
struct BestAxis {
  int axis;    ///< 0..2 of A, 3..5 of B, then 6 + 3 i + j across axis i of A and axis j of B
  double gap;  ///< [m]
};

/// The polygon in which two faces overlap, seen along the contact normal, counterclockwise about
/// the normal from A into B; empty when size is 0. Only `size` corners are set.
struct FacePolygon {
  static constexpr int capacity = 8;
  double u[capacity], v[capacity];  ///< on the face of A, along the normal [m]
  double gap[capacity];             ///< between the two faces' planes, along the normal [m]
  /// The sides that start and that end at the corner: 0..3 of A's face, 4..7 of B's. They are
  /// numbers like the others, as they fill lanes beside these.
  double side[capacity], last_side[capacity];
  int size;
  int sides_of_b;  ///< so many of them
  int deepest;     ///< the corner with the least gap, the first of equals
};

/// What the corners of a polygon weigh (add_patch() in box_patch.hpp).
struct CornerShares {
  double faces;           ///< of a quarter turn
  double edge_a, edge_b;  ///< of the ends of these two sides
  int lowest_a, lowest_b;
  double yaw;               ///< from A's sides to B's, in quarter turns
  double margin, smallest;  ///< corners with a larger gap or a smaller weight are left out
};

struct BoxKernels {
  /// Finds it; one of two edges only if its gap is larger by `preference`. False when an axis shows
  /// that the boxes are farther apart than `margin`; `best` is not set then.
  bool (*separate)(const BoxPair& pair, double margin, double preference, BestAxis& best);
  /// Clips B's face, moved along `n` onto the plane of A's, by the sides of A's (Sutherland and
  /// Hodgman). A's face is seen from outside and B's from inside: both run counterclockwise about
  /// n.
  void (*overlap)(const BoxFace& a, const BoxFace& b, const Vec3& n, FacePolygon& polygon);
  /// The weights, with room for eight, all of which are written; bit i of the result is set if
  /// corner i counts.
  unsigned (*weigh)(const CornerShares& shares, const FacePolygon& polygon, double* weights);
};

/// The table for active_isa(); of finite numbers the same bits for every instruction set.
const BoxKernels& box_kernels();

namespace isa_baseline {
extern const BoxKernels box_table;
}
namespace isa_avx2 {
extern const BoxKernels box_table;
}
namespace isa_avx512 {
extern const BoxKernels box_table;
}

}  // namespace abut
