#pragma once

#include <cmath>

#include "abut/sim/scene.hpp"

namespace abut {

/// Adds the ground z <= 0, or a plane through `point` with this normal.
inline void add_plane(Scene& s, const Vec3& point = {}, const Vec3& normal = {0, 0, 1}) {
  SceneGeom g;
  g.shape = Shape::plane();
  const Vec3 t = any_perpendicular(normal);
  g.pose = {point, {{t, cross(normal, t), normal}}};
  s.geoms.push_back(g);
}

inline int add_body(Scene& s, const Shape& shape, double mass, const Vec3& inertia,
                    const Vec3& position, const Quaternion& orientation = {}) {
  SceneBody b;
  b.mass = mass;
  b.inertia = Mat3::diagonal(inertia);
  b.position = position;
  b.orientation = orientation;
  s.bodies.push_back(b);
  SceneGeom g;
  g.body = static_cast<int>(s.bodies.size()) - 1;
  g.shape = shape;
  s.geoms.push_back(g);
  return g.body;
}

inline int add_sphere(Scene& s, double mass, double radius, const Vec3& position) {
  const double i = 0.4 * mass * radius * radius;
  return add_body(s, Shape::sphere(radius), mass, {i, i, i}, position);
}

inline int add_box(Scene& s, double mass, const Vec3& half, const Vec3& position,
                   const Quaternion& orientation = {}) {
  const Vec3 sq{half.x * half.x, half.y * half.y, half.z * half.z};
  return add_body(s, Shape::box(half), mass,
                  {mass / 3 * (sq.y + sq.z), mass / 3 * (sq.x + sq.z), mass / 3 * (sq.x + sq.y)},
                  position, orientation);
}

/// The scene's next body: 1 kg on a slide along x, driven by a motor.
inline int add_cart_with_motor(Scene& s) {
  SceneBody cart;
  cart.kind = BodyKind::linked;
  cart.mass = 1;
  cart.inertia = Mat3::diagonal({1, 1, 1});
  SceneJoint slide;
  slide.kind = JointKind::slide;
  slide.axis = {1, 0, 0};
  cart.joints = {slide};
  s.bodies.push_back(cart);
  const int body = static_cast<int>(s.bodies.size()) - 1;
  SceneActuator motor;
  motor.parts = {{body, 0, 1}};
  s.actuators.push_back(motor);
  return body;
}

inline void set_friction(Scene& s, double mu) {
  for (SceneGeom& g : s.geoms) g.material.friction = mu;
}

/// Spheres and boxes in four columns that fall into an open box of side 0.8 m.
inline Scene clutter(int bodies) {
  Scene s;
  add_plane(s);
  add_plane(s, {-0.4, 0, 0}, {1, 0, 0});
  add_plane(s, {0.4, 0, 0}, {-1, 0, 0});
  add_plane(s, {0, -0.4, 0}, {0, 1, 0});
  add_plane(s, {0, 0.4, 0}, {0, -1, 0});
  unsigned state = 1;
  const auto noise = [&] {  // in [-1, 1), the same everywhere
    state = state * 1664525u + 1013904223u;
    return static_cast<double>(state >> 8) / (1 << 23) - 1;
  };
  for (int i = 0; i < bodies; ++i) {
    const Vec3 position{(i % 2 ? 0.2 : -0.2) + 0.01 * noise(),
                        (i / 2 % 2 ? 0.2 : -0.2) + 0.01 * noise(), 0.1 + 0.15 * (i / 4)};
    const Quaternion q = exp_rotation(0.1 * Vec3{noise(), noise(), noise()});
    if (noise() < 0) {
      add_sphere(s, 0.52, 0.05, position);
    } else {
      add_box(s, 1, {0.05, 0.05, 0.05}, position, q);
    }
  }
  set_friction(s, 1);
  return s;
}

}  // namespace abut
