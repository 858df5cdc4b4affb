#include "abut/sim/couplings.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "abut/trees/limits.hpp"

namespace abut {
namespace {

/// The rotation vector of R, shorter than pi.
Vec3 rotation_vector(const Mat3& R) {
  Quaternion q = to_quaternion(R);
  if (q.w < 0) q = {-q.w, -q.x, -q.y, -q.z};
  const Vec3 v = {q.x, q.y, q.z};
  const double sine = norm(v);
  return sine > 1e-12 ? (2 * std::atan2(sine, q.w) / sine) * v : 2.0 * v;
}

}  // namespace

void Couplings::add_length_equality(const SceneEquality& equality, int violation, Path a, Path b) {
  length_equalities_.push_back({&equality, violation, allowances_++, std::move(a), std::move(b)});
}

void Couplings::add_pose_equality(const SceneEquality& equality, int violation, const Point& a,
                                  const Point& b) {
  pose_equalities_.push_back({&equality, violation, allowances_++, a, b});
  if (equality.kind == EqualityKind::weld) ++allowances_;
}

void Couplings::add_tendon(const SceneTendon& tendon, int violation, Path path) {
  tendons_.push_back({&tendon, violation, allowances_++, std::move(path)});
}

bool Couplings::is_on(const Point& point, int tree, const Place& at) {
  return point.body != fixed_body && at.bodies.tree[point.body] == tree;
}

bool Couplings::is_on(const Path& path, int tree, const Place& at) {
  return std::any_of(path.joints.begin(), path.joints.end(),
                     [&](const JointTerm& t) { return at.trees.first_tree() + t.tree == tree; }) ||
         std::any_of(path.points.begin(), path.points.end(),
                     [&](const Point& point) { return is_on(point, tree, at); });
}

void Couplings::forget(int tree, const Place& at, std::span<double> allowances) const {
  for (const LengthEquality& e : length_equalities_) {
    if (is_on(e.a, tree, at) || is_on(e.b, tree, at)) allowances[e.allowance] = HUGE_VAL;
  }
  for (const PoseEquality& e : pose_equalities_) {
    if (!is_on(e.a, tree, at) && !is_on(e.b, tree, at)) continue;
    allowances[e.allowance] = HUGE_VAL;
    if (e.scene->kind == EqualityKind::weld) allowances[e.allowance + 1] = HUGE_VAL;
  }
  for (const Tendon& t : tendons_) {
    if (is_on(t.path, tree, at)) allowances[t.allowance] = HUGE_VAL;
  }
}

Vec3 Couplings::place(const Point& point, const MovingBodies& bodies) {
  if (point.body == fixed_body) return point.position;
  return bodies.center[point.body] + bodies.rotation[point.body] * point.position;
}

Mat3 Couplings::axes(const Point& point, const MovingBodies& bodies) {
  return point.body == fixed_body ? point.R : bodies.rotation[point.body] * point.R;
}

void Couplings::add_equality(double gap, double stiffness, const Target& to) {
  const int name = name_++;
  const std::span<const RowEntry> row = row_.entries();
  if (row.empty()) return;  // nothing moves along it
  to.problem.add_scalar({.kind = ScalarKind::equality,
                         .gap = gap,
                         .stiffness = stiffness,
                         .relaxation_time = rigid_relaxation_time(to.dt),
                         .name = name},
                        row);
}

/// L_a - r_a = sum_k c_k (L_b - r_b)^k
void Couplings::add(const LengthEquality& e, const Place& at, const Target& to) {
  const bool has_b = !e.b.joints.empty() || !e.b.points.empty();
  const double x = has_b ? length_of(e.b, at) - e.scene->reference_b : 0;
  double value = 0, slope = 0;
  for (int k = 4; k >= 0; --k) {
    slope = slope * x + value;
    value = value * x + e.scene->polynomial[k];
  }
  row_.clear();
  add_gradient(e.a, 1, at);
  if (has_b) add_gradient(e.b, -slope, at);
  const double gap = length_of(e.a, at) - e.scene->reference_a - value;
  to.violations.set(e.violation, std::abs(gap));
  const double kept_gap =
      std::copysign(keep_violation(std::abs(gap), to.dt, to.allowances[e.allowance]), gap);
  add_equality(gap - kept_gap, e.scene->stiffness, to);
}

/// Point on point; for a weld also axes on axes, by the rotation from B's to A's. Where a weld has
/// its point makes no difference, but for rounding: at a center of mass it is best.
void Couplings::add(const PoseEquality& e, const Place& state, const Target& to) {
  const auto& [bodies, trees] = state;
  const auto add_rows = [&](Vec3 gap, int allowance, const auto& set_row) {
    const double size = norm(gap), keeps = keep_violation(size, to.dt, to.allowances[allowance]);
    if (keeps > 0) gap = (1 - keeps / size) * gap;
    for (int k = 0; k < 3; ++k) {
      Vec3 axis;
      axis[k] = 1;
      row_.clear();
      set_row(axis);
      add_equality(gap[k], e.scene->stiffness, to);
    }
  };
  const Vec3 at_a = place(e.a, bodies), at_b = place(e.b, bodies);
  const Vec3 middle = 0.5 * (at_a + at_b);  // both act there, so that no moment is made
  const bool weld = e.scene->kind == EqualityKind::weld;
  add_rows(at_a - at_b, e.allowance, [&](const Vec3& axis) {
    row_.add_body(bodies, trees, e.a.body, weld ? at_a : middle, axis);
    row_.add_body(bodies, trees, e.b.body, weld ? at_b : middle, -axis);
  });
  const double apart = norm(at_a - at_b);
  if (!weld) return to.violations.set(e.violation, apart);
  const Vec3 turn = rotation_vector(axes(e.a, bodies) * transpose(axes(e.b, bodies)));
  add_rows(turn, e.allowance + 1, [&](const Vec3& axis) {
    row_.add_body(bodies, trees, e.a.body, at_a, {}, axis);
    row_.add_body(bodies, trees, e.b.body, at_b, {}, -axis);
  });
  to.violations.set(e.violation, std::max(apart, norm(turn)), norm(turn) > apart);
}

double Couplings::length_of(const Path& path, const Place& at) {
  double length = joint_sum(path.joints, at.trees);
  for (std::size_t k = 1; k < path.points.size(); ++k) {
    length += norm(place(path.points[k], at.bodies) - place(path.points[k - 1], at.bodies));
  }
  return length;
}

/// Adds `factor` times dL/dt = J v to the row.
void Couplings::add_gradient(const Path& path, double factor, const Place& at) {
  for (const JointTerm& t : path.joints) row_.add_joint(at.trees, t, factor);
  for (std::size_t k = 1; k < path.points.size(); ++k) {
    const Vec3 from = place(path.points[k - 1], at.bodies), to = place(path.points[k], at.bodies);
    const double length = norm(to - from);
    if (!(length > 1e-9)) continue;  // no direction
    const Vec3 along = (factor / length) * (to - from);
    row_.add_body(at.bodies, at.trees, path.points[k - 1].body, from, -along);
    row_.add_body(at.bodies, at.trees, path.points[k].body, to, along);
  }
}

/// Spring and damper of a tendon whose row is in row_.
void Couplings::add_spring(const SceneTendon& t, double stretch, int name, const Target& to) {
  const double stiffness = stretch != 0 ? t.stiffness : 0;
  if (!(to.dt * stiffness + t.damping > 0)) return;
  const std::span<const RowEntry> row = row_.entries();
  double rate = 0;
  for (const RowEntry& e : row) {
    rate += e.value * to.problem.velocity[to.problem.trees[e.tree].first_dof + e.dof];
  }
  const auto [k, d, force] =
      stepped_spring(scheme_, to.dt, stiffness, t.damping, -stiffness * stretch, rate);
  const bool is_explicit = !(to.dt * k + d > 0);  // a given force: between bounds that are equal
  to.problem.add_scalar({.kind = ScalarKind::actuator,
                         .stiffness = k,
                         .damping = is_explicit ? to.dt * stiffness + t.damping : d,
                         .force = force,
                         .lower_force = is_explicit ? force : -unlimited_force,
                         .upper_force = is_explicit ? force : unlimited_force,
                         .name = name},
                        row);
}

void Couplings::add(const Tendon& t, const Place& at, const Target& to) {
  const SceneTendon& s = *t.scene;
  const double length = length_of(t.path, at);
  if (s.limited) {
    to.violations.set(t.violation, std::max({0.0, s.lower - length, length - s.upper}));
  }
  row_.clear();
  add_gradient(t.path, 1, at);
  const std::span<const RowEntry> row = row_.entries();
  const int spring = name_, dry_friction = name_ + 1;
  int limit = name_ + 2;
  name_ += 4;
  if (row.empty()) return;
  const double stretch = length - std::clamp(length, s.lower_rest, s.upper_rest);
  add_spring(s, stretch, spring, to);
  if (s.dry_friction > 0) {
    to.problem.add_scalar({.kind = ScalarKind::dry_friction,
                           .lower_force = -s.dry_friction,
                           .upper_force = s.dry_friction,
                           .name = dry_friction},
                          row);
  }
  if (!s.limited) return;
  const double near = near_share * (s.upper - s.lower);
  double speed = 0, free_speed = 0;
  for (const RowEntry& e : row) {
    const int dof = to.problem.trees[e.tree].first_dof + e.dof;
    speed += e.value * to.problem.velocity[dof];
    free_speed += e.value * to.problem.free_velocity[dof];
  }
  const double keeps = keep_violation(std::max(s.lower - length, length - s.upper), to.dt,
                                      to.allowances[t.allowance]);
  for (const auto& [gap, sign] : {std::pair{length - s.lower, 1.0}, {s.upper - length, -1.0}}) {
    const int name = limit++;
    if (!is_near_limit(gap, sign * speed, sign * free_speed, to.dt, near)) continue;
    if (sign < 0) {
      row_.clear();
      add_gradient(t.path, -1, at);
    }
    to.problem.add_scalar({.kind = ScalarKind::limit,
                           .gap = gap < 0 ? gap + keeps : gap,
                           .stiffness = s.limit_stiffness,
                           .relaxation_time = rigid_relaxation_time(to.dt),
                           .name = name},
                          row_.entries());
  }
}

int Couplings::add_constraints(int name, const Place& at, const Target& to) {
  name_ = name;
  for (const LengthEquality& e : length_equalities_) add(e, at, to);
  for (const PoseEquality& e : pose_equalities_) add(e, at, to);
  for (const Tendon& t : tendons_) add(t, at, to);
  return name_;
}

double Couplings::potential_energy(const Place& at) const {
  double energy = 0;
  for (const Tendon& t : tendons_) {
    const double length = length_of(t.path, at);
    const double stretch = length - std::clamp(length, t.scene->lower_rest, t.scene->upper_rest);
    energy += 0.5 * t.scene->stiffness * stretch * stretch;
  }
  return energy;
}

}  // namespace abut
