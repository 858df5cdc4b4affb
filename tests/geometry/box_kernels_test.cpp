#include "abut/geometry/box_kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "placements.hpp"

namespace abut {
namespace {

bool chance(Random& random, double share) {
  return random.uniform(0, 1) < share;
}

Vec3 half_extents(Random& random) {
  return {random.uniform(0.5, 1.5), random.uniform(0.5, 1.5), random.uniform(0.5, 1.5)};
}

/// About z, sometimes by quarter turns; with its own rounding.
Mat3 yaw(Random& random) {
  const double quarters = random.uniform(-2, 2);
  return rotation({0, 0, 1},
                  std::numbers::pi / 2 * (chance(random, 0.5) ? quarters : std::round(quarters)));
}

Vec3 in_a_box(Random& random, double size) {
  return {random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
}

struct Corner {
  double u, v, gap;
  int side;
};

/// B's face on the plane of A's, cut off by A's sides corner by corner (Sutherland and Hodgman).
std::vector<Corner> clipped(const BoxFace& a, const BoxFace& b, const Vec3& n) {
  std::vector<Corner> p;
  const double slant = 1 / dot(n, a.normal);
  for (int k = 0; k < 4; ++k) {
    const Vec3 x = b.corner(k) - a.center;
    const double gap = dot(x, a.normal) * slant;
    const Vec3 foot = x - gap * n;
    p.push_back({dot(foot, a.u), dot(foot, a.v), gap, 4 + k});
  }
  for (int k = 0; k < 4; ++k) {
    const double half = k % 2 == 0 ? a.half_u : a.half_v;
    const auto inside = [&](const Corner& c) {
      const double along = k % 2 == 0 ? c.u : c.v;
      return k < 2 ? half - along : half + along;
    };
    std::vector<Corner> next;
    for (std::size_t i = 0; i < p.size(); ++i) {
      const Corner &from = p[i], &to = p[(i + 1) % p.size()];
      const double in = inside(from), in_next = inside(to), t = in / (in - in_next);
      if (in >= 0) next.push_back(from);
      if ((in >= 0) == (in_next >= 0)) continue;
      Corner cut = {from.u + t * (to.u - from.u), from.v + t * (to.v - from.v),
                    from.gap + t * (to.gap - from.gap), in >= 0 ? k : from.side};
      (k % 2 == 0 ? cut.u : cut.v) = k < 2 ? half : -half;
      next.push_back(cut);
    }
    p = next;
  }
  return p;
}

struct Faces {
  BoxFace a, b;
  Vec3 n;
};

/// Two faces towards each other; yawed, in line, tilted, or beside each other.
Faces random_faces(Random& random) {
  const Mat3 A = chance(random, 0.5) ? Mat3::identity() : random.rotation();
  const Mat3 tilt = chance(random, 0.3) ? random.rotation() : yaw(random);
  const Vec3 half_a = half_extents(random),
             half_b = chance(random, 0.2) ? half_a : half_extents(random);
  const Vec3 aside = chance(random, 0.2) ? Vec3{} : in_a_box(random, 2.5);
  const Vec3 n = chance(random, 0.8) ? A.col[2] : random.rotation().col[0];
  return {face_towards(half_a, {}, A, n, true),
          face_towards(half_b, A * Vec3{aside.x, aside.y, 2}, A * tilt, -n, false), n};
}

TEST(BoxKernels, OverlapIsCutCornerByCorner) {
  Random random(1);
  std::array<int, FacePolygon::capacity + 1> sizes{};
  for (int i = 0; i < 20000; ++i) {
    const auto [a, b, n] = random_faces(random);
    const std::vector<Corner> expected = clipped(a, b, n);
    FacePolygon p;
    box_kernels().overlap(a, b, n, p);
    ASSERT_EQ(p.size, static_cast<int>(expected.size())) << i;
    ++sizes[static_cast<std::size_t>(p.size)];
    int sides_of_b = 0, deepest = 0;
    for (int k = 0; k < p.size; ++k) {
      const Corner& c = expected[static_cast<std::size_t>(k)];
      ASSERT_EQ(p.u[k], c.u);
      ASSERT_EQ(p.v[k], c.v);
      ASSERT_EQ(p.gap[k], c.gap);
      ASSERT_EQ(p.side[k], c.side);
      ASSERT_EQ(p.last_side[(k + 1) % p.size], c.side);
      sides_of_b += c.side >= 4;
      if (c.gap < p.gap[deepest]) deepest = k;
    }
    ASSERT_EQ(p.sides_of_b, sides_of_b);
    ASSERT_EQ(p.deepest, deepest);
  }
  for (const int size : {0, 3, 4, 5, 6, 7, 8}) {
    EXPECT_GT(sizes[static_cast<std::size_t>(size)], 20) << size;
  }
}

TEST(BoxKernels, CornersWeighByTheirTurns) {
  Random random(2);
  int left_out = 0, lines = 0;
  for (int i = 0; i < 20000; ++i) {
    const auto [a, b, n] = random_faces(random);
    FacePolygon p;
    box_kernels().overlap(a, b, n, p);
    const bool tilts = chance(random, 0.5);
    const double faces = chance(random, 0.8) ? random.uniform(0, 1) : 1;
    const CornerShares s = {.faces = faces,
                            .edge_a = tilts ? random.uniform(0, 1 - faces) : 0,
                            .edge_b = tilts ? random.uniform(0, 1 - faces) : 0,
                            .lowest_a = a.lowest_side,
                            .lowest_b = 4 + b.lowest_side,
                            .yaw = random.uniform(-2, 2),
                            .margin = random.uniform(0, 3),
                            .smallest = 1e-9};
    double weight[FacePolygon::capacity];
    const unsigned counting = box_kernels().weigh(s, p, weight);
    double point = 1 - s.faces;
    double expected[FacePolygon::capacity] = {};
    for (int k = 0; k < p.size; ++k) {
      const int next = static_cast<int>(p.side[k]), side = static_cast<int>(p.last_side[k]);
      double turn = next % 4 - side % 4 + (next / 4 - side / 4) * s.yaw;
      turn += turn >= 3 ? -4 : turn < -1 ? 4 : 0;
      expected[k] = s.faces * std::clamp(turn, 0.0, 2.0);
      const double line = (side == s.lowest_a || next == s.lowest_a ? s.edge_a : 0) +
                          (side == s.lowest_b || next == s.lowest_b ? s.edge_b : 0);
      expected[k] += line;
      point -= line / 2;
      lines += line > 0;
    }
    if (p.size > 0) expected[p.deepest] += std::max(point, 0.0);
    for (int k = 0; k < p.size; ++k) {
      ASSERT_EQ(weight[k], expected[k]);
      const bool counts = p.gap[k] <= s.margin && expected[k] >= s.smallest;
      ASSERT_EQ(counting >> k & 1, counts);
      left_out += !counts;
    }
    ASSERT_EQ(counting >> p.size, 0u);
  }
  EXPECT_GT(left_out, 1000);
  EXPECT_GT(lines, 1000);
}

/// Between the projections of the boxes on a unit vector from A to B [m].
double gap_along(const BoxPair& p, const Vec3& n) {
  const auto reach = [&](const Mat3& R, const Vec3& half) {
    double most = -HUGE_VAL;
    for (int k = 0; k < 8; ++k) {
      const Vec3 corner =
          R * Vec3{k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z};
      most = std::max(most, dot(corner, n));
    }
    return most;
  };
  return std::abs(dot(p.center, n)) - reach(p.A, p.half_a) - reach(p.B, p.half_b);
}

/// Axis k as BestAxis counts them; zero where two edges are parallel.
Vec3 axis_of(const BoxPair& p, int k) {
  if (k < 3) return p.A.col[k];
  if (k < 6) return p.B.col[k - 3];
  const Vec3 both = cross(p.A.col[(k - 6) / 3], p.B.col[(k - 6) % 3]);
  return norm(both) < 1e-6 ? Vec3{} : both / norm(both);
}

TEST(BoxKernels, TheAxisOfTheLargestGapIsFound) {
  Random random(3);
  constexpr double preference = 1e-9, rounding = 1e-12;
  int apart = 0, faces = 0, edges = 0, close = 0;
  for (int i = 0; i < 20000; ++i) {
    const Mat3 A = random.rotation(), B = chance(random, 0.3) ? A * yaw(random) : random.rotation();
    const Vec3 half_a = half_extents(random), half_b = half_extents(random);
    const BoxPair p = {half_a, half_b, A, B, in_a_box(random, 2.2)};
    const double margin = chance(random, 0.5) ? 0 : random.uniform(0, 0.5);
    double face_gap = -HUGE_VAL, edge_gap = -HUGE_VAL;
    for (int k = 0; k < 15; ++k) {
      const Vec3 n = axis_of(p, k);
      if (n == Vec3{}) continue;
      double& gap = k < 6 ? face_gap : edge_gap;
      gap = std::max(gap, gap_along(p, n));
    }
    const double largest = std::max(face_gap, edge_gap);
    if (std::abs(largest - margin) < rounding) continue;
    BestAxis best;
    const bool is_near = box_kernels().separate(p, margin, preference, best);
    ASSERT_EQ(is_near, largest < margin) << i;
    if (!is_near) {
      ++apart;
      continue;
    }
    close += largest > 0;
    const bool of_edges = edge_gap > face_gap + preference;
    ASSERT_NEAR(best.gap, of_edges ? edge_gap : face_gap, rounding) << i;
    ASSERT_EQ(best.axis >= 6, of_edges);
    ASSERT_NEAR(gap_along(p, axis_of(p, best.axis)), best.gap, rounding);
    ++(of_edges ? edges : faces);
  }
  EXPECT_GT(apart, 1000);
  EXPECT_GT(faces, 1000);
  EXPECT_GT(edges, 300);
  EXPECT_GT(close, 300);
}

/// Of equals the first one is best: A's faces before B's, of A's in their order.
TEST(BoxKernels, TheFirstOfEqualAxesIsTaken) {
  const Vec3 half{1, 1, 1};
  const Mat3 level = Mat3::identity();
  for (int axis = 0; axis < 3; ++axis) {
    Vec3 center;
    center[axis] = -1.9;
    BestAxis best;
    ASSERT_TRUE(box_kernels().separate({half, half, level, level, center}, 0, 1e-9, best));
    EXPECT_EQ(best.axis, axis);
  }
  BestAxis best;
  ASSERT_TRUE(box_kernels().separate({half, half, level, level, {1.9, 1.9, 1.9}}, 0, 1e-9, best));
  EXPECT_EQ(best.axis, 0);
}

}  // namespace
}  // namespace abut
