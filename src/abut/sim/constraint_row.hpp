#pragma once

#include <span>
#include <vector>

#include "abut/constraints/scalar_pool.hpp"
#include "abut/sim/joint_sum.hpp"
#include "abut/trees/articulated_trees.hpp"
#include "abut/trees/moving_bodies.hpp"

namespace abut {

/// The row J of a scalar constraint c = J v, added up from velocities of joints, of points of
/// bodies and of bodies' turning. Buffers are kept from row to row.
class ConstraintRow {
 public:
  void clear();

  /// Adds `factor` times the velocity of a joint, its own factor included.
  void add_joint(const ArticulatedTrees& trees, const JointTerm& joint, double factor);

  /// Adds the velocity of a point of a moving body along `direction`, with its length, and the
  /// body's angular velocity along `axis`; world axes. Nothing for fixed_body.
  void add_body(const MovingBodies& bodies, const ArticulatedTrees& trees, int body,
                const Vec3& point, const Vec3& direction, const Vec3& axis = {});

  /// What is not zero, for ContactProblem::add_scalar(); valid until the next change.
  std::span<const RowEntry> entries();

 private:
  struct Part {
    std::int32_t tree;  ///< of the problem
    int begin, size;    ///< its dofs among the values
  };
  std::span<double> values_of(int tree, int size);

  std::vector<Part> parts_;  ///< by tree, ascending
  std::vector<double> values_;
  std::vector<RowEntry> entries_;
};

}  // namespace abut
