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
  explicit Couplings(SteppingScheme scheme) : scheme_(scheme) {}

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

  /// The state that lengths and rows are taken at.
  struct Place {
    const MovingBodies& bodies;
    const ArticulatedTrees& trees;
  };
  /// Where constraints go.
  struct Target {
    double dt;                     ///< [s]
    std::span<double> allowances;  ///< what may be kept of violations (trees/limits.hpp)
    ContactProblem& problem;
    Violations& violations;
  };

  int allowances() const { return allowances_; }  ///< how many there are
  /// What was put elsewhere, a tree of the problem, begins anew with what it is held by.
  void forget(int tree, const Place& at, std::span<double> allowances) const;

  /// Adds the constraints, with names from `name` on, lowers the allowances and says how far off
  /// constraints are. Returns the next name.
  int add_constraints(int name, const Place& at, const Target& to);

  /// Of the tendons' springs [J].
  double potential_energy(const Place& at) const;

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
  static Vec3 place(const Point& point, const MovingBodies& bodies);
  static Mat3 axes(const Point& point, const MovingBodies& bodies);
  static bool is_on(const Point& point, int tree, const Place& at);
  static bool is_on(const Path& path, int tree, const Place& at);
  static double length_of(const Path& path, const Place& at);
  void add(const LengthEquality& e, const Place& at, const Target& to);
  void add(const PoseEquality& e, const Place& at, const Target& to);
  void add(const Tendon& t, const Place& at, const Target& to);
  void add_spring(const SceneTendon& t, double stretch, int name, const Target& to);
  void add_gradient(const Path& path, double factor, const Place& at);
  void add_equality(double gap, double stiffness, const Target& to);

  SteppingScheme scheme_;
  std::vector<LengthEquality> length_equalities_;
  std::vector<PoseEquality> pose_equalities_;
  std::vector<Tendon> tendons_;
  int allowances_ = 0;
  int name_ = 0;       ///< of the next constraint
  ConstraintRow row_;  ///< of the constraint at hand
};

}  // namespace abut
