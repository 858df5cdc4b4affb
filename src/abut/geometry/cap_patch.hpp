#pragma once

#include "abut/geometry/box_face.hpp"
#include "abut/geometry/cylinder_features.hpp"
#include "abut/geometry/line_contact.hpp"

namespace abut {

/// The flat end of a cylinder that faces a direction most.
struct Cap {
  Vec3 center;  ///< from the origin the cylinder is given in
  Vec3 normal;  ///< unit, outward
  Mat3 R;       ///< the cylinder's axes
  double radius = 0;
  bool upper = false;  ///< the end at +half_length

  Vec3 rim(const Vec3& unit) const { return center + radius * unit; }
};

Cap cap_towards(const Shape& cylinder, const Vec3& center, const Mat3& R, const Vec3& toward);

/// The distance along `n` from the point x to the plane through `center` with this normal.
inline double gap_along(const Vec3& x, const Vec3& center, const Vec3& normal, const Vec3& n) {
  return dot(center - x, normal) / dot(n, normal);
}

/// Whether the deepest gap of a patch is that of the contact. It is not where the shapes are apart
/// and nearest at a corner, which the flat faces' overlap along the normal may miss.
inline bool agrees(double deepest, double gap, const Cap& cap) {
  return std::abs(deepest - gap) <= 1e-6 * cap.radius;
}

/// How much of a cap's contact is sampled in the direction in which the other face comes down, the
/// rest being sampled along the body's own axes. The former is undefined where the faces are
/// parallel, which matters where the cap is not whole. 1 once the difference in gap over the cap,
/// of slope `steep`, is a quarter of the depth; until then all of the cap is in contact.
inline double downhill_share(double steep, double gap, double radius) {
  return gap < 0 ? minimum(-4 * radius * steep / gap, 1) : 1;
}

// The routines below return false, and add nothing, if the overlap along n is empty or does not
// contain the contact's deepest `gap`.

/// Adds the contact of a cap with a box's face, `n` pointing out of the cap. The face is seen from
/// inside. Rim points, the first of them the deepest, stand for a quarter of the rim each, less
/// what the face's sides cut off; the corners of the cut count their turning angle. A rim point
/// that is cut off itself leaves its quarter to the corners next to it, by the lever rule.
bool add_cap_on_face(const Cap& cap, const BoxFace& face, const Vec3& n, const CylinderMix& mix,
                     double gap, const Vec3& origin, double margin, Manifold& manifold);

/// Adds the contact of two caps, A's facing `n` and B's facing -n: the points where their overlap
/// reaches farthest in four directions 90 degrees apart, the first of which is the deepest. It
/// alone has the share of the contact that is not `faces`.
bool add_cap_on_cap(const Cap& a, const Cap& b, const Vec3& n, double gap, double faces,
                    const Vec3& origin, double margin, Manifold& manifold);

/// Adds the contact of a round line with a cap, `n` pointing out of the cap.
bool add_line_on_cap(const Cap& cap, const RoundLine& line, const Vec3& n, double gap,
                     double weight, const Vec3& origin, double margin, Manifold& manifold);

}  // namespace abut
