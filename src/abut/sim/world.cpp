#include "abut/sim/world.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "abut/core/hash.hpp"
#include "abut/sim/scene_checks.hpp"

namespace abut {
namespace {

/// Measures consecutive stages.
class StageClock {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const std::chrono::duration<double> t = now - last_;
    last_ = now;
    return t.count();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

bool has_finite_poses(const MovingBodies& bodies) {
  bool all = true;
  for (int i = 0; i < bodies.size(); ++i) {
    const Vec3& p = bodies.center[i];
    const Quaternion& q = bodies.orientation[i];
    all = all && std::isfinite(p.x + p.y + p.z + q.w + q.x + q.y + q.z);
  }
  return all;
}

double distance(const Quaternion& a, const Quaternion& b) {
  return norm(Quaternion{a.w - b.w, a.x - b.x, a.y - b.y, a.z - b.z});
}

}  // namespace

void WorldOptions::validate() const {
  friction.validate();
  pair.validate();
  if (time_step) {
    require(*time_step >= smallest_time_step && *time_step <= 1, "time step", *time_step, "s",
            "must lie in [1e-9, 1]");
  }
  if (margin) {
    require(*margin >= 0 && std::isfinite(*margin), "margin", *margin, "m", "must not be negative");
  }
  require(tolerance > 0 && tolerance < 1, "tolerance", tolerance, "", "must lie in (0, 1)");
  require(contact_limit >= 1, "contact limit", contact_limit, "", "must be positive");
  require(threads >= 1 && threads <= 1024, "threads", threads, "", "must lie in [1, 1024]");
}

World::World(Scene scene, const WorldOptions& options)
    : scene_((scene.validate(), options.validate(), std::make_unique<Scene>(std::move(scene)))),
      options_(options),
      time_step_(options.time_step.value_or(scene_->time_step)),
      moving_(add_bodies()),
      fluid_(*scene_, moving_),
      query_(*scene_, moving_, bodies_, options.pair, options.margin, options.contact_limit),
      solver_(make_solver(options.solver)),
      watch_(*scene_, moving_) {
  // most that bodies in a heap have; more make room when they come
  constexpr int contacts_per_body = 12;
  ContactProblem& problem = prepared_.edit();
  problem.contacts.reserve(contacts_per_body * bodies_.size());
  problem.patches.reserve(contacts_per_body * bodies_.size());
  problem.wake_gap = query_.wake_gap(time_step_);
  if (options.threads > 1) pool_ = std::make_unique<ThreadPool>(options.threads);
  for (int i = 0; i < std::ssize(scene_->bodies); ++i) {
    const SceneBody& b = scene_->bodies[i];
    if (b.joint_positions.empty() && b.joint_velocities.empty()) continue;
    const Keyframe::State s = initial_state(b);
    write_joint_state(i, {s.joint_positions, s.joint_velocities});
  }
  articulated_.update_kinematics(scene_->gravity, bodies_);
}

const StepReport& World::step() {
  try {
    return try_step();
  } catch (const std::bad_alloc&) {
    const int contacts = problem().contacts.size();
    give_up_step();
    throw OutOfMemory("simulating step " + std::to_string(steps_ + 1) + " with " +
                      std::to_string(contacts) + " contacts");
  } catch (...) {
    give_up_step();
    throw;
  }
}

/// There is no last step to tell of. What the step at hand let go of it takes back.
void World::give_up_step() {
  articulated_.restore_allowances(start_limits_);
  couplings_.restore(start_couplings_);
  report_ = {};
  prepared_.edit().clear();
  solution_ = {};
}

const StepReport& World::try_step() {
  StageClock clock;
  report_ = {};
  StageTimes& time = report_.time;
  articulated_.save_allowances(start_limits_);
  const auto couplings = couplings_.allowances();
  start_couplings_.assign(couplings.begin(), couplings.end());
  if (!energy_is_known_) energy_ = kinetic_energy() + potential_energy();
  time.rest += clock.lap();
  free_.update_kinematics(bodies_);
  fluid_.update(bodies_);
  time.contact_query += clock.lap();
  ContactProblem& next = prepared_.edit();
  add_mechanisms(next);
  time.problem += clock.lap();
  query_.find(bodies_, articulated_, time_step_, next);
  time.contact_query += clock.lap();
  prepared_.weigh();
  query_.spend_budgets(prepared_);
  prepared_.complete();
  time.problem += clock.lap();

  solution_.velocity = problem().velocity;
  const SolveOptions solve{.tolerance = options_.tolerance, .pool = pool_.get()};
  report_.solve = solver_->solve(prepared_, solve, solution_);
  time.solve = report_.solve.seconds;
  report_.contacts = problem().contacts.size();
  report_.penetration = query_.penetration();
  report_.overlaps = query_.overlaps();
  report_.equality = violations_.worst_equality();
  report_.limit = violations_.worst_limit();
  query_.remember(problem(), solution_);
  remember_scalar_impulses();
  const std::span<const double> velocity = solution_.velocity;
  free_.integrate(time_step_, velocity.first(free_.dofs()), bodies_);
  const std::span<const double> joint_velocity = velocity.subspan(free_.dofs());
  actuators_.finish_step(time_step_, articulated_, joint_velocity, solution_.scalar_impulse);
  articulated_.integrate(time_step_, joint_velocity);
  time.rest += clock.lap() - time.solve;
  articulated_.update_kinematics(scene_->gravity, bodies_);
  time.contact_query += clock.lap();
  if (!has_finite_poses(bodies_)) report_.solve.status = SolveStatus::numerical_failure;
  ++steps_;
  look_at_step();
  time.rest += clock.lap();
  return report_;
}

/// The next step's problem but for its contacts.
void World::add_mechanisms(ContactProblem& problem) {
  problem.clear();
  problem.time_step = time_step_;
  problem.model = options_.model;
  problem.law = options_.law;
  problem.friction = options_.friction;
  free_.add_trees(time_step_, scene_->gravity, bodies_, problem);
  joint_forces_.assign(articulated_.dofs(), 0);
  actuators_.update(time_step_, articulated_, joint_forces_);
  int name = articulated_.add_trees(time_step_, bodies_, joint_forces_, problem);
  name = actuators_.add_constraints(name, problem);
  name = couplings_.add_constraints(time_step_, name, bodies_, articulated_, problem, violations_);
  recall_scalar_impulses(name, problem.scalars);
  violations_.finish(time_step_, articulated_);
}

void World::recall_scalar_impulses(int names, ScalarPool& s) {
  scalar_impulses_.resize(names, 0);
  for (int i = 0; i < s.size(); ++i) s.previous_impulse[i] = scalar_impulses_[s.name[i]];
}

void World::remember_scalar_impulses() {
  std::fill(scalar_impulses_.begin(), scalar_impulses_.end(), 0.0);
  const ScalarPool& s = problem().scalars;
  for (int i = 0; i < s.size(); ++i) scalar_impulses_[s.name[i]] = solution_.scalar_impulse[i];
}

void World::look_at_step() {
  const double before = energy_, kinetic = kinetic_energy(), potential = potential_energy();
  energy_ = kinetic + potential;
  if (!energy_is_known_) watch_.forget();
  energy_is_known_ = true;
  watch_.look({.number = steps_,
               .time = time(),
               .dt = time_step_,
               .problem = prepared_,
               .query = query_,
               .bodies = bodies_,
               .energy_before = before,
               .kinetic = kinetic,
               .potential = potential,
               .drive_work = time_step_ * actuators_.power(),
               .gives_way = gives_way()});
}

/// Whether something is let go of slowly that began where it may not be
/// (docs/decisions/overlap.md): it puts energy in.
bool World::gives_way() const {
  const auto any = [](std::span<const double> allowances) {  // infinite: was never asked for
    return std::any_of(allowances.begin(), allowances.end(),
                       [](double a) { return a > 0 && a < HUGE_VAL; });
  };
  if (query_.overlaps() > 0 || any(couplings_.allowances())) return true;
  for (int t = 0; t < articulated_.size(); ++t) {
    if (any(articulated_.tree(t).allowances())) return true;
  }
  return false;
}

std::int32_t World::moving_body(int body) const {
  if (body < 0 || body >= std::ssize(scene_->bodies)) {
    fail_input("body " + std::to_string(body) + " is none of the scene's " +
               std::to_string(scene_->bodies.size()));
  }
  return moving_[body];
}

BodyState World::body_state(int body) const {
  const int i = moving_body(body);
  const SceneBody& b = scene_->bodies[body];
  if (i == fixed_body) return {b.position, b.orientation, {}, {}};
  const Quaternion& q = bodies_.orientation[i];
  return {bodies_.center[i] - to_matrix(q) * b.center_of_mass, q, bodies_.linear_velocity[i],
          bodies_.angular_velocity[i]};
}

void World::set_body_state(int body, const BodyState& state) {
  const int i = moving_body(body);
  const SceneBody& b = scene_->bodies[body];
  const std::string name = display_name(*scene_, body);
  if (i == fixed_body) fail_input("set_body_state: " + name + " is fixed");
  if (b.kind == BodyKind::linked) {
    fail_input("set_body_state: " + name + " is linked, set its joints' state");
  }
  const Origin at{.file = {}, .line = 0, .element = "body '" + name + "'"};
  const double length = norm(state.orientation);
  require(std::abs(length - 1) < 1e-3, "norm of orientation", length, "", "must be 1", at);
  require_finite(state.position, "position", "m", at);
  require_speed(state.linear_velocity, "linear_velocity", "m/s", at);
  require_speed(state.angular_velocity, "angular_velocity", "rad/s", at);
  const Quaternion q = normalized(state.orientation);
  const Vec3 center = state.position + to_matrix(q) * b.center_of_mass;
  constexpr double same = 1e-12;  // what body_state() gave, but for rounding
  const double far = norm(state.position) + norm(b.center_of_mass);
  if (norm(center - bodies_.center[i]) > same * far || distance(q, bodies_.orientation[i]) > same) {
    query_.forget(bodies_.tree[i]);
    couplings_.forget();
    violations_.forget();
  }
  energy_is_known_ = false;
  bodies_.turn(i, q);
  bodies_.center[i] = center;
  bodies_.linear_velocity[i] = state.linear_velocity;
  bodies_.angular_velocity[i] = state.angular_velocity;
}

const JointPlace& World::joint_place(int body) const {
  moving_body(body);
  const JointPlace& place = joint_places_[body];
  if (place.tree < 0) fail_input(display_name(*scene_, body) + " is not linked: it has no joints");
  return place;
}

JointState World::joint_state(int body) const {
  const JointPlace& at = joint_place(body);
  const ArticulatedTree& tree = articulated_.tree(at.tree);
  std::vector<double> q(tree.positions()), v(tree.velocities());
  tree.get_state(q, v);
  const auto part = [](const std::vector<double>& x, int first, int count) {
    return std::vector<double>(x.begin() + first, x.begin() + first + count);
  };
  const SceneBody& b = scene_->bodies[body];
  return {part(q, at.position, joint_positions(b)), part(v, at.velocity, joint_velocities(b))};
}

JointTerm World::checked_term(int body, int joint) const {
  joint_place(body);
  const std::vector<SceneJoint>& joints = scene_->bodies[body].joints;
  const bool exists = joint >= 0 && joint < std::ssize(joints);
  require(exists && position_count(joints[joint].kind) == 1, "joint", joint, "",
          "must be a hinge or slide of the body");
  return joint_term({body, joint});
}

double World::joint_position(int body, int joint) const {
  const JointTerm t = checked_term(body, joint);
  return articulated_.tree(t.tree).coordinates()[t.position] + t.reference;
}

double World::joint_velocity(int body, int joint) const {
  const JointTerm t = checked_term(body, joint);
  return articulated_.tree(t.tree).velocity()[t.velocity];
}

void World::set_joint_state(int body, const JointState& state) {
  write_joint_state(body, state);
  articulated_.update_kinematics(scene_->gravity, bodies_);
}

void World::write_joint_state(int body, const JointState& state) {
  const JointPlace& at = joint_place(body);
  const SceneBody& b = scene_->bodies[body];
  const Origin origin{
      .file = {}, .line = 0, .element = "body '" + display_name(*scene_, body) + "'"};
  const auto check = [&](const std::vector<double>& values, int count, const char* name) {
    require(std::ssize(values) == count, name, static_cast<double>(values.size()), "values",
            "must be as many as its joints have", origin);
    for (const double x : values) require(std::isfinite(x), name, x, "", "must be finite", origin);
  };
  check(state.positions, joint_positions(b), "positions");
  check(state.velocities, joint_velocities(b), "velocities");
  const double* next = state.positions.data();
  for (const SceneJoint& joint : b.joints) {
    const double* q = joint.kind == JointKind::free ? next + 3 : next;
    if (joint.kind == JointKind::free || joint.kind == JointKind::ball) {
      const double length = norm(Quaternion{q[0], q[1], q[2], q[3]});
      require(std::abs(length - 1) < 1e-3, "norm of quaternion", length, "", "must be 1", origin);
    }
    next += position_count(joint.kind);
  }
  ArticulatedTree& tree = articulated_.tree(at.tree);
  std::vector<double> q(tree.positions()), v(tree.velocities());
  tree.get_state(q, v);
  if (!std::equal(state.positions.begin(), state.positions.end(), q.begin() + at.position)) {
    query_.forget(bodies_.tree[moving_[body]]);
  }
  std::copy(state.positions.begin(), state.positions.end(), q.begin() + at.position);
  std::copy(state.velocities.begin(), state.velocities.end(), v.begin() + at.velocity);
  tree.set_state(q, v);
  couplings_.forget();
  violations_.forget();
  energy_is_known_ = false;
}

void World::check_actuator(int actuator) const {
  if (actuator >= 0 && actuator < actuators_.size()) return;
  fail_input("actuator " + std::to_string(actuator) + " is none of the scene's " +
             std::to_string(actuators_.size()));
}

const ActuatorState& World::actuator_state(int actuator) const {
  check_actuator(actuator);
  return actuators_.state(actuator);
}

void World::set_control(int actuator, double u) {
  check_actuator(actuator);
  require(std::isfinite(u), "control", u, "", "must be finite",
          {.file = {}, .line = 0, .element = "actuator " + std::to_string(actuator)});
  actuators_.set_control(actuator, u);
}

void World::set_load(int body, const Vec3& force, const Vec3& moment) {
  const int i = moving_body(body);
  if (i == fixed_body) fail_input("set_load: " + display_name(*scene_, body) + " is fixed");
  if (!is_finite(force) || !is_finite(moment)) {
    fail_input("set_load: force or moment on " + display_name(*scene_, body) + " is not finite");
  }
  bodies_.force[i] = force;
  bodies_.moment[i] = moment;
}

void World::set_keyframe(int keyframe) {
  if (keyframe < 0 || keyframe >= std::ssize(scene_->keyframes)) {
    fail_input("keyframe " + std::to_string(keyframe) + " is none of the scene's " +
               std::to_string(scene_->keyframes.size()));
  }
  const Keyframe& key = scene_->keyframes[keyframe];
  couplings_.forget();
  violations_.forget();
  start_time_ = key.time - time_step_ * static_cast<double>(steps_);
  query_.forget();
  std::fill(scalar_impulses_.begin(), scalar_impulses_.end(), 0.0);
  actuators_.set_activations(std::vector<double>(actuators_.size(), 0));
  for (int b = 0; b < std::ssize(scene_->bodies); ++b) {
    const Keyframe::State& s = key.bodies[b];
    switch (scene_->bodies[b].kind) {
      case BodyKind::fixed: break;
      case BodyKind::free:
        set_body_state(b, {s.position, s.orientation, s.linear_velocity, s.angular_velocity});
        break;
      case BodyKind::linked: write_joint_state(b, {s.joint_positions, s.joint_velocities}); break;
    }
  }
  articulated_.update_kinematics(scene_->gravity, bodies_);
}

Snapshot World::snapshot() const {
  Snapshot s{.steps = steps_,
             .start_time = start_time_,
             .bodies = bodies_,
             .coordinates = {},
             .velocities = {},
             .allowances = {},
             .controls = actuators_.controls(),
             .activations = actuators_.activations(),
             .scalar_impulses = scalar_impulses_,
             .contacts = query_.memory()};
  articulated_.save(s.coordinates, s.velocities, s.allowances);
  const std::span<const double> couplings = couplings_.allowances();
  s.allowances.insert(s.allowances.end(), couplings.begin(), couplings.end());
  return s;
}

void World::restore(const Snapshot& s) {
  if (s.bodies.size() != bodies_.size()) {
    fail_input("restore: the snapshot has " + std::to_string(s.bodies.size()) +
               " moving bodies, the world " + std::to_string(bodies_.size()));
  }
  const MovingBodies& b = s.bodies;
  const std::size_t count = b.tree.size();
  for (const std::size_t size : {b.center.size(), b.orientation.size(), b.linear_velocity.size(),
                                 b.angular_velocity.size(), b.rotation.size(), b.force.size(),
                                 b.moment.size(), b.drag_force.size(), b.drag_moment.size()}) {
    if (size != count) fail_input("restore: the snapshot's arrays differ in size");
  }
  if (b.tree != bodies_.tree || std::ssize(s.coordinates) != articulated_.positions() ||
      std::ssize(s.velocities) != articulated_.dofs() ||
      std::ssize(s.allowances) != articulated_.limits() + std::ssize(couplings_.allowances()) ||
      std::ssize(s.controls) != actuators_.size() ||
      std::ssize(s.activations) != actuators_.size()) {
    fail_input("restore: the snapshot's trees are not those of the world");
  }
  if (s.contacts.impulses.size() != s.contacts.sources.size()) {
    fail_input("restore: the snapshot's arrays differ in size");
  }
  const auto geoms = static_cast<std::int32_t>(scene_->geoms.size());
  const auto check_geoms = [&](const auto& list) {
    for (const auto& c : list) {
      if (c.geom_a < 0 || c.geom_b < 0 || c.geom_a >= geoms || c.geom_b >= geoms) {
        fail_input("restore: the snapshot's contacts have geoms that the scene has not");
      }
    }
  };
  check_geoms(s.contacts.sources);
  check_geoms(s.contacts.pairs);
  steps_ = s.steps;
  start_time_ = s.start_time;
  bodies_ = b;
  for (int i = 0; i < free_.size(); ++i) bodies_.turn(i, b.orientation[i]);
  const std::span<const double> allowances = s.allowances;
  articulated_.restore(s.coordinates, s.velocities, allowances.first(articulated_.limits()));
  couplings_.restore(allowances.subspan(articulated_.limits()));
  actuators_.set_controls(s.controls);
  actuators_.set_activations(s.activations);
  scalar_impulses_ = s.scalar_impulses;
  articulated_.update_kinematics(scene_->gravity, bodies_);
  query_.restore(s.contacts);
  violations_.forget();
  energy_is_known_ = false;
}

std::unique_ptr<World> World::clone() const {
  auto copy = std::make_unique<World>(*scene_, options_);
  copy->restore(snapshot());
  return copy;
}

std::uint64_t World::state_hash() const {
  StateHash hash;
  const auto add = [&](const Vec3& v) { hash.add(v.x), hash.add(v.y), hash.add(v.z); };
  for (int i = 0; i < bodies_.size(); ++i) {
    const Quaternion& q = bodies_.orientation[i];
    add(bodies_.center[i]);
    hash.add(q.w), hash.add(q.x), hash.add(q.y), hash.add(q.z);
    add(bodies_.linear_velocity[i]);
    add(bodies_.angular_velocity[i]);
  }
  return hash.value();
}

}  // namespace abut
