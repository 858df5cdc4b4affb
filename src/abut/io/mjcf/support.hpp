#pragma once

#include "abut/io/mjcf/model.hpp"
#include "abut/io/notice_list.hpp"

namespace abut::mjcf {

/// Judges everything in the description that is not simulated as said: without effect on the
/// motion it is listed in `notices`, otherwise refused. docs/mjcf.md has the table.
/// @throws InputError naming the first element that the motion would be wrong without
void check_support(const Source& source, const Spec& spec, NoticeList& notices);

/// The part of check_support() that concerns <option>, <flag> and <compiler>.
void check_options(const Source& source, const Spec& spec, NoticeList& notices);

/// Whether the shape is one of ours, for contact: plane, sphere, capsule, cylinder, box.
bool is_simulated(mjtGeom type);

/// Whether a feature that is on by default (mjDSBL_...) was switched off, alone or with all that
/// MuJoCo calls constraints.
inline bool is_disabled(const Spec& spec, mjtDisableBit feature) {
  constexpr int constraints = mjDSBL_CONTACT | mjDSBL_LIMIT | mjDSBL_FRICTIONLOSS | mjDSBL_EQUALITY;
  const int bits = feature | ((feature & constraints) != 0 ? mjDSBL_CONSTRAINT : 0);
  return (spec->option.disableflags & bits) != 0;
}

}  // namespace abut::mjcf
