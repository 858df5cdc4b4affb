#include "notes.hpp"

#include <algorithm>
#include <cstdio>

#include "abut/trees/limits.hpp"
#include "describe.hpp"
#include "format.hpp"

namespace abut::cli {
namespace {

/// What falls for ever does so unnoticed where nothing is shown.
void print_missing_ground(const Scene& scene) {
  const auto may_fall = [](const SceneBody& b) {
    return b.kind == BodyKind::free ||
           (!b.joints.empty() && b.joints.front().kind == JointKind::free);
  };
  const auto holds = [&](const SceneGeom& g) {
    return g.body == world_body || scene.bodies[g.body].kind == BodyKind::fixed;
  };
  if (scene.gravity != Vec3{} && std::any_of(scene.bodies.begin(), scene.bodies.end(), may_fall) &&
      std::none_of(scene.geoms.begin(), scene.geoms.end(), holds)) {
    const bool is_scene_file = scene.file.ends_with(".toml");
    note(std::string("nothing is fixed that a body could fall on: ") +
         (is_scene_file ? "ground = true in [world] puts a ground below"
                        : "a scene file puts a model on a ground (docs/urdf.md has an example)"));
  }
}

void print_option_notes(const SceneFile& file, const SimulationArguments& simulation,
                        const WorldOptions& options) {
  for (const std::string& flag : simulation.without_effect(options, file.scene)) {
    note(flag + " has no effect with model " + std::string(to_string(options.model)) +
         (takes_law(options.model) ? ", law " + std::string(to_string(options.law)) : ""));
  }
  if (options.time_step.value_or(0) > 0.1) {
    note(
        "--dt above 0.1 s: contacts last shorter than that, and bodies may pass through each "
        "other");
  }
  const auto& pairs = file.scene.pairs;
  const bool has_own =
      std::any_of(pairs.begin(), pairs.end(), [](const ScenePair& p) { return p.law.has_value(); });
  if ((file.simulation.law || has_own) && !takes_law(options.model)) {
    note("law in the scene file has no effect with model " + std::string(to_string(options.model)));
  }
}

/// The deepest overlap that the scene starts with.
void print_initial_overlap(const World& world) {
  const auto overlaps = world.overlaps();
  const auto deepest =
      std::max_element(overlaps.begin(), overlaps.end(),
                       [](const auto& a, const auto& b) { return a.depth < b.depth; });
  if (deepest == overlaps.end()) return;
  note(owner_name(world.scene(), deepest->geom_a) + " and " +
       owner_name(world.scene(), deepest->geom_b) + " overlap by " +
       describe_size(deepest->depth, false) + " at the start, and are pushed apart slowly");
}

/// A line for each of the constraints that `is_meant`, but not for hundreds.
template <class Predicate>
void note_violations(const World& world, const Predicate& is_meant, const std::string& text) {
  constexpr std::size_t most = 8;
  std::size_t count = 0;
  for (const Violation& v : world.violations()) {
    if (!is_meant(v) || ++count > most) continue;
    note(describe_violation(world.scene(), v) + text);
  }
  if (count > most) note(format("%zu more constraints are as far off", count - most));
}

}  // namespace

void note(const std::string& text) {
  std::fprintf(stderr, "note: %s\n", text.c_str());
}

void print_notes(const SceneFile& file, const SimulationArguments& simulation,
                 const WorldOptions& options) {
  print_scene_notes(file);
  print_option_notes(file, simulation, options);
}

void print_scene_notes(const SceneFile& file) {
  for (const Notice& n : file.scene.notices) note(describe(n.at) + n.text);
  print_missing_ground(file.scene);
}

void print_start_notes(const World& world) {
  print_initial_overlap(world);
  note_violations(
      world, [](const Violation& v) { return v.size > v.tolerance; },
      format(" at the start, and is to return at %g m/s or rad/s", return_speed));
}

void print_unmet(const World& world) {
  note_violations(
      world, [](const Violation& v) { return v.is_unmet(); },
      " and comes no closer: it contradicts other constraints, or something holds it off");
}

}  // namespace abut::cli
