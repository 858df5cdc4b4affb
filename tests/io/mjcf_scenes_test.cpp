// The clutter scenes against the same scenes in another notation, written by the same generator.

#include <charconv>
#include <sstream>

#include "mjcf_testing.hpp"

namespace abut {
namespace {

/// Reads the keys and numbers of the scenes' JSON in the order of the file; they are flat enough.
class JsonNumbers {
 public:
  explicit JsonNumbers(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    text_ = text.str();
  }

  /// Goes to the next `key`; false when there is none.
  bool find(const std::string& key) {
    const std::size_t found = text_.find("\"" + key + "\":", at_);
    if (found == std::string::npos) return false;
    at_ = found + key.size() + 3;
    return true;
  }

  double next() {
    at_ = text_.find_first_of("-0123456789", at_);
    double value = 0;
    const char* begin = text_.data() + at_;
    at_ += std::from_chars(begin, text_.data() + text_.size(), value).ptr - begin;
    return value;
  }
  Vec3 next_vector() {
    const double x = next(), y = next(), z = next();
    return {x, y, z};
  }

  std::string next_word() {
    const std::size_t begin = text_.find('"', at_) + 1;
    at_ = text_.find('"', begin);
    return text_.substr(begin, at_ - begin);
  }

 private:
  std::string text_;
  std::size_t at_ = 0;
};

class Clutter : public testing::TestWithParam<const char*> {};

TEST_P(Clutter, AgreesWithTheNeutralDescription) {
  const std::string path = std::string(ABUT_SCENES) + "/" + GetParam();
  const Scene scene = load_mjcf(path + ".xml");
  JsonNumbers json(path + ".json");
  ASSERT_TRUE(json.find("N"));
  const int bodies = static_cast<int>(json.next());
  ASSERT_TRUE(json.find("mu"));
  const double mu = json.next();
  ASSERT_TRUE(json.find("gravity"));
  EXPECT_EQ(scene.gravity, (Vec3{0, 0, -json.next()}));
  ASSERT_EQ(static_cast<int>(scene.bodies.size()), bodies);
  ASSERT_EQ(static_cast<int>(scene.geoms.size()), bodies + 5);  // floor and walls
  EXPECT_TRUE(scene.notices.empty());

  double worst = 0;
  const auto compare = [&](double a, double b) { worst = std::max(worst, std::abs(a - b)); };
  for (int i = 0; i < bodies; ++i) {
    const SceneBody& body = scene.bodies[i];
    const SceneGeom& geom = scene.geoms[i + 5];
    EXPECT_EQ(body.kind, BodyKind::free);
    EXPECT_EQ(geom.body, i);
    EXPECT_EQ(geom.material.friction, mu);
    ASSERT_TRUE(json.find("shape"));
    EXPECT_EQ(to_string(geom.shape.kind), json.next_word());
    ASSERT_TRUE(json.find("pos"));
    compare(norm(body.position - json.next_vector()), 0);
    ASSERT_TRUE(json.find("quat_wxyz"));
    const double w = json.next();
    const Vec3 v = json.next_vector();
    const Quaternion& q = body.orientation;
    compare(std::abs(w * q.w + v.x * q.x + v.y * q.y + v.z * q.z), 1);  // up to sign
    ASSERT_TRUE(json.find("mass"));
    compare(body.mass, json.next());
    ASSERT_TRUE(json.find("inertia"));
    const Mat3 inertia = json.next() * Mat3::identity();
    for (int k = 0; k < 3; ++k) compare(norm(body.inertia.col[k] - inertia.col[k]), 0);
    compare(norm(body.center_of_mass), 0);
    if (geom.shape.kind == ShapeKind::sphere) {
      ASSERT_TRUE(json.find("radius"));
      EXPECT_EQ(geom.shape.radius(), json.next());
    } else {
      ASSERT_TRUE(json.find("half"));
      EXPECT_EQ(geom.shape.half_extents(), json.next() * (Vec3{1, 1, 1}));
    }
  }
  EXPECT_LT(worst, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(All, Clutter,
                         testing::Values("clutter_tall_40", "clutter_tall_80", "clutter_wide_40",
                                         "clutter_wide_100", "clutter_wide_400"));

TEST(ClutterWalls, FaceInwards) {
  const Scene scene = load_mjcf(std::string(ABUT_SCENES) + "/clutter_wide_40.xml");
  for (int i = 0; i < 5; ++i) {
    const SceneGeom& wall = scene.geoms[i];
    EXPECT_EQ(wall.body, world_body);
    EXPECT_EQ(wall.shape.kind, ShapeKind::plane);
    // every body lies on the side that the normal points to
    for (const SceneBody& body : scene.bodies) {
      EXPECT_GT(dot(body.position - wall.pose.p, wall.pose.R.col[2]), 0) << i;
    }
  }
}

}  // namespace
}  // namespace abut
