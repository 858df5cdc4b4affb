// [[model]]: models of other files, put into the scene.

#include <climits>
#include <cstdio>
#include <utility>

#include "abut/core/text.hpp"
#include "abut/io/input_file.hpp"
#include "abut/io/model_file.hpp"
#include "abut/io/scene_file/draft.hpp"
#include "abut/sim/scene_append.hpp"

namespace abut::scene_file {

namespace {

constexpr std::size_t largest_model = 256u << 20;  // bytes

/// Where its joints start: a keyframe of the model, then single joints.
void read_start(Table& table, Scene& model) {
  if (const auto keyframe = table.text("keyframe")) {
    start_at_keyframe(
        model, find_element(model.keyframes, "keyframe", *keyframe, table.origin_of("keyframe")));
  }
  for (const auto& [name, value] : table.named_numbers("joints", "rad or m")) {
    const ScenePart place = find_joint(model, name, table.origin_of("joints"));
    SceneBody& body = model.bodies[place.body];
    body.joint_positions = initial_state(body).joint_positions;
    int at = 0;
    for (int k = 0; k < place.joint; ++k) at += position_count(body.joints[k].kind);
    const SceneJoint& joint = body.joints[place.joint];
    if (joint.limited && (value < joint.lower || value > joint.upper)) {
      char text[320];
      std::snprintf(text, sizeof text, "joints: %.200s = %g, must be in its range, %g to %g",
                    name.c_str(), value, joint.lower, joint.upper);
      fail_input(text, table.origin_of("joints"));
    }
    body.joint_positions[at] = value;
  }
}

/// What URDF does not say; other formats have no such keys.
UrdfOptions read_urdf_options(Table& table, const std::string& path, const Draft& draft) {
  UrdfOptions options;
  if (!is_urdf(path)) {
    for (const char* key : {"base", "self_collision", "accept_inertia", "package_paths", "srdf"}) {
      if (table.has(key)) {
        fail_input(std::string(key) + " is for URDF files only", table.origin_of(key));
      }
    }
    return options;
  }
  constexpr std::string_view bases[] = {"automatic", "fixed", "free"};
  constexpr RobotBase values[] = {RobotBase::automatic, RobotBase::fixed, RobotBase::free};
  options.base = values[table.choice("base", bases).value_or(0)];
  options.self_collision = table.boolean("self_collision").value_or(true);
  options.accept_inertia = table.boolean("accept_inertia").value_or(false);
  for (const std::string& folder : table.texts("package_paths")) {
    options.package_paths.push_back(draft.resolve(folder));
  }
  if (const auto srdf = table.text("srdf")) {
    options.srdf = draft.resolve(*srdf);
    require_regular_file(*options.srdf, largest_model, table.origin_of("srdf"));
  }
  return options;
}

void take_friction_rule(const Scene& model, const Table& table, bool given, Draft& draft) {
  if (!draft.friction_rule) draft.friction_rule = model.friction_rule;
  if (!given && *draft.friction_rule != model.friction_rule) {
    fail_input(
        "its format combines friction by another rule than the other models': give "
        "friction_rule in [world]",
        table.origin());
  }
}

void note_gravity(const Scene& scene, Scene& model, const Table& table) {
  if (model.gravity == scene.gravity) return;
  char text[160];
  std::snprintf(text, sizeof text,
                "its gravity %g, %g, %g m/s^2 is not used: that of [world] counts", model.gravity.x,
                model.gravity.y, model.gravity.z);
  model.notices.push_back({table.origin(), text});
}

}  // namespace

void read_models(Table& root, Draft& draft) {
  const bool rule_given = draft.friction_rule.has_value();
  bool first = true;
  for (Table& table : root.tables("model")) {
    const std::string file = table.need("file", table.text("file"));
    if (file.ends_with(".toml")) {
      fail_input("file = " + quote(file) + ", a scene cannot be a part of another",
                 table.origin_of("file"));
    }
    const std::string path = draft.resolve(file);
    require_regular_file(path, largest_model, table.origin_of("file"));
    MjcfOptions mjcf = draft.mjcf;
    if (const auto limit = table.whole_number("body_limit", 1, INT_MAX)) {
      if (is_urdf(path)) {
        fail_input("body_limit is for MJCF files only", table.origin_of("body_limit"));
      }
      mjcf.body_limit = static_cast<int>(*limit);
    }
    Scene model = load_model(path, read_urdf_options(table, path, draft), mjcf);
    const std::optional<std::string> name = table.text("name"), material = table.text("material");
    const auto [position, orientation] = table.place();
    read_start(table, model);
    table.finish();
    take_friction_rule(model, table, rule_given, draft);
    note_gravity(draft.scene, model, table);
    if (first || model.time_step < draft.scene.time_step) draft.scene.time_step = model.time_step;
    first = false;
    if (material) {
      for (SceneGeom& g : model.geoms) {
        g.material = draft.material(*material, table.origin_of("material"));
        g.frictionless = false;
      }
    }
    draft.material_of.resize(draft.material_of.size() + model.geoms.size(), material.value_or(""));
    append_scene(draft.scene, std::move(model), name ? *name + "/" : "",
                 {position, to_matrix(orientation)});
  }
  draft.scene.friction_rule = draft.friction_rule.value_or(FrictionRule::harmonic);
  const bool others = root.has("body");
  if (!rule_given && others && draft.scene.friction_rule == FrictionRule::maximum) {
    draft.scene.notices.push_back(
        {root.origin(),
         "friction of two surfaces is the larger of theirs, as the models' format has it, in the "
         "whole scene: friction_rule in [world] says otherwise"});
  }
}

}  // namespace abut::scene_file
