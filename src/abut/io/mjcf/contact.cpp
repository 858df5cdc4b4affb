#include "abut/io/mjcf/contact.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <set>
#include <utility>

#include "abut/core/text.hpp"
#include "abut/io/mjcf/geoms.hpp"

namespace abut::mjcf {

namespace {

bool has_default_solimp(const mjtNum* solimp) {
  std::array<mjtNum, mjNIMP> standard;
  mj_defaultSolRefImp(nullptr, standard.data());
  return std::equal(standard.begin(), standard.end(), solimp);
}

/// Stiffness and relaxation time of the direct form.
void read_direct_solref(const mjtNum* solref, const Origin& at, Material& material) {
  if (!(solref[0] <= 0 && solref[1] <= 0)) {
    char text[120];
    std::snprintf(text, sizeof text,
                  "solref = %g %g, both must be positive (time, ratio) or neither "
                  "(-stiffness, -damping)",
                  solref[0], solref[1]);
    fail_input(text, at);
  }
  const double stiffness = 0 - solref[0], damping = 0 - solref[1];  // no "-0" in messages
  require(stiffness > 0 && std::isfinite(stiffness), "stiffness", stiffness, "N/m",
          "must be positive and finite (solref = -stiffness -damping)", at);
  material.stiffness = stiffness;
  material.relaxation_time = damping / stiffness;
}

using BodyPair = std::pair<int, int>;

BodyPair ordered(int a, int b) {
  return {std::min(a, b), std::max(a, b)};
}

/// For each body of the scene (and the world, first) the bodies of the model with geoms in it.
std::vector<std::set<int>> find_parts(const mjModel& model, const BodyMap& map,
                                      std::size_t scene_bodies) {
  std::vector<std::set<int>> parts(scene_bodies + 1);
  for (int geom = 0; geom < model.ngeom; ++geom) {
    const int body = model.geom_bodyid[geom];
    if (may_touch(model, geom)) parts[map[body].scene_body + 1].insert(body);
  }
  return parts;
}

}  // namespace

Material read_material(const ContactParameters& parameters, const Origin& at, std::string_view name,
                       NoticeList& notices) {
  Material material;
  material.friction = parameters.friction;
  const mjtNum* solref = parameters.solref;
  if (!(solref[0] > 0 && solref[1] > 0)) {
    read_direct_solref(solref, at, material);
    constexpr const char* of_pair =
        "negative solref of a pair is read as stiffness [N/m] and damping [N s/m] of one contact "
        "point (MuJoCo: 1/s^2 and 1/s)";
    constexpr const char* of_geom =
        "negative solref is read as stiffness [N/m] and damping [N s/m] of one contact "
        "point, two geoms as springs in series (MuJoCo: 1/s^2 and 1/s, the stiffer counts)";
    notices.add(parameters.is_pair ? of_pair : of_geom, at, name);
  } else if (solref[0] != 0.02 || solref[1] != 1) {
    notices.add(
        "positive solref (time, ratio) is not a property of a material: the default material "
        "is used; give -stiffness -damping to set one",
        at, name);
  }
  const auto list = [&](bool differs, const char* text) {
    if (differs) notices.add(text, at, name);
  };
  list(!has_default_solimp(parameters.solimp), "solimp is not used: contacts have no impedance");
  list(parameters.solmix != 1, "solmix is not used: stiffness combines as springs in series");
  list(parameters.margin != 0, "margin is not used: contact forces begin where surfaces meet");
  list(parameters.gap != 0, "gap is not used");
  list(parameters.condim > 3, "condim 4 and 6 run as 3: no torsional and rolling friction");
  return material;
}

void read_excludes(const Spec& spec, const mjModel& model, const BodyMap& map,
                   const std::vector<int>& geoms, Scene& scene) {
  std::set<BodyPair> excluded;
  for_each(spec, mjOBJ_EXCLUDE, mjs_asExclude, [&](mjsExclude* exclude, mjsElement*) {
    const mjsBody* body1 = mjs_findBody(spec.get(), mjs_getString(exclude->bodyname1));
    const mjsBody* body2 = mjs_findBody(spec.get(), mjs_getString(exclude->bodyname2));
    if (body1 == nullptr || body2 == nullptr) return;  // the compiler has refused it
    excluded.insert(ordered(mjs_getId(body1->element), mjs_getId(body2->element)));
  });
  if (excluded.empty()) return;
  const auto parts = find_parts(model, map, scene.bodies.size());
  std::set<BodyPair> done;
  for (const auto& [first, second] : excluded) {
    const int a = map[first].scene_body, b = map[second].scene_body;
    if (a == b) continue;
    const auto all_of = [&](const auto& holds) {
      return std::all_of(parts[a + 1].begin(), parts[a + 1].end(), [&](int part_a) {
        return std::all_of(parts[b + 1].begin(), parts[b + 1].end(),
                           [&](int part_b) { return holds(ordered(part_a, part_b)); });
      });
    };
    if (all_of([&](const BodyPair& pair) { return excluded.contains(pair); })) {
      if (done.insert(ordered(a, b)).second) scene.excluded_bodies.emplace_back(a, b);
      continue;
    }
    // other parts of what is one rigid body here may touch
    for (int g = 0; g < model.ngeom; ++g) {
      for (int k = 0; k < model.ngeom; ++k) {
        if (model.geom_bodyid[g] != first || model.geom_bodyid[k] != second) continue;
        if (geoms[g] >= 0 && geoms[k] >= 0) scene.excluded_geoms.emplace_back(geoms[g], geoms[k]);
      }
    }
  }
}

}  // namespace abut::mjcf
