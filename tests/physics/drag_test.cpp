// Drag of a fluid on boxes that lie anyhow in their bodies, against its equations and closed forms.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "abut/sim/world.hpp"
#include "support/scenes.hpp"

namespace abut {
namespace {

constexpr double pi = std::numbers::pi;

// one step from any state: m dv = h F, I dw = h (r x F + M - w x I w) to first order
TEST(Drag, ActsAtTheBoxesCenterInItsAxes) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto any = [&] { return Vec3{uniform(random), uniform(random), uniform(random)}; };
  for (int i = 0; i < 50; ++i) {
    SCOPED_TRACE(i);
    Scene s;
    s.gravity = {};
    s.fluid_density = 100 * (1 + uniform(random)), s.fluid_viscosity = 1 + uniform(random);
    s.wind = 3.0 * any();
    add_box(s, 2, {0.1, 0.2, 0.3}, any(), exp_rotation(3.0 * any()));
    SceneBody& b = s.bodies[0];
    b.center_of_mass = 0.3 * any();
    b.linear_velocity = 3.0 * any(), b.angular_velocity = 2.0 * any();
    std::vector<DragBox>& boxes = s.drag_boxes;
    for (int k = 0; k < i % 3; ++k) {
      const Vec3 sides = 0.2 * any() + Vec3{0.3, 0.3, 0.3};
      boxes.push_back({0, {any(), to_matrix(exp_rotation(3.0 * any()))}, sides});
    }
    const Mat3 R = to_matrix(b.orientation);
    Vec3 force, moment;
    for (const DragBox& box : boxes) {
      const Vec3 r = R * (box.pose.p - b.center_of_mass);
      const Vec3 v = b.linear_velocity + cross(b.angular_velocity, r) - s.wind;
      const double rho = s.fluid_density, beta = s.fluid_viscosity;
      const double mean = (box.sides.x + box.sides.y + box.sides.z) / 3;
      for (int axis = 0; axis < 3; ++axis) {
        const Vec3 e = R * box.pose.R.col[axis];
        const double along = dot(e, v), spin = dot(e, b.angular_velocity);
        const double length = box.sides[axis], wide = box.sides[(axis + 1) % 3],
                     high = box.sides[(axis + 2) % 3];
        const double f =
            -rho / 2 * wide * high * std::abs(along) * along - 3 * pi * beta * mean * along;
        force += f * e;
        moment += cross(r, f * e);
        moment +=
            (-rho / 64 * length * (std::pow(wide, 4) + std::pow(high, 4)) * std::abs(spin) * spin -
             pi * beta * std::pow(mean, 3) * spin) *
            e;
      }
    }
    const double h = 1e-7;
    World w(s);
    w.step(h);
    const BodyState after = w.body_state(0);
    const Vec3 dv = (after.linear_velocity - b.linear_velocity) / h,
               dw = (after.angular_velocity - b.angular_velocity) / h;
    const Mat3 I = R * b.inertia * transpose(R);
    const double size = norm(force) + norm(moment) + 1;
    EXPECT_LT(norm(b.mass * dv - force), 1e-5 * size);
    EXPECT_LT(norm(I * dw + cross(b.angular_velocity, I * b.angular_velocity) - moment),
              1e-4 * size);
  }
}

// rho/2 b^2 v^2 + 3 pi beta b v = m g, on a rail too; with a wind that blows as fast down
TEST(Drag, OfWhatFallsIsItsWeightInTheEnd) {
  constexpr double rho = 1000, beta = 20, side = 0.2, mass = 3, g = 9.81;
  const double a = rho / 2 * side * side, b = 3 * pi * beta * side;
  const double speed = (-b + std::sqrt(b * b + 4 * a * mass * g)) / (2 * a);
  for (const bool on_rail : {false, true}) {
    for (const double wind : {0.0, -speed}) {
      Scene s;
      s.fluid_density = rho, s.fluid_viscosity = beta;
      s.wind = {0, 0, wind};
      if (on_rail) {
        add_cart_with_motor(s);
        s.bodies[0].joints[0].axis = {0, 0, 1};
        s.bodies[0].mass = mass;
      } else {
        add_sphere(s, mass, 0.1, {});
      }
      s.drag_boxes.push_back({0, {}, {side, side, side}});
      World w(s);
      while (w.time() < 3) w.step(1e-3);
      EXPECT_NEAR(w.body_state(0).linear_velocity.z, wind - speed, 1e-9) << on_rail;
      EXPECT_TRUE(w.warnings().empty());
    }
  }
}

}  // namespace
}  // namespace abut
