#pragma once

#include <span>
#include <vector>

#include "abut/problem/contact_problem.hpp"
#include "abut/trees/articulated_tree.hpp"
#include "abut/trees/moving_bodies.hpp"

namespace abut {

/// All articulated trees of a world. Their links are moving bodies, tree after tree, behind the
/// free bodies.
class ArticulatedTrees {
 public:
  /// `first_tree`: number of trees before these in the problem.
  explicit ArticulatedTrees(int first_tree = 0) : first_tree_(first_tree) {}

  /// Adds a tree and its links to `bodies`. Returns the first link's index there.
  int add(std::vector<Link> links, MovingBodies& bodies);

  int size() const { return static_cast<int>(trees_.size()); }
  int first_tree() const { return first_tree_; }                        ///< in the problem
  int dofs() const { return dofs_; }                                    ///< velocities of all trees
  int first_velocity(int tree) const { return first_velocity_[tree]; }  ///< in vectors of all trees
  int positions() const { return positions_; }  ///< coordinates of all trees
  ArticulatedTree& tree(int i) { return trees_[i]; }
  const ArticulatedTree& tree(int i) const { return trees_[i]; }

  /// Poses and velocities of the links, from the trees' states.
  void update_kinematics(const Vec3& gravity, MovingBodies& bodies);

  /// Adds each as a dense tree of `problem`, with its joints' constraints. Outer loads and the
  /// generalized forces (of all trees, one after the other) are explicit. Names the constraints
  /// from 0 on, in each step the same, and returns the next name.
  int add_trees(double dt, const MovingBodies& bodies, std::span<const double> forces,
                ContactProblem& problem);

  /// Takes the new velocities (of this group's trees, in order) and moves by h v: symplectic Euler.
  void integrate(double dt, std::span<const double> velocity);

  /// All trees' states as they are kept, one after the other.
  void save(std::vector<double>& coordinates, std::vector<double>& velocities,
            std::vector<double>& allowances) const;
  void restore(std::span<const double> coordinates, std::span<const double> velocities,
               std::span<const double> allowances);
  /// The allowances alone.
  void save_allowances(std::vector<double>& allowances) const;
  void restore_allowances(std::span<const double> allowances);
  int limits() const { return limits_; }  ///< joints of all trees that have limits

  // As of the last update_kinematics():
  double kinetic_energy() const;                       ///< [J]
  double potential_energy(const Vec3& gravity) const;  ///< of weight and springs [J]

  /// The Jacobian of a moving body, a link of these, at a point of it: 6 x nv of its tree, as
  /// ArticulatedTree::get_jacobian() has it.
  void get_jacobian(int body, const Vec3& point, std::span<double> jacobian) const;

  /// Adds to the generalized forces of its tree (nv) what a force at a point of a moving body, a
  /// link of these, and a moment on it give, world axes.
  void add_load(int body, const Vec3& point, const Vec3& force, const Vec3& moment,
                std::span<double> forces) const;

 private:
  int first_tree_, first_body_ = 0, dofs_ = 0, positions_ = 0, limits_ = 0;
  std::vector<ArticulatedTree> trees_;
  std::vector<int> tree_of_, link_of_;  ///< by link of all trees
  std::vector<int> first_velocity_;     ///< by tree
  std::vector<int> begin_;              ///< by tree: its first link
  std::vector<double> forces_, matrix_, inverse_factor_, free_velocity_;
};

}  // namespace abut
