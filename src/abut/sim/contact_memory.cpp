// What contacts take from the step before, and what they leave to the next.

#include <algorithm>
#include <cmath>

#include "abut/core/assert.hpp"
#include "abut/core/grow.hpp"
#include "abut/core/parallel.hpp"
#include "abut/problem/anchors.hpp"
#include "abut/problem/contact_kinematics.hpp"
#include "abut/sim/contact_query.hpp"
#include "abut/sim/spin_drift.hpp"

namespace abut {

void copy(const ContactMemory& from, ContactMemory& to) {
  const auto copy_vector = [](const auto& a, auto& b) {
    make_room(b, a.capacity());
    b.assign(a.begin(), a.end());
  };
  copy_vector(from.sources, to.sources);
  copy_vector(from.pairs, to.pairs);
  copy_vector(from.impulses, to.impulses);
  copy_vector(from.anchors, to.anchors);
  copy_vector(from.points, to.points);
  copy_vector(from.slid, to.slid);
  to.ids.reserve(2 * to.sources.capacity());
  to.ids = from.ids;
}

/// Finds the contact of the last step that this one continues, among those `before` of the pair,
/// most likely the one in its `place`. False if there is none.
bool ContactQuery::match(const CandidatePair& c, const Search& s, const SourceRun& before,
                         int place, ContactSource& source, ContactPoint& contact) {
  const std::vector<ContactSource>& last = s.before.sources;
  const auto continues = [&](int i) { return last[i].feature == source.feature && !kept_[i]; };
  int i = before.begin + place;
  if (i >= before.end || !continues(i)) {
    i = before.begin;
    while (i < before.end && !continues(i)) ++i;
  }
  const bool is_known = i < before.end;
  bool held = false;
  if (is_known) {
    kept_[i] = true;
    source.id = last[i].id;
    contact.previous_impulse = s.before.impulses[i];
    if (s.holds()) {
      contact.anchor = s.before.anchors[i];
      held = s.before.slid[i] == 0;
      if (held) contact.bias += spin_drift(c, contact, s) / s.dt;
    }
  }
  const PairMaterial& m = materials_[c.material];
  if (m.holds_better && traits(s.problem.model).is_anchored) {
    if (contact.previous_impulse == Vec3{}) held = false;
    if (held || !slips(c, contact, s)) contact.friction = m.static_friction;
  }
  return is_known;
}

/// Whether the two surfaces slip at a contact, by more than the stiction tolerance.
bool ContactQuery::slips(const CandidatePair& c, const ContactPoint& contact,
                         const Search& s) const {
  const Vec3 v = s.bodies.velocity_at(body_[c.geom_b], contact.point) -
                 s.bodies.velocity_at(body_[c.geom_a], contact.point) + contact.bias;
  return norm(v - dot(contact.normal, v) * contact.normal) > s.problem.friction.stiction_tolerance;
}

/// Gives what each of the pair's contacts held that is no longer there to the fresh one next to it.
void ContactQuery::hand_over_anchors(const CandidatePair& c, const Search& s,
                                     const SourceRun& before, std::span<const std::int32_t> fresh) {
  ContactPool& contacts = s.problem.contacts;
  for (int i = before.begin; i < before.end; ++i) {
    if (kept_[i]) continue;
    const auto distance = [&](std::int32_t k) {
      return squared_norm(contacts.point[k] - s.before.points[i]);
    };
    const std::int32_t nearest = *std::min_element(
        fresh.begin(), fresh.end(),
        [&](std::int32_t x, std::int32_t y) { return distance(x) < distance(y); });
    ABUT_ASSERT(contacts.kind[nearest] == 0);
    contacts.anchor[nearest] += s.before.anchors[i];
    const PairMaterial& m = materials_[c.material];
    if (m.holds_better && s.before.slid[i] == 0) contacts.friction[nearest] = m.static_friction;
  }
}

/// By how much the two surfaces drift apart at a contact in a step, by their spins about its
/// normal, where bodies move by the velocities of its end [m]; else 0.
Vec3 ContactQuery::spin_drift(const CandidatePair& c, const ContactPoint& contact,
                              const Search& s) const {
  if (traits(s.scheme).theta_vq != 1) return {};
  const Vec3& n = contact.normal;
  const auto across = [&](const Vec3& v) { return v - dot(n, v) * n; };
  const auto drift_of_body = [&](int body) {
    if (body == fixed_body) return Vec3{};
    const Vec3 arm = contact.point - s.bodies.center[body], &spin = s.bodies.angular_velocity[body];
    const double angle = s.dt * dot(n, spin);
    if (s.bodies.tree[body] < s.articulated.first_tree()) {
      return drift_from_straight(n, across(arm), angle);
    }
    const Vec3 velocity = s.bodies.linear_velocity[body] + cross(spin, arm);
    return drift_from_tangent(n, s.dt * across(velocity), angle);
  };
  const Vec3 of_bodies = drift_of_body(body_[c.geom_b]) - drift_of_body(body_[c.geom_a]);
  if (!c.runs) return of_bodies;
  const auto drift_over = [&](int geom) {
    const Twist run = surface(geom);
    const int body = body_[geom];
    const double angle = body == fixed_body ? 0 : s.dt * dot(n, s.bodies.angular_velocity[body]);
    return drift_of_surface(n, s.dt * across(run.at(contact.point)), s.dt * dot(n, run.angular),
                            angle);
  };
  return of_bodies + drift_over(c.geom_b) - drift_over(c.geom_a);
}

/// How a geom's surface moves over it, in world axes.
Twist ContactQuery::surface(int geom) const {
  const SceneGeom& g = scene_->geoms[geom];
  const Pose& pose = poses_[geom];
  return {pose.R * g.surface_velocity, pose.R * g.surface_angular_velocity, pose.p};
}

/// Of B's surface over its geom relative to A's, across the normal [m/s].
Vec3 ContactQuery::surface_velocity(int geom_a, int geom_b, const Vec3& point,
                                    const Vec3& normal) const {
  const Vec3 v = surface(geom_b).at(point) - surface(geom_a).at(point);
  return v - dot(normal, v) * normal;
}

double ContactQuery::surface_work(const ContactProblem& problem, const ContactSolution& solution,
                                  const ContactMemory& memory) const {
  double work = 0;
  for (int i = 0; has_belts_ && i < problem.contacts.size(); ++i) {
    const auto& [geom_a, geom_b, feature, id] = memory.sources[i];
    const ContactPool& c = problem.contacts;
    work -= dot(solution.impulse[i], surface_velocity(geom_a, geom_b, c.point[i], c.normal[i]));
  }
  return work;
}

/// What a contact holds turns with the mean spin of what it holds, of which hold_anchors() knows
/// the bodies' part.
void ContactQuery::turn_with_surfaces(const ContactProblem& problem, ContactMemory& memory) const {
  for (int i = 0; i < problem.contacts.size(); ++i) {
    const ContactSource& source = memory.sources[i];
    const Vec3 spins = surface(source.geom_a).angular + surface(source.geom_b).angular;
    if (spins == Vec3{}) continue;
    const Vec3& n = problem.contacts.normal[i];
    const double turn = 0.5 * problem.time_step * dot(n, spins);
    Vec3& force = memory.anchors[i];
    force = std::cos(turn) * force + std::sin(turn) * cross(n, force);
  }
}

void ContactQuery::forget(int tree, ContactMemory& memory) const {
  const auto is_of = [&](const auto& x) {
    return tree_[x.geom_a] == tree || tree_[x.geom_b] == tree;
  };
  std::erase_if(memory.pairs, is_of);
  for (std::size_t i = 0; i < memory.sources.size(); ++i) {
    if (!is_of(memory.sources[i])) continue;
    memory.impulses[i] = {};
    if (!memory.anchors.empty()) memory.anchors[i] = {};
  }
}

void ContactQuery::remember(const PreparedProblem& prepared, const ContactSolution& solution,
                            double theta, ContactMemory& after, ThreadPool* pool) const {
  const ContactProblem& problem = prepared.problem();
  resize(after.impulses, solution.impulse.size());
  assign(after.anchors, solution.anchor);
  if (has_belts_ && !solution.anchor.empty()) turn_with_surfaces(problem, after);
  after.points.clear();
  after.slid.clear();
  if (!solution.anchor.empty()) {
    assign(after.points, problem.contacts.point);
    assign(after.slid, solution.slid);
  }
  prepared.shares().for_each(pool, [&](const PatchShares::Range& r) {
    const int begin = problem.patches[r.begin].begin, end = problem.patches[r.end - 1].end;
    std::copy(solution.impulse.begin() + begin, solution.impulse.begin() + end,
              after.impulses.begin() + begin);
    remember_work(problem, solution, theta,
                  std::span(problem.patches).subspan(r.begin, r.end - r.begin), after);
  });
  for_each_pair_range(prepared, pool, [&](int begin, int end, int) {
    for (int k = begin; k < end; ++k) {
      double& energy = after.pairs[k].budget.energy;
      if (energy < 0) energy = 0;
    }
  });
}

/// Of some patches: takes the work of their contacts from the budgets of their pairs.
void ContactQuery::remember_work(const ContactProblem& problem, const ContactSolution& solution,
                                 double theta, std::span<const Patch> patches,
                                 ContactMemory& after) const {
  const int begin = patches.front().begin;
  auto extent = std::partition_point(extents_.begin(), extents_.end(),
                                     [&](const Extent& e) { return e.end <= begin; });
  auto pair = after.pairs.begin() + (extent - extents_.begin());
  const auto take = [&](const Patch& patch, const auto& moved) {
    for (int i = patch.begin; i < patch.end; ++i) {
      while (i >= extent->end) ++pair, ++extent;
      pair->budget.energy -= dot(solution.impulse[i], moved(i));
    }
  };
  for (const Patch& patch : patches) {
    const auto first = solution.impulse.begin() + patch.begin;
    const auto last = solution.impulse.begin() + patch.end;
    if (std::all_of(first, last, [](const Vec3& gamma) { return gamma == Vec3{}; })) continue;
    const PatchMotion end(problem, patch, solution.velocity.data());
    if (theta == 1) {
      take(patch, [&](int i) { return end.of(i); });
    } else {
      const PatchMotion start(problem, patch, problem.velocity.data());
      take(patch, [&](int i) { return (1 - theta) * start.of(i) + theta * end.of(i); });
    }
  }
}

}  // namespace abut
