#include "abut/view/page_scene.hpp"

#include <nlohmann/json.hpp>

#include "abut/io/record.hpp"
#include "abut/view/page_contacts.hpp"
#include "abut/view/page_series.hpp"
#include "io/files_testing.hpp"

namespace abut {
namespace {

using nlohmann::json;

json page_of(const RecordedScene& scene) {
  return json::parse(page_scene(scene));
}

TEST(PageScene, TellsBodiesAndWhatMoves) {
  const World world = touching_world();
  const json page = page_of(record_scene(world));
  ASSERT_EQ(page["bodies"].size(), world.scene().bodies.size());
  EXPECT_EQ(page["bodies"][2]["name"], "a \"post\", fixed");
  EXPECT_EQ(page["bodies"][2]["kind"], "fixed");
  EXPECT_EQ(page["bodies"][0]["kind"], "free");
  EXPECT_EQ(page["moving"], json({0, 1, 3, 4, 5, 6}));
  EXPECT_EQ(page["geoms"].size(), world.scene().geoms.size());
  EXPECT_EQ(page["geoms"][0]["shape"], "plane");
  EXPECT_EQ(page["geoms"][0]["body"], -1);
  EXPECT_TRUE(page["geoms"][0]["color"].is_null());
  EXPECT_EQ(page["time_step"], world.time_step());
  EXPECT_EQ(page["settings"]["model"], "sap");
}

TEST(PageScene, TellsHowSurfacesMove) {
  RecordedScene scene;
  RecordedGeom belt, still;
  belt.surface_velocity = {1, 0.5, 0};
  scene.geoms = {belt, still};
  const json page = page_of(scene);
  EXPECT_EQ(page["geoms"][0]["surface"]["velocity"], json({1, 0.5, 0}));
  EXPECT_EQ(page["geoms"][0]["surface"]["angular_velocity"], json({0, 0, 0}));
  EXPECT_TRUE(page["geoms"][1]["surface"].is_null());
}

TEST(PageScene, TellsShapesMeshesAndColors) {
  RecordedScene scene;
  scene.file = "some/where/arm.urdf";
  scene.meshes.push_back(
      {.vertices = {{0, 0, 0}, {1.0 / 3, 0, 0}, {0, 1, 0}}, .triangles = {{0, 1, 2}}});
  RecordedGeom hull, pill;
  hull.shape = ShapeKind::hull;
  hull.mesh = 0;
  hull.color = Color{1, 0.5f, 0, 1};
  pill.shape = ShapeKind::capsule;
  pill.size = {0.1, 0.2, 0};
  pill.visual = true;
  scene.geoms = {hull, pill};
  const json page = page_of(scene);
  EXPECT_EQ(page["title"], "arm.urdf");
  EXPECT_EQ(page["geoms"][0]["shape"], "mesh");
  EXPECT_EQ(page["geoms"][0]["mesh"], 0);
  EXPECT_EQ(page["geoms"][0]["color"], json({1, 0.5, 0, 1}));
  EXPECT_EQ(page["geoms"][0]["visual"], false);
  EXPECT_EQ(page["geoms"][1]["visual"], true);
  EXPECT_EQ(page["geoms"][1]["shape"], "capsule");
  EXPECT_EQ(page["geoms"][1]["size"], json({0.1, 0.2, 0}));
  EXPECT_EQ(page["meshes"][0]["triangles"], json({0, 1, 2}));
  EXPECT_NEAR(page["meshes"][0]["vertices"][3].get<double>(), 1.0 / 3, 1e-7);
}

TEST(PageScene, NamesAreInertInsideOfHtml) {
  RecordedScene scene;
  scene.bodies.resize(2);
  scene.bodies[0].name = "</script><script>alert(1)</script><!--";
  scene.bodies[1].name = "not UTF-8: \xff\xfe";
  const std::string text = page_scene(scene);
  EXPECT_EQ(text.find('<'), std::string::npos);
  const json page = json::parse(text);
  EXPECT_EQ(page["bodies"][0]["name"], scene.bodies[0].name);
  EXPECT_EQ(page["bodies"][1]["name"], "not UTF-8: \xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(PageScene, NumbersThatAreNotFiniteAreNull) {
  RecordedScene scene;
  scene.bodies.resize(1);
  scene.bodies[0].mass = NAN;
  EXPECT_TRUE(page_of(scene)["bodies"][0]["mass"].is_null());
}

TEST(PageScene, ListsTheSeriesInTheirOrder) {
  const json page = page_of({});
  ASSERT_EQ(page["series"].size(), page_series().size());
  for (std::size_t i = 0; i < page_series().size(); ++i) {
    EXPECT_EQ(page["series"][i]["name"], page_series()[i].name);
  }
}

TEST(PageSeries, ReadsTheStep) {
  RecordedStep step;
  step.kinetic_energy = 1;
  step.potential_energy = 2;
  step.penetration = 0.003;
  step.certificate.step_error = 1e-7;
  std::map<std::string, double> values;
  for (const PageSeries& s : page_series()) values[s.name] = s.value(step);
  EXPECT_EQ(values["total_energy"], 3);
  EXPECT_DOUBLE_EQ(values["penetration"], 3);  // mm
  EXPECT_EQ(values["step_error"], 1e-7);
}

/// On a surface with mu = 0.5 that pushes with 10 N up.
RecordedContact contact(double friction_force, double speed) {
  RecordedContact c;
  c.normal = {0, 0, 1};
  c.impulse = 0.01 * Vec3{friction_force, 0, 10};
  c.velocity = {speed, 0, 0.2};
  c.friction = 0.5;
  return c;
}

TEST(PageContact, ModeIsThatOfTheForces) {
  const PageContact slips = page_contact(contact(-4.96, 3), 0.01);
  EXPECT_EQ(slips.mode, ContactMode::slip);
  EXPECT_DOUBLE_EQ(slips.force.z, 10);
  EXPECT_DOUBLE_EQ(slips.slip, 3);  // along the surface only
  EXPECT_EQ(page_contact(contact(-4.9, 3), 0.01).mode, ContactMode::stick);
  EXPECT_EQ(page_contact(contact(0, 0), 0.01).mode, ContactMode::stick);
  RecordedContact near = contact(0, 3);
  near.impulse = {};
  EXPECT_EQ(page_contact(near, 0.01).mode, ContactMode::near);
}

TEST(PageContact, WithoutFrictionWhatTouchesSlips) {
  RecordedContact c = contact(0, 1);
  c.friction = 0;
  EXPECT_EQ(page_contact(c, 0.01).mode, ContactMode::slip);
}

}  // namespace
}  // namespace abut
