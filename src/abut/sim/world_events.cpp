// Steps of the scheme `accelerations`, from event to event: docs/stepping.md.

#include <algorithm>
#include <cmath>
#include <optional>

#include "abut/problem/contact_kinematics.hpp"
#include "abut/sim/scene_checks.hpp"
#include "abut/sim/world.hpp"

namespace abut {
namespace {

/// No substep is smaller, of the step.
constexpr double smallest_share = 1e-3;
/// Impacts at one instant, at most: more are of bodies that push each other to and fro.
constexpr int most_impacts = 20;
/// Of a step: how far from the state (d/dt J) v is looked for.
constexpr double looked_ahead = 1e-2;

void add_worse(const SolveReport& from, SolveReport& to) {
  to.status = worse(from.status, to.status);
  to.seconds += from.seconds;
  to.certificate.step_error = std::max(to.certificate.step_error, from.certificate.step_error);
}

}  // namespace

/// Contacts and constraints of a place near the state's, with its velocities; nothing of the step
/// at hand but the kinematics changes.
void World::find_aside(double dt) {
  const Violations violations = violations_;
  std::vector<double> limits = state_.limit_allowances, couplings = state_.coupling_allowances;
  aside_.clear();
  aside_.begin(free_.size());
  aside_.time_step = dt;
  aside_.model = options_.model;
  free_.set_trees(dt, scene_->gravity, bodies_, inputs_.loads, aside_, pool_.get());
  const std::vector<double> no_forces(articulated_.dofs(), 0);
  const auto [end, motion] = articulated_.add_trees(dt, inputs_.loads, no_forces, limits, aside_);
  couplings_.add_constraints(end + actuators_.size(), {bodies_, articulated_},
                             {dt, couplings, aside_, violations_});
  violations_ = violations;
  query_.find(
      {bodies_, articulated_, dt, options_.scheme, state_.contacts, seen_, aside_, pool_.get()});
}

/// Where the present velocities lead in `time` [s], or come from.
void World::look_along(double dt, double time, RelativeVelocities& found) {
  std::vector<double> velocity;
  for (const FreeBodyState& b : state_.free_bodies) {
    const Vec3 &v = b.linear_velocity, &w = b.angular_velocity;
    velocity.insert(velocity.end(), {v.x, v.y, v.z, w.x, w.y, w.z});
  }
  const std::vector<FreeBodyState> free_bodies = state_.free_bodies;
  const std::vector<double> coordinates = state_.coordinates;
  free_.integrate(time, velocity, free_bodies, state_.free_bodies);
  articulated_.integrate(time, state_.velocities, state_.coordinates);
  update_kinematics();
  find_aside(dt);
  found.measure(aside_, seen_.sources);
  state_.free_bodies = free_bodies;
  state_.coordinates = coordinates;
  update_kinematics();
}

/// (d/dt J) v needs the contacts of three places; the last one found is the state's.
void World::build_problem_with_velocity_terms(double dt) {
  const double time = looked_ahead * dt;
  look_along(dt, -time, before_);
  look_along(dt, time, after_);
  build_problem(dt);
  now_.measure(problem(), next_.contacts.sources);
  velocity_terms_.find(before_, now_, after_, problem(), time);
}

/// Where something that touches meets: gives the state other velocities, and says so.
bool World::collide(SolveReport& report) {
  if (!accelerations_.meets(prepared_)) return false;
  const double least_bounce = 2 * time_step_ * norm(scene_->gravity);
  std::vector<double> velocity;
  report = accelerations_.collide(prepared_, least_bounce, *solver_, velocity);
  for (std::size_t i = 0; i < state_.free_bodies.size(); ++i) {
    const double* u = velocity.data() + 6 * i;
    state_.free_bodies[i].linear_velocity = {u[0], u[1], u[2]};
    state_.free_bodies[i].angular_velocity = {u[3], u[4], u[5]};
  }
  std::copy(velocity.begin() + free_.dofs(), velocity.end(), state_.velocities.begin());
  update_kinematics();
  return true;
}

/// When, in the attempted step of `h`, slip ends or something that was apart overlaps; h if neither
/// does [s].
double World::event_in(double h) {
  double first = h;
  const ContactAccelerations::Settings& settings = accelerations_.settings();
  const ContactProblem& p = problem();
  for (const Patch& patch : p.patches) {
    const PatchMotion start(p, patch, p.velocity.data()), end(p, patch, solution_.velocity.data());
    for (int i = patch.begin; i < patch.end; ++i) {
      if (p.contacts.gap[i] > settings.touch || p.contacts.friction[i] == 0) continue;
      const Vec3& n = p.contacts.normal[i];
      const auto across = [&](const Vec3& v) { return v - dot(n, v) * n; };
      const Vec3 v0 = across(start.of(i)), v1 = across(end.of(i));
      if (norm(v0) <= settings.sticking || dot(v0, v1) >= 0) continue;
      first = std::min(first, h * squared_norm(v0) / (squared_norm(v0) - dot(v0, v1)));
    }
  }
  const auto swap_places = [&] {
    std::swap(state_.free_bodies, next_.free_bodies);
    std::swap(state_.coordinates, next_.coordinates);
    std::swap(state_.velocities, next_.velocities);
    update_kinematics();
  };
  swap_places();
  find_aside(h);
  const auto close = [&](double gap, double rate) {
    if (gap < -settings.touch && rate * settings.settling < -settings.touch)
      first = std::min(first, h - gap / rate);
  };
  for (const Patch& patch : aside_.patches) {
    const PatchMotion motion(aside_, patch, aside_.velocity.data());
    for (int i = patch.begin; i < patch.end; ++i) {
      close(aside_.contacts.gap[i], dot(aside_.contacts.normal[i], motion.of(i)));
    }
  }
  swap_places();
  return first;
}

/// Touch is a hundredth of half the margin: of a ball 10^-4 of its radius.
void World::configure_accelerations(double dt) {
  accelerations_.configure({.touch = 0.01 * query_.wake_gap(HUGE_VAL),
                            .settling = 4 * dt,
                            .sticking = options_.friction.stiction_tolerance,
                            .tolerance = options_.tolerance,
                            .timed = options_.timed});
}

const StepReport& World::step_by_events(double dt) {
  require_time_step(dt, "time step");
  const double smallest = std::max(smallest_share * dt, smallest_time_step);
  configure_accelerations(dt);
  set_mark(start_);
  try {
    std::optional<StepReport> all;
    int events = 0;
    SolveReport impacts;  // since the last substep
    impacts.status = SolveStatus::converged;
    for (double rest = dt; rest > 0;) {
      double h = rest;
      attempt(h);
      SolveReport impact;
      if (events < most_impacts && collide(impact)) {
        add_worse(impact, impacts);
        ++events;
        continue;
      }
      StageTimes lost;
      for (double next = event_in(h); next < h && h > smallest; next = event_in(h)) {
        h = std::clamp(next, std::max(smallest, 0.05 * h), h);
        lost += report_.time;
        attempt(h);
      }
      accept();
      report_.time += lost;
      report_.events.impacts = events;
      add_worse(impacts, report_.solve);
      impacts = {};
      impacts.status = SolveStatus::converged;
      events = 0;
      state_.steps = start_.state.steps + 1;
      all = all ? follow(*all, report_) : report_;
      rest = rest - h > 1e-9 * dt ? rest - h : 0;
    }
    report_ = *all;
    state_.time = start_.state.time.after(dt);
    return report_;
  } catch (...) {
    go_back(start_);
    throw;
  }
}

}  // namespace abut
