#pragma once

#include <span>
#include <vector>

#include "abut/problem/contact_problem.hpp"
#include "abut/trees/articulated_tree.hpp"
#include "abut/trees/moving_bodies.hpp"

namespace abut {

class ThreadPool;

/// All articulated trees of a world. Their links are moving bodies, tree after tree, behind the
/// free bodies.
class ArticulatedTrees {
 public:
  /// `first_tree`: number of trees before these in the problem.
  explicit ArticulatedTrees(int first_tree = 0,
                            SteppingScheme scheme = SteppingScheme::symplectic_euler)
      : first_tree_(first_tree), scheme_(scheme) {}

  /// Adds a tree and its links to `bodies`. Returns the first link's index there.
  int add(std::vector<Link> links, MovingBodies& bodies);

  int size() const { return static_cast<int>(trees_.size()); }
  int first_tree() const { return first_tree_; }   ///< in the problem
  int dofs() const { return end_.velocity; }       ///< velocities of all trees
  int positions() const { return end_.position; }  ///< coordinates of all trees
  int limits() const { return end_.limit; }        ///< joints of all trees that have limits
  const ArticulatedTree& tree(int i) const { return trees_[i]; }

  // In vectors of all trees, one after the other:
  int first_velocity(int tree) const { return begin_[tree].velocity; }
  template <class T>
  std::span<T> coordinates_of(int tree, std::span<T> all) const {
    return all.subspan(begin_[tree].position, trees_[tree].positions());
  }
  template <class T>
  std::span<T> velocities_of(int tree, std::span<T> all) const {
    return all.subspan(begin_[tree].velocity, trees_[tree].velocities());
  }
  template <class T>
  std::span<T> limits_of(int tree, std::span<T> all) const {
    return all.subspan(begin_[tree].limit, trees_[tree].limits());
  }

  /// Poses and velocities of the links, from the coordinates and velocities of all trees.
  void update_kinematics(std::span<const double> coordinates, std::span<const double> velocities,
                         const Vec3& gravity, MovingBodies& bodies, ThreadPool* pool = nullptr);

  /// What add_trees() says: the name after the last one, and how v* was found.
  struct Added {
    int next_name = 0;
    FreeMotion free_motion;
  };

  /// Adds each as a dense tree of `problem`, with its joints' constraints. The loads (of moving
  /// bodies) and the generalized forces (of all trees) do not depend on the step. Lowers the
  /// allowances of all limits. Names the constraints from 0 on, in each step the same.
  Added add_trees(double dt, std::span<const Load> loads, std::span<const double> forces,
                  std::span<double> allowances, ContactProblem& problem,
                  ThreadPool* pool = nullptr);

  /// Where the new velocities of all trees lead from the last update_kinematics().
  void integrate(double dt, std::span<const double> velocities, std::span<double> coordinates,
                 ThreadPool* pool = nullptr);

  // As of the last update_kinematics():
  double kinetic_energy() const;                       ///< [J]
  double potential_energy(const Vec3& gravity) const;  ///< of weight and springs [J]

  /// Adds a moving body, a link of these, to a problem that has their trees, as its body of tree
  /// `tree` with its center at a point. Returns its index among the problem's bodies.
  int add_body(int body, int tree, const Vec3& point, ContactProblem& problem) const;

  /// Room in a problem for all links as its bodies.
  void make_room(ContactProblem& problem) const;

  /// Adds to the generalized forces of its tree (nv) what a force at a point of a moving body, a
  /// link of these, and a moment on it give, world axes.
  void add_load(int body, const Vec3& point, const Vec3& force, const Vec3& moment,
                std::span<double> forces) const;

 private:
  /// Where a tree begins among all.
  struct Place {
    int link = 0, position = 0, velocity = 0, limit = 0;
  };
  int first_tree_, first_body_ = 0;
  SteppingScheme scheme_;
  std::vector<ArticulatedTree> trees_;
  std::vector<int> tree_of_, link_of_;  ///< by link of all trees
  std::vector<Place> begin_;            ///< by tree
  Place end_;
  // By tree, of add_trees():
  std::vector<ContactProblem::NewTree> added_;
  std::vector<FreeMotion> motions_;
};

}  // namespace abut
