// [[body]]: rigid bodies of primitive shapes.

#include <utility>

#include "abut/core/text.hpp"
#include "abut/io/mesh_file.hpp"
#include "abut/io/scene_file/draft.hpp"
#include "abut/sim/mass_properties.hpp"

namespace abut::scene_file {

namespace {

constexpr double default_density = 1000;  // [kg/m^3]
constexpr std::int64_t most_copies = 100000;
constexpr std::size_t most_bodies = 1000000;

/// The hull of a mesh.
Shape read_mesh(Table& table, const Draft& draft) {
  const std::string path = draft.resolve(table.need("file", table.text("file")));
  const Vec3 scale = table.vector("scale", "").value_or(Vec3{1, 1, 1});
  require(scale.x != 0 && scale.y != 0 && scale.z != 0, "scale", 0, "", "must not be zero",
          table.origin_of("scale"));
  std::vector<Vec3> points = read_mesh_points(path, table.origin_of("file"));
  for (Vec3& p : points) p = {scale.x * p.x, scale.y * p.y, scale.z * p.z};
  return Shape::convex(make_convex_hull(points, {path, 0, {}}));
}

/// To be called when all else of the shape has been read: an unknown key is told before a length
/// that is missing, which it may be meant for.
Shape read_shape(Table& table, const Draft& draft) {
  constexpr std::string_view types[] = {"plane",    "sphere",    "box", "capsule",
                                        "cylinder", "ellipsoid", "mesh"};
  const auto lengths = [&](std::string_view key) {
    const std::optional<Vec3> v = table.vector(key, "m", Sign::positive);
    table.finish();
    return table.need(key, v);
  };
  const auto radius = [&] {
    const std::optional<double> r = table.number("radius", "m", Sign::positive);
    table.finish();
    return table.need("radius", r);
  };
  const auto round = [&](const auto& make) {
    const std::optional<double> r = table.number("radius", "m", Sign::positive),
                                l = table.number("half_length", "m", Sign::positive);
    table.finish();
    return make(table.need("radius", r), table.need("half_length", l));
  };
  switch (table.need("type", table.choice("type", types))) {
    case 0: return Shape::plane();
    case 1: return Shape::sphere(radius());
    case 2: return Shape::box(lengths("half_extents"));
    case 3: return round(Shape::capsule);
    case 4: return round(Shape::cylinder);
    case 5: return Shape::ellipsoid(lengths("radii"));
    default: return read_mesh(table, draft);
  }
}

/// About the center of mass: the diagonal, or xx, yy, zz, xy, xz, yz.
Mat3 read_inertia(std::vector<double> i, const Table& table) {
  require(i.size() == 3 || i.size() == 6, "inertia", static_cast<double>(i.size()), "numbers",
          "must have 3 (xx, yy, zz) or 6 (and xy, xz, yz)", table.origin_of("inertia"));
  i.resize(6);
  return {{{i[0], i[3], i[4]}, {i[3], i[1], i[5]}, {i[4], i[5], i[2]}}};
}

/// Given, or those of the shapes at one density.
void read_mass(Table& table, const std::vector<SceneGeom>& shapes, SceneBody& body) {
  const std::optional<double> mass = table.number("mass", "kg", Sign::positive),
                              density = table.number("density", "kg/m^3", Sign::positive);
  const std::optional<Vec3> center = table.vector("center_of_mass", "m");
  if (mass && density) {
    fail_input("it has both mass and density, must have one of them", table.origin_of("density"));
  }
  const std::vector<double> inertia = table.numbers("inertia", "kg m^2");
  if (table.has("inertia")) {
    body.mass = table.need("mass", mass);
    body.center_of_mass = center.value_or(Vec3{});
    body.inertia = read_inertia(inertia, table);
    return;
  }
  if (center) {
    fail_input("center_of_mass needs inertia too: it is that of the shapes otherwise",
               table.origin_of("center_of_mass"));
  }
  MassProperties whole;
  for (const SceneGeom& g : shapes) {
    const MassProperties part =
        transformed(g.pose, mass_properties(g.shape, density.value_or(default_density)));
    whole = whole.mass > 0 ? combined(whole, part) : part;
  }
  if (whole.mass == 0) {
    if (body.kind == BodyKind::fixed) return;
    fail_input("it has no shape with a volume: give mass and inertia", table.origin());
  }
  const double scale = mass.value_or(whole.mass) / whole.mass;
  body.mass = scale * whole.mass;
  body.center_of_mass = whole.center_of_mass;
  body.inertia = scale * whole.inertia;
}

class BodyReader {
 public:
  explicit BodyReader(Draft& draft) : draft_(draft) {}

