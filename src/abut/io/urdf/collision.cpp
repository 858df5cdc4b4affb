#include "abut/io/urdf/collision.hpp"

#include <utility>
#include <vector>

#include "abut/io/mesh_file.hpp"
#include "abut/io/urdf/robot.hpp"

namespace abut::urdf {

SceneGeom CollisionReader::read(const XmlElement& collision) {
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

Shape CollisionReader::read_shape(const XmlElement& geometry) {
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
      shape = read_mesh(e);
    } else {
      e.fail(bracketed(tag) +
             " is no shape: box, sphere, cylinder, capsule, drake:ellipsoid and mesh are");
    }
    Origin at = e.origin();
    at.element = std::string(tag) + " of " + at.element;
    shape->validate(at);
  });
  if (!shape) geometry.fail("<geometry> has no shape");
  return *shape;
}

Shape CollisionReader::read_mesh(const XmlElement& mesh) {
  const std::string path = files_.find(mesh.text("filename"), mesh.origin());
  const Vec3 scale = mesh.vector("scale", {1, 1, 1});
  if (scale.x == 0 || scale.y == 0 || scale.z == 0) mesh.fail("scale must not be zero");
  auto& hull = hulls_[{path, scale.x, scale.y, scale.z}];
  if (hull == nullptr) {
    std::vector<Vec3> points = read_mesh_points(path, mesh.origin());
    for (Vec3& p : points) p = {scale.x * p.x, scale.y * p.y, scale.z * p.z};
    hull = make_convex_hull(points, {path, 0, {}});
  }
  return Shape::convex(hull);
}

Material CollisionReader::read_material(const XmlElement& properties) {
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
