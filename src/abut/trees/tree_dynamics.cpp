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
  if (n.kind == JointKind::hinge) hinges_.push_back(index);
  if (n.kind == JointKind::ball || n.kind == JointKind::free) balls_.push_back(index);
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
  const auto room = static_cast<std::size_t>(round_up_8(static_cast<int>(hinges_.size())));
  for (auto* angles : {&angle_, &sine_, &cosine_}) zero(*angles, room);
  zero(motion.nodes, nodes_.size());
  zero(motion.columns, 8 * nv);
  zero(motion.jacobian, 6 * static_cast<std::size_t>(round_up_8(static_cast<int>(nv))) + 8);
  motion.bias.resize(nv);
  motion.mass.assign(nv * nv + 8, 0);  // whole packs are written
}

/// Sines and cosines, of all hinges at once.
void TreeDynamics::turn_hinges(std::span<const double> q, TreeMotion& motion) {
  double largest = 0;
  bool is_number = true;
  for (std::size_t k = 0; k < hinges_.size(); ++k) {
    const double angle = q[nodes_[hinges_[k]].position];
    angle_[k] = angle;
    largest = std::max(largest, std::abs(angle));
    is_number = is_number && angle == angle;
  }
  if (is_number && largest <= most_turned) {
    tree_kernels().find_turns(static_cast<int>(hinges_.size()), angle_.data(), sine_.data(),
                              cosine_.data());
  } else {
    for (std::size_t k = 0; k < hinges_.size(); ++k) {
      sine_[k] = std::sin(angle_[k]), cosine_[k] = std::cos(angle_[k]);
    }
  }
  for (std::size_t k = 0; k < hinges_.size(); ++k) {
    double* joint = motion.nodes[hinges_[k]].joint;
    joint[0] = sine_[k], joint[1] = cosine_[k];
  }
}

void TreeDynamics::compute(const Vec3& gravity, std::span<const double> q,
                           std::span<const double> v, TreeMotion& motion) {
  turn_hinges(q, motion);
  for (const std::int32_t i : balls_) {  // and free joints
    const double* x = q.data() + nodes_[i].position + (nodes_[i].kind == JointKind::free ? 3 : 0);
    put(to_matrix(Quaternion{x[3], x[0], x[1], x[2]}), motion.nodes[i].joint);
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
                                        .bias = motion.bias.data(),
                                        .first_moment = motion.moment});
  multiply_by_runs(nv, motion.jacobian.data(), momenta_.data(), runs_.data(), run_end_.data(),
                   motion.mass.data());
  for (int k = 0; k < nv; ++k) {
    motion.mass[k * (static_cast<std::size_t>(nv) + 1)] += armature_[k];
    energy += 0.5 * armature_[k] * v[k] * v[k];
  }
  motion.kinetic_energy = energy;
}

}  // namespace abut
