#include "abut/sim/violations.hpp"

#include <algorithm>
#include <cmath>

#include "abut/trees/limits.hpp"

namespace abut {

int Violations::add(const Violation& constraint, double weight, double stiffness) {
  list_.push_back(constraint);
  // ten times what the mechanism's own weight does to the spring is no contradiction
  list_.back().tolerance = std::max(1e-3, 10 * weight / stiffness);
  least_.push_back(HUGE_VAL);
  return static_cast<int>(list_.size()) - 1;
}

void Violations::add_joint_limit(const Violation& constraint, double weight, const JointTerm& term,
                                 const Joint& joint) {
  joint_limits_.push_back({add(constraint, weight, joint.limit_stiffness), term.tree, term.position,
                           joint.lower - term.reference, joint.upper - term.reference});
}

void Violations::measure_joint_limits(const ArticulatedTrees& trees) {
  for (const JointLimit& l : joint_limits_) {
    const double q = trees.tree(l.tree).coordinates()[l.position];
    list_[l.constraint].size = std::max({0.0, l.lower - q, q - l.upper});
  }
}

void Violations::pass(double dt) {
  // what is free to return does so at return_speed: half of that, or a tenth, is coming closer
  constexpr double least_way = 0.5 * return_speed * Violation::patience;
  for (std::size_t k = 0; k < list_.size(); ++k) {
    Violation& v = list_[k];
    if (!(v.size > v.tolerance)) {
      v.persists = 0;
      least_[k] = HUGE_VAL;
    } else if (v.size < least_[k] - std::min(least_way, 0.1 * least_[k])) {
      v.persists = 0;
      least_[k] = v.size;
    } else {
      v.persists += dt;
    }
  }
}

void Violations::forget() {
  for (Violation& v : list_) v.persists = 0;
  std::fill(least_.begin(), least_.end(), HUGE_VAL);
}

void Violations::find_worst() {
  worst_equality_ = worst_limit_ = -1;
  double equality = 0, limit = 0;
  for (std::size_t k = 0; k < list_.size(); ++k) {
    const Violation& v = list_[k];
    if (!(v.size > 0)) continue;
    const bool is_equality = v.kind == ConstraintKind::equality;
    double& largest = is_equality ? equality : limit;
    if (!(v.size > largest)) continue;
    largest = v.size;
    (is_equality ? worst_equality_ : worst_limit_) = static_cast<int>(k);
  }
}

}  // namespace abut
