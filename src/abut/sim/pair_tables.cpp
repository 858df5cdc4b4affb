#include "abut/sim/pair_tables.hpp"

#include <algorithm>
#include <utility>

#include "abut/sim/contact_material.hpp"

namespace abut {

std::shared_ptr<const ForceTable> PairTables::of(const SceneGeom& a, const SceneGeom& b,
                                                 const ScenePair* pair) {
  if (pair != nullptr && pair->material.table != nullptr) return pair->material.table;
  const auto surface = [](const Material& m) {
    const double k = m.stiffness.value_or(default_surface_stiffness);
    return Surface{m.table.get(), m.table != nullptr ? 0 : k};
  };
  const Surface sa = surface(a.material), sb = surface(b.material);
  if (std::get<0>(sa) == nullptr && std::get<0>(sb) == nullptr) return scene_->force_table;
  std::shared_ptr<const ForceTable>& known = series_[std::minmax(sa, sb)];
  if (known == nullptr) {
    const auto table = [](const Surface& s) {
      const auto& [own, k] = s;
      return own != nullptr ? *own : ForceTable{{0, 1}, {0, k}};
    };
    known = std::make_shared<const ForceTable>(in_series(table(sa), table(sb)));
  }
  return known;
}

}  // namespace abut
