#pragma once

#include "abut/io/mjcf/bodies.hpp"
#include "abut/io/notice_list.hpp"

namespace abut::mjcf {

/// Pairs of bodies that do not touch, and of geoms where only some parts of a rigid body do not.
/// `geoms`: what read_geoms() returned.
void read_excludes(const Spec& spec, const mjModel& model, const BodyMap& map,
                   const std::vector<int>& geoms, Scene& scene);

/// What MJCF says about the contact of a geom or of a pair, in its own terms.
struct ContactParameters {
  const mjtNum* solref;
  const mjtNum* solimp;
  double friction;
  double margin;
  double gap;
  double solmix;
  int condim;
  bool is_pair = false;  ///< of a pair of geoms, not to be mixed
};

/// Our material, and notices of what has no part in it.
/// solref = (-k, -c) is the direct form: stiffness k [N/m] and damping c [N s/m] of one contact
/// point, so that tau_d = c/k [s]. solref = (time, ratio) leaves both to the default material.
Material read_material(const ContactParameters& parameters, const Origin& at, std::string_view name,
                       NoticeList& notices);

}  // namespace abut::mjcf
