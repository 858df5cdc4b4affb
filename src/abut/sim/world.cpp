#include "abut/sim/world.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "abut/core/hash.hpp"

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

}  // namespace

void WorldOptions::validate() const {
  friction.validate();
  pair.validate();
  if (time_step) {
    require(*time_step > 0 && *time_step <= 1, "time step", *time_step, "s",
            "must be positive and at most 1");
  }
  require(margin >= 0 && std::isfinite(margin), "margin", margin, "m", "must not be negative");
  require(tolerance > 0 && tolerance < 1, "tolerance", tolerance, "", "must lie in (0, 1)");
  require(threads >= 1 && threads <= 1024, "threads", threads, "", "must lie in [1, 1024]");
}

World::World(Scene scene, const WorldOptions& options)
    : scene_((scene.validate(), options.validate(), std::make_unique<Scene>(std::move(scene)))),
      options_(options),
      time_step_(options.time_step.value_or(scene_->time_step)),
      tree_of_body_(add_bodies()),
      query_(*scene_, tree_of_body_, options.pair, options.margin),
      solver_(make_solver(options.solver)) {
  // most that bodies in a heap have; more make room when they come
  constexpr int contacts_per_body = 12;
  problem_.contacts.reserve(contacts_per_body * bodies_.size());
  problem_.patches.reserve(contacts_per_body * bodies_.size());
  if (options.threads > 1) pool_ = std::make_unique<ThreadPool>(options.threads);
}

std::vector<std::int32_t> World::add_bodies() {
  std::vector<std::int32_t> trees;
  for (const SceneBody& b : scene_->bodies) {
    if (b.kind == BodyKind::fixed) {
      trees.push_back(world_tree);
      continue;
    }
    trees.push_back(bodies_.size());
    const Vec3 center = b.position + to_matrix(b.orientation) * b.center_of_mass;
    bodies_.add(b.mass, b.inertia, center, b.orientation, b.linear_velocity, b.angular_velocity);
  }
  return trees;
}

const StepReport& World::step() {
  StageClock clock;
  report_ = {};
  bodies_.update_kinematics();
  problem_.clear();
  problem_.time_step = time_step_;
  problem_.model = options_.model;
  problem_.law = options_.law;
  problem_.friction = options_.friction;
  bodies_.add_trees(time_step_, scene_->gravity, problem_);
  report_.time.rest += clock.lap();
  query_.find(bodies_, time_step_, problem_);
  report_.time.contact_query = clock.lap();
  prepare(problem_);
  report_.time.problem = clock.lap();

  solution_.velocity = problem_.velocity;
  const SolveOptions solve{.tolerance = options_.tolerance, .pool = pool_.get()};
  report_.solve = solver_->solve(problem_, solve, solution_);
  report_.time.solve = report_.solve.seconds;
  report_.contacts = problem_.contacts.size();
  for (const double gap : problem_.contacts.gap) {
    report_.penetration = std::max(report_.penetration, -gap);
  }
  query_.remember(solution_.impulse);
  bodies_.integrate(time_step_, solution_.velocity);
  ++steps_;
  report_.time.rest += clock.lap() - report_.time.solve;
  return report_;
}

std::int32_t World::tree_of(int body) const {
  if (body < 0 || body >= std::ssize(scene_->bodies)) {
    fail_input("body " + std::to_string(body) + " is none of the scene's " +
               std::to_string(scene_->bodies.size()));
  }
  return tree_of_body_[body];
}

BodyState World::body_state(int body) const {
  const int t = tree_of(body);
  const SceneBody& b = scene_->bodies[body];
  if (t == world_tree) return {b.position, b.orientation, {}, {}};
  const Quaternion& q = bodies_.orientation[t];
  return {bodies_.center[t] - to_matrix(q) * b.center_of_mass, q, bodies_.linear_velocity[t],
          bodies_.angular_velocity[t]};
}

