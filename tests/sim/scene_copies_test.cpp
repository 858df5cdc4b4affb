// Scenes appended again and again, to themselves too, in any grouping.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "abut/io/scene_bytes.hpp"
#include "abut/sim/scene_append.hpp"
#include "abut/sim/world.hpp"
#include "support/every_kind.hpp"

namespace abut {
namespace {

std::string bytes_of(const Scene& scene) {
  SceneFile file;
  file.scene = scene;
  return encode(file);
}

/// Every kind of element, and what is excluded and filtered.
Scene part() {
  Scene scene = scene_of_every_kind();
  scene.excluded_geoms.emplace_back(1, 2);
  scene.excluded_bodies.emplace_back(world_body, 3);
  return scene;
}

Scene joined(Scene first, const Scene& second, const std::string& prefix, const Pose& pose = {}) {
  append_scene(first, second, prefix, pose);
  return first;
}

// (a + b) + c is a + (b + c), with their names
TEST(SceneCopies, MayBeGroupedAnyhow) {
  Scene empty;
  empty.friction_rule = FrictionRule::maximum;
  const Scene a = joined(empty, part(), "a/"), b = joined(empty, part(), "b/"),
              c = joined(empty, part(), "c/");
  const Scene left = joined(joined(a, b, ""), c, ""), right = joined(a, joined(b, c, ""), "");
  left.validate();
  EXPECT_EQ(bytes_of(left), bytes_of(right));
  EXPECT_EQ(bytes_of(joined(empty, left, "")), bytes_of(left)) << "to nothing";
  EXPECT_EQ(bytes_of(joined(left, empty, "x/")), bytes_of(left)) << "nothing to it";
}

// the pose of a part of a part is the product of both
TEST(SceneCopies, AreMovedByTheProductOfTheirPoses) {
  const Pose X{{1, -2, 0.5}, to_matrix(exp_rotation({0.3, -1, 2}))},
      Y{{0, 3, 1}, to_matrix(exp_rotation({2, 0, -0.4}))};
  Scene empty;
  empty.gravity = {};
  const Scene twice = joined(empty, joined(empty, part(), "b/", Y), "a/", X),
              once = joined(empty, part(), "a/b/", X * Y);
  World a(twice), b(once);
  a.set_keyframe(0), b.set_keyframe(0);
  for (int i = 0; i < 50; ++i) {
    a.step(), b.step();
    for (int k = 0; k < std::ssize(once.bodies); ++k) {
      ASSERT_LT(norm(a.body_state(k).position - b.body_state(k).position), 1e-8) << i << ", " << k;
    }
  }
  EXPECT_EQ(twice.keyframes[0].name, "a/b/bent");
}

// eight of them, by three doublings of a scene that is appended to itself: each as if alone, and
// each with controls and a keyframe of its own
TEST(SceneCopies, OfItselfMoveAsOneAlone) {
  Scene alone = part();
  ASSERT_EQ(alone.geoms[0].shape.kind, ShapeKind::plane);  // without an end
  alone.geoms[0].shape = Shape::box({2, 2, 0.1});
  alone.geoms[0].pose.p = {0, 0, -0.1};
  Scene all = alone;
  std::vector<Vec3> places = {{}};
  for (int k = 0; k < 3; ++k) {
    const Vec3 by{k == 0 ? 30.0 : 0.0, k == 1 ? 30.0 : 0.0, 0};
    const Vec3 to = k == 2 ? Vec3{-60, -60, 0} : by;
    append_scene(all, all, std::to_string(k) + "/", {to, Mat3::identity()});
    for (std::size_t n = places.size(), i = 0; i < n; ++i) places.push_back(places[i] + to);
  }
  ASSERT_EQ(places.size(), 8u);
  ASSERT_EQ(all.keyframes.size(), 8u);
  const int bodies = static_cast<int>(alone.bodies.size()),
            actuators = static_cast<int>(alone.actuators.size());
  ASSERT_EQ(all.bodies.size(), 8u * bodies);
  WorldOptions options;
  options.tolerance = 1e-10;
  World together(all, options);
  together.set_keyframe(5);
  EXPECT_EQ(together.time(), 3);
  std::vector<std::unique_ptr<World>> single;
  for (int n = 0; n < 8; ++n) {
    single.push_back(std::make_unique<World>(alone, options));
    if (n == 5) single.back()->set_keyframe(0);
    for (int a = 0; a < actuators; ++a) {
      const double u = 0.1 * n - 0.05 * a;
      single.back()->set_control(a, u);
      together.set_control(n * actuators + a, u);
    }
  }
  for (int i = 0; i < 60; ++i) {
    together.step();
    for (int n = 0; n < 8; ++n) {
      single[n]->step();
      for (int k = 0; k < bodies; ++k) {
        const BodyState x = together.body_state(n * bodies + k), y = single[n]->body_state(k);
        ASSERT_LT(norm(x.position - places[n] - y.position), 1e-6)
            << "step " << i << ", copy " << n << ", body " << k;
      }
    }
  }
  int contacts = 0;
  for (const auto& w : single) contacts += w->report().contacts;
  EXPECT_EQ(together.report().contacts, contacts);
  EXPECT_GT(contacts, 8);
}

TEST(SceneCopies, WithoutPrefixAreRefusedAndTheSceneIsAsItWas) {
  Scene scene = part();
  const std::string before = bytes_of(scene);
  EXPECT_THROW(append_scene(scene, scene, "", {}), InputError);
  EXPECT_EQ(bytes_of(scene), before);
  Scene dry = scene;
  dry.fluid_density = dry.fluid_viscosity = 0;
  const std::string dry_before = bytes_of(dry);
  EXPECT_THROW(append_scene(dry, scene, "", {}), InputError);
  EXPECT_EQ(bytes_of(dry), dry_before);
  Scene wet = part();
  wet.wind = {3, 0, 0};
  EXPECT_THROW(append_scene(scene, wet, "w/", {}), InputError);
  EXPECT_EQ(bytes_of(scene), before);
}

// each kind of name alone
TEST(SceneCopies, MayShareNoName) {
  const auto clear = [](auto& list) {
    for (auto& element : list) element.name.clear();
  };
  for (int kept = 0; kept < 8; ++kept) {
    Scene scene = part();
    if (kept != 0) clear(scene.bodies);
    if (kept != 1) clear(scene.geoms);
    if (kept != 2) clear(scene.actuators);
    if (kept != 3) clear(scene.equalities);
    if (kept != 4) clear(scene.tendons);
    if (kept != 5) clear(scene.keyframes);
    for (SceneBody& body : scene.bodies) {
      if (kept != 6) clear(body.joints);
    }
    clear(scene.pairs);
    if (kept == 3) scene.equalities[1].name = "held";
    Scene other = scene;
    if (kept == 7) {
      EXPECT_NO_THROW(append_scene(scene, other, "", {}));
      continue;
    }
    const std::string before = bytes_of(scene);
    EXPECT_THROW(append_scene(scene, other, "", {}), InputError) << kept;
    EXPECT_EQ(bytes_of(scene), before) << kept;
    EXPECT_NO_THROW(append_scene(scene, other, "x", {})) << kept;
    EXPECT_NO_THROW(scene.validate());
  }
}

}  // namespace
}  // namespace abut
