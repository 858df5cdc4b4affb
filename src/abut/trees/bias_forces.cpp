#include "abut/trees/bias_forces.hpp"

#include <algorithm>

namespace abut {

int BiasForces::add_node(int parent, int velocity, int size) {
  nodes_.push_back(
      {.parent = parent, .velocity = velocity, .size = size, .center = {}, .inertia = {}});
  velocities_ = std::max(velocities_, velocity + size);
  for (auto* v : {&linear_, &angular_, &force_, &moment_}) v->emplace_back();
  return static_cast<int>(nodes_.size()) - 1;
}

void BiasForces::set_body(int node, double mass, const Vec3& center, const Mat3& inertia) {
  Node& n = nodes_[node];
  n.mass = mass, n.center = center, n.inertia = inertia;
}

void BiasForces::compute(const Vec3& gravity, std::span<const Pose> poses, const double* jacobian,
                         std::span<const double> velocity, TreeMotion& motion) {
  for (auto* v : {&motion.linear, &motion.angular, &motion.center}) v->resize(nodes_.size());
  motion.bias.resize(velocities_);
  const auto linear_column = [&](int k) {
    return Vec3{jacobian[6 * k], jacobian[6 * k + 1], jacobian[6 * k + 2]};
  };
  const auto angular_column = [&](int k) {
    return Vec3{jacobian[6 * k + 3], jacobian[6 * k + 4], jacobian[6 * k + 5]};
  };
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& n = nodes_[i];
    Vec3 joint_v, joint_w;
    for (int k = n.velocity; k < n.velocity + n.size; ++k) {
      joint_v += velocity[k] * linear_column(k);
      joint_w += velocity[k] * angular_column(k);
    }
    const bool root = n.parent < 0;
    const Vec3 v = root ? joint_v : motion.linear[n.parent] + joint_v;
    const Vec3 w = root ? joint_w : motion.angular[n.parent] + joint_w;
    // the axes move with the node: their rate is its twist times them
    const Vec3 a = (root ? -gravity : linear_[n.parent]) + cross(w, joint_v) + cross(v, joint_w);
    const Vec3 alpha = (root ? Vec3{} : angular_[n.parent]) + cross(w, joint_w);
    motion.linear[i] = v, motion.angular[i] = w;
    linear_[i] = a, angular_[i] = alpha;
    force_[i] = moment_[i] = {};
    const Pose& X = poses[i];
    const Vec3& center = motion.center[i] = X * n.center;
    if (n.mass == 0) continue;
    const Vec3 acceleration = a + cross(alpha, center) + cross(w, v + cross(w, center));
    const Vec3 w_B = transpose_times(X.R, w);
    const Vec3 moment = n.inertia * transpose_times(X.R, alpha) + cross(w_B, n.inertia * w_B);
    force_[i] = n.mass * acceleration;
    moment_[i] = X.R * moment + cross(center, force_[i]);
  }
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    const Node& n = nodes_[i];
    for (int k = n.velocity; k < n.velocity + n.size; ++k) {
      motion.bias[k] = dot(linear_column(k), force_[i]) + dot(angular_column(k), moment_[i]);
    }
    if (n.parent < 0) continue;
    force_[n.parent] += force_[i];
    moment_[n.parent] += moment_[i];
  }
}

}  // namespace abut