void World::set_body_state(int body, const BodyState& state) {
  const int t = tree_of(body);
  const SceneBody& b = scene_->bodies[body];
  if (t == world_tree) fail_input("set_body_state: " + display_name(*scene_, body) + " is fixed");
  const Origin at{.file = {}, .line = 0, .element = "body '" + display_name(*scene_, body) + "'"};
  const double length = norm(state.orientation);
  require(std::abs(length - 1) < 1e-3, "norm of orientation", length, "", "must be 1", at);
  if (!is_finite(state.position) || !is_finite(state.linear_velocity) ||
      !is_finite(state.angular_velocity)) {
    fail_input("position or velocity is not finite", at);
  }
  const Quaternion q = normalized(state.orientation);
  bodies_.orientation[t] = q;
  bodies_.center[t] = state.position + to_matrix(q) * b.center_of_mass;
  bodies_.linear_velocity[t] = state.linear_velocity;
  bodies_.angular_velocity[t] = state.angular_velocity;
}

void World::set_load(int body, const Vec3& force, const Vec3& moment) {
  const int t = tree_of(body);
  if (t == world_tree) fail_input("set_load: " + display_name(*scene_, body) + " is fixed");
  if (!is_finite(force) || !is_finite(moment)) {
    fail_input("set_load: force or moment on " + display_name(*scene_, body) + " is not finite");
  }
  bodies_.force[t] = force;
  bodies_.moment[t] = moment;
}

void World::set_keyframe(int keyframe) {
  if (keyframe < 0 || keyframe >= std::ssize(scene_->keyframes)) {
    fail_input("keyframe " + std::to_string(keyframe) + " is none of the scene's " +
               std::to_string(scene_->keyframes.size()));
  }
  const Keyframe& key = scene_->keyframes[keyframe];
  start_time_ = key.time - time_step_ * static_cast<double>(steps_);
  query_.forget();
  for (std::size_t b = 0; b < scene_->bodies.size(); ++b) {
    if (tree_of_body_[b] == world_tree) continue;
    const Keyframe::State& s = key.bodies[b];
    set_body_state(static_cast<int>(b),
                   {s.position, s.orientation, s.linear_velocity, s.angular_velocity});
  }
}

Snapshot World::snapshot() const {
  return {.steps = steps_,
          .start_time = start_time_,
          .center = bodies_.center,
          .linear_velocity = bodies_.linear_velocity,
          .angular_velocity = bodies_.angular_velocity,
          .force = bodies_.force,
          .moment = bodies_.moment,
          .orientation = bodies_.orientation,
          .contacts = query_.memory()};
}

void World::restore(const Snapshot& s) {
  if (s.center.size() != bodies_.center.size()) {
    fail_input("restore: the snapshot has " + std::to_string(s.center.size()) +
               " free bodies, the world " + std::to_string(bodies_.center.size()));
  }
  for (const std::size_t size : {s.linear_velocity.size(), s.angular_velocity.size(),
                                 s.force.size(), s.moment.size(), s.orientation.size()}) {
    if (size != s.center.size()) fail_input("restore: the snapshot's arrays differ in size");
  }
  if (s.contacts.impulses.size() != s.contacts.sources.size()) {
    fail_input("restore: the snapshot's arrays differ in size");
  }
  const auto geoms = static_cast<std::int32_t>(scene_->geoms.size());
  for (const ContactSource& c : s.contacts.sources) {
    if (c.geom_a < 0 || c.geom_b < 0 || c.geom_a >= geoms || c.geom_b >= geoms) {
      fail_input("restore: the snapshot's contacts have geoms that the scene has not");
    }
  }
  steps_ = s.steps;
  start_time_ = s.start_time;
  bodies_.center = s.center;
  bodies_.linear_velocity = s.linear_velocity;
  bodies_.angular_velocity = s.angular_velocity;
  bodies_.force = s.force;
  bodies_.moment = s.moment;
  bodies_.orientation = s.orientation;
  query_.restore(s.contacts);
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
