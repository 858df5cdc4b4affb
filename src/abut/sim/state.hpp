#pragma once

#include <cstdint>
#include <vector>

#include "abut/sim/contact_memory.hpp"
#include "abut/sim/course.hpp"
#include "abut/trees/free_bodies.hpp"
#include "abut/trees/moving_bodies.hpp"

namespace abut {

/// Time as steps of one size add up to it: it does not drift.
struct SimulationTime {
  double start = 0;         ///< where steps of another size ended [s]
  double step = 0;          ///< size of the last step [s]; 0 before the first
  std::uint64_t count = 0;  ///< of steps of this size

  double now() const { return start + step * static_cast<double>(count); }
  SimulationTime after(double dt) const {
    return dt == step ? SimulationTime{start, step, count + 1} : SimulationTime{now(), dt, 1};
  }
  bool operator==(const SimulationTime&) const = default;
};

/// What the next step of a world begins with: with the scene, the options, the inputs and the size
/// of the step it decides all that follows.
struct State {
  SimulationTime time;
  std::uint64_t steps = 0;
  double substep = 0;       ///< size of the last one [s], whose impulses are below; 0: none
  double next_substep = 0;  ///< that error control would begin with [s]; 0: nothing is known
  std::vector<FreeBodyState> free_bodies;
  std::vector<double> coordinates, velocities;  ///< of all mechanisms, as ArticulatedTree says
  /// What joint limits and couplings may keep of their violations (trees/limits.hpp): infinite
  /// where they were not asked for yet.
  std::vector<double> limit_allowances, coupling_allowances;
  std::vector<double> activations;      ///< of the actuators
  std::vector<double> scalar_impulses;  ///< of the last step's scalar constraints, by their names
  ContactMemory contacts;
  std::vector<Course> courses;  ///< of the trees, for the first guess of what they do next

  friend void swap(State& a, State& b) noexcept {
    std::swap(a.time, b.time);
    std::swap(a.steps, b.steps);
    std::swap(a.substep, b.substep);
    std::swap(a.next_substep, b.next_substep);
    std::swap(a.free_bodies, b.free_bodies);
    std::swap(a.coordinates, b.coordinates);
    std::swap(a.velocities, b.velocities);
    std::swap(a.limit_allowances, b.limit_allowances);
    std::swap(a.coupling_allowances, b.coupling_allowances);
    std::swap(a.activations, b.activations);
    std::swap(a.scalar_impulses, b.scalar_impulses);
    swap(a.contacts, b.contacts);
    std::swap(a.courses, b.courses);
  }
};

/// What acts on a world from outside, until it is changed.
struct Inputs {
  std::vector<double> controls;  ///< of the actuators
  std::vector<Load> loads;       ///< by moving body
};

/// All that decides how a world goes on.
struct Snapshot {
  State state;
  Inputs inputs;
};

}  // namespace abut
