#pragma once

#include <span>
#include <vector>

#include "abut/problem/contact_problem.hpp"
#include "abut/sim/constraint_row.hpp"
#include "abut/sim/joint_sum.hpp"
#include "abut/sim/scene.hpp"
#include "abut/sim/violations.hpp"
#include "abut/trees/articulated_trees.hpp"
#include "abut/trees/moving_bodies.hpp"

namespace abut {

/// What holds bodies and joints together beyond their trees: equality constraints and tendons, as
/// scalar constraints on the velocities of all trees that they join.
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

  /// The scene's objects must stay where they are. `violation`: number among the world's.
  void add_length_equality(const SceneEquality& equality, int violation, Path a, Path b);
  void add_pose_equality(const SceneEquality& equality, int violation, const Point& a,
                         const Point& b);
  void add_tendon(const SceneTendon& tendon, int violation, Path path);

  /// Adds the constraints at the present state, with names from `name` on, and says how far off
  /// they are. Returns the next name.
  int add_constraints(double dt, int name, const MovingBodies& bodies,
                      const ArticulatedTrees& trees, ContactProblem& problem,
                      Violations& violations);

  /// What each constraint may keep of its violation (trees/joint.hpp): infinite at first and after
  /// forget().
  std::span<const double> allowances() const { return allowed_; }
  void restore(std::span<const double> allowances) {
    allowed_.assign(allowances.begin(), allowances.end());
  }
  void forget();

  /// Of the tendons' springs [J].
  double potential_energy(const MovingBodies& bodies, const ArticulatedTrees& trees) const;

 private:
  struct LengthEquality {
    const SceneEquality* scene;
    int violation, allowance;
    Path a, b;
  };
  struct PoseEquality {
    const SceneEquality* scene;
    int violation, allowance;  ///< of a weld the one after it too, for the angle
    Point a, b;
  };
  struct Tendon {
    const SceneTendon* scene;
    int violation, allowance;
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
    ContactProblem& problem;
    Violations& violations;
  };
  static Vec3 place(const Point& point, const MovingBodies& bodies);
  static Mat3 axes(const Point& point, const MovingBodies& bodies);
  static double length_of(const Path& path, const State& at);
  void add(const LengthEquality& e, const State& at, const Target& to);
  void add(const PoseEquality& e, const State& at, const Target& to);
  void add(const Tendon& t, const State& at, const Target& to);
  void add_gradient(const Path& path, double factor, const State& at);
  int add_allowance();
  double kept(double violation, double dt, int allowance);
  void add_equality(double gap, double stiffness, const Target& to);

  std::vector<LengthEquality> length_equalities_;
  std::vector<PoseEquality> pose_equalities_;
  std::vector<Tendon> tendons_;
  std::vector<double> allowed_;
  int name_ = 0;       ///< of the next constraint
  ConstraintRow row_;  ///< of the constraint at hand
};

}  // namespace abut
