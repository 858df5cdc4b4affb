#include "abut/view/live/drag.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "abut/linalg/dense_spd.hpp"
#include "abut/sim/mass_properties.hpp"

namespace abut {
namespace {

constexpr double largest_rate = 20;       // w [rad/s]
constexpr double largest_angle = 0.2;     // w h
constexpr double largest_stretch = 1;     // [m]
constexpr double farthest = 1e6;          // that a point is from its body [m]
constexpr double stiff_direction = 0.02;  // of tr W: slower ones are taken for none

/// L of the class's equation.
Mat3 damped_inverse(const Mat3& w) {
  const double small = stiff_direction * (w(0, 0) + w(1, 1) + w(2, 2));
  if (!(small > 0)) return {};
  Mat3 square = w * w;
  for (int i = 0; i < 3; ++i) square(i, i) += small * small;
  return w * inverse(square);
}

/// The stretch at which a body of this size would turn about the point by more than a radian or so
/// in a step [m].
double steady_stretch(const SceneBody& body, double angle) {
  const Vec3 moments = principal_moments(body.inertia);
  const double least = std::min({moments.x, moments.y, moments.z});
  if (!(least > 0) || !(body.mass > 0)) return largest_stretch;  // others carry it
  return 0.5 * std::sqrt(least / body.mass) / (angle * angle);
}

}  // namespace

void DragSpring::start(World& world, int body, const Vec3& point, const Vec3& target) {
  world.body_state(body);  // throws for an index that no body has
  const std::vector<SceneBody>& bodies = world.scene().bodies;
  if (bodies[body].kind == BodyKind::fixed) {
    fail_input("drag: " + display_name(world.scene(), body) + " is fixed");
  }
  if (!is_finite(target)) fail_input("drag: target is not finite");
  require(norm(point) <= farthest, "drag: distance of the point from the body's origin",
          norm(point), "m", "must be at most 1e6");
  if (body != body_) stop(world);
  body_ = body;
  point_ = point;
  target_ = target;
  if (bodies[body].kind != BodyKind::linked) return;
  const int tree = world.joint_place(body).tree;
  link_ = 0;
  for (int b = 0; b < body; ++b) {
    if (bodies[b].kind == BodyKind::linked && world.joint_place(b).tree == tree) ++link_;
  }
}

void DragSpring::stop(World& world) {
  if (active()) world.set_load(body_, {}, {});
  body_ = world_body;
}

void DragSpring::apply(World& world) {
  if (!active()) return;
  const Pull p = pull(world);
  const bool finite = is_finite(p.force) && is_finite(p.moment);  // not where the world is not
  world.set_load(body_, finite ? p.force : Vec3{}, finite ? p.moment : Vec3{});
}

DragView DragSpring::view(const World& world) {
  if (!active()) return {};
  const Pull p = pull(world);
  return {body_, p.point, target_, p.force};
}

DragSpring::Pull DragSpring::pull(const World& world) {
  const SceneBody& body = world.scene().bodies[body_];
  const BodyState s = world.body_state(body_);
  const Mat3 R = to_matrix(s.orientation);
  const Vec3 arm = R * (point_ - body.center_of_mass);
  const Vec3 point = s.position + R * point_;
  const Vec3 velocity = s.linear_velocity + cross(s.angular_velocity, arm);

  const double rate = std::min(largest_rate, largest_angle / world.time_step());
  Vec3 stretch = target_ - point;
  const double most = std::min(largest_stretch, steady_stretch(body, rate * world.time_step()));
  const double longest = std::max({std::abs(stretch.x), std::abs(stretch.y), std::abs(stretch.z)});
  if (longest > most) stretch *= most / longest;  // first so, for no square of it may be too large
  if (const double length = norm(stretch); length > most) stretch *= most / length;
  const Vec3 force = damped_inverse(mobility(world, arm, point, R)) *
                     (rate * rate * stretch - 2 * rate * velocity);
  const Vec3 spin = R * (body.inertia * transpose_times(R, s.angular_velocity));
  return {point, force, cross(arm, force) - 0.25 * rate * spin};
}

Mat3 DragSpring::mobility(const World& world, const Vec3& arm, const Vec3& point,
                          const Mat3& rotation) {
  const SceneBody& body = world.scene().bodies[body_];
  if (body.kind == BodyKind::linked) return joint_mobility(world, point);
  const Mat3 r = Mat3::skew(arm);
  const Mat3 turning = rotation * inverse(body.inertia) * transpose(rotation);
  return (1 / body.mass) * Mat3::identity() - r * turning * r;
}

/// J M^-1 J^T: what the springs of joints and couplings hold back makes it smaller still.
Mat3 DragSpring::joint_mobility(const World& world, const Vec3& point) {
  const ArticulatedTree& tree = world.articulated_trees().tree(world.joint_place(body_).tree);
  const int n = tree.velocities();
  factor_.resize(static_cast<std::size_t>(n) * round_up_8(n));
  const int width = round_up_8(n);
  work_.resize(std::size_t{3} * width);
  if (!invert_factor(n, tree.lower_mass(), factor_.data())) return {};
  jacobian_.resize(std::size_t{6} * total_size(tree.support(link_)));
  tree.get_jacobian(link_, point, jacobian_);
  multiply_by_factor(3, n, jacobian_.data(), tree.support(link_), factor_.data(), work_.data());
  Mat3 w{};
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) {
      const double *x = work_.data() + r * width, *y = work_.data() + c * width;
      w.col[c][r] = std::inner_product(x, x + width, y, 0.0);
    }
  }
  return w;
}

}  // namespace abut
