#include <mujoco/mujoco.h>

#include <cmath>
#include <memory>
#include <random>

#include "mjcf_testing.hpp"

namespace abut {
namespace {

std::string field_text(const std::string& asset, const std::string& geom = "") {
  return scene_text("<geom name='g' type='hfield' hfield='h' " + geom + "/>",
                    "<asset><hfield name='h' " + asset + "/></asset>");
}

void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

template <class T>
std::string bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

// Rows are those of constant y; MuJoCo turns written elevations over, the last row is the least y.
TEST(MjcfField, ElevationIsScaled) {
  const Scene scene = load_mjcf_text(
      field_text("nrow='2' ncol='3' size='1 2 0.4 0.5' elevation='4 6 4  4 4 8'", "pos='1 0 0'"),
      "s.xml");
  const HeightField& f = *scene.geoms.at(0).shape.field;
  EXPECT_EQ(f.columns, 3);
  EXPECT_EQ(f.rows, 2);
  EXPECT_EQ(f.half_x, 1);
  EXPECT_EQ(f.half_y, 2);
  EXPECT_EQ(f.base, 0.5);
  EXPECT_NEAR(f.vertex(2, 0).z, 0.4, 1e-7);
  EXPECT_NEAR(f.vertex(1, 1).z, 0.2, 1e-7);
  EXPECT_EQ(f.vertex(0, 0), (Vec3{-1, -2, 0}));
  EXPECT_EQ(scene.geoms[0].pose.p, (Vec3{1, 0, 0}));
}

// MuJoCo's rays meet the surface where ours is: the same rows, and cells cut along the same
// diagonal.
TEST(MjcfField, SurfaceIsThatOfMujoco) {
  const TemporaryFolder folder;
  std::mt19937 engine(1);
  std::uniform_real_distribution<float> uniform(0, 1);
  std::vector<float> heights;
  for (int k = 0; k < 7 * 5; ++k) heights.push_back(uniform(engine));
  write_file(folder / "h.bin", bytes_of(std::vector<int>{7, 5}) + bytes_of(heights));
  const std::string path = folder / "s.xml";
  write_file(path, field_text("file='h.bin' size='1 2 0.4 0.5'"));
  const Scene scene = load_mjcf(path);
  const HeightField& f = *scene.geoms.at(0).shape.field;
  ASSERT_EQ(f.columns, 5);
  ASSERT_EQ(f.rows, 7);

  char error[200] = "";
  mjModel* model = mj_loadXML(path.c_str(), nullptr, error, sizeof error);
  ASSERT_NE(model, nullptr) << error;
  mjData* data = mj_makeData(model);
  mj_forward(model, data);
  std::uniform_real_distribution<double> x(-0.99, 0.99), y(-1.99, 1.99);
  for (int k = 0; k < 500; ++k) {
    const mjtNum from[3] = {x(engine), y(engine), 3}, down[3] = {0, 0, -1};
    int geom = -1;
    const mjtNum distance = mj_ray(model, data, from, down, nullptr, 1, -1, &geom, nullptr);
    EXPECT_NEAR(3 - distance, f.height_at(from[0], from[1]), 1e-9);
  }
  mj_deleteData(data);
  mj_deleteModel(model);
}

TEST(MjcfField, BrokenFilesAreRefused) {
  const TemporaryFolder folder;
  const std::string path = folder / "s.xml";
  write_file(path, field_text("file='h.bin' size='1 2 0.4 0.5'"));
  const auto error = [&](const std::string& bytes) -> std::string {
    write_file(folder / "h.bin", bytes);
    try {
      load_mjcf(path);
    } catch (const InputError& e) {
      return std::string(e.what()).substr(path.size());
    }
    return "";
  };
  EXPECT_EQ(error(bytes_of(std::vector<int>{100000, 100000})),
            ":1: hfield 'h': rows of the file = 100000, must be from 2 to 4096");
  EXPECT_EQ(error("\x89PNG\r\n\x1a\n" + std::string("\0\0\0\rIHDR\0\xFF\xFF\xFF\0\0\0\2", 16)),
            ":1: hfield 'h': columns of the file = 1.67772e+07, must be from 2 to 4096");
  EXPECT_EQ(error(""), ":1: hfield 'h': rows of the file = 0, must be from 2 to 4096");
  EXPECT_NE(error(bytes_of(std::vector<int>{2, 2})), "");  // no data
  EXPECT_EQ(error(bytes_of(std::vector<int>{2, 2}) + bytes_of(std::vector<float>{0, NAN, 1, 0})),
            ":3: geom 'g': height 1 = nan m, must be finite and above the base");
}

TEST(MjcfField, WhatDoesNotCollideIsLeftOut) {
  const std::string text =
      field_text("file='absent.png' size='1 2 0.4 0.5'", "contype='0' conaffinity='0'");
  EXPECT_TRUE(load_mjcf_text(text, "s.xml").geoms.empty());
  ASSERT_EQ(notices_of(text).size(), 1u);
  EXPECT_NE(notices_of(text)[0].find("height fields are left out"), std::string::npos);
}

TEST(MjcfField, MovingOneIsRefused) {
  EXPECT_EQ(
      error_of(scene_text("<body><freejoint/><geom size='1'/><geom name='g' type='hfield' "
                          "hfield='h'/></body>",
                          "<asset><hfield name='h' nrow='2' ncol='2' size='1 1 1 1'/></asset>")),
      "s.xml:3: geom 'g': a height field must belong to the world or to a fixed body");
}

}  // namespace
}  // namespace abut
