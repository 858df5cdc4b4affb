#pragma once

#include "abut/geometry/core_difference.hpp"

namespace abut {

/// Up to four points of a difference C and the weights that make its nearest point to the origin
/// of them. Of four points that hold the origin the weights are not set.
struct Simplex {
  int size = 0;
  CoreDifference::Point at[4];
  double weight[4] = {};
};

/// The point of a segment, or triangle, nearest to the origin, and its weights.
Vec3 nearest_on_segment(const Vec3& a, const Vec3& b, double weight[2]);
Vec3 nearest_on_triangle(const Vec3& a, const Vec3& b, const Vec3& c, double weight[3]);

/// How two cores stand to each other.
enum class CoreState {
  far,     ///< a direction was found along which the shapes are farther apart than asked
  apart,   ///< the simplex has the nearest points
  overlap  ///< the cores touch or overlap: the simplex holds the origin, but for rounding
};

struct CoreDistance {
  CoreState state = CoreState::overlap;
  Vec3 normal;  ///< unit, from A into B: of all that were tried the one that parts the cores most
  Simplex simplex;
  double separation = -HUGE_VAL;    ///< of the cores along it [m]; of `far` not set
  PairMemory::Vertices vertices{};  ///< that reach farthest along it, if they are `apart`
};

/// Walks from simplex to simplex towards the nearest point (Gilbert, Johnson and Keerthi), from
/// `first`, or if it has no points from the direction `start` on, which need not be a unit vector.
CoreDistance core_distance(CoreDifference& c, const Simplex& first, const Vec3& start,
                           double margin);

}  // namespace abut
