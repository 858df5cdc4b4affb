#pragma once

#include <map>
#include <memory>
#include <tuple>

#include "abut/sim/scene.hpp"

namespace abut {

/// The force tables of a scene's pairs: what the pair has; else, where a surface has one, both in
/// series, a surface without one being a line of its stiffness; else the scene's.
class PairTables {
 public:
  /// The scene must outlive it.
  explicit PairTables(const Scene& scene) : scene_(&scene) {}

  /// Of two geoms; `pair` is what the scene says of them alone, or null. Null if none has a table:
  /// then the pair is a line of its stiffness. Two surfaces are put in series once.
  std::shared_ptr<const ForceTable> of(const SceneGeom& a, const SceneGeom& b,
                                       const ScenePair* pair);

 private:
  using Surface = std::tuple<const ForceTable*, double>;  // with its stiffness, if it has no table

  const Scene* scene_;
  std::map<std::pair<Surface, Surface>, std::shared_ptr<const ForceTable>> series_;
};

}  // namespace abut
