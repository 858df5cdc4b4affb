#pragma once

#include <memory>
#include <span>

#include "placements.hpp"

namespace abut {

/// Coal's answer for two convex shapes.
struct CoalAnswer {
  double distance = 0;  ///< signed [m]: minus the shortest separating translation in overlap
  Vec3 normal;          ///< world, unit, from A into B
};

/// At tolerance 1e-12 on its support-function iterations, which curved shapes reach only in part:
/// the tests state what they compare to. `a` may be a plane.
CoalAnswer coal_distance(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB);

/// Shapes and poses made ready for Coal, to time its queries alone.
class CoalPairs {
 public:
  explicit CoalPairs(std::span<const Placement> placements);
  ~CoalPairs();
  /// Coal's collide() with one contact for every pair, at its default settings; how many overlap.
  int collide_all() const;

 private:
  struct Pairs;
  std::unique_ptr<Pairs> pairs_;
};

}  // namespace abut