  void read(Table& table) {
    SceneBody body;
    body.name = table.text("name").value_or("");
    body.kind = table.boolean("fixed").value_or(false) ? BodyKind::fixed : BodyKind::free;
    body.origin = table.origin();
    std::tie(body.position, body.orientation) = table.place();
    const bool moves = table.has("linear_velocity") || table.has("angular_velocity");
    if (moves && body.kind == BodyKind::fixed) {
      fail_input("it has a velocity, and is fixed", table.origin());
    }
    body.linear_velocity = table.vector("linear_velocity", "m/s").value_or(Vec3{});
    body.angular_velocity = table.vector("angular_velocity", "rad/s").value_or(Vec3{});
    shapes_.clear();
    shape_materials_.clear();
    for (Table& shape : table.tables("shape", true)) read_geom(shape);
    read_mass(table, shapes_, body);
    const std::int64_t copies = table.whole_number("copies", 1, most_copies).value_or(1);
    const Vec3 spacing = table.vector("spacing", "m").value_or(Vec3{});
    if (copies > 1) table.need("spacing", table.vector("spacing", "m"));
    table.finish();
    for (std::int64_t i = 0; i < copies; ++i) {
      add(body, copies > 1 ? std::to_string(i) : "", static_cast<double>(i) * spacing);
    }
  }

  void finish() { append_part(draft_, std::move(part_), std::move(materials_)); }

 private:
  void read_geom(Table& table) {
    SceneGeom g;
    g.name = table.text("name").value_or("");
    g.origin = table.origin();
    const auto [position, orientation] = table.place();
    g.pose = {position, to_matrix(orientation)};
    const std::optional<std::string> material = table.text("material");
    if (material) g.material = draft_.material(*material, table.origin_of("material"));
    read_surface(table, g);
    g.shape = read_shape(table, draft_);
    table.finish();
    shapes_.push_back(g);
    shape_materials_.push_back(material.value_or(""));
  }

  void add(SceneBody body, const std::string& suffix, const Vec3& offset) {
    if (part_.bodies.size() >= most_bodies || part_.geoms.size() >= most_bodies) {
      fail_input("more than " + std::to_string(most_bodies) + " bodies or shapes", body.origin);
    }
    if (!body.name.empty()) body.name += suffix;
    body.position += offset;
    for (SceneGeom g : shapes_) {
      if (!g.name.empty()) g.name += suffix;
      g.body = static_cast<int>(part_.bodies.size());
      part_.geoms.push_back(std::move(g));
    }
    materials_.insert(materials_.end(), shape_materials_.begin(), shape_materials_.end());
    part_.bodies.push_back(std::move(body));
  }

  Draft& draft_;
  Scene part_;
  std::vector<std::string> materials_;  // of part_'s geoms
  std::vector<SceneGeom> shapes_;       // of the body at hand
  std::vector<std::string> shape_materials_;
};

}  // namespace

void read_bodies(Table& root, Draft& draft) {
  BodyReader reader(draft);
  for (Table& table : root.tables("body")) reader.read(table);
  reader.finish();
}

}  // namespace abut::scene_file
