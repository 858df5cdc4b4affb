#include "abut/sim/error_control.hpp"

#include <algorithm>
#include <cmath>

namespace abut {
namespace {

double gyration_radius(const SceneBody& b) {
  const double trace = b.inertia.col[0].x + b.inertia.col[1].y + b.inertia.col[2].z;
  return b.mass > 0 ? std::sqrt(std::max(0.0, trace) / (2 * b.mass)) : 0;
}

/// Of the rotation from a to b [rad].
double angle_between(const Quaternion& a, const Quaternion& b) {
  const Vec3 u{a.x, a.y, a.z}, v{b.x, b.y, b.z};
  const Vec3 sine = a.w * v - b.w * u - cross(u, v);
  return 2 * std::atan2(norm(sine), std::abs(a.w * b.w + dot(u, v)));
}

}  // namespace

ErrorControl::ErrorControl(const Scene& scene, const std::vector<std::int32_t>& moving) {
  const auto bodies = std::count_if(moving.begin(), moving.end(),
                                    [](std::int32_t body) { return body != fixed_body; });
  radius_.assign(bodies, 0);
  center_.resize(bodies);
  orientation_.resize(bodies);
  for (const SceneGeom& g : scene.geoms) {
    if (g.body == world_body || moving[g.body] == fixed_body) continue;
    double& radius = radius_[moving[g.body]];
    const double arm = norm(g.pose.p - scene.bodies[g.body].center_of_mass);
    radius = std::max(radius, arm + g.shape.bounding_radius());
  }
  double largest = 0;
  for (std::size_t b = 0; b < moving.size(); ++b) {
    if (moving[b] == fixed_body) continue;
    double& radius = radius_[moving[b]];
    if (!(radius > 0)) radius = gyration_radius(scene.bodies[b]);
    largest = std::max(largest, radius);
  }
  for (double& radius : radius_) {
    if (!(radius > 0)) radius = largest > 0 ? largest : 1;
  }
}

void ErrorControl::set_whole(const MovingBodies& bodies) {
  std::copy(bodies.center.begin(), bodies.center.end(), center_.begin());
  for (int i = 0; i < bodies.size(); ++i) orientation_[i] = bodies.orientation_of(i);
}

ErrorControl::Error ErrorControl::compare(const MovingBodies& bodies) const {
  Error worst;
  for (int i = 0; i < bodies.size(); ++i) {
    const double error = norm(bodies.center[i] - center_[i]) / radius_[i] +
                         angle_between(orientation_[i], bodies.orientation_of(static_cast<int>(i)));
    if (error > worst.size || std::isnan(error)) worst = {error, i};
    if (std::isnan(error)) return {HUGE_VAL, i};
  }
  return worst;
}

double next_substep(double h, double error, double accuracy) {
  constexpr double safety = 0.9, most_growth = 5, least_cut = 0.5, most_cut = 0.1;
  if (error <= accuracy) {
    const double growth = safety * std::sqrt(accuracy / error);  // infinite where error is 0
    return h * std::clamp(growth, safety, most_growth);
  }
  return h * std::clamp(safety * accuracy / error, most_cut, least_cut);
}

}  // namespace abut
