// Time of one collide() call per pair of shapes, for shapes that rest on each other and for random
// overlapping ones, beside Coal's collide() in the same
// run, which gives depth, normal and one point.
//
//     collide_bench

#include "abut/geometry/manifold.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "abut/geometry/shape.hpp"
#ifdef ABUT_WITH_COAL
#include "geometry/coal_oracle.hpp"
#endif
#include "geometry/placements.hpp"

namespace abut {
namespace {

constexpr int placements = 500, repeats = 9;

/// Seconds of the fastest of some runs over all placements, per placement.
template <class Run>
double fastest(Run&& run) {
  double best = HUGE_VAL;
  for (int i = 0; i < repeats; ++i) {
    const auto start = std::chrono::steady_clock::now();
    run();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    best = std::min(best, taken.count());
  }
  return best / placements;
}

/// B on A, 0.1 mm deep: on its face if it has one, else lying; turned and shifted at random.
Placement stacked(Random& random, ShapeKind a, ShapeKind b) {
  const Mat3 lying = rotation({0, 1, 0}, std::numbers::pi / 2);
  const auto shape = [](ShapeKind kind) {
    switch (kind) {
      case ShapeKind::plane: return Shape::plane();
      case ShapeKind::sphere: return Shape::sphere(0.05);
      case ShapeKind::capsule: return Shape::capsule(0.04, 0.1);
      case ShapeKind::cylinder: return Shape::cylinder(0.06, 0.08);
      default: return Shape::box({0.1, 0.08, 0.06});
    }
  };
  Placement p = {shape(a), shape(b), {}, {}};
  if (a == ShapeKind::capsule) p.X_WA.R = lying;
  p.X_WB.R = rotation({0, 0, 1}, random.uniform(-3, 3)) *
             rotation(random.direction(), random.uniform(0, 1e-4)) *
             (b == ShapeKind::capsule ? lying : Mat3::identity());
  const double round = a == ShapeKind::sphere || a == ShapeKind::capsule ? 0 : 0.02;
  const Vec3 up{0, 0, 1};
  p.X_WB.p = {round * random.uniform(-1, 1), round * random.uniform(-1, 1),
              support(p.a, p.X_WA.R, up) + support(p.b, p.X_WB.R, up) - 1e-4};
  return p;
}

Placement overlapping(Random& random, ShapeKind a, ShapeKind b) {
  for (;;) {
    const Placement p = random.placement(a, b);
    const Manifold m = collide(p, 0);
    if (m.size > 0) return p;
  }
}

void measure(const char* how, ShapeKind a, ShapeKind b, const std::vector<Placement>& all) {
  long points = 0;
  Manifold m;
  const double ours = fastest([&] {
    points = 0;
    for (const Placement& p : all) {
      collide(p.a, p.X_WA, p.b, p.X_WB, 2e-3, m);
      points += m.size;
    }
  });
  std::printf("%-9s %-9s %-8s %7.0f ns %5.1f", to_string(a), to_string(b), how, 1e9 * ours,
              static_cast<double>(points) / placements);
#ifdef ABUT_WITH_COAL
  const CoalPairs coal(all);
  const double theirs = fastest([&] { coal.collide_all(); });
  std::printf(" %8.0f ns %6.1f", 1e9 * theirs, theirs / ours);
#endif
  std::printf("\n");
}

}  // namespace
}  // namespace abut

int main() {
  using namespace abut;
  std::printf("pair                placed       abut   points      Coal  ratio\n");
  for (const ShapeKind a : kinds) {
    for (const ShapeKind b : kinds) {
      if (b < a || b == ShapeKind::plane) continue;
      Random random(1);
      std::vector<Placement> rest, random_ones;
      for (int i = 0; i < placements; ++i) {
        rest.push_back(stacked(random, a, b));
        random_ones.push_back(overlapping(random, a, b));
      }
      measure("stacked", a, b, rest);
      measure("random", a, b, random_ones);
    }
  }
}
