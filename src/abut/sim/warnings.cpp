#include "abut/sim/warnings.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "abut/core/text.hpp"
#include "abut/laws/elasticity.hpp"

namespace abut {
namespace {

// Of half the thickness of the thinner shape: its middle is past the other's surface, and the way
// out may be another. Impacts in heaps of 10 cm things at 10 ms horizon 60 %.
constexpr double deepest = 1;
// Contact is looked for along straight lines (docs/decisions/speculative-contact.md) [rad].
constexpr double farthest_turn = 0.5;
// Of the largest motion so far: what a step of first order may make of a swing and take back.
constexpr double energy_share = 0.1;
// Of the weight times the size of what moves: falls that nobody sees.
constexpr double little_fall = 0.01;

/// Of the springs of limits and equality constraints at the step's start, as the problem has them
/// [J].
double energy_of_scalars(const PreparedProblem& q) {
  const ContactProblem& p = q.problem();
  const double h = p.time_step;
  double energy = 0;
  const ScalarPool& s = p.scalars;
  for (int i = 0; i < s.size(); ++i) {
    double x = 0;  // stretch
    switch (s.kind[i]) {
      case ScalarKind::limit: x = std::max(0.0, -s.gap[i]); break;
      case ScalarKind::equality: x = std::abs(s.gap[i]); break;
      case ScalarKind::dry_friction:
      case ScalarKind::actuator: break;
    }
    const double horizon = h + s.relaxation_time[i];
    if (x > 0) energy += 0.5 * x * x / (h * horizon * q.scalars().regularization[i]);
  }
  return energy;
}

template <class... Numbers>
std::string text(const char* format, Numbers... numbers) {
  char buffer[192];
  std::snprintf(buffer, sizeof buffer, format, numbers...);
  return buffer;
}

/// "3.2 mm"
std::string length_text(double length) {
  return length < 0.1 ? text("%.3g mm", 1e3 * length) : text("%.3g m", length);
}

std::string when(const Warning& w) {
  return text("%.6g s (step %llu)", w.time, static_cast<unsigned long long>(w.step));
}

}  // namespace

const char* unit_of(WarningKind kind) {
  switch (kind) {
    case WarningKind::size:
    case WarningKind::depth: return "m";
    case WarningKind::density: return "kg/m^3";
    case WarningKind::mass_ratio: return "";
    case WarningKind::turn: return "rad";
    case WarningKind::energy: return "J";
  }
  return "";
}

std::string owner_name(const Scene& scene, int geom) {
  const SceneGeom& g = scene.geoms[geom];
  if (g.body != world_body) return display_name(scene, g.body);
  return g.name.empty() ? "the world" : g.name;
}

std::string describe(const Scene& scene, const Warning& w) {
  const std::string body = w.body == world_body ? "the world" : display_name(scene, w.body);
  switch (w.kind) {
    case WarningKind::size:
      return body + text(
                        " measures %.3g m, and most that moves more than %g m, under the earth's "
                        "gravity: lengths are in m, not in mm",
                        w.value, w.bound);
    case WarningKind::density:
      return body +
             (w.value > w.bound
                  ? text(" weighs %.2g kg/m^3 or more; gold has 19300", w.value)
                  : text(" weighs %.2g kg per m^3 that it encloses; air has 1.2", w.value)) +
             ": masses are in kg, lengths in m";
    case WarningKind::mass_ratio:
      return body + text(" weighs %.2g times as much as ", w.value) + display_name(scene, w.other) +
             ": contact between them has few digits left";
    case WarningKind::depth:
      return owner_name(scene, w.geom) + " is " + length_text(w.value) + " deep in " +
             owner_name(scene, w.other_geom) +
             ", more than half of the thinner one's thickness, at " + when(w) +
             ": take a smaller step, or a stiffer contact";
    case WarningKind::turn:
      return body + text(" turns by %.2g rad in the step to ", w.value) + when(w) +
             text(", contact is found for turns of up to %g rad: take a smaller step", w.bound);
    case WarningKind::energy:
      return text("energy is %.3g J above what there was and what was put in, at ", w.value) +
             when(w) + ", when " + body + " moves most: take a smaller step";
  }
  return "";
}

Watch::Watch(const Scene& scene, const std::vector<std::int32_t>& moving)
    : scene_(&scene), warnings_(check_proportions(scene)) {
  warnings_.reserve(std::size(warning_kinds));
  for (int b = 0; b < std::ssize(scene.bodies); ++b) {
    if (moving[b] == fixed_body) continue;
    const auto i = static_cast<std::size_t>(moving[b]);
    if (i >= body_.size()) body_.resize(i + 1), is_ball_.resize(i + 1, true);
    body_[i] = b;
  }
  double weight = 0, size = 0;
  for (const int b : body_) weight += scene.bodies[b].mass * norm(scene.gravity);
  for (const SceneGeom& g : scene.geoms) {
    if (g.body == world_body || moving[g.body] == fixed_body) continue;
    size = std::max(size, g.shape.bounding_radius());
    const bool is_round =
        g.shape.kind == ShapeKind::sphere &&
        norm(g.pose.p - scene.bodies[g.body].center_of_mass) <= 1e-6 * g.shape.radius();
    if (!is_round) is_ball_[moving[g.body]] = false;
  }
  little_ = little_fall * weight * size;
}

bool Watch::has(WarningKind kind) const {
  return std::any_of(warnings_.begin(), warnings_.end(),
                     [&](const Warning& w) { return w.kind == kind; });
}

void Watch::look(const Step& step) {
  if (step.query.overlaps() > 0) look_at_overlaps(step);
  const ContactQuery::Deepest& d = step.query.deepest();
  if (d.depth > deepest * d.half_thickness && !has(WarningKind::depth)) {
    warnings_.push_back({.kind = WarningKind::depth,
                         .step = step.number,
                         .time = step.time - step.dt,
                         .body = scene_->geoms[d.geom_a].body,
                         .other = scene_->geoms[d.geom_b].body,
                         .geom = d.geom_a,
                         .other_geom = d.geom_b,
                         .value = d.depth,
                         .bound = deepest * d.half_thickness});
  }
  if (!has(WarningKind::turn)) look_at_turns(step);
  if (!has(WarningKind::energy)) look_at_energy(step);
}

void Watch::look_at_turns(const Step& step) {
  const double most = farthest_turn / step.dt;
  for (std::size_t i = 0; i < body_.size(); ++i) {
    const double speed2 = squared_norm(step.bodies.angular_velocity[i]);
    if (!(speed2 > most * most) || is_ball_[i]) continue;
    warnings_.push_back({.kind = WarningKind::turn,
                         .step = step.number,
                         .time = step.time,
                         .body = body_[i],
                         .value = step.dt * std::sqrt(speed2),
                         .bound = farthest_turn});
    return;
  }
}

/// The energy of motion, height and springs never exceeds what was there at any time and what was
/// put in since.
void Watch::look_at_energy(const Step& step) {
  const double before =
      step.energy_before + step.query.stored_energy() + energy_of_scalars(step.problem);
  if (is_new_ || gave_way_) budget_ = before;
  if (is_new_) {
    most_motion_ = step.kinetic;
    lowest_ = highest_ = step.potential;
  }
  double work = step.drive_work;
  const MovingBodies& b = step.bodies;
  const bool flows = !(scene_->wind == Vec3{}) && !step.drag.empty();
  const auto work_of = [&](const Load& load, std::size_t i) {
    return step.dt *
           (dot(load.force, b.linear_velocity[i]) + dot(load.moment, b.angular_velocity[i]));
  };
  for (std::size_t i = 0; i < body_.size(); ++i) {
    if (step.loads[i] != Load{}) work += work_of(step.loads[i], i);
    if (flows) work += work_of(step.drag[i], i);
  }
  const double after = step.kinetic + step.potential;
  budget_ = std::min(budget_, before) + work;
  most_motion_ = std::max(most_motion_, step.kinetic);
  lowest_ = std::min(lowest_, step.potential);
  highest_ = std::max(highest_, step.potential);
  is_new_ = false;
  gave_way_ = step.gives_way;
  const double bound = little_ + energy_share * (most_motion_ + highest_ - lowest_);
  if (step.gives_way || !(after - budget_ > bound)) return;
  warnings_.push_back({.kind = WarningKind::energy,
                       .step = step.number,
                       .time = step.time,
                       .body = fastest(step),
                       .value = after - budget_,
                       .bound = bound});
}

/// The body of the scene whose center of mass has most of the kinetic energy.
int Watch::fastest(const Step& step) const {
  int body = world_body;
  double most = -1;
  for (std::size_t i = 0; i < body_.size(); ++i) {
    const double energy =
        scene_->bodies[body_[i]].mass * squared_norm(step.bodies.linear_velocity[i]);
    if (energy > most) most = energy, body = body_[i];
  }
  return body;
}

void Watch::look_at_overlaps(const Step& step) {
  for (const ContactPair& o : step.pairs) {
    if (o.budget.origin != ContactBudget::Origin::start) continue;
    const std::uint64_t pair = std::uint64_t{static_cast<std::uint32_t>(o.geom_a)} << 32 |
                               static_cast<std::uint32_t>(o.geom_b);
    const auto at = std::lower_bound(known_overlaps_.begin(), known_overlaps_.end(), pair);
    if (at != known_overlaps_.end() && *at == pair) continue;
    known_overlaps_.insert(at, pair);
    overlaps_.push_back({o.geom_a, o.geom_b, step.time - step.dt, o.budget.allowed});
  }
}

}  // namespace abut
