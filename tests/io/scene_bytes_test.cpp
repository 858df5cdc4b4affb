#include "abut/io/scene_bytes.hpp"

#include <array>

#include "abut/geometry/convex_hull.hpp"
#include "io/files_testing.hpp"

namespace abut {
namespace {

std::string example(const std::string& name) {
  return ABUT_EXAMPLES "/" + name;
}

/// Two bodies that share a hull, on a hull that moves with one.
SceneFile hulls() {
  constexpr std::array<Vec3, 7> points{{{0, 0, 0},
                                        {1, 0, 0},
                                        {0, 1, 0},
                                        {1, 1, 0.1},
                                        {0.3, 0.2, 0.9},
                                        {0.5, 0.4, 0.7},
                                        {0.1, 1, 0.6}}};
  SceneFile file;
  const Shape shape = Shape::convex(make_convex_hull(points));
  for (int i = 0; i < 3; ++i) {
    SceneBody body;
    body.position = {0.1 * i, 0.05 * i, 1.2 * i};
    body.mass = 1;
    body.inertia = Mat3::diagonal({0.1, 0.1, 0.1});
    body.kind = i == 0 ? BodyKind::fixed : BodyKind::free;
    file.scene.bodies.push_back(body);
    SceneGeom geom;
    geom.body = i;
    geom.shape = shape;
    file.scene.geoms.push_back(geom);
  }
  return file;
}

void expect_same_motion(const SceneFile& a, const SceneFile& b, int steps) {
  World first(a.scene), second(b.scene);
  for (int i = 0; i < steps; ++i) {
    update_controls(a.controllers, first), update_controls(b.controllers, second);
    first.step(), second.step();
  }
  EXPECT_EQ(first.state_hash(), second.state_hash());
}

TEST(SceneBytes, HoldWhatMovesScenes) {
  for (const char* name : {"clutter40.xml", "gripper.toml", "trot.toml", "dominoes.toml"}) {
    SCOPED_TRACE(name);
    const SceneFile file = load_scene_file(example(name));
    const std::string bytes = encode(file);
    const SceneFile copy = decode_scene(bytes);
    EXPECT_EQ(encode(copy), bytes);
    EXPECT_EQ(copy.scene.file, file.scene.file);
    EXPECT_EQ(copy.controllers.size(), file.controllers.size());
    EXPECT_EQ(copy.simulation.duration, file.simulation.duration);
    expect_same_motion(file, copy, 200);
  }
}

TEST(SceneBytes, ShareHullsAsBefore) {
  const SceneFile file = hulls(), copy = decode_scene(encode(file));
  EXPECT_EQ(copy.scene.geoms[0].shape.hull, copy.scene.geoms[2].shape.hull);
  EXPECT_NE(copy.scene.geoms[0].shape.hull, file.scene.geoms[0].shape.hull);
  expect_same_motion(file, copy, 800);
  SceneFile apart = file;
  apart.scene.geoms[2].shape = hulls().scene.geoms[0].shape;
  EXPECT_GT(encode(apart).size(), encode(file).size() + 100);
}

TEST(SceneBytes, RefuseEveryPrefixAndEveryChange) {
  const std::string bytes = encode(hulls());
  for (std::size_t size = 0; size < bytes.size(); size += size < 100 ? 1 : 97) {
    EXPECT_THROW(decode_scene({bytes.data(), size}), InputError) << size;
  }
  for (std::size_t at = 0; at < bytes.size(); at += at < 100 ? 1 : 97) {
    std::string changed = bytes;
    changed[at] ^= 1;
    EXPECT_THROW(decode_scene(changed), InputError) << at;
  }
}

}  // namespace
}  // namespace abut
