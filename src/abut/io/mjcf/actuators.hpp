#pragma once

#include "abut/io/mjcf/bodies.hpp"
#include "abut/io/notice_list.hpp"

namespace abut::mjcf {

/// Motors, servos and dampers on hinges, slides and fixed tendons; those that are switched off are
/// listed. @throws InputError for what does not have that form, with its place
void read_actuators(const Source& source, const Spec& spec, const mjModel& model,
                    const BodyMap& map, Scene& scene, NoticeList& notices);

}  // namespace abut::mjcf
