#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "abut/sim/contact_material.hpp"
#include "abut/sim/pair_tables.hpp"

namespace abut {

/// What pairs of surfaces make, each kind once.
class PairMaterials {
 public:
  PairMaterials(const Scene& scene, const PairOverride& pair)
      : scene_(&scene), pair_(pair), tables_(scene) {}

  /// The number of that of two geoms, of which the scene may say more (`explicit_pair`, may be
  /// null).
  std::int32_t find(const SceneGeom& a, const SceneGeom& b, const ScenePair* explicit_pair);

  const PairMaterial& operator[](std::int32_t number) const { return *kinds_[number]; }

  PairMaterials(PairMaterials&&) = default;  // not to be copied: kinds_ points into numbers_
  PairMaterials& operator=(PairMaterials&&) = default;

 private:
  const Scene* scene_;
  PairOverride pair_;
  PairTables tables_;
  std::map<PairMaterial, std::int32_t> numbers_;
  std::vector<const PairMaterial*> kinds_;  ///< in numbers_
};

}  // namespace abut
