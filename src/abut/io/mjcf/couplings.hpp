#pragma once

#include "abut/io/mjcf/bodies.hpp"
#include "abut/io/notice_list.hpp"

namespace abut::mjcf {

/// Whether an equality constraint or a tendon of the model holds each body by a place on it, so
/// that it cannot be a free body of its own.
std::vector<bool> held_bodies(const Spec& spec, const mjModel& model);

/// Active equality constraints, and the tendons that do something.
/// @throws InputError for those that are not simulated
void read_couplings(const Source& source, const Spec& spec, const mjModel& model,
                    const BodyMap& map, Scene& scene, NoticeList& notices);

}  // namespace abut::mjcf
