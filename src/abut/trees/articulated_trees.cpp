#include "abut/trees/articulated_trees.hpp"

#include <algorithm>

#include "abut/core/grow.hpp"
#include "abut/linalg/dense_spd.hpp"

namespace abut {

int ArticulatedTrees::add(std::vector<Link> links, MovingBodies& bodies) {
  const int first = bodies.size();
  if (trees_.empty()) first_body_ = first;
  const int tree = size();
  begin_.push_back(static_cast<int>(link_of_.size()));
  for (int i = 0; i < std::ssize(links); ++i) {
    bodies.add(first_tree_ + tree);
    tree_of_.push_back(tree);
    link_of_.push_back(i);
  }
  trees_.emplace_back(std::move(links));
  first_velocity_.push_back(dofs_);
  dofs_ += trees_.back().velocities();
  positions_ += trees_.back().positions();
  limits_ += static_cast<int>(trees_.back().allowances().size());
  return first;
}

void ArticulatedTrees::update_kinematics(const Vec3& gravity, MovingBodies& bodies) {
  for (int t = 0; t < size(); ++t) {
    ArticulatedTree& tree = trees_[t];
    tree.update(gravity);
    for (int i = 0; i < std::ssize(tree.links()); ++i) {
      const int b = first_body_ + begin_[t] + i;
      const Pose pose = tree.link_pose(i);
      bodies.rotation[b] = pose.R;
      bodies.orientation[b] = to_quaternion(pose.R);
      bodies.center[b] = tree.link_center(i);
      bodies.linear_velocity[b] = tree.link_linear_velocity(i);
      bodies.angular_velocity[b] = tree.link_angular_velocity(i);
    }
  }
}

int ArticulatedTrees::add_trees(double dt, const MovingBodies& bodies,
                                std::span<const double> forces, ContactProblem& problem) {
  int name = 0;
  for (int t = 0; t < size(); ++t) {
    ArticulatedTree& tree = trees_[t];
    const std::size_t nv = tree.velocities();
    assign(forces_, forces.subspan(first_velocity_[t], nv));
    for (int i = 0; i < std::ssize(tree.links()); ++i) {
      const int b = first_body_ + begin_[t] + i;
      const Vec3 force = bodies.force[b] + bodies.drag_force[b];
      const Vec3 moment = bodies.moment[b] + bodies.drag_moment[b];
      if (force == Vec3{} && moment == Vec3{}) continue;
      tree.add_load(i, bodies.center[b], force, moment, forces_);
    }
    matrix_.resize(nv * nv);
    inverse_factor_.resize(nv * round_up_8(static_cast<int>(nv)));
    free_velocity_.resize(nv);
    tree.free_motion(dt, forces_, matrix_, inverse_factor_, free_velocity_);
    double heaviest = tree.heaviest_mass();
    for (std::size_t i = 0; heaviest <= 0 && i < nv; ++i) {
      heaviest = matrix_[i * (nv + 1)];  // its joints move armature alone
    }
    const int index =
        problem.add_tree(matrix_, tree.velocity(), free_velocity_, heaviest, inverse_factor_);
    name = tree.add_constraints(dt, index, name, problem);
  }
  return name;
}

void ArticulatedTrees::integrate(double dt, std::span<const double> velocity) {
  std::size_t first = 0;
  for (ArticulatedTree& tree : trees_) {
    const std::size_t nv = tree.velocities();
    tree.integrate(dt, velocity.subspan(first, nv));
    first += nv;
  }
}

void ArticulatedTrees::save(std::vector<double>& coordinates, std::vector<double>& velocities,
                            std::vector<double>& allowances) const {
  coordinates.clear();
  velocities.clear();
  allowances.clear();
  for (const ArticulatedTree& tree : trees_) {
    const auto q = tree.coordinates(), v = tree.velocity(), a = tree.allowances();
    coordinates.insert(coordinates.end(), q.begin(), q.end());
    velocities.insert(velocities.end(), v.begin(), v.end());
    allowances.insert(allowances.end(), a.begin(), a.end());
  }
}

void ArticulatedTrees::restore(std::span<const double> coordinates,
                               std::span<const double> velocities,
                               std::span<const double> allowances) {
  std::size_t q = 0, v = 0, a = 0;
  for (ArticulatedTree& tree : trees_) {
    const std::size_t nq = tree.positions(), nv = tree.velocities(),
                      limits = tree.allowances().size();
    tree.restore(coordinates.subspan(q, nq), velocities.subspan(v, nv),
                 allowances.subspan(a, limits));
    q += nq, v += nv, a += limits;
  }
}

void ArticulatedTrees::save_allowances(std::vector<double>& allowances) const {
  allowances.clear();
  for (const ArticulatedTree& tree : trees_) {
    const auto a = tree.allowances();
    allowances.insert(allowances.end(), a.begin(), a.end());
  }
}

void ArticulatedTrees::restore_allowances(std::span<const double> allowances) {
  std::size_t at = 0;
  for (ArticulatedTree& tree : trees_) {
    const std::size_t limits = tree.allowances().size();
    tree.set_allowances(allowances.subspan(at, limits));
    at += limits;
  }
}

double ArticulatedTrees::kinetic_energy() const {
  double energy = 0;
  for (const ArticulatedTree& tree : trees_) energy += tree.kinetic_energy();
  return energy;
}

double ArticulatedTrees::potential_energy(const Vec3& gravity) const {
  double energy = 0;
  for (const ArticulatedTree& tree : trees_) energy += tree.potential_energy(gravity);
  return energy;
}

void ArticulatedTrees::get_jacobian(int body, const Vec3& point, std::span<double> jacobian) const {
  const int link = body - first_body_;
  trees_[tree_of_[link]].get_jacobian(link_of_[link], point, jacobian);
}

void ArticulatedTrees::add_load(int body, const Vec3& point, const Vec3& force, const Vec3& moment,
                                std::span<double> forces) const {
  const int link = body - first_body_;
  trees_[tree_of_[link]].add_load(link_of_[link], point, force, moment, forces);
}

}  // namespace abut
