#pragma once

#include "abut/laws/normal_law.hpp"
#include "abut/problem/contact_problem.hpp"

namespace abut {

/// The normal law's parameters at contact i, its weight included.
inline PointMaterial point_material(const ContactPool& c, int i) {
  return {c.weight[i] * c.stiffness[i],
          c.dissipation[i],
          c.relaxation_time[i],
          c.thickness(i),
          c.weight[i],
          c.table(i)};
}

/// Between the gap of contact i's law and that of the surfaces [m]: a barrier's layer.
inline double layer_of(const ContactProblem& p, int i) {
  return traits(p.law_of(i)).is_barrier ? p.contacts.thickness(i) : 0;
}

/// How a body moves, or a load on it: (linear; angular) velocity at `center`, or (force; moment).
struct Twist {
  Vec3 linear, angular, center;

  Vec3 at(const Vec3& point) const { return linear + cross(angular, point - center); }
  void add(const Vec3& point, const Vec3& force) {
    linear += force;
    angular += cross(point - center, force);
  }
};

// What other trees do is apart from these functions, which are inlined for rigid bodies' sake.

/// J u of a body of a dense or sparse tree, with velocities v of the problem; without the angular
/// part if `is_point`.
Twist linked_velocity(const ContactProblem& p, int body, bool is_point, const double* v);
/// Adds J^T load to `generalized`.
void add_linked_load(const ContactProblem& p, int body, const Twist& load, double* generalized);

/// A patch of one contact, at the body's center, where only the velocity of that point counts.
inline bool is_at_center(const ContactProblem& p, const Patch& patch, int body) {
  return patch.end - patch.begin == 1 && p.contacts.point[patch.begin] == p.bodies[body].center;
}

/// How the two sides of a patch move. Velocities are read when asked for: they and the problem must
/// stay as they are meanwhile.
class PatchMotion {
 public:
  PatchMotion(const ContactProblem& p, const Patch& patch, const double* v)
      : contacts_(p.contacts),
        a_(side(p, patch, patch.tree_a, patch.body_a, v, linked_a_)),
        b_(side(p, patch, patch.tree_b, patch.body_b, v, linked_b_)) {}
  PatchMotion(const PatchMotion&) = delete;  // sides may lie in it

  /// v_c = J v + b of one of its contacts.
  Vec3 of(int contact) const {
    const Vec3& point = contacts_.point[contact];
    const Vec3 v = velocity_at(b_, point);
    return (a_.twist != nullptr ? v - velocity_at(a_, point) : v) + contacts_.bias[contact];
  }

 private:
  /// Of one that moves: its center, and velocities there (linear; angular).
  struct Side {
    const Vec3* center = nullptr;
    const double* twist = nullptr;
  };
  /// What a body of a dense or sparse tree has of its own; not set for others.
  struct Linked {
    double twist[6];
  };
  static Side side(const ContactProblem& p, const Patch& patch, int tree, int body, const double* v,
                   Linked& own) {
    if (tree == world_tree) return {};
    if (body < 0) return {&p.trees[tree].center, v + p.trees[tree].first_dof};
    const Twist t = linked_velocity(p, body, is_at_center(p, patch, body), v);
    for (int k = 0; k < 3; ++k) own.twist[k] = t.linear[k], own.twist[3 + k] = t.angular[k];
    return {&p.bodies[body].center, own.twist};
  }
  static Vec3 velocity_at(const Side& s, const Vec3& point) {
    const double* u = s.twist;
    return Vec3{u[0], u[1], u[2]} + cross(Vec3{u[3], u[4], u[5]}, point - *s.center);
  }

  const ContactPool& contacts_;
  Linked linked_a_, linked_b_;
  Side a_, b_;
};

/// Adds J^T gamma of a patch to `generalized`; impulse(contact) gives gamma on B.
template <class Impulse>
void add_impulses(const ContactProblem& p, const Patch& patch, const Impulse& impulse,
                  double* generalized) {
  const auto add_all = [&](double sign, Twist& load) {
    for (int i = patch.begin; i < patch.end; ++i) {
      const Vec3& gamma = impulse(i);
      if (!(gamma == Vec3{})) load.add(p.contacts.point[i], sign * gamma);
    }
  };
  const auto add_side = [&](int tree, int body, double sign) {
    if (body >= 0) {
      Twist load{{}, {}, p.bodies[body].center};
      add_all(sign, load);
      return add_linked_load(p, body, load, generalized);
    }
    double* u = generalized + p.trees[tree].first_dof;
    Twist load{{u[0], u[1], u[2]}, {u[3], u[4], u[5]}, p.trees[tree].center};
    add_all(sign, load);
    for (int k = 0; k < 3; ++k) u[k] = load.linear[k], u[3 + k] = load.angular[k];
  };
  if (patch.tree_a != world_tree) add_side(patch.tree_a, patch.body_a, -1);
  add_side(patch.tree_b, patch.body_b, 1);
}

}  // namespace abut
