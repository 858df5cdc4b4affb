#pragma once

#include <cstdint>
#include <vector>

#include "abut/trees/articulated_tree.hpp"

namespace abut {

/// A hinge or slide in a sum over joints of one tree, in the coordinates that the tree keeps.
struct JointTerm {
  std::int32_t position = 0, velocity = 0;
  double reference = 0;  ///< of the coordinate as the tree keeps it [rad or m]
  double factor = 1;
};

/// The sum of factor times coordinate [rad or m].
inline double joint_sum(const std::vector<JointTerm>& terms, const ArticulatedTree& tree) {
  double sum = 0;
  for (const JointTerm& t : terms) sum += t.factor * (tree.coordinates()[t.position] + t.reference);
  return sum;
}

}  // namespace abut
