#include "abut/io/scene_file/draft.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "abut/core/text.hpp"
#include "abut/sim/scene_append.hpp"

namespace abut::scene_file {

const Material& Draft::material(const std::string& name, const Origin& at) const {
  const auto found = materials.find(name);
  if (found != materials.end()) return found->second;
  std::vector<std::string_view> known;
  known.reserve(materials.size());
  for (const auto& [other, material] : materials) known.push_back(other);
  fail_unknown("material", name, known, at);
}

std::string Draft::resolve(const std::string& path) const {
  if (path.find("://") != std::string::npos) return path;  // refused as such
  return (std::filesystem::path(file).parent_path() / path).string();
}

void fail_unknown(std::string_view kind, const std::string& name,
                  const std::vector<std::string_view>& known, const Origin& at) {
  std::string text = std::string(kind) + " " + quote(name) + " does not exist";
  const std::string_view nearest = nearest_word(name, known);
  if (!nearest.empty()) {
    text += ", did you mean " + quote(nearest) + "?";
  } else if (known.empty()) {
    text += ": there is none";
  } else if (known.size() <= 8) {
    text += ": must be one of ";
    for (std::size_t i = 0; i < known.size(); ++i) text.append(i > 0 ? ", " : "").append(known[i]);
  }
  fail_input(text, at);
}

ScenePart find_joint(const Scene& scene, const std::string& name, const Origin& at) {
  std::vector<std::string_view> known;
  for (int b = 0; b < std::ssize(scene.bodies); ++b) {
    const std::vector<SceneJoint>& joints = scene.bodies[b].joints;
    for (int k = 0; k < std::ssize(joints); ++k) {
      if (joints[k].name.empty()) continue;
      if (joints[k].kind != JointKind::hinge && joints[k].kind != JointKind::slide) {
        if (joints[k].name != name) continue;
        fail_input("joint " + quote(name) + " must be a hinge or a slide", at);
      }
      if (joints[k].name == name) return {b, k, 1};
      known.push_back(joints[k].name);
    }
  }
  fail_unknown("joint", name, known, at);
}

void append_part(Draft& draft, Scene part, std::vector<std::string> materials) {
  materials.resize(part.geoms.size());
  draft.material_of.insert(draft.material_of.end(), materials.begin(), materials.end());
  append_scene(draft.scene, std::move(part), "", {});
}

Material read_parameters(Table& table) {
  Material m;
  m.stiffness = table.number("stiffness", "N/m", Sign::positive);
  m.dissipation = table.number("dissipation", "s/m", Sign::not_negative);
  m.relaxation_time = table.number("relaxation_time", "s", Sign::not_negative);
  m.friction = table.number("friction", "", Sign::not_negative);
  m.cross_friction = table.number("cross_friction", "", Sign::not_negative);
  if (m.cross_friction && !m.friction) {
    fail_input("cross_friction needs friction too", table.origin_of("cross_friction"));
  }
  m.static_friction = table.number("static_friction", "", Sign::not_negative);
  if (m.static_friction && !(*m.static_friction >= m.friction.value_or(HUGE_VAL))) {
    fail_input(m.friction ? "static_friction must not be less than friction"
                          : "static_friction needs friction too",
               table.origin_of("static_friction"));
  }
  if (m.static_friction && m.cross_friction) {
    fail_input("static_friction and cross_friction exclude each other",
               table.origin_of("static_friction"));
  }
  m.table = table.force_table("force_table");
  m.thickness = table.number("thickness", "m", Sign::positive);
  return m;
}

std::vector<Table> read_materials(Table& root, Draft& draft) {
  std::vector<Table> tables;
  for (auto& [name, table] : root.named_tables("material")) {
    draft.materials[name] = read_parameters(table);
    tables.push_back(table);
  }
  return tables;
}

void assign_materials(std::vector<Table>& tables, Draft& draft) {
  std::vector<bool> assigned(draft.scene.geoms.size());
  auto next = draft.materials.begin();  // both are sorted by name
  for (Table& table : tables) {
    const auto& [name, material] = *next++;
    const auto assign = [&](int geom, std::string_view key) {
      SceneGeom& g = draft.scene.geoms[geom];
      if (assigned[geom]) {
        fail_input("geom " + quote(g.name) + " is given a material twice", table.origin_of(key));
      }
      assigned[geom] = true;
      g.material = material;
      g.frictionless = false;
      draft.material_of[geom] = name;
    };
    for (const std::string& geom : table.texts("geoms")) {
      assign(find_element(draft.scene.geoms, "geom", geom, table.origin_of("geoms")), "geoms");
    }
    for (const std::string& name_of_body : table.texts("bodies")) {
      const int body =
          find_element(draft.scene.bodies, "body", name_of_body, table.origin_of("bodies"));
      for (int g = 0; g < std::ssize(draft.scene.geoms); ++g) {
        if (draft.scene.geoms[g].body == body) assign(g, "bodies");
      }
    }
    table.finish();
  }
}

void read_surface(Table& table, SceneGeom& geom) {
  if (const auto v = table.vector("surface_velocity", "m/s")) geom.surface_velocity = *v;
  if (const auto w = table.vector("surface_angular_velocity", "rad/s")) {
    geom.surface_angular_velocity = *w;
  }
  if (const auto axis = table.vector("friction_axis", "")) {
    const double length = norm(*axis);
    require(length > 0, "friction_axis", length, "", "must not be zero",
            table.origin_of("friction_axis"));
    geom.friction_axis = *axis / length;
  }
}

void read_surfaces(Table& root, Draft& draft) {
  for (Table& table : root.tables("surface")) {
    SceneGeom given;
    read_surface(table, given);
    const bool moves = has_moving_surface(given) || table.has("surface_velocity") ||
                       table.has("surface_angular_velocity");
    const bool has_axis = table.has("friction_axis");
    const std::vector<std::string> names = table.texts("geoms");
    table.finish();
    if (names.empty()) fail_input("it needs the names of geoms", table.origin());
    for (const std::string& name : names) {
      SceneGeom& geom =
          draft.scene
              .geoms[find_element(draft.scene.geoms, "geom", name, table.origin_of("geoms"))];
      if (moves) {
        geom.surface_velocity = given.surface_velocity;
        geom.surface_angular_velocity = given.surface_angular_velocity;
      }
      if (has_axis) geom.friction_axis = given.friction_axis;
    }
  }
}

void read_world(Table& root, Draft& draft) {
  std::optional<Table> world = root.table("world");
  if (!world) return;
  constexpr std::string_view rules[] = {"harmonic", "maximum"};
  draft.scene.gravity = world->vector("gravity", "m/s^2").value_or(draft.scene.gravity);
  if (const auto rule = world->choice("friction_rule", rules)) {
    draft.friction_rule = *rule == 0 ? FrictionRule::harmonic : FrictionRule::maximum;
  }
  draft.scene.force_table = world->force_table("force_table");
  const bool ground = world->boolean("ground").value_or(false);
  const std::optional<std::string> material = world->text("ground_material");
  if (material && !ground) {
    fail_input("ground_material needs ground = true", world->origin_of("ground_material"));
  }
  if (ground) {
    Scene part;
    SceneGeom plane;
    plane.name = "ground";
    plane.shape = Shape::plane();
    plane.origin = world->origin_of("ground");
    if (material) plane.material = draft.material(*material, world->origin_of("ground_material"));
    part.geoms.push_back(plane);
    append_part(draft, std::move(part), {material.value_or("")});
  }
  world->finish();
}

void read_excludes(Table& root, Draft& draft) {
  Scene& scene = draft.scene;
  constexpr std::size_t most_names = 1000;  // of which each makes a pair with all others
  const auto add_pairs = [](const std::vector<int>& of, std::vector<std::pair<int, int>>& list) {
    for (std::size_t i = 0; i < of.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k) list.emplace_back(of[k], of[i]);
    }
  };
  for (Table& table : root.tables("exclude")) {
    std::vector<int> bodies, geoms;
    for (const std::string& name : table.texts("bodies")) {
      bodies.push_back(name == "world"
                           ? world_body
                           : find_element(scene.bodies, "body", name, table.origin_of("bodies")));
    }
    for (const std::string& name : table.texts("geoms")) {
      geoms.push_back(find_element(scene.geoms, "geom", name, table.origin_of("geoms")));
    }
    table.finish();
    if (bodies.size() < 2 && geoms.size() < 2) {
      fail_input("it needs the names of two bodies or two geoms, or more", table.origin());
    }
    if (std::max(bodies.size(), geoms.size()) > most_names) {
      fail_input("it has more than " + std::to_string(most_names) + " names", table.origin());
    }
    add_pairs(bodies, scene.excluded_bodies);
    add_pairs(geoms, scene.excluded_geoms);
  }
}

}  // namespace abut::scene_file
