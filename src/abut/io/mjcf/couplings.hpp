#pragma once

#include "abut/io/mjcf/bodies.hpp"
#include "abut/io/notice_list.hpp"

namespace abut::mjcf {

/// Active equality constraints, and the tendons that do something.
/// @throws InputError for those that are not simulated
void read_couplings(const Source& source, const Spec& spec, const mjModel& model,
                    const BodyMap& map, Scene& scene, NoticeList& notices);

}  // namespace abut::mjcf
