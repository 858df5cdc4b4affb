// How a world is put together from its scene: trees, actuators, couplings.

#include <algorithm>
#include <cmath>
#include <utility>

#include "abut/core/disjoint_sets.hpp"
#include "abut/core/text.hpp"
#include "abut/sim/world.hpp"

namespace abut {

/// Of one mechanism: its tables grow with the cube, to 4 GB.
constexpr int most_dofs = 400;

std::vector<std::int32_t> World::add_bodies() {
  const std::vector<SceneBody>& bodies = scene_->bodies;
  std::vector<std::int32_t> moving(bodies.size(), fixed_body);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const SceneBody& b = bodies[i];
    if (b.kind != BodyKind::free) continue;
    moving[i] = bodies_.size();
    const Vec3 center = b.position + to_matrix(b.orientation) * b.center_of_mass;
    free_.add(b.mass, b.inertia, bodies_);
    state_.free_bodies.push_back({center, b.orientation, b.linear_velocity, b.angular_velocity});
  }
  articulated_ = ArticulatedTrees(free_.size(), options_.scheme);
  joint_places_.resize(bodies.size());
  std::vector<std::vector<int>> trees;  // their bodies
  std::vector<int> tree_of(bodies.size(), -1), link_of(bodies.size(), -1);
  for (int i = 0; i < std::ssize(bodies); ++i) {
    if (bodies[i].kind != BodyKind::linked) continue;
    if (bodies[i].parent == world_body) {
      tree_of[i] = static_cast<int>(trees.size());
      trees.emplace_back();
    } else {
      tree_of[i] = tree_of[bodies[i].parent];
    }
    std::vector<int>& links = trees[tree_of[i]];
    link_of[i] = static_cast<int>(links.size());
    links.push_back(i);
  }
  for (int t = 0; t < std::ssize(trees); ++t) {
    std::vector<Link> links;
    JointPlace place{.tree = t};
    for (const int i : trees[t]) {
      const SceneBody& b = bodies[i];
      links.push_back({.parent = b.parent == world_body ? -1 : link_of[b.parent],
                       .pose = {b.position, to_matrix(b.orientation)},
                       .joints = {b.joints.begin(), b.joints.end()},
                       .mass = b.mass,
                       .center_of_mass = b.center_of_mass,
                       .inertia = b.inertia});
      joint_places_[i] = place;
      place.position += joint_positions(b);
      place.velocity += joint_velocities(b);
    }
    require(place.velocity <= most_dofs, "dofs", place.velocity, "",
            "must be at most 400 in one mechanism, which is dense",
            bodies[trees[t].front()].origin);
    const int first = articulated_.add(std::move(links), bodies_);
    for (const int i : trees[t]) moving[i] = first + link_of[i];
    const auto q = articulated_.tree(t).coordinates();
    state_.coordinates.insert(state_.coordinates.end(), q.begin(), q.end());
  }
  add_actuators();
  add_couplings(moving);
  state_.velocities.assign(articulated_.dofs(), 0);
  state_.limit_allowances.assign(articulated_.limits(), HUGE_VAL);
  state_.coupling_allowances.assign(couplings_.allowances(), HUGE_VAL);
  state_.activations.assign(actuators_.size(), 0);
  std::vector<std::int32_t> dofs(free_.size(), 6);
  for (int t = 0; t < articulated_.size(); ++t) dofs.push_back(articulated_.tree(t).velocities());
  first_guess_ = FirstGuess(dofs);
  state_.courses.resize(first_guess_.courses());
  inputs_.controls.assign(actuators_.size(), 0);
  inputs_.loads.resize(bodies_.size());
  update_kinematics();
  for (int t = 0; t < std::ssize(trees); ++t) require_mass(t, trees[t]);
  return moving;
}

