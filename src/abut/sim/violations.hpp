#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "abut/sim/joint_sum.hpp"
#include "abut/trees/articulated_trees.hpp"

namespace abut {

/// What may be violated: an equality constraint, or the limits of a joint or a tendon.
enum class ConstraintKind : std::uint8_t { equality, joint_limit, tendon_limit };

/// How far a constraint of the scene is from being met.
struct Violation {
  ConstraintKind kind = ConstraintKind::equality;
  std::int32_t index = -1;  ///< in the scene, of the equality, tendon or the joint's body; -1: none
  std::int32_t joint = 0;   ///< joint_limit: of its body's
  bool is_angle = false;    ///< of a weld the larger number counts
  double size = 0;          ///< [m], an angle [rad]
  /// For how long the constraint has been off by more than `tolerance` without coming closer [s].
  double persists = 0;
  double tolerance = 1e-3;  ///< [m or rad]

  /// It is not going to be met: it contradicts others, or something holds it off
  /// (docs/constraints.md).
  bool is_unmet() const { return persists >= patience; }
  static constexpr double patience = 0.5;  ///< [s]
};

/// Measures the violations of all equality constraints and limits of a world, step by step.
class Violations {
 public:
  /// Returns the number of what is added. `weight` is that of its mechanism [N], `stiffness` what
  /// the constraint resists with [N/m or N m/rad].
  int add(const Violation& constraint, double weight, double stiffness);
  /// Of a hinge or slide with limits.
  void add_joint_limit(const Violation& constraint, double weight, const JointTerm& term,
                       const Joint& joint);

  /// By how much one is off in this step; joint limits are measured together.
  void set(int constraint, double size) { list_[constraint].size = size; }
  void set(int constraint, double size, bool is_angle) {
    list_[constraint].size = size;
    list_[constraint].is_angle = is_angle;
  }
  void measure_joint_limits(const ArticulatedTrees& trees);
  /// A step of `dt` [s] was made from where they were measured.
  void pass(double dt);
  /// From now on the state is another: what was off before persists no more.
  void forget();

  std::span<const Violation> list() const { return list_; }
  /// All are measured.
  void find_worst();
  /// The largest, lengths and angles alike in SI units; size 0 if nothing is off.
  Violation worst_equality() const { return at(worst_equality_); }
  Violation worst_limit() const { return at(worst_limit_); }

 private:
  struct JointLimit {
    int constraint, tree, position;
    double lower, upper;  ///< of the coordinate as the tree keeps it
  };
  Violation at(int constraint) const { return constraint < 0 ? Violation{} : list_[constraint]; }

  std::vector<Violation> list_;
  std::vector<double> least_;  ///< size that the next one must stay below, by constraint
  std::vector<JointLimit> joint_limits_;
  int worst_equality_ = -1, worst_limit_ = -1;  ///< -1: none is off
};

}  // namespace abut
