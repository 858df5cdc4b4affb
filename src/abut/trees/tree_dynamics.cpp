#include "abut/trees/tree_dynamics.hpp"

#include <algorithm>
#include <cmath>

namespace abut {
namespace {

/// R turned by the angle about its own axis x, y or z.
Mat3 turned_about(const Mat3& R, int axis, double s, double c) {
  Mat3 turned = R;
  const int next = axis == 2 ? 0 : axis + 1, last = axis == 0 ? 2 : axis - 1;
  turned.col[next] = c * R.col[next] + s * R.col[last];
  turned.col[last] = c * R.col[last] - s * R.col[next];
  return turned;
}

/// R turned by the angle about the unit vector `axis` of its own frame.
Mat3 turned_about(const Mat3& R, const Vec3& axis, double s, double c) {
  const Vec3 a = (1 - c) * axis, b = s * axis;
  const Mat3 turn{{{c + a.x * axis.x, a.x * axis.y + b.z, a.x * axis.z - b.y},
                   {a.x * axis.y - b.z, c + a.y * axis.y, a.y * axis.z + b.x},
                   {a.x * axis.z + b.y, a.y * axis.z - b.x, c + a.z * axis.z}}};
  return R * turn;
}

/// The index of an axis that is x, y or z; -1 of others.
int index_of(const Vec3& axis) {
  for (int k = 0; k < 3; ++k) {
    Vec3 unit;
    unit[k] = 1;
    if (axis == unit) return k;
  }
  return -1;
}

}  // namespace

void copy_mass(const TreeMotion& motion, std::span<double> matrix) {
  const std::size_t n = motion.bias.size();
  for (std::size_t r = 0; r < n; ++r) {
    for (std::size_t c = 0; c <= r; ++c) {
      matrix[r * n + c] = matrix[c * n + r] = motion.mass[r * n + c];
    }
  }
}

int TreeDynamics::add_node(int parent, const Joint& joint, const Pose& placement, int position,
                           int velocity) {
  const auto index = static_cast<int>(nodes_.size());
  const int size = velocity_count(joint.kind);
  nodes_.push_back({.parent = parent,
                    .position = position,
                    .velocity = velocity,
                    .size = size,
                    .kind = joint.kind,
                    .axis = joint.axis,
                    .axis_index = index_of(joint.axis),
                    .is_turned = !(placement.R == Mat3::identity()),
                    .placement = placement,
                    .center = {},
                    .inertia = {}});
  loads_.emplace_back();
  armature_.resize(velocity, 0);
  armature_.resize(velocity + size, joint.armature);
  // the runs of the parent's last velocity, and the node's own
  std::vector<ColumnRun> above;
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
  Node& n = nodes_[node];
  n.mass = mass, n.center = center, n.inertia = inertia;
}

void TreeDynamics::start(TreeMotion& motion) {
  const std::size_t nv = armature_.size();
  momenta_.resize(8 * nv);
  motion.poses.resize(nodes_.size());
  for (auto* v : {&motion.linear, &motion.angular, &motion.center}) v->resize(nodes_.size());
  motion.bias.resize(nv);
  motion.jacobian.resize(6 * static_cast<std::size_t>(motion.lead()) + 8);
  motion.jacobian.fill_zero();
  motion.mass.assign(nv * nv + 8, 0);  // whole packs are written
}

/// Where a node is whose joint's frame is at `frame` when the joint does nothing.
void TreeDynamics::place(const Node& n, const Pose& frame, const double* q, Pose& X) {
  const double* at = q + n.position;
  switch (n.kind) {
    case JointKind::hinge: {
      const double s = std::sin(*at), c = std::cos(*at);
      X.p = frame.p;
      X.R = n.axis_index >= 0 ? turned_about(frame.R, n.axis_index, s, c)
                              : turned_about(frame.R, n.axis, s, c);
      return;
    }
    case JointKind::slide: X = {frame.p + *at * (frame.R * n.axis), frame.R}; return;
    case JointKind::ball:
      X = {frame.p, frame.R * to_matrix(Quaternion{at[3], at[0], at[1], at[2]})};
      return;
    case JointKind::free:
      X = frame * Pose{{at[0], at[1], at[2]}, to_matrix(Quaternion{at[6], at[3], at[4], at[5]})};
      return;
  }
}

void TreeDynamics::write_columns(const Node& n, const Pose& frame, const Pose& X, int lead,
                                 double* jacobian) {
  double* to = jacobian + n.velocity;
  const auto write = [&](const Vec3& linear, const Vec3& angular) {
    to[0] = linear.x, to[lead] = linear.y, to[2 * lead] = linear.z;
    to[3 * lead] = angular.x, to[4 * lead] = angular.y, to[5 * lead] = angular.z;
    ++to;
  };
  const auto along = [&](const Vec3& axis) { write(axis, {}); };
  const auto about = [&](const Vec3& axis) { write(cross(X.p, axis), axis); };
  const auto world_axis = [&] {
    return n.axis_index >= 0 ? frame.R.col[n.axis_index] : frame.R * n.axis;
  };
  switch (n.kind) {
    case JointKind::hinge: about(world_axis()); return;
    case JointKind::slide: along(world_axis()); return;
    case JointKind::free:
      for (const Vec3& axis : X.R.col) along(axis);
      [[fallthrough]];
    case JointKind::ball:
      for (const Vec3& axis : X.R.col) about(axis);
      return;
  }
}

/// R I R^T
TreeDynamics::Inertia TreeDynamics::turned(const Mat3& R, const Mat3& inertia) {
  const Mat3 T = R * inertia;
  const auto entry = [&](int r, int c) {
    return T(r, 0) * R(c, 0) + T(r, 1) * R(c, 1) + T(r, 2) * R(c, 2);
  };
  return {entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)};
}

