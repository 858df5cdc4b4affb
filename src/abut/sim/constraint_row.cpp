#include "abut/sim/constraint_row.hpp"

#include <algorithm>

namespace abut {

void ConstraintRow::clear() {
  parts_.clear();
  values_.clear();
}

std::span<double> ConstraintRow::values_of(int tree, int size) {
  const auto before = [](const Part& part, int t) { return part.tree < t; };
  auto at = std::lower_bound(parts_.begin(), parts_.end(), tree, before);
  if (at == parts_.end() || at->tree != tree) {
    at = parts_.insert(at, {tree, static_cast<int>(values_.size()), size});
    values_.resize(values_.size() + size, 0.0);
  }
  return {values_.data() + at->begin, static_cast<std::size_t>(size)};
}

void ConstraintRow::add_joint(const ArticulatedTrees& trees, const JointTerm& joint,
                              double factor) {
  const int size = trees.tree(joint.tree).velocities();
  values_of(trees.first_tree() + joint.tree, size)[joint.velocity] += factor * joint.factor;
}

void ConstraintRow::add_body(const MovingBodies& bodies, const ArticulatedTrees& trees, int body,
                             const Vec3& point, const Vec3& direction, const Vec3& axis) {
  if (body == fixed_body) return;
  const int tree = bodies.tree[body], linked = tree - trees.first_tree();
  if (linked >= 0) {  // a row is what a unit load along it gives
    const std::span<double> values = values_of(tree, trees.tree(linked).velocities());
    return trees.add_load(body, point, direction, axis, values);
  }
  const Vec3 turn = cross(point - bodies.center[body], direction) + axis;
  const std::span<double> values = values_of(tree, 6);
  for (int k = 0; k < 3; ++k) {
    values[k] += direction[k];
    values[3 + k] += turn[k];
  }
}

std::span<const RowEntry> ConstraintRow::entries() {
  entries_.clear();
  for (const Part& part : parts_) {
    for (int k = 0; k < part.size; ++k) {
      const double value = values_[part.begin + k];
      if (value != 0) entries_.push_back({part.tree, k, value});
    }
  }
  return entries_;
}

}  // namespace abut
