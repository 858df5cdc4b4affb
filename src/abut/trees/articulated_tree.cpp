#include "abut/trees/articulated_tree.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <pinocchio/algorithm/joint-configuration.hpp>
#include <string>

#include "abut/core/assert.hpp"
#include "abut/linalg/dense_spd.hpp"
#include "abut/trees/articulated_tree_data.hpp"
#include "abut/trees/limits.hpp"

namespace abut {
namespace {

using Eigen::VectorXd;

Eigen::Vector3d to_eigen(const Vec3& v) {
  return {v.x, v.y, v.z};
}
Eigen::Matrix3d to_eigen(const Mat3& m) {
  Eigen::Matrix3d e;
  for (int c = 0; c < 3; ++c) e.col(c) = to_eigen(m.col[c]);
  return e;
}

}  // namespace

namespace {

pinocchio::JointModel joint_model(const Joint& joint) {
  switch (joint.kind) {
    case JointKind::free: return pinocchio::JointModelFreeFlyer();
    case JointKind::ball: return pinocchio::JointModelSpherical();
    case JointKind::slide: return pinocchio::JointModelPrismaticUnaligned(to_eigen(joint.axis));
    case JointKind::hinge: return pinocchio::JointModelRevoluteUnaligned(to_eigen(joint.axis));
  }
  return pinocchio::JointModelFreeFlyer();
}

}  // namespace

/// Each joint's frame has the axes of B and lies at the anchor: what a joint's placement holds is
/// where B is before it moves. Bodies hang on their last joint, the others carry nothing.
void ArticulatedTree::Data::add_link(std::size_t index) {
  const Link& link = links[index];
  pinocchio::JointIndex parent = 0;
  Pose frame = link.pose;  // of B, in the frame of `parent`
  if (link.parent >= 0) {
    parent = node[link.parent] + 1;
    frame.p -= anchor[link.parent];
    support.push_back(support[link.parent]);
  } else {
    support.emplace_back();
  }
  Vec3 last;
  for (std::size_t k = 0; k < link.joints.size(); ++k) {
    const Joint& j = link.joints[k];
    const bool is_free = j.kind == JointKind::free;
    const Vec3 at = is_free || j.kind == JointKind::slide ? last : j.anchor;
    Pose place;
    if (!is_free) place = k == 0 ? Pose{frame * at, frame.R} : Pose{at - last, Mat3::identity()};
    const auto id =
        model.addJoint(parent, joint_model(j), pinocchio::SE3(to_eigen(place.R), to_eigen(place.p)),
                       std::to_string(index) + "." + std::to_string(k));
    const int position = model.idx_qs[id], velocity = model.idx_vs[id];
    places.push_back({j.kind, position, velocity, j.reference});
    dynamics.add_node(static_cast<int>(parent) - 1, j, place, position, velocity);
    std::vector<IndexRun>& runs = support[index];
    if (runs.empty() || runs.back().end != velocity) runs.push_back({velocity, velocity});
    runs.back().end += velocity_count(j.kind);
    parent = id;
    last = at;
  }
  node.push_back(static_cast<int>(parent) - 1);
  anchor.push_back(last);
  const Vec3 center = link.center_of_mass - last;
  model.appendBodyToJoint(parent,
                          pinocchio::Inertia(link.mass, to_eigen(center), to_eigen(link.inertia)),
                          pinocchio::SE3::Identity());
  dynamics.set_body(node.back(), link.mass, center, link.inertia);
}

ArticulatedTree::ArticulatedTree(std::vector<Link> links, SteppingScheme scheme)
    : d_(std::make_unique<Data>()) {
  d_->scheme = scheme;
  d_->links = std::move(links);
  Data& d = *d_;
  for (int i = 0; i < std::ssize(d.links); ++i) {
    d.add_link(i);
    int above = i - 1;
    while (above > d.links[i].parent) above = d.links[above].parent;
    d.is_depth_first = d.is_depth_first && above == d.links[i].parent;
  }
  const int nv = d.model.nv;
  d.stiffness.setZero(nv);
  d.damping.setZero(nv);
  d.spring_reference.setZero(nv);
  d.step.setZero(nv);
  d.forces.setZero(nv);
  d.v.setZero(nv);
  d.inertia.resize(static_cast<std::size_t>(nv) * nv);
  d.work.resize(solve_work(nv));
  d.free_v.setZero(nv);
  d.middle_v.setZero(nv);
  d.q = pinocchio::neutral(d.model);
  d.next = d.free_q = d.q;
  std::size_t place = 0;
  for (const Link& link : d.links) {
    d.heaviest_mass = std::max(d.heaviest_mass, link.mass);
    for (const Joint& j : link.joints) {
      const Data::Place& at = d.places[place++];
      if (j.dry_friction > 0 || j.limited) {
        const int dry = j.dry_friction > 0 ? velocity_count(j.kind) : 0;
        const double near =
            j.kind == JointKind::hinge ? near_angle : near_share * (j.upper - j.lower);
        d.resistances.push_back({&j, at, dry, j.limited, j.lower, j.upper, near});
      }
      const int size = velocity_count(j.kind);
      d.model.armature.segment(at.velocity, size).setConstant(j.armature);
      d.damping.segment(at.velocity, size).setConstant(j.damping);
      d.limits += j.limited;
      if (j.stiffness > 0) {
        d.stiffness[at.velocity] = j.stiffness;
        d.spring_reference[at.velocity] = j.spring_reference - j.reference;
        d.springs.push_back(at.velocity);
        d.spring_position.push_back(at.position);
      }
      if (j.kind == JointKind::free) {
        const Quaternion q = to_quaternion(link.pose.R);
        d.q.segment<7>(at.position) << link.pose.p.x, link.pose.p.y, link.pose.p.z, q.x, q.y, q.z,
            q.w;
      }
    }
  }
  d.dynamics.start(d.here);
  d.dynamics.start(d.ahead);
  if (traits(scheme).theta > 0) d.newton = std::make_unique<Data::Newton>(d.model);
}

ArticulatedTree::~ArticulatedTree() = default;
ArticulatedTree::ArticulatedTree(ArticulatedTree&&) noexcept = default;
ArticulatedTree& ArticulatedTree::operator=(ArticulatedTree&&) noexcept = default;

int ArticulatedTree::positions() const {
  return d_->model.nq;
}
int ArticulatedTree::velocities() const {
  return d_->model.nv;
}
const std::vector<Link>& ArticulatedTree::links() const {
  return d_->links;
}

int ArticulatedTree::limits() const {
  return d_->limits;
}

double ArticulatedTree::heaviest_mass() const {
  return d_->heaviest_mass;
}

namespace {

/// From Pinocchio's order (x y z w) to w x y z.
void copy_quaternion(const double* from, double* to) {
  to[0] = from[3];
  std::copy_n(from, 3, to + 1);
}

}  // namespace

void ArticulatedTree::to_joints(std::span<const double> q, std::span<const double> v,
                                std::span<double> position, std::span<double> velocity) const {
  const Data& d = *d_;
  ABUT_ASSERT(std::ssize(position) == d.model.nq && std::ssize(velocity) == d.model.nv);
  std::copy(v.begin(), v.end(), velocity.begin());
  for (const Data::Place& at : d.places) {
    const double* from = q.data() + at.position;
    double* to = position.data() + at.position;
    switch (at.kind) {
      case JointKind::free: {
        std::copy_n(from, 3, to);
        copy_quaternion(from + 3, to + 3);
        double* u = velocity.data() + at.velocity;
        const Mat3 R = to_matrix(Quaternion{to[3], to[4], to[5], to[6]});
        const Vec3 linear = R * Vec3{u[0], u[1], u[2]};
        u[0] = linear.x, u[1] = linear.y, u[2] = linear.z;
        break;
      }
      case JointKind::ball: copy_quaternion(from, to); break;
      case JointKind::slide:
      case JointKind::hinge: *to = *from + at.reference; break;
    }
  }
}

void ArticulatedTree::from_joints(std::span<const double> position,
                                  std::span<const double> velocity, std::span<double> q,
                                  std::span<double> v) const {
  const Data& d = *d_;
  ABUT_ASSERT(std::ssize(position) == d.model.nq && std::ssize(velocity) == d.model.nv);
  std::copy(velocity.begin(), velocity.end(), v.begin());
  const auto put_quaternion = [](const double* from, double* to) {
    const Quaternion unit = normalized(Quaternion{from[0], from[1], from[2], from[3]});
    to[0] = unit.x, to[1] = unit.y, to[2] = unit.z, to[3] = unit.w;
    return unit;
  };
  for (const Data::Place& at : d.places) {
    const double* from = position.data() + at.position;
    double* to = q.data() + at.position;
    switch (at.kind) {
      case JointKind::free: {
        std::copy_n(from, 3, to);
        const Mat3 R = to_matrix(put_quaternion(from + 3, to + 3));
        double* u = v.data() + at.velocity;
        const Vec3 linear = transpose_times(R, Vec3{u[0], u[1], u[2]});
        u[0] = linear.x, u[1] = linear.y, u[2] = linear.z;
        break;
      }
      case JointKind::ball: put_quaternion(from, to); break;
      case JointKind::slide:
      case JointKind::hinge: *to = *from - at.reference; break;
    }
  }
}

/// Kinematics, bias forces and the lower triangle of M.
void ArticulatedTree::Data::compute(const VectorXd& position, const VectorXd& velocity,
                                    TreeMotion& at) {
  dynamics.compute(gravity, {position.data(), static_cast<std::size_t>(position.size())},
                   {velocity.data(), static_cast<std::size_t>(velocity.size())}, at);
}

void ArticulatedTree::update(std::span<const double> q, std::span<const double> v,
                             const Vec3& gravity) {
  Data& d = *d_;
  ABUT_ASSERT(std::ssize(q) == d.q.size() && std::ssize(v) == d.v.size());
  // bit by bit: zeros of both signs differ
  const bool is_same = std::memcmp(q.data(), d.q.data(), q.size_bytes()) == 0 &&
                       std::memcmp(v.data(), d.v.data(), v.size_bytes()) == 0 &&
                       gravity == d.gravity;
  if (d.is_known && is_same) return;
  std::copy(q.begin(), q.end(), d.q.data());
  std::copy(v.begin(), v.end(), d.v.data());
  d.gravity = gravity;
  d.model.gravity.linear() = to_eigen(gravity);
  d.compute(d.q, d.v, d.here);
  d.is_known = true;
}

int ArticulatedTree::massless_velocity() const {
  // from the leaves on, each pivot is what a joint moves when all that it carries is loose
  constexpr double round_off = 1e-12;
  const std::vector<double> M = mass_matrix();
  Eigen::MatrixXd rest = Eigen::Map<const Eigen::MatrixXd>(M.data(), d_->v.size(), d_->v.size());
  const VectorXd diagonal = rest.diagonal();
  for (Eigen::Index k = rest.rows() - 1; k >= 0; --k) {
    const double pivot = rest(k, k);
    if (!(pivot > round_off * diagonal[k])) return static_cast<int>(k);
    const VectorXd column = rest.col(k).head(k);
    rest.topLeftCorner(k, k) -= column * column.transpose() / pivot;
  }
  return -1;
}

Pose ArticulatedTree::link_pose(int link) const {
  const Pose X = d_->here.pose(d_->node[link]);
  return {X.p - X.R * d_->anchor[link], X.R};
}

Vec3 ArticulatedTree::link_center(int link) const {
  return d_->here.center(d_->node[link]);
}

Vec3 ArticulatedTree::link_linear_velocity(int link) const {
  const int node = d_->node[link];
  const TreeMotion& motion = d_->here;
  return motion.linear(node) + cross(motion.angular(node), motion.center(node));
}

Vec3 ArticulatedTree::link_angular_velocity(int link) const {
  return d_->here.angular(d_->node[link]);
}

const double* ArticulatedTree::lower_mass() const {
  return d_->here.mass.data();
}
std::vector<double> ArticulatedTree::mass_matrix() const {
  const std::size_t n = d_->model.nv;
  std::vector<double> M(n * n);
  copy_mass(d_->here, M);
  return M;
}
std::span<const double> ArticulatedTree::bias_forces() const {
  return d_->here.bias;
}

double ArticulatedTree::kinetic_energy() const {
  return d_->here.kinetic_energy;
}

double ArticulatedTree::potential_energy(const Vec3& gravity) const {
  const Data& d = *d_;
  double energy = -dot(gravity, d.here.first_moment());
  for (std::size_t s = 0; s < d.springs.size(); ++s) {
    const double stretch = d.q[d.spring_position[s]] - d.spring_reference[d.springs[s]];
    energy += 0.5 * d.stiffness[d.springs[s]] * stretch * stretch;
  }
  return energy;
}

void ArticulatedTree::get_jacobian(int link, const Vec3& point, std::span<double> jacobian) const {
  const std::ptrdiff_t columns = total_size(support(link));
  ABUT_ASSERT(std::ssize(jacobian) == 6 * columns);
  double* column = jacobian.data();
  for (const IndexRun& run : support(link)) {
    for (int c = run.begin; c < run.end; ++c) {
      const Vec3 u = d_->here.velocity_at(c, point), w = d_->here.angular_column(c);
      double* to = column++;
      for (int k = 0; k < 3; ++k, to += columns) *to = u[k];
      for (int k = 0; k < 3; ++k, to += columns) *to = w[k];
    }
  }
}

std::span<const IndexRun> ArticulatedTree::support(int link) const {
  return d_->support[link];
}

void ArticulatedTree::Data::add_load(const TreeMotion& at, int link, const Vec3& point,
                                     const Load& load, double* generalized_forces) const {
  for (const IndexRun& run : support[link]) {
    for (int c = run.begin; c < run.end; ++c) {
      generalized_forces[c] +=
          dot(at.velocity_at(c, point), load.force) + dot(at.angular_column(c), load.moment);
    }
  }
}

void ArticulatedTree::add_load(int link, const Vec3& point, const Vec3& force, const Vec3& moment,
                               std::span<double> forces) const {
  d_->add_load(d_->here, link, point, {force, moment}, forces.data());
}

std::span<const double> ArticulatedTree::coordinates() const {
  return {d_->q.data(), static_cast<std::size_t>(d_->q.size())};
}

std::span<const double> ArticulatedTree::velocity() const {
  return {d_->v.data(), static_cast<std::size_t>(d_->v.size())};
}

int ArticulatedTree::add_constraints(double dt, int index, int name, std::span<double> allowances,
                                     ContactProblem& problem) const {
  const Data& d = *d_;
  ABUT_ASSERT(std::ssize(allowances) == d.limits);
  double* allowed = allowances.data();
  const double* free = problem.free_velocity.data() + problem.trees[index].first_dof;
  for (const Data::Resistance& resistance : d.resistances) {
    const Joint& joint = *resistance.joint;
    const Data::Place& at = resistance.place;
    for (int i = at.velocity; i < at.velocity + resistance.dry; ++i) {
      const RowEntry row{index, i, 1};
      problem.add_scalar({.kind = ScalarKind::dry_friction,
                          .lower_force = -joint.dry_friction,
                          .upper_force = joint.dry_friction,
                          .name = name++},
                         {&row, 1});
    }
    if (!resistance.limited) continue;
    const double q = d.q[at.position] + at.reference, near = resistance.near;
    const double above = q - resistance.lower, below = resistance.upper - q;
    const double fastest = std::max(std::abs(d.v[at.velocity]), std::abs(free[at.velocity]));
    if (std::min(above, below) > (1 + 1e-12) * (near + 2 * dt * fastest)) {  // as most are
      *allowed++ = 0;
      name += 2;
      continue;
    }
    const double kept = keep_violation(std::max(-above, -below), dt, *allowed++);
    for (const auto& [gap, sign] : {std::pair{above, 1.0}, {below, -1.0}}) {
      const int limit = name++;
      const double speed = sign * d.v[at.velocity], free_speed = sign * free[at.velocity];
      if (!is_near_limit(gap, speed, free_speed, dt, near)) continue;
      const RowEntry row{index, at.velocity, sign};
      problem.add_scalar({.kind = ScalarKind::limit,
                          .gap = gap < 0 ? gap + kept : gap,
                          .stiffness = joint.limit_stiffness,
                          .relaxation_time = rigid_relaxation_time(dt),
                          .name = limit},
                         {&row, 1});
    }
  }
  return name;
}

}  // namespace abut
