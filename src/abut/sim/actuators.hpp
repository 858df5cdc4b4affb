#pragma once

#include <span>
#include <vector>

#include "abut/problem/contact_problem.hpp"
#include "abut/sim/joint_sum.hpp"
#include "abut/sim/scene.hpp"
#include "abut/trees/articulated_trees.hpp"

namespace abut {

/// What an actuator did in the last step.
struct ActuatorState {
  double length = 0;      ///< at its start [m or rad]
  double velocity = 0;    ///< of the length, at its end [m/s or rad/s]
  double force = 0;       ///< [N or N m]
  double activation = 0;  ///< a at its end; 0 without activation dynamics
};

/// The actuators of a world: what they do in a step.
class Actuators {
 public:
  explicit Actuators(SteppingScheme scheme) : scheme_(scheme) {}

  /// In the scene's order; `actuator` must stay where it is.
  void add(const SceneActuator& actuator, const ArticulatedTrees& trees,
           std::vector<JointTerm> parts);

  int size() const { return static_cast<int>(actuators_.size()); }

  /// Forces at the state of `trees` under the controls. Activations go from the step's start to its
  /// end. What does not resist motion is added to `forces`, the generalized forces of all trees one
  /// after the other; the others are for add_constraints().
  void update(double dt, const ArticulatedTrees& trees, std::span<const double> controls,
              std::span<double> activations, std::span<double> forces);

  /// Adds those that resist motion as scalar constraints. Names them from `name` on and returns the
  /// next name.
  int add_constraints(int name, ContactProblem& problem);

  /// Takes note of what the step's solution says of them; velocities of all trees one after the
  /// other.
  void finish_step(double dt, const ArticulatedTrees& trees, std::span<const double> velocity,
                   std::span<const double> scalar_impulse);
  /// What all put in, in the last step [W]: forces times the velocities that moved the joints.
  double power() const;
  const ActuatorState& state(int actuator) const { return actuators_[actuator].state; }

 private:
  /// The force of its control alone on one joint: what a step needs of it lies together.
  struct Direct {
    JointTerm joint;
    std::int32_t dof = 0;  ///< of all trees one after the other
    double gain = 0, bias = 0;
    double lower_control = 0, upper_control = 0;  ///< infinite where it is not limited
    double lower_force = 0, upper_force = 0;      ///< [N or N m]
  };
  struct Actuator {
    bool is_direct = false;
    bool resists = false;  ///< constraint is to be added in this step
    int index = 0;         ///< of the constraint in the problem
    Direct direct;
    double moving_velocity = 0;
    ActuatorState state;
    const SceneActuator* scene = nullptr;
    std::vector<JointTerm> parts;
    std::vector<RowEntry> row;  ///< of the problem
    ScalarConstraint constraint;
  };
  static void drive(Actuator& a, double u, const ArticulatedTrees& trees, std::span<double> forces);
  SteppingScheme scheme_;
  std::vector<Actuator> actuators_;
  static double advance_activation(Actuator& a, double u, double dt, double& activation);
};

}  // namespace abut
