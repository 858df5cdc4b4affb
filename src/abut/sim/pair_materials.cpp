#include "abut/sim/pair_materials.hpp"

namespace abut {

std::int32_t PairMaterials::find(const SceneGeom& a, const SceneGeom& b,
                                 const ScenePair* explicit_pair) {
  PairMaterial m = combine(a, b, scene_->friction_rule, pair_, explicit_pair);
  m.table = tables_.of(a, b, explicit_pair);
  const auto [kind, is_new] = numbers_.try_emplace(m, static_cast<std::int32_t>(kinds_.size()));
  if (is_new) kinds_.push_back(&kind->first);
  return kind->second;
}

}  // namespace abut
