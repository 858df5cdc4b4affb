#include "abut/trees/tree_dynamics.hpp"

#include <algorithm>
#include <cmath>

namespace abut {
namespace {

/// The index of an axis that is x, y or z; -1 of others.
std::int8_t index_of(const Vec3& axis) {
  for (std::int8_t k = 0; k < 3; ++k) {
    Vec3 unit;
    unit[k] = 1;
    if (axis == unit) return k;
  }
  return -1;
}

void put(const Vec3& v, double* to) {
  to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = 0;
}

void put(const Mat3& m, double* to) {
  for (int k = 0; k < 3; ++k) put(m.col[k], to + 4 * k);
}

}  // namespace

void copy_mass(const TreeMotion& motion, std::span<double> matrix) {
  copy_symmetric(static_cast<int>(motion.bias.size()), motion.mass.data(), matrix.data());
}

int TreeDynamics::add_node(int parent, const Joint& joint, const Pose& placement, int position,
                           int velocity) {
  const auto index = static_cast<int>(nodes_.size());
  const int size = velocity_count(joint.kind);
  TreeNode& n = nodes_.emplace_back();
  n = {};
  n.parent = parent;
  n.position = position;
  n.velocity = velocity;
  n.size = size;
  n.kind = joint.kind;
  n.axis_index = index_of(joint.axis);
  n.is_turned = !(placement.R == Mat3::identity());
  put(joint.axis, n.axis);
  put(placement.R, n.turn);
  put(placement.p, n.shift);
  armature_.resize(velocity, 0);
  armature_.resize(velocity + size, joint.armature);
  // the runs of the parent's last velocity, and the node's own
  std::vector<IndexRun> above;
  if (parent >= 0) {
    const int last = nodes_[parent].velocity + nodes_[parent].size - 1;
    above.assign(runs_.begin() + (last == 0 ? 0 : run_end_[last - 1]),
                 runs_.begin() + run_end_[last]);
  }
  if (above.empty() || above.back().end != velocity) above.push_back({velocity, velocity});
  for (int k = 0; k < size; ++k) {
    ++above.back().end;
    runs_.insert(runs_.end(), above.begin(), above.end());
    run_end_.push_back(static_cast<std::int32_t>(runs_.size()));
  }
  return index;
}

void TreeDynamics::set_body(int node, double mass, const Vec3& center, const Mat3& inertia) {
  TreeNode& n = nodes_[node];
  n.mass = mass;
  put(center, n.center);
  put(inertia, n.inertia);
}

void TreeDynamics::start(TreeMotion& motion) {
  const std::size_t nv = armature_.size();
  const auto zero = [](auto& buffer, std::size_t size) {
    buffer.resize(size);
    buffer.fill_zero();
  };
  zero(momenta_, 8 * nv);
  zero(motion.nodes, nodes_.size());
  zero(motion.columns, 8 * nv);
  zero(motion.jacobian, 6 * static_cast<std::size_t>(round_up_8(static_cast<int>(nv))) + 8);
  motion.bias.resize(nv);
  motion.mass.assign(nv * nv + 8, 0);  // whole packs are written
}

void TreeDynamics::compute(const Vec3& gravity, std::span<const double> q,
                           std::span<const double> v, TreeMotion& motion) {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const TreeNode& n = nodes_[i];
    double* joint = motion.nodes[i].joint;
    const double* at = q.data() + n.position;
    const auto turn = [&](const double* x) {
      put(to_matrix(Quaternion{x[3], x[0], x[1], x[2]}), joint);
    };
    switch (n.kind) {
      case JointKind::hinge: {
        const double angle = *at;
        joint[0] = std::sin(angle), joint[1] = std::cos(angle);
        break;
      }
      case JointKind::slide: break;
      case JointKind::ball: turn(at); break;
      case JointKind::free: turn(at + 3); break;
    }
  }
  const auto nv = static_cast<int>(armature_.size());
  alignas(32) double downward[4];
  put(gravity, downward);
  double energy =
      tree_kernels().pass_out_and_back({.nodes = nodes_.data(),
                                        .states = motion.nodes.data(),
                                        .count = static_cast<std::int32_t>(nodes_.size()),
                                        .lead = round_up_8(nv),
                                        .gravity = downward,
                                        .q = q.data(),
                                        .v = v.data(),
                                        .columns = motion.columns.data(),
                                        .jacobian = motion.jacobian.data(),
                                        .momenta = momenta_.data(),
                                        .bias = motion.bias.data()});
  multiply_by_runs(nv, motion.jacobian.data(), momenta_.data(), runs_.data(), run_end_.data(),
                   motion.mass.data());
  for (int k = 0; k < nv; ++k) {
    motion.mass[k * (static_cast<std::size_t>(nv) + 1)] += armature_[k];
    energy += 0.5 * armature_[k] * v[k] * v[k];
  }
  motion.kinetic_energy = energy;
}

}  // namespace abut
