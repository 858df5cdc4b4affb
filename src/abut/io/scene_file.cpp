#include "abut/io/scene_file.hpp"

#include <climits>
#include <new>
#include <utility>

#include "abut/core/text.hpp"
#include "abut/io/input_file.hpp"
#include "abut/io/model_file.hpp"
#include "abut/io/scene_file/controllers.hpp"
#include "abut/io/scene_file/draft.hpp"
#include "abut/sim/scene_checks.hpp"
#include "abut/solvers/contact_solver.hpp"

namespace abut {

namespace scene_file {

namespace {

constexpr std::size_t largest_file = 16u << 20;  // bytes
constexpr std::int64_t format_version = 1;

void check_version(Table& root) {
  if (!root.has("abut")) {
    fail_input("a scene file begins with abut = 1, the version of its format", root.origin());
  }
  const std::int64_t version = *root.whole_number("abut", 0, INT32_MAX);
  require(version == format_version, "abut", static_cast<double>(version), "",
          "must be 1, the version of the format that this program reads", root.origin_of("abut"));
}

SimulationSettings read_simulation(Table& root, Scene& scene) {
  SimulationSettings s;
  std::optional<Table> table = root.table("simulation");
  if (!table) return s;
  s.model = table->named("model", contact_models);
  s.law = table->named("law", normal_laws);
  s.scheme = table->named("scheme", stepping_schemes);
  if (const auto solver = table->choice("solver", solver_names())) {
    s.solver = solver_names()[*solver];
  }
  if (const auto time_step = table->number("time_step", "s", Sign::positive)) {
    require_time_step(*time_step, "time_step", table->origin_of("time_step"));
    scene.time_step = *time_step;
  }
  s.tolerance = table->number("tolerance", "", Sign::positive);
  if (s.tolerance) {
    require(*s.tolerance < 1, "tolerance", *s.tolerance, "", "must be below 1",
            table->origin_of("tolerance"));
  }
  s.lag_tolerance = table->number("lag_tolerance", "", Sign::positive);
  if (s.lag_tolerance) {
    require(*s.lag_tolerance <= 1, "lag_tolerance", *s.lag_tolerance, "", "must be at most 1",
            table->origin_of("lag_tolerance"));
  }
  const auto share = [&](const char* name) {
    const auto x = table->number(name, "", Sign::not_negative);
    if (x) require(*x <= 1, name, *x, "", "must be at most 1", table->origin_of(name));
    return x;
  };
  s.restitution = share("restitution");
  s.baumgarte = share("baumgarte");
  if (const auto limit = table->whole_number("contact_limit", 1, INT_MAX)) {
    s.contact_limit = static_cast<int>(*limit);
  }
  s.accuracy = table->number("accuracy", "", Sign::positive);
  if (s.accuracy) require_accuracy(*s.accuracy, "accuracy", table->origin_of("accuracy"));
  s.duration = table->number("duration", "s", Sign::not_negative);
  s.seed = static_cast<std::uint64_t>(table->whole_number("seed", 0, INT64_MAX).value_or(0));
  table->finish();
  return s;
}

std::vector<Camera> read_cameras(Table& root) {
  std::vector<Camera> cameras;
  for (Table& table : root.tables("camera")) {
    Camera c;
    c.name = table.text("name").value_or("");
    c.position = table.need("position", table.vector("position", "m"));
    c.target = table.need("target", table.vector("target", "m"));
    c.up = table.vector("up", "").value_or(c.up);
    c.field_of_view =
        table.number("field_of_view", "rad", Sign::positive).value_or(c.field_of_view);
    require(c.field_of_view < 3.14, "field_of_view", c.field_of_view, "rad", "must be below pi",
            table.origin_of("field_of_view"));
    const Vec3 ahead = c.target - c.position;
    require(norm(cross(ahead, c.up)) > 1e-6 * norm(ahead) * norm(c.up), "angle of up and view", 0,
            "rad", "must not be zero", table.origin());
    table.finish();
    cameras.push_back(std::move(c));
  }
  return cameras;
}

OutputSettings read_output(Table& root, const Draft& draft) {
  OutputSettings o;
  std::optional<Table> table = root.table("output");
  if (!table) return o;
  if (const auto directory = table->text("directory")) o.directory = draft.resolve(*directory);
  o.frame_rate = table->number("frame_rate", "1/s", Sign::not_negative);
  table->finish();
  return o;
}

SceneFile read(std::string_view text, const std::string& name, const MjcfOptions& mjcf) {
  const Value document = parse_toml(text, name);
  Table root(document, name, "");
  check_version(root);
  Draft draft;
  draft.file = draft.scene.file = name;
  draft.mjcf = mjcf;
  std::vector<Table> materials = read_materials(root, draft);
  read_world(root, draft);
  read_models(root, draft);
  read_bodies(root, draft);
  assign_materials(materials, draft);
  read_surfaces(root, draft);
  read_excludes(root, draft);
  read_pairs(root, draft);
  SceneFile file;
  file.simulation = read_simulation(root, draft.scene);
  file.controllers = read_controllers(root, draft, file.simulation.seed);
  file.cameras = read_cameras(root);
  file.output = read_output(root, draft);
  root.finish();
  draft.scene.settings_origin = {name, 0, "simulation"};
  draft.scene.validate();
  file.scene = std::move(draft.scene);
  return file;
}

}  // namespace

}  // namespace scene_file

WorldOptions SimulationSettings::over(WorldOptions options) const {
  if (model) options.model = *model;
  if (law) options.law = *law;
  if (scheme) options.scheme = *scheme;
  if (solver) options.solver = *solver;
  if (tolerance) options.tolerance = *tolerance;
  if (accuracy) options.accuracy = accuracy;
  if (lag_tolerance) options.friction.lag_tolerance = *lag_tolerance;
  if (restitution) options.rigid.restitution = *restitution;
  if (baumgarte) options.rigid.baumgarte = *baumgarte;
  if (contact_limit) options.contact_limit = *contact_limit;
  return options;
}

SceneFile load_scene_file(const std::string& path, const UrdfOptions& urdf,
                          const MjcfOptions& mjcf) {
  try {
    if (path.ends_with(".toml")) {
      return scene_file::read(read_input_file(path, scene_file::largest_file), path, mjcf);
    }
    SceneFile file;
    file.scene = load_model(path, urdf, mjcf);
    return file;
  } catch (const std::bad_alloc&) {
    throw OutOfMemory("loading " + quote(path));
  }
}

SceneFile load_scene_text(std::string_view text, const std::string& name, const MjcfOptions& mjcf) {
  try {
    return scene_file::read(text, name, mjcf);
  } catch (const std::bad_alloc&) {
    throw OutOfMemory("loading " + quote(name));
  }
}

}  // namespace abut
