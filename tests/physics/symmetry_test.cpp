// What is symmetric stays so, and nothing depends on the order in which bodies and contacts come.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "abut/sim/world.hpp"
#include "support/scenes.hpp"

namespace abut {
namespace {

WorldOptions options(ContactModel model, double dt, double tolerance) {
  WorldOptions o;
  o.model = model;
  o.time_step = dt;
  o.tolerance = tolerance;
  return o;
}

enum class Lander { box, wheel, spheres };

/// A body that is symmetric about y = 0, 2 cm above the ground, with 2 m/s along x.
Scene landing(Lander lander) {
  Scene s;
  add_plane(s);
  switch (lander) {
    case Lander::box: add_box(s, 1, {0.1, 0.1, 0.05}, {0, 0, 0.07}); break;
    case Lander::wheel:
      add_body(s, Shape::cylinder(0.1, 0.05), 1, {3e-3, 3e-3, 5e-3}, {0, 0, 0.12},
               exp_rotation({std::acos(-1.0) / 2, 0, 0}));
      break;
    case Lander::spheres: {  // two of 10 cm, one body
      add_body(s, Shape::sphere(0.1), 2, {0.05, 0.02, 0.05}, {0, 0, 0.12});
      s.geoms.back().pose.p = {0, -0.2, 0};
      SceneGeom other = s.geoms.back();
      other.pose.p = {0, 0.2, 0};
      s.geoms.push_back(other);
      break;
    }
  }
  set_friction(s, 0.5);
  s.bodies[0].linear_velocity = {2, 0, 0};
  return s;
}

/// The largest angle by which it turns about z in half a second.
double yaw(Lander lander, const WorldOptions& o) {
  World w(landing(lander), o);
  const Vec3 local = lander == Lander::wheel ? Vec3{0, 0, -1} : Vec3{0, 1, 0};
  double most = 0;
  while (w.time() < 0.5) {
    w.step();
    const Vec3 y = to_matrix(w.body_state(0).orientation) * local;
    most = std::max(most, std::abs(std::atan2(y.x, y.y)));
  }
  return most;
}

// as far as the problems are solved
void expect_no_yaw(ContactModel model) {
  for (const double h : {1e-3, 5e-3}) {
    for (const Lander lander : {Lander::box, Lander::wheel, Lander::spheres}) {
      SCOPED_TRACE(testing::Message() << to_string(model) << ", lander " << static_cast<int>(lander)
                                      << ", step " << h);
      EXPECT_LE(yaw(lander, options(model, h, 1e-10)), 1e-9);
      EXPECT_LE(yaw(lander, options(model, h, 1e-6)), 1e-5);
    }
  }
}

/// y -> -y
BodyState mirrored(BodyState s) {
  s.position.y = -s.position.y;
  s.orientation = {s.orientation.w, -s.orientation.x, s.orientation.y, -s.orientation.z};
  s.linear_velocity.y = -s.linear_velocity.y;
  s.angular_velocity.x = -s.angular_velocity.x;
  s.angular_velocity.z = -s.angular_velocity.z;
  return s;
}

/// Boxes and spheres that fall on each other and slide; body i of them at place `order[i]`.
Scene heap(const std::vector<int>& order, bool mirror = false) {
  Scene s;
  add_plane(s);
  for (const int i : order) {
    const Vec3 position{0.05 * (i % 3), 0.04 * (i % 2) + 0.01 * i, 0.12 + 0.21 * i};
    const Quaternion q = exp_rotation({0.1 * i, 0.05, 0.2 - 0.1 * i});
    const int b = i % 3 == 2 ? add_sphere(s, 1 + i, 0.1, position)
                             : add_box(s, 2, {0.1, 0.08, 0.1}, position, q);
    BodyState state{position, s.bodies[b].orientation, {1, 0.5, -1}, {1, 2, 0.5 * i}};
    if (mirror) state = mirrored(state);
    s.bodies[b].position = state.position;
    s.bodies[b].orientation = state.orientation;
    s.bodies[b].linear_velocity = state.linear_velocity;
    s.bodies[b].angular_velocity = state.angular_velocity;
  }
  set_friction(s, 0.6);
  return s;
}

/// How far the bodies of two worlds are apart after 50 steps of 5 ms; body i of one is `order[i]`
/// of the other.
double distance(World& a, World& b, const std::vector<int>& order, bool mirror) {
  int contacts = 0;
  for (int i = 0; i < 50; ++i) {
    contacts += a.step().contacts;
    b.step();
  }
  EXPECT_GT(contacts, 100);
  double most = 0;
  for (int i = 0; i < std::ssize(order); ++i) {
    BodyState there = b.body_state(i);
    if (mirror) there = mirrored(there);
    most = std::max(most, norm(a.body_state(order[i]).position - there.position));
  }
  return most;
}

std::vector<int> ascending(int count) {
  std::vector<int> order(count);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

double mirror_distance(ContactModel model) {
  const std::vector<int> order = ascending(6);
  const WorldOptions o = options(model, 5e-3, 1e-10);
  World a(heap(order), o), b(heap(order, true), o);
  return distance(a, b, order, true);
}

double order_distance(ContactModel model) {
  const std::vector<int> order = {3, 5, 0, 4, 2, 1};
  const WorldOptions o = options(model, 5e-3, 1e-10);
  World a(heap(ascending(6)), o), b(heap(order), o);
  return distance(a, b, order, false);
}

void expect_order_and_side_make_no_difference(ContactModel model, double most = 1e-9) {
  EXPECT_LE(mirror_distance(model), most) << to_string(model);
  EXPECT_LE(order_distance(model), most) << to_string(model);
}

TEST(Symmetry, OfSap) {
  expect_no_yaw(ContactModel::sap);
  expect_order_and_side_make_no_difference(ContactModel::sap);
}

TEST(Symmetry, OfLaggedAndSimilar) {
  for (const ContactModel model : {ContactModel::lagged, ContactModel::similar}) {
    expect_no_yaw(model);
    expect_order_and_side_make_no_difference(model);
  }
}

// the LCP and RaiSim depend on the tangent axes; the NCP is no convex problem, so that it may grow
// errors of its solves
TEST(Symmetry, OfCcpAndNcp) {
  expect_no_yaw(ContactModel::ccp);
  expect_order_and_side_make_no_difference(ContactModel::ccp);
  expect_no_yaw(ContactModel::ncp);
  expect_order_and_side_make_no_difference(ContactModel::ncp, 1e-5);
}

}  // namespace
}  // namespace abut
