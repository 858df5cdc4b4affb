#include "abut/io/urdf/geometry.hpp"

#include <utility>
#include <vector>

#include "abut/core/text.hpp"
#include "abut/io/decimal.hpp"
#include "abut/io/mesh_file.hpp"
#include "abut/io/urdf/robot.hpp"

namespace abut::urdf {

namespace {

/// Corners of the triangles of a mesh, by its path and scale.
std::vector<Vec3> read_scaled(const std::tuple<std::string, double, double, double>& mesh,
                              const Origin& at) {
  const auto& [path, x, y, z] = mesh;
  std::vector<Vec3> corners = read_mesh_points(path, at);
  for (Vec3& p : corners) p = {x * p.x, y * p.y, z * p.z};
  return corners;
}

}  // namespace

SceneGeom GeometryReader::read_collision(const XmlElement& collision) {
  collision.list_unknown(notices_, {"name"},
                         {"origin", "geometry", "material", "drake:proximity_properties"});
  SceneGeom geom;
  geom.origin = collision.origin();
  geom.origin.element = "collision of " + geom.origin.element;
  if (collision.has("name")) geom.name = collision.text("name");
  geom.pose = read_origin(collision);
  geom.shape = read_shape(collision.required_child("geometry"));
  if (const auto properties = collision.child("drake:proximity_properties")) {
    geom.material = read_material(*properties);
  }
  return geom;
}

Shape GeometryReader::read_shape(const XmlElement& geometry) {
  std::optional<Shape> shape;
  geometry.for_each_child([&](const XmlElement& e) {
    if (shape) e.fail("<geometry> has a second shape");
    const std::string_view tag = e.tag();
    if (tag == "box") {
      shape = Shape::box(0.5 * e.vector("size"));
    } else if (tag == "sphere") {
      shape = Shape::sphere(e.number("radius"));
    } else if (tag == "cylinder") {
      shape = Shape::cylinder(e.number("radius"), 0.5 * e.number("length"));
    } else if (tag == "capsule" || tag == "drake:capsule") {
      shape = Shape::capsule(e.number("radius"), 0.5 * e.number("length"));
    } else if (tag == "drake:ellipsoid") {
      shape = Shape::ellipsoid({e.number("a"), e.number("b"), e.number("c")});
    } else if (tag == "mesh") {
      shape = read_hull(e);
    } else {
      e.fail(bracketed(tag) +
             " is not a shape: must be box, sphere, cylinder, capsule, drake:ellipsoid or mesh");
    }
    Origin at = e.origin();
    at.element = std::string(tag) + " of " + at.element;
    shape->validate(at);
  });
  if (!shape) geometry.fail("<geometry> has no shape");
  return *shape;
}

GeometryReader::MeshKey GeometryReader::find_mesh(const XmlElement& mesh) const {
  const Vec3 scale = mesh.vector("scale", {1, 1, 1});
  if (scale.x == 0 || scale.y == 0 || scale.z == 0) mesh.fail("scale must not be zero");
  return {files_.find(mesh.text("filename"), mesh.origin()), scale.x, scale.y, scale.z};
}

Shape GeometryReader::read_hull(const XmlElement& mesh) {
  const MeshKey key = find_mesh(mesh);
  auto& hull = hulls_[key];
  if (hull == nullptr) {
    hull = make_convex_hull(read_scaled(key, mesh.origin()), {std::get<0>(key), 0, {}});
  }
  return Shape::convex(hull);
}

std::shared_ptr<const TriangleMesh> GeometryReader::read_surface(const XmlElement& mesh) {
  const MeshKey key = find_mesh(mesh);
  auto& surface = surfaces_[key];
  if (surface == nullptr)
    surface = make_picture_mesh(read_scaled(key, mesh.origin()), mesh.origin());
  return surface;
}

std::optional<SceneVisual> GeometryReader::read_visual(const XmlElement& e) {
  try {
    SceneVisual visual;
    visual.origin = e.origin();
    visual.pose = read_origin(e);
    const XmlElement geometry = e.required_child("geometry");
    if (const auto mesh = geometry.child("mesh")) {
      visual.mesh = read_surface(*mesh);
    } else {
      visual.shape = read_shape(geometry);
    }
    if (const auto material = e.child("material")) visual.color = read_color(*material);
    return visual;
  } catch (const InputError& error) {
    notices_.add("a visual is not drawn", e.origin(), error.what());
  } catch (const FileError& error) {
    notices_.add("a visual is not drawn", e.origin(), error.what());
  }
  return {};
}

void GeometryReader::add_material(const XmlElement& material) {
  try {
    const std::optional<Color> color = read_color(material);
    if (color && material.has("name")) colors_[material.text("name")] = *color;
  } catch (const InputError& error) {
    notices_.add("a material is not used", material.origin(), error.what());
  }
}

/// Its own, or that of the material it names.
std::optional<Color> GeometryReader::read_color(const XmlElement& material) const {
  if (const auto e = material.child("color")) {
    const std::string text = e->text("rgba");
    std::string_view rest = text;
    Color color{};
    for (float& x : color) {
      const Decimal number = read_decimal(take_word(rest));
      if (number.broken_rule != nullptr || !(number.value >= 0 && number.value <= 1)) {
        e->fail("rgba = " + quote(text) + ", must be four numbers from 0 to 1");
      }
      x = static_cast<float>(number.value);
    }
    return color;
  }
  const auto known = material.has("name") ? colors_.find(material.text("name")) : colors_.end();
  return known == colors_.end() ? std::nullopt : std::optional(known->second);
}

Material GeometryReader::read_material(const XmlElement& properties) {
  Material material;
  const auto take = [&](const char* tag, std::optional<double>& to) {
    if (const auto e = properties.child(tag)) to = e->number("value");
  };
  std::optional<double> fixed_friction;
  take("drake:point_contact_stiffness", material.stiffness);
  take("drake:hunt_crossley_dissipation", material.dissipation);
  take("drake:relaxation_time", material.relaxation_time);
  take("drake:mu_static", fixed_friction);
  take("drake:mu_dynamic", material.friction);
  if (!material.friction) {
    material.friction = fixed_friction;
  } else if (fixed_friction && *fixed_friction != *material.friction) {
    notices_.add("drake:mu_static is not used: there is one coefficient of friction, mu_dynamic",
                 properties.origin());
  }
  properties.list_unknown(notices_, {},
                          {"drake:point_contact_stiffness", "drake:hunt_crossley_dissipation",
                           "drake:relaxation_time", "drake:mu_static", "drake:mu_dynamic"});
  return material;
}

}  // namespace abut::urdf