/// Throws unless each joint of a mechanism moves a mass.
void World::require_mass(int tree, const std::vector<int>& bodies) const {
  const int velocity = articulated_.tree(tree).massless_velocity();
  if (velocity < 0) return;
  int body = bodies.front();
  for (const int b : bodies) {
    if (joint_places_[b].velocity <= velocity) body = b;
  }
  Origin at = scene_->bodies[body].origin;
  if (at.element.empty()) at.element = "body " + quote(display_name(*scene_, body));
  fail_input(
      "its joint moves no mass: give it a mass, or one that it carries, or the joint an armature",
      at);
}

JointTerm World::joint_term(const ScenePart& part) const {
  const std::vector<SceneJoint>& joints = scene_->bodies[part.body].joints;
  JointPlace at = joint_places_[part.body];
  for (int k = 0; k < part.joint; ++k) {
    at.position += position_count(joints[k].kind);
    at.velocity += velocity_count(joints[k].kind);
  }
  return {at.tree, at.position, at.velocity, joints[part.joint].reference, part.gear};
}

void World::add_actuators() {
  for (const SceneActuator& a : scene_->actuators) {
    std::vector<JointTerm> parts;
    parts.reserve(a.parts.size());
    for (const ScenePart& part : a.parts) parts.push_back(joint_term(part));
    actuators_.add(a, articulated_, std::move(parts));
  }
}

/// Moves the point of a weld to the center of mass of the lighter of its bodies that move.
void World::move_to_center(const SceneEquality& e, Pose& to_a, Pose& to_b) const {
  const auto mass = [&](int body) {
    const bool moves = body != world_body && scene_->bodies[body].kind != BodyKind::fixed;
    return moves ? scene_->bodies[body].mass : HUGE_VAL;
  };
  const bool at_a = mass(e.body_a) <= mass(e.body_b);
  const Vec3 center = scene_->bodies[at_a ? e.body_a : e.body_b].center_of_mass;
  const Vec3 there = to_local(at_a ? to_a : to_b, center);  // in the frame that the bodies share
  to_a.p = to_a * there;
  to_b.p = to_b * there;
}

/// By body: the weight [N] of all that joints, equality constraints and tendons join to it.
std::vector<double> World::joined_weights() const {
  const std::vector<SceneBody>& bodies = scene_->bodies;
  DisjointSets joined;
  joined.reset(static_cast<int>(bodies.size()));
  int last = -1;  // of what is being joined
  const auto join = [&](int body) {
    if (body == world_body || bodies[body].kind == BodyKind::fixed) return;
    if (last >= 0) joined.join(body, last);
    last = body;
  };
  const auto join_along = [&](int tendon) {
    if (tendon < 0) return;
    for (const ScenePart& part : scene_->tendons[tendon].joints) join(part.body);
    for (const SceneTendon::Point& point : scene_->tendons[tendon].points) join(point.body);
  };
  for (int i = 0; i < std::ssize(bodies); ++i) {
    last = -1;
    join(i);
    if (bodies[i].kind == BodyKind::linked) join(bodies[i].parent);
  }
  for (const SceneEquality& e : scene_->equalities) {
    last = -1;
    if (e.kind == EqualityKind::tendon) {
      join_along(e.tendon_a), join_along(e.tendon_b);
    } else {
      join(e.body_a), join(e.body_b);
    }
  }
  for (int t = 0; t < std::ssize(scene_->tendons); ++t) {
    last = -1;
    join_along(t);
  }
  std::vector<double> weights(bodies.size(), 0.0);
  const double gravity = norm(scene_->gravity);
  for (int i = 0; i < std::ssize(bodies); ++i) {
    if (bodies[i].kind != BodyKind::fixed) weights[joined.smallest(i)] += bodies[i].mass * gravity;
  }
  for (int i = 0; i < std::ssize(bodies); ++i) weights[i] = weights[joined.smallest(i)];
  return weights;
}

