// [[pair]]: what counts between two materials, or two geoms.

#include <algorithm>
#include <map>
#include <utility>

#include "abut/core/text.hpp"
#include "abut/io/scene_file/draft.hpp"

namespace abut::scene_file {

namespace {

constexpr std::size_t most_pairs = 1000000;

/// Fixed bodies, the world and parts of one body never touch.
bool can_meet(const Scene& scene, int a, int b) {
  const auto moves = [&](int body) {
    return body != world_body && scene.bodies[body].kind != BodyKind::fixed;
  };
  const int body_a = scene.geoms[a].body, body_b = scene.geoms[b].body;
  return body_a != body_b && (moves(body_a) || moves(body_b));
}

class PairReader {
 public:
  explicit PairReader(Draft& draft) : draft_(draft) {
    for (ScenePair& pair : draft.scene.pairs) {
      pairs_[std::minmax(pair.geom_a, pair.geom_b)] = std::move(pair);
    }
  }

  void read(Table& table) {
    const std::vector<std::string> materials = table.texts("materials"),
                                   geoms = table.texts("geoms");
    given_.material = read_parameters(table);
    given_.law = table.named("law", normal_laws);
    given_.forced = table.boolean("forced").value_or(false);
    given_.origin = table.origin();
    table.finish();
    if (materials.size() + geoms.size() != 2 || materials.size() == 1) {
      fail_input("it needs the names of two materials, or of two geoms", table.origin());
    }
    if (!geoms.empty()) {
      const auto find = [&](const std::string& name) {
        return find_element(draft_.scene.geoms, "geom", name, table.origin_of("geoms"));
      };
      const int a = find(geoms[0]), b = find(geoms[1]);
      if (!can_meet(draft_.scene, a, b)) {
        fail_input("its geoms never meet: neither moves, or one body has both",
                   table.origin_of("geoms"));
      }
      add(a, b);
      return;
    }
    const std::vector<int> first = geoms_of(materials[0], table.origin_of("materials")),
                           second = geoms_of(materials[1], table.origin_of("materials"));
    for (const int a : first) {
      for (const int b : second) {
        if (materials[0] == materials[1] && b < a) continue;  // once: the first is geom_a
        if (can_meet(draft_.scene, a, b)) add(a, b);
      }
    }
  }

  void finish() {
    draft_.scene.pairs.clear();
    for (auto& [key, pair] : pairs_) draft_.scene.pairs.push_back(std::move(pair));
  }

 private:
  std::vector<int> geoms_of(const std::string& material, const Origin& at) const {
    draft_.material(material, at);
    std::vector<int> list;
    for (int g = 0; g < std::ssize(draft_.material_of); ++g) {
      if (draft_.material_of[g] == material) list.push_back(g);
    }
    return list;
  }

  /// The later one counts; a pair that a model forces stays forced.
  void add(int a, int b) {
    ScenePair& pair = pairs_[std::minmax(a, b)];
    pair.material = given_.material;
    pair.law = given_.law;
    pair.frictionless = false;
    pair.forced = pair.forced || given_.forced;
    pair.origin = given_.origin;
    pair.geom_a = a, pair.geom_b = b;
    if (pairs_.size() > most_pairs) {
      fail_input("its materials have more than " + std::to_string(most_pairs) + " pairs of geoms",
                 given_.origin);
    }
  }

  Draft& draft_;
  std::map<std::pair<int, int>, ScenePair> pairs_;
  ScenePair given_;
};

}  // namespace

void read_pairs(Table& root, Draft& draft) {
  PairReader reader(draft);
  for (Table& table : root.tables("pair")) reader.read(table);
  reader.finish();
}

}  // namespace abut::scene_file
