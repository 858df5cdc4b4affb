#include "abut/sim/fluid.hpp"

#include <algorithm>
#include <cmath>

namespace abut {

Fluid::Fluid(const Scene& scene, const std::vector<std::int32_t>& moving)
    : density_(scene.fluid_density), viscosity_(scene.fluid_viscosity), wind_(scene.wind) {
  if (density_ == 0 && viscosity_ == 0) return;
  for (const DragBox& box : scene.drag_boxes) {
    const std::int32_t body = moving[box.body];
    if (body == fixed_body) continue;
    Pose pose = box.pose;
    pose.p -= scene.bodies[box.body].center_of_mass;
    boxes_.push_back({body, pose, box.sides});
  }
}

void Fluid::get_drag(const MovingBodies& bodies, std::span<Load> drag) const {
  constexpr double pi = 3.14159265358979323846;
  std::fill(drag.begin(), drag.end(), Load{});
  for (const Box& box : boxes_) {
    const Mat3 R = bodies.rotation[box.body] * box.pose.R;
    const Vec3 arm = bodies.rotation[box.body] * box.pose.p;
    const Vec3& spin = bodies.angular_velocity[box.body];
    const Vec3 v = transpose_times(R, bodies.linear_velocity[box.body] + cross(spin, arm) - wind_);
    const Vec3 w = transpose_times(R, spin);
    const Vec3& b = box.sides;
    const double d = (b.x + b.y + b.z) / 3;
    Vec3 force = (-3 * pi * viscosity_ * d) * v, moment = (-pi * viscosity_ * d * d * d) * w;
    for (int i = 0; i < 3; ++i) {
      const double bj = b[(i + 1) % 3], bk = b[(i + 2) % 3];
      force[i] -= 0.5 * density_ * bj * bk * std::abs(v[i]) * v[i];
      const double jj = bj * bj, kk = bk * bk;
      moment[i] -= density_ / 64 * b[i] * (jj * jj + kk * kk) * std::abs(w[i]) * w[i];
    }
    const Vec3 f = R * force;
    drag[box.body].force += f;
    drag[box.body].moment += R * moment + cross(arm, f);
  }
}

}  // namespace abut
