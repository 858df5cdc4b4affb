// energy collisions [COUNT [SEED]]: how much energy contact makes in collisions of two undamped
//       bodies (d = 0, tau_d = 0): all pairs of shapes, and each on a plane and a height field. A
//       line for each pair of kinds: of its collisions, those whose energy rises above its largest
//       earlier value by more than 1 % of that, and the largest rise, at each time step.
// energy falls STEP FILE ...: robots (URDF, MJCF) fall on the ground without control, touching
//       themselves; each model and law. Prints the largest rise.
//
// Energy is kinetic and potential; what a contact stores is not in it, so that its release is no
// rise. The unit of a fall's energy is that between its start and its lowest point.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <string>
#include <vector>

#include "abut/io/mjcf.hpp"
#include "abut/io/urdf.hpp"
#include "abut/sim/world.hpp"
#include "support/number_argument.hpp"
#include "support/random_collision.hpp"

namespace {

using namespace abut;

constexpr double steps[] = {5e-3, 2e-3, 5e-4};

void collisions(int count, unsigned seed, bool verbose) {
  using enum ShapeKind;
  constexpr ShapeKind solid[] = {sphere, capsule, cylinder, box, ellipsoid, hull};
  std::vector<std::pair<ShapeKind, ShapeKind>> pairs;
  for (std::size_t i = 0; i < std::size(solid); ++i) {
    for (std::size_t k = i; k < std::size(solid); ++k) pairs.emplace_back(solid[i], solid[k]);
  }
  for (const ShapeKind kind : solid) pairs.emplace_back(plane, kind);
  for (const ShapeKind kind : solid) pairs.emplace_back(height_field, kind);
  const int each =
      std::max(1, (count + static_cast<int>(pairs.size()) - 1) / static_cast<int>(pairs.size()));
  std::printf(
      "%d collisions of each pair; those above 1 %%, and the largest rise, at 5, 2, 0.5 ms\n",
      each);
  int total[std::size(steps)] = {}, failed = 0;
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    int above[std::size(steps)] = {};
    double worst[std::size(steps)] = {};
    for (int i = 0; i < each; ++i) {
      Random random(static_cast<unsigned>(1000 * p + static_cast<std::size_t>(i)) + 100000 * seed);
      Collision c = random_collision(random, pairs[p].first, pairs[p].second);
      double rises[std::size(steps)];
      for (std::size_t s = 0; s < std::size(steps); ++s) {
        c.options.time_step = steps[s];
        World world(c.scene, c.options);
        const Rise r = watch(world, c.duration);
        rises[s] = r.relative();
        above[s] += rises[s] > 0.01, total[s] += rises[s] > 0.01;
        worst[s] = std::fmax(worst[s], rises[s]);
        failed += r.failed;
      }
      if (verbose && *std::max_element(rises, rises + std::size(steps)) > 0.01) {
        std::printf("  %s %s #%d, %s, k %.2g, mu %.2f: %.2g %.2g %.2g\n", to_string(pairs[p].first),
                    to_string(pairs[p].second), i, c.law.name, *c.options.pair.stiffness,
                    *c.options.pair.friction, rises[0], rises[1], rises[2]);
      }
    }
    std::printf("%-13s %-10s", to_string(pairs[p].first), to_string(pairs[p].second));
    for (std::size_t s = 0; s < std::size(steps); ++s) {
      std::printf("  %3d %8.2g %%", above[s], 100 * worst[s]);
    }
    std::printf("\n");
    std::fflush(stdout);
  }
  std::printf("above 1 %%: %d, %d, %d; steps failed: %d\n", total[0], total[1], total[2], failed);
}

bool ends_with(const std::string& text, const char* end) {
  return text.size() >= std::strlen(end) && text.ends_with(end);
}

double lowest_point(const World& world) {
  double low = HUGE_VAL;
  for (const SceneGeom& geom : world.scene().geoms) {
    if (geom.shape.kind == ShapeKind::plane || geom.body == world_body) continue;
    const BodyState state = world.body_state(geom.body);
    const Pose body = {state.position, to_matrix(state.orientation)};
    low = std::fmin(low, bounding_box(geom.shape, body * geom.pose).lower.z);
  }
  return low;
}

/// The robot and the ground below it, without motors.
Scene falling(const std::string& path) {
  const bool is_urdf = ends_with(path, ".urdf");
  Scene scene = is_urdf ? load_urdf(path, {.base = RobotBase::automatic,
                                           .self_collision = true,
                                           .accept_inertia = true})
                        : load_mjcf(path);
  scene.actuators.clear();
  const bool has_ground = std::any_of(
      scene.geoms.begin(), scene.geoms.end(),
      [](const SceneGeom& g) { return g.shape.kind == ShapeKind::plane && g.body == world_body; });
  if (!has_ground) {
    World still(scene);
    if (is_urdf && !scene.keyframes.empty()) still.set_keyframe(0);
    SceneGeom ground;
    ground.shape = Shape::plane();
    ground.pose.p.z = lowest_point(still) - 0.1;
    scene.geoms.push_back(ground);
  }
  return scene;
}

void fall(const std::string& path, double step, bool with_contact) {
  Scene scene = falling(path);
  if (!with_contact) {
    for (SceneGeom& g : scene.geoms) g.contact_type = g.contact_affinity = 0;
  }
  const bool starts_in_keyframe = ends_with(path, ".urdf") && !scene.keyframes.empty();
  const std::size_t slash = path.rfind('/');
  std::printf("%s, %g ms:\n", path.substr(slash == std::string::npos ? 0 : slash + 1).c_str(),
              1e3 * step);
  for (const Law& law : laws) {
    WorldOptions options;
    options.model = law.model, options.law = law.law, options.time_step = step;
    if (law.law == NormalLawKind::hertz) options.pair.stiffness = 1e8;
    World world(scene, options);
    if (starts_in_keyframe) world.set_keyframe(0);
    const Rise r = watch(world, 2);
    std::printf("  %-22s %8.2g %% of %.3g J; most in a step %.3g J, at %.3f s; %d steps failed\n",
                law.name, 100 * r.relative(), r.unit, r.jump, r.jump_time, r.failed);
    std::fflush(stdout);
    if (!with_contact) return;
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  try {
    if (what == "collisions") {
      collisions(argc > 2 ? number_argument<int>(argv[2]) : 1000,
                 argc > 3 ? number_argument<unsigned>(argv[3]) : 1, argc > 4);
      return 0;
    }
    if ((what == "falls" || what == "free-falls") && argc > 3) {
      for (int i = 3; i < argc; ++i) fall(argv[i], number_argument(argv[2]), what == "falls");
      return 0;
    }
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
  std::fprintf(stderr,
               "usage: energy collisions [COUNT [SEED [v]]] | energy falls STEP FILE ...\n");
  return 2;
}