/// From the node before to this one: velocities, accelerations, and what its body needs.
void TreeDynamics::go_out(std::size_t i, const Vec3& gravity, TreeMotion& motion) {
  const Node& n = nodes_[i];
  const bool is_root = n.parent < 0;
  Vec3 joint_v, joint_w;
  const double* v = motion.bias.data();  // that of velocities until it is known
  for (int k = n.velocity; k < n.velocity + n.size; ++k) {
    joint_v += v[k] * motion.linear_column(k);
    joint_w += v[k] * motion.angular_column(k);
  }
  const Vec3 linear = is_root ? joint_v : motion.linear[n.parent] + joint_v;
  const Vec3 angular = is_root ? joint_w : motion.angular[n.parent] + joint_w;
  motion.linear[i] = linear, motion.angular[i] = angular;
  Load& load = loads_[i];
  // the axes move with the node: their rate is its twist times them
  load.linear = (is_root ? -gravity : loads_[n.parent].linear) + cross(angular, joint_v) +
                cross(linear, joint_w);
  load.angular = (is_root ? Vec3{} : loads_[n.parent].angular) + cross(angular, joint_w);
  const Pose& X = motion.poses[i];
  const Vec3 c = motion.center[i] = X * n.center;
  if (n.mass == 0) {
    load.force = load.moment = load.first_moment = {};
    load.mass = 0;
    load.inertia = {};
    return;
  }
  const Vec3 speed = linear + cross(angular, c);
  const Inertia inertia = turned(X.R, n.inertia);
  const Vec3 spin = inertia * angular;
  load.force = n.mass * (load.linear + cross(load.angular, c) + cross(angular, speed));
  load.moment = inertia * load.angular + cross(angular, spin) + cross(c, load.force);
  motion.kinetic_energy += 0.5 * (n.mass * squared_norm(speed) + dot(angular, spin));
  load.mass = n.mass;
  const Vec3 h = load.first_moment = n.mass * c;
  const double xx = h.x * c.x, yy = h.y * c.y, zz = h.z * c.z;
  load.inertia = {inertia.xx + yy + zz,   inertia.yy + xx + zz,   inertia.zz + xx + yy,
                  inertia.xy - h.x * c.y, inertia.xz - h.x * c.z, inertia.yz - h.y * c.z};
}

/// Back to the node before: what the joint bears, and the momentum of all behind it.
void TreeDynamics::go_back(std::size_t i, TreeMotion& motion) {
  const Node& n = nodes_[i];
  const Load& load = loads_[i];
  for (int k = n.velocity; k < n.velocity + n.size; ++k) {
    const Vec3 linear = motion.linear_column(k), angular = motion.angular_column(k);
    motion.bias[k] = dot(linear, load.force) + dot(angular, load.moment);
    const Vec3 p = load.mass * linear + cross(angular, load.first_moment);
    const Vec3 l = cross(load.first_moment, linear) + load.inertia * angular;
    double* to = momenta_.data() + 8 * static_cast<std::ptrdiff_t>(k);
    to[0] = p.x, to[1] = p.y, to[2] = p.z, to[3] = l.x, to[4] = l.y, to[5] = l.z;
  }
  if (n.parent < 0) return;
  Load& parent = loads_[n.parent];
  parent.force += load.force;
  parent.moment += load.moment;
  parent.mass += load.mass;
  parent.first_moment += load.first_moment;
  parent.inertia += load.inertia;
}

void TreeDynamics::compute(const Vec3& gravity, std::span<const double> q,
                           std::span<const double> v, TreeMotion& motion) {
  const auto nv = static_cast<int>(armature_.size());
  std::copy(v.begin(), v.end(), motion.bias.begin());
  motion.kinetic_energy = 0;
  const int lead = motion.lead();
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& n = nodes_[i];
    Pose frame = n.placement;
    if (n.parent >= 0) {
      const Pose& parent = motion.poses[n.parent];
      frame.p = parent * n.placement.p;
      frame.R = n.is_turned ? parent.R * n.placement.R : parent.R;
    }
    place(n, frame, q.data(), motion.poses[i]);
    write_columns(n, frame, motion.poses[i], lead, motion.jacobian.data());
    go_out(i, gravity, motion);
  }
  for (std::size_t i = nodes_.size(); i-- > 0;) go_back(i, motion);
  multiply_by_runs(nv, motion.jacobian.data(), momenta_.data(), runs_.data(), run_end_.data(),
                   motion.mass.data());
  for (int k = 0; k < nv; ++k) {
    motion.mass[k * (static_cast<std::size_t>(nv) + 1)] += armature_[k];
    motion.kinetic_energy += 0.5 * armature_[k] * v[k] * v[k];
  }
}

}  // namespace abut
