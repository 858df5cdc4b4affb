#pragma once

#include <span>
#include <vector>

#include "abut/problem/contact_problem.hpp"
#include "abut/sim/joint_sum.hpp"
#include "abut/sim/scene.hpp"
#include "abut/trees/articulated_trees.hpp"
#include "abut/trees/moving_bodies.hpp"

namespace abut {

/// What holds bodies and joints of one mechanism together beyond its tree: equality constraints and
/// tendons, as scalar constraints on its velocities.
class Couplings {
 public:
  /// A point of a moving body, about its center of mass, or of the world.
  struct Point {
    int body = fixed_body;
    Vec3 position;  ///< [m]
    Mat3 R = Mat3::identity();
  };

  /// What has a length: a sum over joints, or a way from point to point; nothing has the length 0.
  struct Path {
    std::vector<JointTerm> joints;
    std::vector<Point> points;
  };

  /// The scene's objects must stay where they are.
  void add_length_equality(const SceneEquality& equality, int tree, Path a, Path b);
  void add_pose_equality(const SceneEquality& equality, int tree, const Point& a, const Point& b);
  void add_tendon(const SceneTendon& tendon, int tree, Path path);

  /// Adds the constraints at the present state; `first_tree` is that of the first articulated tree
  /// in `problem`.
  void add_constraints(double dt, int first_tree, const MovingBodies& bodies,
                       const ArticulatedTrees& trees, ContactProblem& problem);

  /// Of the tendons' springs [J].
  double potential_energy(const MovingBodies& bodies, const ArticulatedTrees& trees) const;

 private:
  struct LengthEquality {
    const SceneEquality* scene;
    int tree;
    Path a, b;
  };
  struct PoseEquality {
    const SceneEquality* scene;
    int tree;
    Point a, b;
  };
  struct Tendon {
    const SceneTendon* scene;
    int tree;
    Path path;
  };
  /// The state that lengths and rows are taken at.
  struct State {
    const MovingBodies& bodies;
    const ArticulatedTrees& trees;
  };
  /// Where constraints go.
  struct Target {
    double dt;
    int tree;
    ContactProblem& problem;
  };
  static Vec3 place(const Point& point, const MovingBodies& bodies);
  static Mat3 axes(const Point& point, const MovingBodies& bodies);
  static double length_of(const Path& path, int tree, const State& at);
  void add(const LengthEquality& e, const State& at, const Target& to);
  void add(const PoseEquality& e, const State& at, const Target& to);
  void add(const Tendon& t, const State& at, const Target& to);
  void add_gradient(const Path& path, double factor, int nv, const State& at);
  void set_row(const double* values, int count);
  void add_equality(double gap, double stiffness, const Target& to) const;

  std::vector<LengthEquality> length_equalities_;
  std::vector<PoseEquality> pose_equalities_;
  std::vector<Tendon> tendons_;
  std::vector<double> jacobian_, sum_;
  std::vector<RowEntry> row_;  ///< of the constraint at hand
};

}  // namespace abut
