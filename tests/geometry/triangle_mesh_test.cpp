#include "abut/geometry/triangle_mesh.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace abut {
namespace {

/// Corners of a sphere's triangles: n by 2 n quadrangles, of which those at the poles are triangles
/// and ones without area.
std::vector<Vec3> sphere(int n, double radius) {
  constexpr double pi = 3.14159265358979323846;
  const auto at = [&](int i, int j) {
    const double a = pi * i / n, b = pi * (j % (2 * n)) / n;
    const double s = i == 0 || i == n ? 0 : std::sin(a);
    return radius * Vec3{s * std::cos(b), s * std::sin(b), std::cos(a)};
  };
  std::vector<Vec3> corners;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < 2 * n; ++j) {
      for (const auto& [k, l] : {std::pair{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}}) {
        corners.push_back(at(i + k, j + l));
      }
    }
  }
  return corners;
}

double volume(const TriangleMesh& mesh) {
  double sum = 0;
  for (const auto& [a, b, c] : mesh.triangles) {
    sum += dot(mesh.vertices[a], cross(mesh.vertices[b], mesh.vertices[c])) / 6;
  }
  return sum;
}

TEST(PictureMesh, CornersAtOnePlaceAreOneVertex) {
  const auto mesh = make_picture_mesh(sphere(16, 2));
  EXPECT_EQ(mesh->vertices.size(), 15 * 32 + 2u);
  EXPECT_EQ(mesh->triangles.size(), 2 * 15 * 32u);  // those at the poles without area are gone
  const double exact = 4. / 3 * 3.14159265358979 * 8;
  EXPECT_NEAR(volume(*mesh), exact, 0.05 * exact);
}

TEST(PictureMesh, ManyTrianglesBecomeFewerOfTheSameSurface) {
  const std::vector<Vec3> corners = sphere(200, 0.5);
  const auto mesh = make_picture_mesh(corners);
  EXPECT_LT(mesh->triangles.size(), corners.size() / 3 / 4);
  EXPECT_GT(mesh->triangles.size(), 5000u);
  const double exact = 4. / 3 * 3.14159265358979 / 8;
  EXPECT_NEAR(volume(*mesh), exact, 0.02 * exact);
  for (const Vec3& v : mesh->vertices) EXPECT_NEAR(norm(v), 0.5, 1. / 64);
}

TEST(PictureMesh, ASizeOfZeroIsNone) {
  EXPECT_TRUE(make_picture_mesh(std::vector<Vec3>(9, Vec3{1, 2, 3}))->triangles.empty());
  EXPECT_TRUE(make_picture_mesh({})->triangles.empty());
}

TEST(PictureMesh, ACornerOutOfBoundsIsRefused) {
  for (const double x : {1e10, -HUGE_VAL, std::nan("")}) {
    const std::vector<Vec3> corners{{0, 0, 0}, {1, 0, 0}, {0, x, 0}};
    EXPECT_THROW(make_picture_mesh(corners), InputError) << x;
  }
}

}  // namespace
}  // namespace abut
