#include "abut/io/mjcf/pairs.hpp"

#include "abut/core/text.hpp"
#include "abut/io/mjcf/contact.hpp"
#include "abut/io/mjcf/geoms.hpp"
#include "abut/io/mjcf/support.hpp"
#include "abut/sim/contact_material.hpp"

namespace abut::mjcf {

ContactPairs::ContactPairs(const Source& source, Spec& spec, NoticeList& notices) {
  const std::vector<mjsElement*> elements = spec.elements(mjOBJ_PAIR);
  if (!is_disabled(spec, mjDSBL_CONTACT)) {
    for (mjsElement* element : elements) {
      read_pair(source, spec, *mjs_asPair(element), element, notices);
    }
  }
  spec.remove(elements);
}

void ContactPairs::read_pair(const Source& source, const Spec& spec, const mjsPair& pair,
                             mjsElement* element, NoticeList& notices) {
  Pair p;
  p.pair.name = name_of(element);
  p.pair.origin = origin_of(source, "pair", element, pair.info);
  p.pair.forced = true;
  const Origin& at = p.pair.origin;
  const auto find_geom = [&](const mjString* name) {
    mjsElement* geom = mjs_findElement(spec.get(), mjOBJ_GEOM, mjs_getString(name));
    if (geom == nullptr) {
      fail_input("geom " + quote(std::string(mjs_getString(name))) + " not found", at);
    }
    mjsGeom& g = *mjs_asGeom(geom);
    if (g.contype == 0 && g.conaffinity == 0) {
      visual_.push_back(geom);
      g.contype = 1;
    }
    return geom;
  };
  p.geom_a = find_geom(pair.geomname1);
  p.geom_b = find_geom(pair.geomname2);
  require(pair.adhesion == 0, "adhesion", pair.adhesion, "N", "must be 0: it is not simulated", at);

  ContactParameters parameters{.solref = pair.solref,
                               .solimp = pair.solimp,
                               .friction = pair.friction[0],
                               .margin = pair.margin,
                               .gap = pair.gap,
                               .solmix = 1,
                               .condim = pair.condim,
                               .is_pair = true};
  if (is_overridden(spec)) {
    parameters.solref = spec->option.o_solref;
    parameters.solimp = spec->option.o_solimp;
    parameters.friction = spec->option.o_friction[0];
    parameters.margin = spec->option.o_margin;
  }
  require(parameters.friction >= 0, "friction", parameters.friction, "", "must not be negative",
          at);
  const PairMaterial defaults;
  Material& material = p.pair.material;
  material = read_material(parameters, at, p.pair.name, notices);
  material.stiffness = material.stiffness.value_or(defaults.stiffness);
  material.relaxation_time = material.relaxation_time.value_or(defaults.relaxation_time);
  p.pair.frictionless = pair.condim == 1;
  if (pair.condim > 1 && pair.friction[1] != pair.friction[0]) {
    notices.add("of the friction coefficients of a pair only the first is used", at, p.pair.name);
  }
  if (pair.solreffriction[0] != 0 || pair.solreffriction[1] != 0) {
    notices.add("solreffriction of a pair is not used", at, p.pair.name);
  }
  pairs_.push_back(std::move(p));
}

void ContactPairs::read(const std::vector<int>& geoms, Scene& scene) const {
  const auto place = [&](mjsElement* geom) {
    const int id = mjs_getId(geom);
    return id >= 0 ? geoms[static_cast<std::size_t>(id)] : -1;
  };
  for (mjsElement* geom : visual_) {
    if (const int at = place(geom); at >= 0) scene.geoms[at].contact_type = 0;
  }
  for (const Pair& p : pairs_) {
    scene.pairs.push_back(p.pair);
    scene.pairs.back().geom_a = place(p.geom_a);
    scene.pairs.back().geom_b = place(p.geom_b);
  }
}

}  // namespace abut::mjcf
