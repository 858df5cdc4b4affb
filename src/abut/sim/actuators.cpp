#include "abut/sim/actuators.hpp"

#include <algorithm>
#include <cmath>

namespace abut {

namespace {

/// f = D (v_max - v) between 0 and the motor's force: that force up to 0.99 v_max, then less.
ScalarConstraint limited_motor(double force, double velocity_limit) {
  const double damping = std::abs(force) / (0.01 * velocity_limit);
  return {.kind = ScalarKind::actuator,
          .stiffness = 0,
          .damping = damping,
          .force = damping * std::copysign(velocity_limit, force),
          .lower_force = std::min(0.0, force),
          .upper_force = std::max(0.0, force)};
}

/// Whether its force depends on the control alone, and acts on one joint.
bool is_direct(const SceneActuator& s) {
  return s.parts.size() == 1 && s.activation == Activation::none && std::isinf(s.velocity_limit) &&
         s.gain[1] == 0 && s.gain[2] == 0 && s.bias[1] == 0 && s.bias[2] == 0;
}

}  // namespace

void Actuators::add(const SceneActuator& actuator, const ArticulatedTrees& trees,
                    std::vector<JointTerm> parts) {
  Actuator a;
  a.scene = &actuator;
  a.parts = std::move(parts);
  for (const JointTerm& part : a.parts) {
    a.row.push_back({trees.first_tree() + part.tree, part.velocity, part.factor});
  }
  const auto by_tree = [](const RowEntry& x, const RowEntry& y) { return x.tree < y.tree; };
  std::stable_sort(a.row.begin(), a.row.end(), by_tree);
  a.is_direct = is_direct(actuator);
  if (a.is_direct) {
    const JointTerm& joint = a.parts.front();
    const bool limited = actuator.control_limited;
    a.direct = {.joint = joint,
                .dof = trees.first_velocity(joint.tree) + joint.velocity,
                .gain = actuator.gain[0],
                .bias = actuator.bias[0],
                .lower_control = limited ? actuator.lower_control : -HUGE_VAL,
                .upper_control = limited ? actuator.upper_control : HUGE_VAL,
                .lower_force = actuator.lower_force,
                .upper_force = actuator.upper_force};
  }
  actuators_.push_back(std::move(a));
}

/// What update() does, of one that is direct.
void Actuators::drive(Actuator& a, double u, const ArticulatedTrees& trees,
                      std::span<double> forces) {
  const Direct& m = a.direct;
  a.state.length = m.joint.factor *
                   (trees.tree(m.joint.tree).coordinates()[m.joint.position] + m.joint.reference);
  const double force = m.gain * std::clamp(u, m.lower_control, m.upper_control) + m.bias;
  a.state.force = std::clamp(force, m.lower_force, m.upper_force);
  forces[m.dof] += m.joint.factor * a.state.force;
}

void Actuators::update(double dt, const ArticulatedTrees& trees, std::span<const double> controls,
                       std::span<double> activations, std::span<double> forces) {
  for (int i = 0; i < size(); ++i) {
    Actuator& a = actuators_[i];
    if (a.is_direct) {
      drive(a, controls[i], trees, forces);
      continue;
    }
    const double length = joint_sum(a.parts, trees);
    double speed = 0;
    for (const JointTerm& part : a.parts) {
      speed += part.factor * trees.tree(part.tree).velocity()[part.velocity];
    }
    a.state.length = length;
    const SceneActuator& s = *a.scene;
    double u = controls[i];
    if (s.control_limited) u = std::clamp(u, s.lower_control, s.upper_control);
    if (s.activation != Activation::none) u = advance_activation(a, u, dt, activations[i]);
    const double stiffness = -(s.gain[1] * u + s.bias[1]), damping = -(s.gain[2] * u + s.bias[2]);
    const double force = s.gain[0] * u + s.bias[0] - stiffness * length;
    const SteppedSpring spring = stepped_spring(scheme_, dt, stiffness, damping, force, speed);
    a.resists = dt * spring.stiffness + spring.damping > 0;
    if (a.resists) {
      a.constraint = {.kind = ScalarKind::actuator,
                      .stiffness = spring.stiffness,
                      .damping = spring.damping,
                      .force = spring.force,
                      .lower_force = s.lower_force,
                      .upper_force = s.upper_force};
      continue;
    }
    const double explicit_force = std::clamp(force - damping * speed, s.lower_force, s.upper_force);
    if (std::isfinite(s.velocity_limit) && explicit_force != 0) {
      a.resists = true;
      a.constraint = limited_motor(explicit_force, s.velocity_limit);
      continue;
    }
    a.state.force = explicit_force;
    for (const JointTerm& part : a.parts) {
      forces[trees.first_velocity(part.tree) + part.velocity] += part.factor * explicit_force;
    }
  }
}

/// Returns what takes the control's place in the force.
double Actuators::advance_activation(Actuator& actuator, double u, double dt, double& a) {
  const SceneActuator& s = *actuator.scene;
  const double before = a;
  a += s.activation == Activation::integrator ? dt * u
                                              : (u - a) * -std::expm1(-dt / s.time_constant);
  if (s.activation_limited) a = std::clamp(a, s.lower_activation, s.upper_activation);
  actuator.state.activation = a;
  return s.activation_early ? a : before;
}

int Actuators::add_constraints(int name, ContactProblem& problem) {
  for (int i = 0; i < size(); ++i) {
    Actuator& a = actuators_[i];
    if (!a.resists) continue;
    a.constraint.name = name + i;
    a.index = problem.add_scalar(a.constraint, a.row);
  }
  return name + size();
}

void Actuators::finish_step(double dt, const ArticulatedTrees& trees,
                            std::span<const double> velocity,
                            std::span<const double> scalar_impulse) {
  const double share = traits(scheme_).theta_vq;
  for (Actuator& a : actuators_) {
    if (a.is_direct && share == 1) {
      a.moving_velocity = a.state.velocity = a.direct.joint.factor * velocity[a.direct.dof];
      continue;
    }
    a.state.velocity = 0;
    double start = 0;
    for (const JointTerm& part : a.parts) {
      a.state.velocity += part.factor * velocity[trees.first_velocity(part.tree) + part.velocity];
      if (share != 1) start += part.factor * trees.tree(part.tree).velocity()[part.velocity];
    }
    a.moving_velocity = (1 - share) * start + share * a.state.velocity;
    if (a.resists) a.state.force = scalar_impulse[a.index] / dt;
  }
}

double Actuators::power() const {
  double power = 0;
  for (const Actuator& a : actuators_) power += a.state.force * a.moving_velocity;
  return power;
}

}  // namespace abut
