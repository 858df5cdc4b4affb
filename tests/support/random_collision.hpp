#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "abut/sim/mass_properties.hpp"
#include "abut/sim/world.hpp"
#include "geometry/placements.hpp"

namespace abut {

/// A contact model with its normal law.
struct Law {
  const char* name;
  ContactModel model;
  NormalLawKind law;
};

inline constexpr Law laws[] = {
    {"sap", ContactModel::sap, NormalLawKind::kelvin_voigt},
    {"lagged kelvin-voigt", ContactModel::lagged, NormalLawKind::kelvin_voigt},
    {"lagged hunt-crossley", ContactModel::lagged, NormalLawKind::hunt_crossley},
    {"lagged hertz", ContactModel::lagged, NormalLawKind::hertz},
    {"similar kelvin-voigt", ContactModel::similar, NormalLawKind::kelvin_voigt},
    {"similar hunt-crossley", ContactModel::similar, NormalLawKind::hunt_crossley},
    {"similar hertz", ContactModel::similar, NormalLawKind::hertz}};

/// The largest rise of the energy above its largest earlier value, and when it began.
struct Rise {
  double most = 0;       ///< [J]
  double unit = 0;       ///< [J]
  double jump = 0;       ///< of one step [J]
  double jump_time = 0;  ///< [s]
  int failed = 0;

  double relative() const { return unit > 0 ? most / unit : 0; }
};

inline Rise watch(World& world, double duration) {
  const auto energy = [&] { return world.kinetic_energy() + world.potential_energy(); };
  Rise rise;
  const double start = energy();
  double highest = start, lowest = HUGE_VAL, last = start;
  const int steps = static_cast<int>(std::lround(duration / world.time_step()));
  for (int i = 0; i < steps; ++i) {
    rise.failed += world.step().solve.status != SolveStatus::converged;
    const double e = energy();
    if (e - last > rise.jump) rise.jump = e - last, rise.jump_time = world.time();
    last = e;
    rise.most = std::fmax(rise.most, e - highest);
    highest = std::fmax(highest, e);
    lowest = std::fmin(lowest, world.potential_energy());
  }
  rise.unit = start - lowest;
  return rise;
}

/// One collision: two bodies, or one and the ground.
struct Collision {
  Scene scene;
  WorldOptions options;
  Law law;
  double duration = 0;
};

inline Shape random_shape(Random& random, ShapeKind kind) {
  const auto length = [&] { return 0.1 * std::pow(10, random.uniform(-0.5, 0.5)); };
  switch (kind) {
    case ShapeKind::sphere: return Shape::sphere(length());
    case ShapeKind::capsule: return Shape::capsule(length(), length());
    case ShapeKind::cylinder: return Shape::cylinder(length(), length());
    case ShapeKind::ellipsoid: return Shape::ellipsoid({length(), length(), length()});
    case ShapeKind::hull: {
      const Vec3 half = {length(), length(), length()};
      std::vector<Vec3> points;
      const int count = static_cast<int>(random.uniform(5, 40));
      for (int i = 0; i < count; ++i) {
        points.push_back({half.x * random.uniform(-1, 1), half.y * random.uniform(-1, 1),
                          half.z * random.uniform(-1, 1)});
      }
      return Shape::convex(make_convex_hull(points));
    }
    case ShapeKind::height_field: {
      std::vector<double> heights(21 * 21);
      for (double& z : heights) z = 0.05 * random.uniform(-1, 1);
      return Shape::height_field(make_height_field(21, 21, 3, 3, 1, heights));
    }
    case ShapeKind::plane: return Shape::plane();
    case ShapeKind::box: break;
  }
  return Shape::box({length(), length(), length()});
}

/// Undamped; all but those with the ground without gravity.
inline Collision random_collision(Random& random, ShapeKind kind_a, ShapeKind kind_b) {
  const bool ground = kind_a == ShapeKind::plane || kind_a == ShapeKind::height_field;
  Collision c;
  c.law = laws[static_cast<std::size_t>(random.uniform(0, std::size(laws)))];
  Shape shapes[2] = {random_shape(random, kind_a), random_shape(random, kind_b)};
  // half of them with axes in line, which is where faces and lines meet
  Mat3 R[2] = {ground ? Mat3::identity() : random.rotation(), random.rotation()};
  if (random.uniform(0, 1) < 0.5) {
    R[1] = R[0] * random.quarter_turns() * rotation(random.direction(), random.uniform(0, 0.05));
  }
  const Vec3 u = ground                       ? Vec3{0, 0, 1}
                 : random.uniform(0, 1) < 0.5 ? R[0].col[2]
                                              : random.direction();
  const double speed = std::pow(10, random.uniform(-0.5, 0.7));
  const double top = kind_a == ShapeKind::height_field ? shapes[0].field->highest : 0;
  const double apart = (ground ? top : support(shapes[0], R[0], u)) + support(shapes[1], R[1], -u) +
                       random.uniform(0, 0.02);
  const Vec3 aside = random.uniform(0, 0.1) * any_perpendicular(u);
  double least = HUGE_VAL, size = HUGE_VAL;
  for (int k = ground ? 1 : 0; k < 2; ++k) {
    const MassProperties m = mass_properties(shapes[k], random.uniform(300, 3000));
    SceneBody b;
    b.mass = m.mass, b.center_of_mass = m.center_of_mass, b.inertia = m.inertia;
    const double angle =
        std::acos(std::clamp((R[k](0, 0) + R[k](1, 1) + R[k](2, 2) - 1) / 2, -1.0, 1.0));
    const Vec3 w = {R[k](2, 1) - R[k](1, 2), R[k](0, 2) - R[k](2, 0), R[k](1, 0) - R[k](0, 1)};
    b.orientation = norm(w) > 1e-12 ? exp_rotation(angle / norm(w) * w) : exp_rotation({});
    b.position = k == 0 ? Vec3{} : apart * u + aside;
    const double side = k == 0 ? 0.5 : -0.5;
    b.linear_velocity = (ground ? 2 : 1) * side * speed * u + 0.3 * speed * random.direction();
    b.angular_velocity =
        random.uniform(0, 2 * speed / shapes[k].bounding_radius()) * random.direction();
    least = std::fmin(least, m.mass);
    size = std::fmin(size, std::cbrt(m.mass / 1000));
    c.scene.bodies.push_back(b);
  }
  for (int k = 0; k < 2; ++k) {
    SceneGeom g;
    g.body = ground ? k - 1 : k;
    g.shape = shapes[k];
    c.scene.geoms.push_back(g);
  }
  if (!ground) c.scene.gravity = {};
  // as stiff as makes this the depth of a central impact on one point
  const double depth = size * std::pow(10, random.uniform(-3, -0.7));
  const double energy = 0.5 * least * speed * speed;
  const bool hertz = c.law.law == NormalLawKind::hertz && c.law.model != ContactModel::sap;
  c.options.pair.stiffness =
      hertz ? 2.5 * energy / std::pow(depth, 2.5) : 2 * energy / (depth * depth);
  c.options.pair.dissipation = 0, c.options.pair.relaxation_time = 0;
  c.options.pair.friction = random.uniform(0, 1);
  c.options.model = c.law.model, c.options.law = c.law.law;
  c.duration = std::fmin(0.5, 0.05 + 10 * depth / speed + 0.1 / speed);
  return c;
}

}  // namespace abut
