#include "abut/view/page_scene.hpp"

#include <charconv>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numbers>

#include "abut/view/page_series.hpp"

namespace abut {
namespace {

using nlohmann::json;

/// In few digits, those of a float: the page draws no finer. Not finite ones become null.
json number(double x) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, static_cast<float>(x));
  double shorter = x;
  std::from_chars(digits, end.ptr, shorter);
  return shorter;
}

json numbers(const Vec3& v) {
  return {number(v.x), number(v.y), number(v.z)};
}

json numbers(const Vec3& p, const Quaternion& q) {
  return {number(p.x), number(p.y), number(p.z), number(q.w),
          number(q.x), number(q.y), number(q.z)};
}

const char* shape_name(ShapeKind kind) {
  const bool has_mesh = kind == ShapeKind::hull || kind == ShapeKind::height_field;
  return has_mesh ? "mesh" : to_string(kind);
}

json page_geom(const RecordedGeom& g) {
  json color = nullptr;
  if (g.color) {
    color = json::array();
    for (const float c : *g.color) color.push_back(number(c));
  }
  json surface = nullptr;
  if (!(g.surface_velocity == Vec3{} && g.surface_angular_velocity == Vec3{})) {
    surface = {{"velocity", numbers(g.surface_velocity)},
               {"angular_velocity", numbers(g.surface_angular_velocity)}};
  }
  return {{"name", g.name},
          {"body", g.body},
          {"shape", shape_name(g.shape)},
          {"size", numbers(g.size)},
          {"pose", numbers(g.pose.p, to_quaternion(g.pose.R))},
          {"mesh", g.mesh},
          {"visual", g.visual},
          {"surface", surface},
          {"color", color}};
}

json page_mesh(const TriangleMesh& m) {
  json vertices = json::array(), triangles = json::array();
  for (const Vec3& v : m.vertices) {
    for (int k = 0; k < 3; ++k) vertices.push_back(number(v[k]));
  }
  for (const auto& t : m.triangles) {
    for (const std::int32_t vertex : t) triangles.push_back(vertex);
  }
  return {{"vertices", std::move(vertices)}, {"triangles", std::move(triangles)}};
}

json page_camera(const Camera& c) {
  return {{"name", c.name},
          {"position", numbers(c.position)},
          {"target", numbers(c.target)},
          {"up", numbers(c.up)},
          {"field_of_view", number(c.field_of_view * 180 / std::numbers::pi)}};
}

json series_heads() {
  json heads = json::array();
  for (const PageSeries& s : page_series()) {
    heads.push_back({{"name", s.name},
                     {"label", s.label},
                     {"unit", s.unit},
                     {"plot", s.plot},
                     {"log", s.logarithmic}});
  }
  return heads;
}

}  // namespace

std::string inert_json(std::string_view text) {
  std::string inert;
  inert.reserve(text.size());
  for (const char c : text) {  // only strings can hold one
    if (c == '<') {
      inert += "\\u003c";
    } else {
      inert += c;
    }
  }
  return inert;
}

std::string page_scene(const RecordedScene& scene, std::span<const Camera> cameras,
                       std::span<const std::string> warnings) {
  json bodies = json::array(), moving = json::array(), geoms = json::array(),
       meshes = json::array(), views = json::array();
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const RecordedBody& b = scene.bodies[i];
    bodies.push_back({{"name", b.name},
                      {"kind", to_string(b.kind)},
                      {"mass", number(b.mass)},
                      {"pose", numbers(b.start.position, b.start.orientation)}});
    if (b.kind != BodyKind::fixed) moving.push_back(i);
  }
  for (const RecordedGeom& g : scene.geoms) geoms.push_back(page_geom(g));
  for (const TriangleMesh& m : scene.meshes) meshes.push_back(page_mesh(m));
  for (const Camera& c : cameras) views.push_back(page_camera(c));
  const std::string file = std::filesystem::path(scene.file).filename().string();
  const json all = {{"title", file.empty() ? "abut" : file},
                    {"abut", scene.abut_version},
                    {"time_step", scene.time_step},
                    {"gravity", numbers(scene.gravity)},
                    {"settings",
                     {{"model", to_string(scene.model)},
                      {"law", takes_law(scene.model) ? json(to_string(scene.law)) : json(nullptr)},
                      {"solver", scene.solver},
                      {"tolerance", scene.tolerance}}},
                    {"bodies", std::move(bodies)},
                    {"moving", std::move(moving)},
                    {"geoms", std::move(geoms)},
                    {"meshes", std::move(meshes)},
                    {"cameras", std::move(views)},
                    {"warnings", warnings},
                    {"series", series_heads()}};
  const std::string text = all.dump(-1, ' ', false, json::error_handler_t::replace);
  return inert_json(text);
}

}  // namespace abut
