#include "abut/sim/pair_kinds.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "abut/sim/pair_tables.hpp"

namespace abut {
namespace {

/// Whether it moves and has a mass of its own.
bool is_heavy(const Scene& scene, int body) {
  return body != world_body && scene.bodies[body].kind != BodyKind::fixed &&
         scene.bodies[body].mass > 0;
}

using SpecialPairs = std::map<std::pair<int, int>, const ScenePair*>;  // the smaller index first

/// By its points: equal tables are one.
ForceTable points_of(const std::shared_ptr<const ForceTable>& table) {
  return table != nullptr ? *table : ForceTable{};
}

/// All that pairs depend on but the body: geoms that agree in it are compared once. A geom of which
/// a pair speaks (`own`, else -1) is compared alone.
auto surface_key(const Scene& scene, const SceneGeom& g, int own) {
  return std::tuple(own, is_heavy(scene, g.body), g.material.stiffness, g.material.dissipation,
                    g.material.relaxation_time, g.material.friction, g.material.cross_friction,
                    g.friction_priority, g.frictionless, g.contact_type, g.contact_affinity,
                    g.material.static_friction, g.material.thickness, points_of(g.material.table));
}

struct Surface {
  const SceneGeom* geom;  ///< one of them
  int own;
  std::set<int> bodies;
};

using BodyPairs = std::set<std::pair<int, int>>;  // the smaller index first

bool has_partner(int body, const std::set<int>& others, const BodyPairs& excluded) {
  return std::any_of(others.begin(), others.end(), [&](int other) {
    return other != body && !excluded.contains(std::minmax(body, other));
  });
}

}  // namespace

std::vector<PairKind> find_pair_kinds(const Scene& scene, const PairOverride& pair) {
  BodyPairs excluded;
  for (const auto& [a, b] : scene.excluded_bodies) excluded.insert(std::minmax(a, b));
  SpecialPairs specials;
  std::set<int> alone;
  for (const ScenePair& p : scene.pairs) {
    specials[std::minmax(p.geom_a, p.geom_b)] = &p;
    alone.insert({p.geom_a, p.geom_b});
  }
  std::map<decltype(surface_key(scene, scene.geoms[0], 0)), Surface> surfaces;
  for (int k = 0; k < std::ssize(scene.geoms); ++k) {
    const SceneGeom& g = scene.geoms[k];
    const int own = alone.contains(k) ? k : -1;
    surfaces.try_emplace(surface_key(scene, g, own), Surface{&g, own, {}})
        .first->second.bodies.insert(g.body);
  }

  const auto key_of = [](const PairMaterial& m) {
    return std::tuple(m.law, m.stiffness, m.dissipation, m.relaxation_time, m.friction,
                      m.static_friction, m.thickness, points_of(m.table));
  };
  std::map<decltype(key_of({})), PairKind> kinds;
  PairTables tables(scene);
  // the moving bodies of `a` that may touch one of `b`
  const auto add = [&](const Surface& a, const Surface& b, const PairMaterial& m, bool forced) {
    for (const int body : a.bodies) {
      if (!is_heavy(scene, body)) continue;
      if (!has_partner(body, b.bodies, forced ? BodyPairs{} : excluded)) continue;
      PairKind& kind = kinds[key_of(m)];
      kind.material = m;
      kind.lightest = std::min(kind.lightest, scene.bodies[body].mass);
      kind.heaviest = std::max(kind.heaviest, scene.bodies[body].mass);
    }
  };
  for (auto a = surfaces.begin(); a != surfaces.end(); ++a) {
    for (auto b = a; b != surfaces.end(); ++b) {
      const SceneGeom &ga = *a->second.geom, &gb = *b->second.geom;
      const auto found = specials.find(std::minmax(a->second.own, b->second.own));
      const ScenePair* explicit_pair = found != specials.end() ? found->second : nullptr;
      const bool forced = explicit_pair != nullptr && explicit_pair->forced;
      if (!forced && !masks_agree(ga, gb)) continue;
      PairMaterial m = combine(ga, gb, scene.friction_rule, pair, explicit_pair);
      m.table = tables.of(ga, gb, explicit_pair);
      add(a->second, b->second, m, forced);
      if (a != b) add(b->second, a->second, m, forced);
    }
  }
  std::vector<PairKind> list;
  list.reserve(kinds.size());
  for (const auto& [key, kind] : kinds) list.push_back(kind);
  return list;
}

}  // namespace abut
