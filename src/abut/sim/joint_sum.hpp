#pragma once

#include <cstdint>
#include <vector>

#include "abut/trees/articulated_trees.hpp"

namespace abut {

/// A hinge or slide in a sum over joints, in the coordinates that its tree keeps.
struct JointTerm {
  std::int32_t tree = 0;  ///< among the articulated ones
  std::int32_t position = 0, velocity = 0;
  double reference = 0;  ///< of the coordinate as the tree keeps it [rad or m]
  double factor = 1;
};

/// The sum of factor times coordinate [rad or m].
inline double joint_sum(const std::vector<JointTerm>& terms, const ArticulatedTrees& trees) {
  double sum = 0;
  for (const JointTerm& t : terms) {
    sum += t.factor * (trees.tree(t.tree).coordinates()[t.position] + t.reference);
  }
  return sum;
}

}  // namespace abut
