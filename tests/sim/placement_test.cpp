// Geoms on moving bodies: where they are, the boxes around them and how far a search looks, beside
// poses and bounding boxes one by one; which of them are near each other.

#include <gtest/gtest.h>

#include "abut/sim/placement_kernels.hpp"
#include "geometry/all_pairs.hpp"

namespace abut {
namespace {

TEST(Placement, IsThatOfPosesAndBoundingBoxes) {
  constexpr int bodies = 40;
  constexpr double dt = 0.01, fall = 0.001, margin = 0.03;
  for (const ShapeKind kind : all_kinds) {
    if (kind == ShapeKind::plane || kind == ShapeKind::height_field) continue;  // do not move
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
      shapes.push_back(random.shape(kind));
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
    std::vector<GeomBounds> bounds(bodies);
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
                               .bounds = bounds.data(),
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
      const Aabb box = bounding_box(shapes[i], X);
      const Vec3 out = rooms[g] * Vec3{1, 1, 1};
      EXPECT_EQ(boxes[g].lower, box.lower - out);
      EXPECT_EQ(boxes[g].upper, box.upper + out);
      for (int k = 0; k < 3; ++k) {
        EXPECT_NEAR(bounds[g].center[k] - bounds[g].half[k], box.lower[k], 1e-14 * 20);
        EXPECT_NEAR(bounds[g].center[k] + bounds[g].half[k], box.upper[k], 1e-14 * 20);
      }
    }
  }
}

// beside one candidate after the other, and boxes by their corners; planes are near everything
TEST(Placement, FindsTheCandidatesThatAreNear) {
  constexpr int geoms = 60, candidates = 203;
  constexpr double dt = 0.01, fall = 0.3;
  Random random(2);
  std::vector<Aabb> boxes;
  std::vector<GeomBounds> bounds;
  std::vector<GeomMotion> motions;
  for (int g = 0; g < geoms; ++g) {
    const Vec3 center = 2 * random.direction();
    const Vec3 half{random.uniform(0, 1), random.uniform(0, 1), random.uniform(0, 1)};
    boxes.push_back(g % 10 == 0 ? bounding_box(Shape::plane(), {center, random.rotation()})
                                : Aabb{center - half, center + half});
    bounds.push_back(GeomBounds(boxes.back()));
    motions.push_back({random.uniform(0, 20) * random.direction(), random.uniform(0, 5)});
  }
  std::vector<CandidatePair> all;
  for (int k = 0; k < candidates; ++k) {
    all.push_back({.geom_a = static_cast<int>(random.uniform(0, geoms)),
                   .geom_b = static_cast<int>(random.uniform(0, geoms)),
                   .margin = random.uniform(0, 0.1),
                   .most_ahead = random.uniform(0, 0.5),
                   .falls = k % 3 == 0 ? 1.0 : 0.0});
    if (all.back().geom_a % 10 == 0 && all.back().geom_b % 10 == 0) all.back().geom_b = 1;
  }
  const NearView view{all.data(), motions.data(), bounds.data(), dt, fall};
  int found_in_all = 0, by_fall = 0, by_way = 0, by_most = 0;
  for (const auto [begin, end] : {std::pair(0, candidates), {5, 6}, {7, 15}, {190, candidates}}) {
    std::vector<std::int32_t> near(end - begin + 8);
    std::vector<double> ways(end - begin + 8);
    const int found = placement_kernels().find_near(view, begin, end, near.data(), ways.data());
    int at = 0;
    for (int k = begin; k < end; ++k) {
      const CandidatePair& c = all[k];
      const GeomMotion &a = motions[c.geom_a], &b = motions[c.geom_b];
      const double way = dt * (norm(b.velocity - a.velocity) + (a.spin + b.spin));
      const double reach = c.margin + std::min(c.most_ahead, way + (k % 3 == 0 ? fall : 0));
      const double apart = boxes[c.geom_a].separation(boxes[c.geom_b]) - reach;
      ASSERT_GT(std::abs(apart), 1e-9) << "the test needs clear cases";
      const auto is_other_by = [&](double other) {
        return (apart + reach <= other) != (apart <= 0);
      };
      by_fall += is_other_by(c.margin + std::min(c.most_ahead, way));
      by_way += is_other_by(c.margin + std::min(c.most_ahead, c.falls * fall));
      by_most += is_other_by(c.margin + way + c.falls * fall);
      if (apart > 0) continue;
      ASSERT_LT(at, found);
      EXPECT_EQ(near[at], k);
      EXPECT_EQ(ways[at], way);
      ++at;
    }
    EXPECT_EQ(at, found);
    if (end - begin == candidates) found_in_all = found;
  }
  EXPECT_GT(found_in_all, candidates / 4);
  EXPECT_LT(found_in_all, 3 * candidates / 4);
  for (const int decided : {by_fall, by_way, by_most}) EXPECT_GT(decided, 0);
}

}  // namespace
}  // namespace abut
