#include "abut/io/mjcf/geoms.hpp"

#include <cmath>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "abut/io/mjcf/contact.hpp"
#include "abut/io/mjcf/support.hpp"

namespace abut::mjcf {

namespace {

/// Empty for a shape that is left out, and for a mesh and a height field.
std::optional<Shape> read_shape(int type, const mjtNum* size) {
  switch (type) {
    case mjGEOM_PLANE: return Shape::plane();
    case mjGEOM_SPHERE: return Shape::sphere(size[0]);
    case mjGEOM_CAPSULE: return Shape::capsule(size[0], size[1]);
    case mjGEOM_CYLINDER: return Shape::cylinder(size[0], size[1]);
    case mjGEOM_BOX: return Shape::box(read_vector(size));
    case mjGEOM_ELLIPSOID: return Shape::ellipsoid(read_vector(size));
    default: return {};
  }
}

/// Of a mesh that collides: vertices of the hull that MuJoCo found, in the frame of the geom.
std::shared_ptr<const ConvexHull> read_hull(const mjModel& model, int mesh, const Origin& at) {
  const float* all = model.mesh_vert + std::ptrdiff_t{3} * model.mesh_vertadr[mesh];
  const auto vertex = [&](int i) { return Vec3{all[3 * i], all[3 * i + 1], all[3 * i + 2]}; };
  std::vector<Vec3> points;
  if (const int graph = model.mesh_graphadr[mesh]; graph >= 0) {
    // numvert, numface, vert_edgeadr[numvert], vert_globalid[numvert], ...
    const int* data = model.mesh_graph + graph;
    const int count = data[0];
    for (int i = 0; i < count; ++i) points.push_back(vertex(data[2 + count + i]));
  } else {
    for (int i = 0; i < model.mesh_vertnum[mesh]; ++i) points.push_back(vertex(i));
  }
  return make_convex_hull(points, at);
}

/// Its own, else its material's; absent where neither says anything but MuJoCo's grey.
std::optional<Color> read_color(const mjModel& model, int geom) {
  const auto take = [](const float* rgba) { return Color{rgba[0], rgba[1], rgba[2], rgba[3]}; };
  const Color own = take(model.geom_rgba + std::ptrdiff_t{4} * geom);
  const int material = model.geom_matid[geom];
  if (own != Color{0.5f, 0.5f, 0.5f, 1}) return own;
  if (material < 0) return {};
  return take(model.mat_rgba + std::ptrdiff_t{4} * material);
}

/// MuJoCo scales elevations to 0 to 1, in rows of constant y.
std::shared_ptr<const HeightField> read_field(const mjModel& model, int field, const Origin& at) {
  const mjtNum* size = model.hfield_size + std::ptrdiff_t{4} * field;
  const int rows = model.hfield_nrow[field], columns = model.hfield_ncol[field];
  const float* data = model.hfield_data + model.hfield_adr[field];
  std::vector<double> heights;
  const std::ptrdiff_t count = std::ptrdiff_t{rows} * columns;
  heights.reserve(static_cast<std::size_t>(count));
  for (std::ptrdiff_t k = 0; k < count; ++k) heights.push_back(size[2] * double{data[k]});
  return make_height_field(columns, rows, size[0], size[1], size[3], std::move(heights), at);
}

ContactParameters parameters_of(const Spec& spec, const mjModel& model, int geom) {
  ContactParameters parameters{.solref = model.geom_solref + std::ptrdiff_t{mjNREF} * geom,
                               .solimp = model.geom_solimp + std::ptrdiff_t{mjNIMP} * geom,
                               .friction = read_vector(model.geom_friction, geom).x,
                               .margin = model.geom_margin[geom],
                               .gap = model.geom_gap[geom],
                               .solmix = model.geom_solmix[geom],
                               .condim = model.geom_condim[geom]};
  if (is_overridden(spec)) {
    parameters.solref = model.opt.o_solref;
    parameters.solimp = model.opt.o_solimp;
    parameters.friction = model.opt.o_friction[0];
    parameters.margin = model.opt.o_margin;
  }
  return parameters;
}

/// What is written, as far as MuJoCo will not compute it.
void check_geom(const mjsGeom& geom, const Origin& at) {
  require(!(geom.mass < 0), "mass", geom.mass, "kg", "must not be negative", at);
  require(!(geom.density < 0), "density", geom.density, "kg/m^3", "must not be negative", at);
  const bool is_fitted = *mjs_getString(geom.meshname) != '\0';  // its size comes from a mesh
  std::optional<Shape> shape = read_shape(geom.type, geom.size);
  if (!shape || is_fitted) return;
  if (!std::isnan(geom.fromto[0])) {  // the second size, or the third of a box, is a distance
    const bool round = shape->kind != ShapeKind::box && shape->kind != ShapeKind::ellipsoid;
    if (round) shape->size.y = 1;
    if (!round) shape->size.y = shape->size.z = shape->size.x;
  }
  shape->validate(at);
}

}  // namespace

bool is_overridden(const Spec& spec) {
  return (spec->option.enableflags & mjENBL_OVERRIDE) != 0;
}

bool may_touch(const mjModel& model, int geom) {
  return model.geom_contype[geom] != 0 || model.geom_conaffinity[geom] != 0;
}

void check_geoms(const Source& source, const Spec& spec) {
  for_each(spec, mjOBJ_GEOM, mjs_asGeom, [&](mjsGeom* geom, mjsElement* element) {
    check_geom(*geom, origin_of(source, "geom", element, geom->info));
  });
}

std::vector<int> read_geoms(const Source& source, const Spec& spec, const mjModel& model,
                            const BodyMap& map, Scene& scene, NoticeList& notices) {
  std::vector<int> places(static_cast<std::size_t>(model.ngeom), -1);
  scene.friction_rule = FrictionRule::maximum;
  const std::vector<mjsElement*> elements = elements_by_id(spec, mjOBJ_GEOM, model.ngeom);
  std::map<int, std::shared_ptr<const ConvexHull>> hulls;    // by mesh
  std::map<int, std::shared_ptr<const HeightField>> fields;  // by hfield
  for (int id = 0; id < model.ngeom; ++id) {
    std::optional<Shape> shape =
        read_shape(model.geom_type[id], model.geom_size + std::ptrdiff_t{3} * id);
    SceneGeom geom;
    geom.name = name_of(elements[id]);
    geom.origin = origin_of(source, "geom", elements[id], mjs_asGeom(elements[id])->info);
    if (model.geom_type[id] == mjGEOM_MESH && may_touch(model, id)) {
      const int mesh = model.geom_dataid[id];
      std::shared_ptr<const ConvexHull>& hull = hulls[mesh];
      if (hull == nullptr) hull = read_hull(model, mesh, geom.origin);
      shape = Shape::convex(hull);
    }
    if (model.geom_type[id] == mjGEOM_HFIELD && may_touch(model, id)) {
      const int asset = model.geom_dataid[id];
      std::shared_ptr<const HeightField>& field = fields[asset];
      if (field == nullptr) field = read_field(model, asset, geom.origin);
      shape = Shape::height_field(field);
    }
    if (!shape) continue;
    const BodyMap::Entry& body = map[model.geom_bodyid[id]];
    geom.body = body.scene_body;
    geom.shape = *shape;
    geom.pose = body.pose * Pose{read_vector(model.geom_pos, id),
                                 to_matrix(read_quaternion(model.geom_quat, id))};
    const bool touches = !is_disabled(spec, mjDSBL_CONTACT);
    geom.contact_type = touches ? static_cast<std::uint32_t>(model.geom_contype[id]) : 0;
    geom.contact_affinity = touches ? static_cast<std::uint32_t>(model.geom_conaffinity[id]) : 0;
    geom.friction_priority = model.geom_priority[id];
    geom.frictionless = model.geom_condim[id] == 1;
    geom.surface_velocity = read_vector(model.geom_surfacevel, 2 * id);
    geom.surface_angular_velocity = read_vector(model.geom_surfacevel, 2 * id + 1);
    geom.color = read_color(model, id);
    if (may_touch(model, id)) {
      const Origin at =
          is_overridden(spec) ? source.locate_setting("flag", "override") : geom.origin;
      geom.material = read_material(parameters_of(spec, model, id), at, geom.name, notices);
    }
    places[id] = static_cast<int>(scene.geoms.size());
    scene.geoms.push_back(std::move(geom));
  }
  return places;
}

}  // namespace abut::mjcf
