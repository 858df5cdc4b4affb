// A step in substeps whose error is controlled: docs/stepping.md.

#include <algorithm>
#include <cmath>
#include <exception>
#include <optional>

#include "abut/sim/scene_checks.hpp"
#include "abut/sim/world.hpp"

namespace abut {
namespace {

/// No substep is smaller, of the step: an impact that takes less is taken as it comes.
constexpr double smallest_share = 1e-6;
/// From this part of the step on, a solve that did not converge is tried again with a smaller one.
constexpr double retried_share = 1e-2;

/// Member by member, so that all keep their buffers.
void copy(const State& from, State& to) {
  to.time = from.time;
  to.steps = from.steps;
  to.substep = from.substep;
  to.next_substep = from.next_substep;
  to.free_bodies = from.free_bodies;
  to.coordinates = from.coordinates;
  to.velocities = from.velocities;
  to.limit_allowances = from.limit_allowances;
  to.coupling_allowances = from.coupling_allowances;
  to.activations = from.activations;
  to.scalar_impulses = from.scalar_impulses;
  copy(from.contacts, to.contacts);
  to.courses = from.courses;
}

}  // namespace

void World::set_mark(Mark& mark) const {
  copy(state_, mark.state);
  mark.violations = violations_;
  mark.watch = watch_;
  mark.energy = energy_;
  mark.energy_is_known = energy_is_known_;
}

/// To where the mark was set.
void World::go_back(const Mark& mark) {
  copy(mark.state, state_);
  violations_ = mark.violations;
  watch_ = mark.watch;
  energy_ = mark.energy;
  energy_is_known_ = mark.energy_is_known;
  update_kinematics();
}

/// Makes room for the first steps, by steps that are not taken: two, as a step reads one state and
/// writes another, and the next one has them the other way round.
void World::rehearse() {
  Mark start;
  set_mark(start);
  const Actuators actuators = actuators_;
  try {
    for (int k = 0; k < 2; ++k) {
      attempt(time_step_);
      swap(state_, next_);
      copy(start.state, state_);
    }
  } catch (const std::exception&) {  // the first step will say what
  }
  go_back(start);
  actuators_ = actuators;
  forget_last_step();
  if (!options_.accuracy) return;
  for (Mark* mark : {&start_, &mark_}) set_mark(*mark);
  error_control_.set_whole(bodies_);
}

const StepReport& World::step_in_substeps(double dt) {
  require_time_step(dt, "time step");
  const double accuracy = *options_.accuracy;
  // one that is cut short is half as large, and has two halves
  const double smallest = std::max(smallest_share * dt, 4 * smallest_time_step);
  set_mark(start_);
  try {
    std::optional<StepReport> all;
    StageTimes lost;
    int rejected = 0;
    for (double rest = dt; rest > 0;) {
      const double wanted = state_.next_substep > 0 ? std::min(state_.next_substep, dt) : dt;
      // what is left is not cut into a large and a tiny part
      const double h = wanted < rest ? std::min(wanted, 0.5 * rest) : rest;
      set_mark(mark_);
      const StepReport both = take_two_substeps(h);
      const bool failed = both.solve.status != SolveStatus::converged && h > retried_share * dt;
      const double error = failed ? HUGE_VAL : both.error.error;
      const double next = next_substep(h, error, accuracy);
      if (error > accuracy && h > smallest) {
        go_back(mark_);
        state_.next_substep = std::max(next, smallest);
        lost += both.time;
        rejected += 2;
        continue;
      }
      // one that was cut short says nothing against the size that was wanted
      state_.next_substep = std::clamp(h < wanted ? std::max(next, wanted) : next, smallest, dt);
      all = all ? follow(*all, both) : both;
      rest = h < rest ? rest - h : 0;
    }
    all->time += lost;
    all->error.rejected = rejected;
    all->error.is_met = !(all->error.error > accuracy);
    report_ = *all;
    state_.time = start_.state.time.after(dt);
    return report_;
  } catch (...) {
    go_back(start_);
    throw;
  }
}

/// Two of h/2, and how far from there one of h leads. Steps are counted as one.
StepReport World::take_two_substeps(double h) {
  attempt(h);
  StageTimes time = report_.time;
  std::swap(state_, next_);
  update_kinematics();
  error_control_.set_whole(bodies_);
  std::swap(state_, next_);
  update_kinematics();
  StepReport both;
  for (const bool first : {true, false}) {
    state_.steps = start_.state.steps;
    attempt(0.5 * h);
    accept();
    both = first ? report_ : follow(both, report_);
  }
  both.time += time;
  const auto [error, body] = error_control_.compare(bodies_);
  both.error.error = error;
  both.error.body = body;
  return both;
}

}  // namespace abut
