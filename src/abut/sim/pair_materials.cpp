#include "abut/sim/pair_materials.hpp"

#include <algorithm>

namespace abut {

std::int32_t PairMaterials::find(const SceneGeom& a, const SceneGeom& b,
                                 const ScenePair* explicit_pair) {
  PairMaterial m = combine(a, b, scene_->friction_rule, pair_, explicit_pair);
  m.table = tables_.of(a, b, explicit_pair);
  const auto at = std::ranges::lower_bound(
      order_, m, {}, [&](std::int32_t k) -> const PairMaterial& { return kinds_[k]; });
  if (at != order_.end() && kinds_[*at] == m) return *at;
  const auto number = static_cast<std::int32_t>(kinds_.size());
  kinds_.push_back(std::move(m));
  order_.insert(at, number);
  return number;
}

}  // namespace abut
