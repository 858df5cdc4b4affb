#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "abut/io/mjcf.hpp"
#include "abut/io/scene_file/table.hpp"
#include "abut/sim/scene.hpp"

namespace abut::scene_file {

/// A scene while its file is read.
struct Draft {
  Scene scene;
  std::string file;
  MjcfOptions mjcf;  ///< of models that have no limit of their own
  std::map<std::string, Material> materials;
  std::vector<std::string> material_of;       ///< by geom: the name of its material, or empty
  std::optional<FrictionRule> friction_rule;  ///< given, or that of the models so far

  /// @throws InputError for a name that no [material.NAME] has
  const Material& material(const std::string& name, const Origin& at) const;

  /// A path in the file, from where the program runs. Absolute ones and URLs stay what they are.
  std::string resolve(const std::string& path) const;
};

/// Fails with the nearest of `known`, in which `name` is not.
[[noreturn]] void fail_unknown(std::string_view kind, const std::string& name,
                               const std::vector<std::string_view>& known, const Origin& at);

/// The index of the element of this name. @throws InputError if there is none
template <class Elements>
int find_element(const Elements& elements, std::string_view kind, const std::string& name,
                 const Origin& at) {
  std::vector<std::string_view> known;
  for (int i = 0; i < std::ssize(elements); ++i) {
    if (elements[i].name == name && !name.empty()) return i;
    if (!elements[i].name.empty()) known.push_back(elements[i].name);
  }
  fail_unknown(kind, name, known, at);
}

/// A hinge or slide of the scene by its name.
ScenePart find_joint(const Scene& scene, const std::string& name, const Origin& at);

/// Adds shapes and bodies that stand in no other file; all of one material, or each of its own.
void append_part(Draft& draft, Scene part, std::vector<std::string> materials);

/// How a geom's surface moves over it, and its friction_axis.
void read_surface(Table& table, SceneGeom& geom);
/// The contact parameters that a table gives.
Material read_parameters(Table& table);
/// [material.NAME]. Their tables are left open for assign_materials().
std::vector<Table> read_materials(Table& root, Draft& draft);
/// What [material.NAME] says of bodies and geoms that are there by then.
void assign_materials(std::vector<Table>& tables, Draft& draft);
void read_world(Table& root, Draft& draft);
void read_models(Table& root, Draft& draft);
void read_bodies(Table& root, Draft& draft);
/// [[surface]]: of geoms that are there by then.
void read_surfaces(Table& root, Draft& draft);
void read_excludes(Table& root, Draft& draft);
void read_pairs(Table& root, Draft& draft);

}  // namespace abut::scene_file
