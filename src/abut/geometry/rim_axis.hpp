#pragma once

#include "abut/geometry/cylinder_axis.hpp"

namespace abut {

/// The axes perpendicular to a straight edge that touch a cylinder's rim: seen along the edge, the
/// normals from an ellipse to the corners of a rectangle.
///
/// `i` is the edge's coordinate axis, `half` the half extents of the box it belongs to.
class EdgeRimSearch {
 public:
  EdgeRimSearch(int i, const Vec3& half, const Vec3& center, const CylinderSupport& cylinder);

  static constexpr int capacity = 20;
  /// The unit vectors u, u . center >= 0, at which the gap is a smooth maximum; how many. Of those
  /// at which it is no more than `least` some may be left out.
  int maxima(double least, Vec3 u[capacity]) const;

 private:
  /// A vector in the plane perpendicular to the edge.
  struct Direction {
    double j, k;
  };
  /// The gap's derivative by the angle of u, and the derivative of that.
  struct Slope {
    double value, rate;
  };
  /// A part of the circle on which the gap is smooth: w . u - r rho(u).
  struct Piece {
    Direction w;
    double x_sign;  ///< of the ellipse's coordinate x, for where it vanishes
  };

  int breaks(double sign_j, double sign_k, Direction points[8]) const;
  double rho(const Direction& u) const;
  static double farthest(const Direction& w, const Direction& from, const Direction& to);
  Piece piece(const Direction& from, const Direction& to, double sign_j, double sign_k) const;
  static Direction unit(const Direction& v);
  bool bracket(Direction& from, Direction& to, const Piece& piece) const;
  Slope slope(const Direction& u, const Piece& piece) const;
  Direction root(const Direction& from, const Direction& to, const Piece& piece) const;

  int i_;
  double cj_, ck_, hj_, hk_;   // of the box
  double zi_, zj_, zk_, zjk_;  // the cylinder's axis, and its length across the edge
  double radius_, half_length_;
};

/// Two caps as flat discs: where both are touched at their rims, the gap of the cylinders is that
/// of the discs.
class DiscPair {
 public:
  /// The caps of A and B on the sides +-1 along their axes, of A as seen from A's center, and of B
  /// as seen in a mirror: -1 is the cap in the direction of B's axis.
  DiscPair(const CylinderSupport& a, double side_a, const CylinderSupport& b, double side_b,
           const Vec3& center);

  /// Between the centers of the two discs.
  const Vec3& between() const { return between_; }
  double gap(const Vec3& u) const;
  /// Follows the gap uphill from the unit vector u to a maximum by Newton's method; false if that
  /// is the normal of a disc.
  bool climb(Vec3& u) const;

 private:
  struct PolarStep {
    bool about_a;
    Vec3 pole, radial, around;  ///< u = cosine pole + sine radial; around = pole x radial
    double sine, cosine;
    double theta, phi;  ///< the step [rad]

    Vec3 moved(double fraction) const;
  };
  PolarStep newton_step(const Vec3& u, double height) const;
  Vec3 pull_at(const Vec3& tip, const CylinderSupport& other) const;
  bool ends_at_tip(const PolarStep& p, double height) const;
  bool leave_cone(const CylinderSupport& disc, const CylinderSupport& other, Vec3& u) const;

  const CylinderSupport &a_, &b_;
  Vec3 between_;
};

}  // namespace abut
