// Geoms on moving bodies: where they are, the boxes around them and how far a search looks, beside
// poses and bounding boxes one by one.

#include <gtest/gtest.h>

#include "abut/sim/placement_kernels.hpp"
#include "geometry/all_pairs.hpp"

namespace abut {
namespace {

TEST(Placement, IsThatOfPosesAndBoundingBoxes) {
  constexpr int bodies = 40;
  constexpr double dt = 0.01, fall = 0.001, margin = 0.03;
  for (const ShapeKind kind : all_kinds) {
    SCOPED_TRACE(to_string(kind));
    Random random(1);
    std::vector<Vec3> center, linear, angular;
    std::vector<Mat3> rotation;
    std::vector<Shape> shapes;
    std::vector<Pose> local;
    std::vector<PlacedGeom> geoms;
    for (int i = 0; i < bodies; ++i) {
      center.push_back(10 * random.direction());
      linear.push_back(random.uniform(0, 3) * random.direction());
      angular.push_back(random.uniform(0, 30) * random.direction());
      rotation.push_back(i % 3 == 0 ? random.quarter_turns() : random.rotation());
      shapes.push_back(kind == ShapeKind::height_field ? random_field(random) : random.shape(kind));
      const Vec3 shift = i % 8 < 2 ? Vec3{} : random.direction();
      local.push_back({shift, i % 4 == 0 ? Mat3::identity() : random.rotation()});
      PlacedGeom& geom = geoms.emplace_back(shapes.back(), local.back());
      geom.radius = random.uniform(0.1, 2);
      geom.margin = margin;
      geom.geom = bodies - 1 - i;
      geom.body = i;
    }
    std::vector<Pose> poses(bodies);
    std::vector<GeomMotion> motions(bodies);
    std::vector<Aabb> boxes(bodies);
    std::vector<double> rooms(bodies), skins(bodies);
    placement_kernels().place({.center = center.data(),
                               .linear_velocity = linear.data(),
                               .angular_velocity = angular.data(),
                               .rotation = rotation.data(),
                               .dt = dt,
                               .fall = fall,
                               .poses = poses.data(),
                               .motions = motions.data(),
                               .boxes = boxes.data(),
                               .rooms = rooms.data(),
                               .skins = skins.data()},
                              geoms.data(), bodies);
    for (int i = 0; i < bodies; ++i) {
      const int g = bodies - 1 - i;
      const Pose X{center[i] + rotation[i] * local[i].p, rotation[i] * local[i].R};
      EXPECT_EQ(poses[g], X);
      EXPECT_EQ(motions[g].velocity, linear[i]);
      EXPECT_EQ(motions[g].spin, geoms[i].radius * norm(angular[i]));
      const double speed = norm(linear[i]) + motions[g].spin;
      EXPECT_EQ(rooms[g], margin + std::min(dt * speed + fall, geoms[i].radius));
      EXPECT_EQ(skins[g], 0.02 * geoms[i].radius + 4 * dt * speed);
      if (!geoms[i].has_box()) continue;
      const Aabb box = bounding_box(shapes[i], X);
      const Vec3 out = rooms[g] * Vec3{1, 1, 1};
      EXPECT_EQ(boxes[g].lower, box.lower - out);
      EXPECT_EQ(boxes[g].upper, box.upper + out);
    }
  }
}

}  // namespace
}  // namespace abut
