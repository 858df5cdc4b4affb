#pragma once

#include <concepts>
#include <type_traits>

#include "abut/io/scene_file.hpp"

// The members of all that a scene is made of. Structured bindings name every member, so that one
// more in a struct does not compile until it is listed here too.

namespace abut {

/// T or const T.
template <class X, class T>
concept MaybeConst = std::same_as<std::remove_const_t<X>, T>;

void visit_fields(MaybeConst<Origin> auto& x, auto& visit) {
  auto& [file, line, element] = x;
  visit(file, line, element);
}
void visit_fields(MaybeConst<Pose> auto& x, auto& visit) {
  auto& [p, R] = x;
  visit(p, R);
}
void visit_fields(MaybeConst<Notice> auto& x, auto& visit) {
  auto& [at, text] = x;
  visit(at, text);
}
void visit_fields(MaybeConst<Material> auto& x, auto& visit) {
  auto& [stiffness, dissipation, relaxation_time, friction, cross_friction, static_friction, table,
         thickness] = x;
  visit(stiffness, dissipation, relaxation_time, friction, cross_friction, static_friction, table,
        thickness);
}
void visit_fields(MaybeConst<ForceTable> auto& x, auto& visit) {
  auto& [depth, force] = x;
  visit(depth, force);
}

void visit_fields(MaybeConst<ConvexHull::Side> auto& x, auto& visit) {
  auto& [vertex, next_face, outward, bend, turn] = x;
  visit(vertex, next_face, outward, bend, turn);
}
void visit_fields(MaybeConst<ConvexHull::Face> auto& x, auto& visit) {
  auto& [normal, begin, end, outline, corners, extent, least_bend] = x;
  visit(normal, begin, end, outline, corners, extent, least_bend);
}
void visit_fields(MaybeConst<ConvexHull> auto& x, auto& visit) {
  auto& [vertices, faces, sides, faces_at, faces_begin, neighbours, neighbours_begin, farthest_near,
         lower, upper, size, bounding_radius] = x;
  visit(vertices, faces, sides, faces_at, faces_begin, neighbours, neighbours_begin, farthest_near,
        lower, upper, size, bounding_radius);
}
void visit_fields(MaybeConst<HeightField> auto& x, auto& visit) {
  auto& [columns, rows, half_x, half_y, base, step_x, step_y, heights, lowest, highest] = x;
  visit(columns, rows, half_x, half_y, base, step_x, step_y, heights, lowest, highest);
}
void visit_fields(MaybeConst<TriangleMesh> auto& x, auto& visit) {
  auto& [vertices, triangles] = x;
  visit(vertices, triangles);
}
void visit_fields(MaybeConst<Shape> auto& x, auto& visit) {
  auto& [kind, size, hull, field] = x;
  visit(kind, size, hull, field);
}

void visit_fields(MaybeConst<Joint> auto& x, auto& visit) {
  auto& [kind, axis, anchor, reference, armature, damping, stiffness, spring_reference,
         dry_friction, limited, lower, upper, limit_stiffness] = x;
  visit(kind, axis, anchor, reference, armature, damping, stiffness, spring_reference, dry_friction,
        limited, lower, upper, limit_stiffness);
}
template <MaybeConst<SceneJoint> T>
void visit_fields(T& x, auto& visit) {
  static_assert(sizeof(T) == sizeof(Joint) + sizeof(std::string) + sizeof(Origin));
  std::conditional_t<std::is_const_v<T>, const Joint, Joint>& joint = x;
  visit(joint, x.name, x.origin);
}
void visit_fields(MaybeConst<SceneBody> auto& x, auto& visit) {
  auto& [name, kind, parent, position, orientation, linear_velocity, angular_velocity, mass,
         center_of_mass, inertia, any_inertia, joints, joint_positions, joint_velocities, origin] =
      x;
  visit(name, kind, parent, position, orientation, linear_velocity, angular_velocity, mass,
        center_of_mass, inertia, any_inertia, joints, joint_positions, joint_velocities, origin);
}
void visit_fields(MaybeConst<SceneGeom> auto& x, auto& visit) {
  auto& [name, body, shape, pose, material, friction_axis, surface_velocity,
         surface_angular_velocity, friction_priority, contact_type, contact_affinity, frictionless,
         color, origin] = x;
  visit(name, body, shape, pose, material, friction_axis, surface_velocity,
        surface_angular_velocity, friction_priority, contact_type, contact_affinity, frictionless,
        color, origin);
}
void visit_fields(MaybeConst<SceneVisual> auto& x, auto& visit) {
  auto& [body, shape, mesh, pose, color, origin] = x;
  visit(body, shape, mesh, pose, color, origin);
}
void visit_fields(MaybeConst<ScenePair> auto& x, auto& visit) {
  auto& [name, geom_a, geom_b, material, law, frictionless, forced, origin] = x;
  visit(name, geom_a, geom_b, material, law, frictionless, forced, origin);
}
void visit_fields(MaybeConst<DragBox> auto& x, auto& visit) {
  auto& [body, pose, sides] = x;
  visit(body, pose, sides);
}

void visit_fields(MaybeConst<ScenePart> auto& x, auto& visit) {
  auto& [body, joint, gear] = x;
  visit(body, joint, gear);
}
void visit_fields(MaybeConst<SceneActuator> auto& x, auto& visit) {
  auto& [name, parts, gain, bias, lower_force, upper_force, velocity_limit, control_limited,
         lower_control, upper_control, activation, time_constant, activation_limited,
         lower_activation, upper_activation, activation_early, origin] = x;
  visit(name, parts, gain, bias, lower_force, upper_force, velocity_limit, control_limited,
        lower_control, upper_control, activation, time_constant, activation_limited,
        lower_activation, upper_activation, activation_early, origin);
}
void visit_fields(MaybeConst<SceneEquality> auto& x, auto& visit) {
  auto& [name, kind, body_a, body_b, pose_a, pose_b, joint_a, joint_b, tendon_a, tendon_b,
         reference_a, reference_b, polynomial, stiffness, origin] = x;
  visit(name, kind, body_a, body_b, pose_a, pose_b, joint_a, joint_b, tendon_a, tendon_b,
        reference_a, reference_b, polynomial, stiffness, origin);
}
void visit_fields(MaybeConst<SceneTendon::Point> auto& x, auto& visit) {
  auto& [body, position] = x;
  visit(body, position);
}
void visit_fields(MaybeConst<SceneTendon> auto& x, auto& visit) {
  auto& [name, joints, points, stiffness, lower_rest, upper_rest, damping, dry_friction, limited,
         lower, upper, limit_stiffness, origin] = x;
  visit(name, joints, points, stiffness, lower_rest, upper_rest, damping, dry_friction, limited,
        lower, upper, limit_stiffness, origin);
}
void visit_fields(MaybeConst<Keyframe::State> auto& x, auto& visit) {
  auto& [position, orientation, linear_velocity, angular_velocity, joint_positions,
         joint_velocities] = x;
  visit(position, orientation, linear_velocity, angular_velocity, joint_positions,
        joint_velocities);
}
void visit_fields(MaybeConst<Keyframe> auto& x, auto& visit) {
  auto& [name, time, bodies, origin] = x;
  visit(name, time, bodies, origin);
}
void visit_fields(MaybeConst<Scene> auto& x, auto& visit) {
  auto& [file, gravity, time_step, settings_origin, friction_rule, bodies, geoms, visuals,
         actuators, equalities, tendons, fluid_density, fluid_viscosity, wind, drag_boxes,
         filter_parents, excluded_bodies, excluded_geoms, pairs, force_table, keyframes, notices] =
      x;
  visit(file, gravity, time_step, settings_origin, friction_rule, bodies, geoms, visuals, actuators,
        equalities, tendons, fluid_density, fluid_viscosity, wind, drag_boxes, filter_parents,
        excluded_bodies, excluded_geoms, pairs, force_table, keyframes, notices);
}

void visit_fields(MaybeConst<ConstantSignal> auto& x, auto& visit) {
  auto& [values] = x;
  visit(values);
}
void visit_fields(MaybeConst<SineSignal> auto& x, auto& visit) {
  auto& [amplitude, frequency, phase, offset] = x;
  visit(amplitude, frequency, phase, offset);
}
void visit_fields(MaybeConst<TrajectorySignal> auto& x, auto& visit) {
  auto& [channels, times, values] = x;
  visit(channels, times, values);
}
void visit_fields(MaybeConst<RandomSignal> auto& x, auto& visit) {
  auto& [lower, upper, interval, seed] = x;
  visit(lower, upper, interval, seed);
}
void visit_fields(MaybeConst<Controller> auto& x, auto& visit) {
  auto& [kind, signal, joints, actuators, kp, kd, effort_limit, origin] = x;
  visit(kind, signal, joints, actuators, kp, kd, effort_limit, origin);
}
void visit_fields(MaybeConst<SimulationSettings> auto& x, auto& visit) {
  auto& [model, law, scheme, solver, tolerance, accuracy, lag_tolerance, restitution, baumgarte,
         contact_limit, duration, seed] = x;
  visit(model, law, scheme, solver, tolerance, accuracy, lag_tolerance, restitution, baumgarte,
        contact_limit, duration, seed);
}
void visit_fields(MaybeConst<Camera> auto& x, auto& visit) {
  auto& [name, position, target, up, field_of_view] = x;
  visit(name, position, target, up, field_of_view);
}
void visit_fields(MaybeConst<OutputSettings> auto& x, auto& visit) {
  auto& [directory, frame_rate] = x;
  visit(directory, frame_rate);
}
void visit_fields(MaybeConst<SceneFile> auto& x, auto& visit) {
  auto& [scene, simulation, controllers, cameras, output] = x;
  visit(scene, simulation, controllers, cameras, output);
}

}  // namespace abut
