#include "abut/trees/articulated_trees.hpp"

#include <algorithm>

#include "abut/core/grow.hpp"
#include "abut/core/parallel.hpp"
#include "abut/linalg/dense_spd.hpp"

namespace abut {

int ArticulatedTrees::add(std::vector<Link> links, MovingBodies& bodies) {
  const int first = bodies.size();
  if (trees_.empty()) first_body_ = first;
  const int tree = size();
  begin_.push_back(end_);
  for (int i = 0; i < std::ssize(links); ++i) {
    bodies.add(first_tree_ + tree);
    tree_of_.push_back(tree);
    link_of_.push_back(i);
  }
  end_.link += static_cast<int>(links.size());
  const ArticulatedTree& t = trees_.emplace_back(std::move(links), scheme_);
  end_.position += t.positions();
  end_.velocity += t.velocities();
  end_.limit += t.limits();
  return first;
}

void ArticulatedTrees::update_kinematics(std::span<const double> coordinates,
                                         std::span<const double> velocities, const Vec3& gravity,
                                         MovingBodies& bodies, ThreadPool* pool) {
  const auto update = [&](int t) {
    ArticulatedTree& tree = trees_[t];
    tree.update(coordinates_of(t, coordinates), velocities_of(t, velocities), gravity);
    for (int i = 0; i < std::ssize(tree.links()); ++i) {
      const int b = first_body_ + begin_[t].link + i;
      const Pose pose = tree.link_pose(i);
      bodies.rotation[b] = pose.R;
      bodies.center[b] = tree.link_center(i);
      bodies.linear_velocity[b] = tree.link_linear_velocity(i);
      bodies.angular_velocity[b] = tree.link_angular_velocity(i);
    }
  };
  for_ranges(pool, size(), 1, [&](int begin, int end) {
    for (int t = begin; t < end; ++t) update(t);
  });
}

ArticulatedTrees::Added ArticulatedTrees::add_trees(double dt, std::span<const Load> loads,
                                                    std::span<const double> forces,
                                                    std::span<double> allowances,
                                                    ContactProblem& problem, ThreadPool* pool) {
  added_.clear();
  for (const ArticulatedTree& tree : trees_) {
    added_.push_back(problem.add_tree(tree.velocity(), tree.heaviest_mass()));
  }
  motions_.resize(trees_.size());
  const auto move_freely = [&](int t) {
    ArticulatedTree& tree = trees_[t];
    const std::size_t nv = tree.velocities();
    const auto [matrix, inverse_factor, free_velocity] = problem.room_of(added_[t]);
    motions_[t] = tree.free_motion(dt, velocities_of(t, forces),
                                   loads.subspan(first_body_ + begin_[t].link, tree.links().size()),
                                   matrix, inverse_factor, free_velocity);
    double& heaviest = problem.trees[added_[t].tree].mass;
    for (std::size_t i = 0; heaviest <= 0 && i < nv; ++i) {
      heaviest = matrix[i * (nv + 1)];  // its joints move armature alone
    }
  };
  for_ranges(pool, size(), 1, [&](int begin, int end) {
    for (int t = begin; t < end; ++t) move_freely(t);
  });
  Added added;
  for (int t = 0; t < size(); ++t) {
    added.free_motion.take_worse(motions_[t]);
    added.next_name = trees_[t].add_constraints(dt, added_[t].tree, added.next_name,
                                                limits_of(t, allowances), problem);
  }
  return added;
}

void ArticulatedTrees::integrate(double dt, std::span<const double> velocities,
                                 std::span<double> coordinates, ThreadPool* pool) {
  for_ranges(pool, size(), 1, [&](int begin, int end) {
    for (int t = begin; t < end; ++t) {
      trees_[t].integrate(dt, velocities_of(t, velocities), coordinates_of(t, coordinates));
    }
  });
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

void ArticulatedTrees::make_room(ContactProblem& problem) const {
  std::size_t bodies = 0, runs = 0, columns = 0;
  for (const ArticulatedTree& tree : trees_) {
    for (int link = 0; link < std::ssize(tree.links()); ++link) {
      ++bodies;
      runs += std::max<std::size_t>(1, tree.support(link).size());
      columns += static_cast<std::size_t>(std::max(1, total_size(tree.support(link))));
    }
  }
  problem.bodies.reserve(bodies);
  problem.body_runs.reserve(std::min(runs, most_ahead));
  problem.jacobians.reserve(std::min(6 * columns, most_ahead));
}

int ArticulatedTrees::add_body(int body, int tree, const Vec3& point,
                               ContactProblem& problem) const {
  const int link = body - first_body_;
  const ArticulatedTree& own = trees_[tree_of_[link]];
  const int index = problem.add_body(tree, point, own.support(link_of_[link]));
  if (!own.support(link_of_[link]).empty()) {
    own.get_jacobian(link_of_[link], point, problem.jacobian_of(index));
  }
  return index;
}

void ArticulatedTrees::add_load(int body, const Vec3& point, const Vec3& force, const Vec3& moment,
                                std::span<double> forces) const {
  const int link = body - first_body_;
  trees_[tree_of_[link]].add_load(link_of_[link], point, force, moment, forces);
}

}  // namespace abut
