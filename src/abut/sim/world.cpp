#include "abut/sim/world.hpp"

#include <algorithm>
#include <cmath>

#include "abut/core/error.hpp"
#include "abut/core/grow.hpp"
#include "abut/core/text.hpp"
#include "abut/sim/scene_checks.hpp"

namespace abut {
namespace {

bool has_finite_poses(const State& state) {
  bool all = true;
  for (const FreeBodyState& b : state.free_bodies) {
    const Vec3& p = b.center;
    const Quaternion& q = b.orientation;
    all = all && std::isfinite(p.x + p.y + p.z + q.w + q.x + q.y + q.z);
  }
  for (const double q : state.coordinates) all = all && std::isfinite(q);
  return all;
}

}  // namespace

std::string_view WorldOptions::solver_name() const {
  if (solver.empty()) return default_solver(model);
  if (make_solver(solver)->supports(model)) return solver;
  std::vector<std::string_view> good;
  for (const std::string_view name : solver_names()) {
    if (make_solver(name)->supports(model)) good.push_back(name);
  }
  fail_input("solver " + quote(solver) + " does not solve the model " + quote(to_string(model)) +
             ": must be one of " + list_names(good));
}

void WorldOptions::validate() const {
  friction.validate();
  rigid.validate();
  pair.validate();
  if (time_step) require_time_step(*time_step, "time step");
  if (margin) {
    require(*margin >= 0 && std::isfinite(*margin), "margin", *margin, "m", "must not be negative");
  }
  require(tolerance > 0 && tolerance < 1, "tolerance", tolerance, "", "must lie in (0, 1)");
  if (accuracy) require_accuracy(*accuracy, "accuracy");
  if (scheme == SteppingScheme::accelerations) {
    if (!rigid_model(model)) {
      fail_input("scheme accelerations: model " + quote(to_string(model)) +
                 ": must be rigid, one of " + list_names(rigid_models));
    }
    if (accuracy) fail_input("scheme accelerations: accuracy: must not be given");
  }
  require(contact_limit >= 1, "contact limit", contact_limit, "", "must be positive");
  require(threads >= 1 && threads <= 1024, "threads", threads, "", "must lie in [1, 1024]");
}

World::World(Scene scene, const WorldOptions& options)
    : scene_((scene.validate(), options.validate(), std::make_unique<Scene>(std::move(scene)))),
      options_(options),
      pool_(options.threads > 1 ? std::make_unique<ThreadPool>(options.threads) : nullptr),
      thread_use_(pool_.get(), options.share_all),
      time_step_(options.time_step.value_or(scene_->time_step)),
      free_(options.scheme),
      actuators_(options.scheme),
      couplings_(options.scheme),
      moving_(add_bodies()),
      fluid_(*scene_, moving_),
      query_(*scene_, moving_, bodies_,
             {options.pair, options.model, options.law, options.margin, options.contact_limit}),
      solver_(make_solver(options.solver_name())),
      clock_(options.timed),
      watch_(*scene_, moving_),
      error_control_(*scene_, moving_) {
  // most that bodies in a heap have; more make room when they come
  constexpr int contacts_per_body = 12;
  options_.solver = solver_->name();
  configure_accelerations(time_step_);
  ContactProblem& problem = prepared_.edit();
  problem.contacts.reserve(contacts_per_body * bodies_.size());
  problem.patches.reserve(contacts_per_body * bodies_.size());
  articulated_.make_room(problem);
  for (int i = 0; i < std::ssize(scene_->bodies); ++i) {
    const SceneBody& b = scene_->bodies[i];
    if (b.joint_positions.empty() && b.joint_velocities.empty()) continue;
    const Keyframe::State s = initial_state(b);
    write_joint_state(i, {s.joint_positions, s.joint_velocities});
  }
  update_kinematics();
  // others may take long
  const bool is_quick =
      !traits(options_.model).is_rigid && options_.solver == default_solver(options_.model);
  if (is_quick) rehearse();
}

/// The one place where what follows from the state does.
void World::update_kinematics() {
  free_.update_kinematics(state_.free_bodies, bodies_, pool_.get());
  articulated_.update_kinematics(state_.coordinates, state_.velocities, scene_->gravity, bodies_,
                                 pool_.get());
}

const StepReport& World::step(double dt) {
  if (options_.scheme == SteppingScheme::accelerations) return step_by_events(dt);
  if (options_.accuracy && dt >= 4 * smallest_time_step) return step_in_substeps(dt);
  attempt(dt);
  take();
  return report_;
}

const StepReport& World::attempt(double dt) {
  require_time_step(dt, "time step");
  clock_.start();
  thread_use_.start(ThreadUse::Part::loops);
  try {
    last_step_ = LastStep::none;
    const bool by_accelerations = options_.scheme == SteppingScheme::accelerations;
    if (by_accelerations) {
      build_problem_with_velocity_terms(dt);
    } else {
      build_problem(dt);
    }
    const SolveOptions solve{
        .tolerance = options_.tolerance, .pool = pool_.get(), .timed = options_.timed};
    solution_.velocity.clear();
    thread_use_.go_on(ThreadUse::Part::solve);
    if (by_accelerations) {
      solution_.velocity = problem().velocity;
      report_.solve =
          accelerations_.find_forces(prepared_, velocity_terms_, solution_, report_.events.rays);
    } else {
      report_.solve = solver_->solve(prepared_, solve, solution_);
    }
    thread_use_.go_on(ThreadUse::Part::loops);
    report_.time.solve = report_.solve.seconds;
    if (!report_.free_motion.converged) {
      report_.solve.status = worse(report_.solve.status, SolveStatus::stalled);
    }
    build_next_state(dt);
    report_.time.rest = clock_.lap() - report_.solve.seconds;
    thread_use_.pause();
    last_step_ = LastStep::attempted;
    return report_;
  } catch (const std::bad_alloc&) {
    const int contacts = problem().contacts.size();
    forget_last_step();
    throw OutOfMemory("simulating step " + std::to_string(steps() + 1) + " with " +
                      std::to_string(contacts) + " contacts");
  } catch (...) {
    forget_last_step();
    throw;
  }
}

void World::finish_thread_use() {
  constexpr double flops = 5000;  // of a factorization: they count as an iteration of one contact
  const auto trees = static_cast<double>(problem().trees.size()),
             contacts = static_cast<double>(problem().contacts.size());
  const SolveReport& solve = report_.solve;
  const double iterations = contacts * solve.weighted_iterations + solve.factor_flops / flops;
  thread_use_.finish({trees + contacts + iterations, trees + contacts, trees + contacts});
}

void World::accept() {
  if (last_step_ != LastStep::attempted) {
    fail_input(
        "accept: no attempted step is waiting: call attempt() first, and again after a change of "
        "state or inputs");
  }
  clock_.start();
  take();
}

/// The attempted step becomes the last one.
void World::take() {
  thread_use_.go_on_after_pause(ThreadUse::Part::loops);
  if (!energy_is_known_) energy_ = kinetic_energy() + potential_energy();
  // where they are: they are many numbers, of which a step without iterations changes few
  if (guesses()) first_guess_.extend(problem(), solution_, state_.courses, pool_.get());
  state_.courses.swap(next_.courses);
  report_.time.rest += clock_.lap();
  swap(state_, next_);
  last_step_ = LastStep::taken;
  update_kinematics();
  report_.time.contact_query += clock_.lap();
  const double dt = problem().time_step;
  violations_.pass(dt);
  report_.equality = violations_.worst_equality();
  report_.limit = violations_.worst_limit();
  look_at_step(dt);
  report_.time.rest += clock_.lap();
  finish_thread_use();
}

/// There is no last step to tell of.
void World::forget_last_step() {
  last_step_ = LastStep::none;
  report_ = {};
  prepared_.edit().clear();
  solution_.clear();
}

/// Whether first guesses are of use: to solvers of convex models, where places move by v alone.
bool World::guesses() const {
  return !traits(options_.model).is_rigid && traits(options_.scheme).theta_vq == 1;
}

/// What a step of `dt` [s] from the state has to solve. Of the next state what is known before.
void World::build_problem(double dt) {
  report_ = {};
  report_.error.smallest = dt;
  StageTimes& time = report_.time;
  if (fluid_.drags()) {
    resize(drag_, bodies_.size());
    fluid_.get_drag(bodies_, drag_);
  }
  ContactProblem& next = prepared_.edit();
  next.begin(free_.size());
  next.time_step = dt;
  next.model = options_.model;
  next.law = options_.law;
  next.friction = options_.friction;
  next.rigid = options_.rigid;
  next.wake_gap = query_.wake_gap(dt);
  next.rigid.penetration_slop = query_.penetration_slop(dt);
  const int names = add_mechanisms(dt, next);
  recall_scalar_impulses(names, next.scalars);
  if (guesses()) {
    resize(next.first_guess, next.velocity.size());
    first_guess_.put(state_.courses, dt, next.velocity, next.first_guess, pool_.get());
  }
  time.problem += clock_.lap();
  thread_use_.go_on(ThreadUse::Part::contact_query);
  query_.find({bodies_, articulated_, dt, options_.scheme, state_.contacts, next_.contacts, next,
               pool_.get()});
  thread_use_.go_on(ThreadUse::Part::loops);
  if (state_.substep != 0 && dt != state_.substep) {  // impulses are forces times the step
    const double scale = dt / state_.substep;
    for (Vec3& impulse : next.contacts.previous_impulse) impulse *= scale;
    for (double& impulse : next.scalars.previous_impulse) impulse *= scale;
  }
  time.contact_query += clock_.lap();
  prepared_.weigh(pool_.get());
  query_.spend_budgets(prepared_, next_.contacts, pool_.get());
  prepared_.complete(pool_.get());
  report_.contacts = next.contacts.size();
  report_.penetration = query_.penetration();
  report_.overlaps = query_.overlaps();
  violations_.find_worst();
  report_.equality = violations_.worst_equality();
  report_.limit = violations_.worst_limit();
  time.problem += clock_.lap();
}

/// Where nothing drags, the loads as they are.
std::span<const Load> World::add_drag(std::span<const Load> loads) {
  if (drag_.empty()) return loads;
  assign(loads_, loads);
  for (std::size_t i = 0; i < drag_.size(); ++i) {
    loads_[i].force += drag_[i].force;
    loads_[i].moment += drag_[i].moment;
  }
  return loads_;
}

/// Adds trees and scalar constraints, and returns the number of names that the latter have.
int World::add_mechanisms(double dt, ContactProblem& problem) {
  const std::span<const Load> loads = add_drag(inputs_.loads);
  next_.activations = state_.activations;
  next_.limit_allowances = state_.limit_allowances;
  next_.coupling_allowances = state_.coupling_allowances;
  report_.free_motion = free_.set_trees(dt, scene_->gravity, bodies_, loads, problem, pool_.get());
  joint_forces_.assign(articulated_.dofs(), 0);
  actuators_.update(dt, articulated_, inputs_.controls, next_.activations, joint_forces_);
  const auto [end, motion] = articulated_.add_trees(dt, loads, joint_forces_,
                                                    next_.limit_allowances, problem, pool_.get());
  report_.free_motion.take_worse(motion);
  int name = end;
  name = actuators_.add_constraints(name, problem);
  name = couplings_.add_constraints(name, {bodies_, articulated_},
                                    {dt, next_.coupling_allowances, problem, violations_});
  violations_.measure_joint_limits(articulated_);
  problem.scalars.make_room(name);  // limits that are far away come later
  return name;
}

/// Where the solution leads.
void World::build_next_state(double dt) {
  const std::span<const double> velocity = solution_.velocity;
  const std::span<const double> joint_velocity = velocity.subspan(free_.dofs());
  next_.time = state_.time.after(dt);
  next_.steps = state_.steps + 1;
  next_.substep = dt;
  next_.next_substep = state_.next_substep;
  query_.remember(prepared_, solution_, traits(options_.scheme).theta_vq, next_.contacts,
                  pool_.get());
  remember_scalar_impulses();
  resize(next_.free_bodies, state_.free_bodies.size());
  free_.integrate(dt, velocity.first(free_.dofs()), state_.free_bodies, next_.free_bodies,
                  pool_.get());
  actuators_.finish_step(dt, articulated_, joint_velocity, solution_.scalar_impulse);
  next_.velocities.assign(joint_velocity.begin(), joint_velocity.end());
  resize(next_.coordinates, state_.coordinates.size());
  articulated_.integrate(dt, joint_velocity, next_.coordinates, pool_.get());
  if (!has_finite_poses(next_)) report_.solve.status = SolveStatus::numerical_failure;
}

void World::recall_scalar_impulses(int names, ScalarPool& s) {
  next_.scalar_impulses.assign(names, 0);
  const std::vector<double>& last = state_.scalar_impulses;
  if (std::ssize(last) != names) return;  // none was made yet
  for (int i = 0; i < s.size(); ++i) s.previous_impulse[i] = last[s.name[i]];
}

void World::remember_scalar_impulses() {
  const ScalarPool& s = problem().scalars;
  for (int i = 0; i < s.size(); ++i) next_.scalar_impulses[s.name[i]] = solution_.scalar_impulse[i];
}

void World::look_at_step(double dt) {
  const double before = energy_, kinetic = kinetic_energy(), potential = potential_energy();
  energy_ = kinetic + potential;
  if (!energy_is_known_) watch_.forget();
  energy_is_known_ = true;
  watch_.look({.number = steps(),
               .time = time(),
               .dt = dt,
               .problem = prepared_,
               .query = query_,
               .pairs = state_.contacts.pairs,
               .bodies = bodies_,
               .loads = inputs_.loads,
               .drag = drag_,
               .energy_before = before,
               .kinetic = kinetic,
               .potential = potential,
               .drive_work = dt * actuators_.power() +
                             query_.surface_work(problem(), solution_, state_.contacts),
               .gives_way = gives_way()});
}

/// Whether something is let go of slowly that began where it may not be
/// (docs/decisions/overlap.md): it puts energy in.
bool World::gives_way() const {
  const auto any = [](std::span<const double> allowances) {  // infinite: was never asked for
    return std::any_of(allowances.begin(), allowances.end(),
                       [](double a) { return a > 0 && a < HUGE_VAL; });
  };
  return query_.overlaps() > 0 || any(state_.coupling_allowances) || any(state_.limit_allowances);
}

std::span<const ContactSource> World::contact_sources() const {
  if (last_step_ == LastStep::none) return {};
  return last_step_ == LastStep::taken ? state_.contacts.sources : next_.contacts.sources;
}

}  // namespace abut