void World::add_joint_limits(const std::vector<double>& weights) {
  for (int b = 0; b < std::ssize(scene_->bodies); ++b) {
    const std::vector<SceneJoint>& joints = scene_->bodies[b].joints;
    for (int k = 0; k < std::ssize(joints); ++k) {
      if (!joints[k].limited) continue;
      violations_.add_joint_limit({.kind = ConstraintKind::joint_limit,
                                   .index = b,
                                   .joint = k,
                                   .is_angle = is_angle({b, k, 1})},
                                  weights[b], joint_term({b, k, 1}), joints[k]);
    }
  }
}

bool World::is_angle(const ScenePart& part) const {
  return scene_->bodies[part.body].joints[part.joint].kind == JointKind::hinge;
}

bool World::is_angle(const SceneTendon& tendon) const {
  return tendon.points.empty() &&
         std::all_of(tendon.joints.begin(), tendon.joints.end(),
                     [&](const ScenePart& part) { return is_angle(part); });
}

void World::add_couplings(const std::vector<std::int32_t>& moving) {
  const std::vector<double> weights = joined_weights();
  add_joint_limits(weights);
  int held = -1;  // a body that moves, of those at hand
  const auto term = [&](const ScenePart& part) {
    held = part.body;
    return joint_term(part);
  };
  const auto point = [&](int body, const Pose& pose) {
    if (body == world_body) return Couplings::Point{fixed_body, pose.p, pose.R};
    const SceneBody& b = scene_->bodies[body];
    if (b.kind == BodyKind::fixed) {
      const Pose there = Pose{b.position, to_matrix(b.orientation)} * pose;
      return Couplings::Point{fixed_body, there.p, there.R};
    }
    held = body;
    return Couplings::Point{moving[body], pose.p - b.center_of_mass, pose.R};
  };
  const auto path = [&](const SceneTendon& t) {
    Couplings::Path way;
    for (const ScenePart& part : t.joints) way.joints.push_back(term(part));
    for (const auto& [body, position] : t.points) {
      way.points.push_back(point(body, {position, Mat3::identity()}));
    }
    return way;
  };
  for (int i = 0; i < std::ssize(scene_->tendons); ++i) {
    const SceneTendon& t = scene_->tendons[i];
    Couplings::Path along = path(t);
    int violation = -1;
    if (t.limited) {
      violation = violations_.add(
          {.kind = ConstraintKind::tendon_limit, .index = i, .is_angle = is_angle(t)},
          weights[held], t.limit_stiffness);
    }
    couplings_.add_tendon(t, violation, std::move(along));
  }
  for (int i = 0; i < std::ssize(scene_->equalities); ++i) {
    const SceneEquality& e = scene_->equalities[i];
    const auto violation = [&](bool angle) {
      return violations_.add({.index = i, .is_angle = angle}, weights[held], e.stiffness);
    };
    Couplings::Path a, b;
    switch (e.kind) {
      case EqualityKind::connect:
      case EqualityKind::weld: {
        Pose to_a = e.pose_a, to_b = e.pose_b;
        if (e.kind == EqualityKind::weld) move_to_center(e, to_a, to_b);
        const Couplings::Point on_a = point(e.body_a, to_a), on_b = point(e.body_b, to_b);
        couplings_.add_pose_equality(e, violation(false), on_a, on_b);
        continue;
      }
      case EqualityKind::joint:
        a.joints.push_back(term({e.body_a, e.joint_a, 1}));
        if (e.body_b != world_body) b.joints.push_back(term({e.body_b, e.joint_b, 1}));
        break;
      case EqualityKind::tendon:
        a = path(scene_->tendons[e.tendon_a]);
        if (e.tendon_b >= 0) b = path(scene_->tendons[e.tendon_b]);
        break;
    }
    const bool angle = e.kind == EqualityKind::joint ? is_angle({e.body_a, e.joint_a, 1})
                                                     : is_angle(scene_->tendons[e.tendon_a]);
    couplings_.add_length_equality(e, violation(angle), std::move(a), std::move(b));
  }
}

}  // namespace abut
