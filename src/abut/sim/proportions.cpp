// What can be said of a scene before its first step.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>

#include "abut/sim/warnings.hpp"

namespace abut {
namespace {

// Of a scene whose gravity is the earth's half of the moving shapes have a larger bounding radius
// [m]: nothing that people simulate in contact does, but drawings in millimetres do.
constexpr double largest_radius = 10, weakest_earth = 9, strongest_earth = 10.5;
// kg/m^3: gold has 2e4, air 1. What encloses a shape may be a thousand times as large as the shape
// is.
constexpr double heaviest = 1e5, lightest = 1e-3;
// a car and a grain of sand: beyond it contact between the two has few digits left
constexpr double largest_ratio = 1e8;

/// A free body or a mechanism.
struct Whole {
  int body = 0;  ///< its first
  double mass = 0;
  double enclosed = 0;  ///< by balls around those of its shapes that may touch [m^3]
  double gyrated = 0;   ///< of balls with its bodies' masses and radii of gyration [m^3]
};

double ball_volume(double radius) {
  return 4 * std::numbers::pi / 3 * radius * radius * radius;
}

std::vector<Whole> wholes_of(const Scene& scene) {
  std::vector<Whole> wholes;
  std::vector<int> whole(scene.bodies.size(), -1);
  for (int b = 0; b < std::ssize(scene.bodies); ++b) {
    const SceneBody& body = scene.bodies[b];
    if (body.kind == BodyKind::fixed) continue;
    if (body.kind == BodyKind::linked && body.parent != world_body) {
      whole[b] = whole[body.parent];
    } else {
      whole[b] = static_cast<int>(wholes.size());
      wholes.push_back({.body = b});
    }
    Whole& w = wholes[whole[b]];
    w.mass += body.mass;
    const Mat3& I = body.inertia;
    const double gyration2 = body.mass > 0 ? (I(0, 0) + I(1, 1) + I(2, 2)) / (2 * body.mass) : 0;
    w.gyrated += ball_volume(std::sqrt(5.0 / 3 * gyration2));
  }
  for (const SceneGeom& g : scene.geoms) {
    const bool touches = g.contact_type != 0 || g.contact_affinity != 0;
    if (g.body == world_body || whole[g.body] < 0 || !touches) continue;
    wholes[whole[g.body]].enclosed += ball_volume(g.shape.bounding_radius());
  }
  return wholes;
}

void check_sizes(const Scene& scene, std::vector<Warning>& warnings) {
  const double gravity = norm(scene.gravity);
  if (gravity < weakest_earth || gravity > strongest_earth) return;
  std::vector<double> radii;
  Warning w{.kind = WarningKind::size, .bound = 2 * largest_radius};
  for (const SceneGeom& g : scene.geoms) {
    if (g.body == world_body || scene.bodies[g.body].kind == BodyKind::fixed) continue;
    radii.push_back(g.shape.bounding_radius());
    if (2 * radii.back() > w.value) w.body = g.body, w.value = 2 * radii.back();
  }
  if (radii.empty()) return;
  const auto middle = radii.begin() + std::ssize(radii) / 2;
  std::nth_element(radii.begin(), middle, radii.end());
  if (*middle > largest_radius) warnings.push_back(w);
}

void check_masses(const std::vector<Whole>& wholes, std::vector<Warning>& warnings) {
  const Whole *most = nullptr, *least = nullptr;
  Warning odd{.kind = WarningKind::density};
  double oddity = 1;  // by how much beyond its bound
  for (const Whole& w : wholes) {
    if (!(w.mass > 0 && w.enclosed > 0)) continue;
    if (most == nullptr || w.mass > most->mass) most = &w;
    if (least == nullptr || w.mass < least->mass) least = &w;
    const double heavy = w.mass / std::max(w.enclosed, w.gyrated), light = w.mass / w.enclosed;
    for (const auto& [value, bound, beyond] :
         {std::tuple{heavy, heaviest, heavy / heaviest}, {light, lightest, lightest / light}}) {
      if (!(beyond > oddity)) continue;
      oddity = beyond;
      odd.body = w.body, odd.value = value, odd.bound = bound;
    }
  }
  if (oddity > 1) warnings.push_back(odd);
  if (most != nullptr && most->mass > largest_ratio * least->mass) {
    warnings.push_back({.kind = WarningKind::mass_ratio,
                        .body = most->body,
                        .other = least->body,
                        .value = most->mass / least->mass,
                        .bound = largest_ratio});
  }
}

}  // namespace

std::vector<Warning> check_proportions(const Scene& scene) {
  std::vector<Warning> warnings;
  check_sizes(scene, warnings);
  check_masses(wholes_of(scene), warnings);
  return warnings;
}

}  // namespace abut
