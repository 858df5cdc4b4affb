#pragma once

#include <cstdint>
#include <vector>

#include "abut/sim/contact_material.hpp"
#include "abut/sim/pair_tables.hpp"

namespace abut {

/// What pairs of surfaces make, each kind once.
class PairMaterials {
 public:
  PairMaterials(const Scene& scene, const PairOverride& pair)
      : scene_(&scene), pair_(pair), tables_(scene) {
    constexpr int typical = 32;
    kinds_.reserve(typical);
    order_.reserve(typical);
  }

  /// The number of that of two geoms, of which the scene may say more (`explicit_pair`, may be
  /// null).
  std::int32_t find(const SceneGeom& a, const SceneGeom& b, const ScenePair* explicit_pair);

  const PairMaterial& operator[](std::int32_t number) const { return kinds_[number]; }

 private:
  const Scene* scene_;
  PairOverride pair_;
  PairTables tables_;
  std::vector<PairMaterial> kinds_;  ///< by number
  std::vector<std::int32_t> order_;  ///< their numbers, ascending by what they are
};

}  // namespace abut
