#pragma once

#include "abut/io/mjcf/bodies.hpp"
#include "abut/io/notice_list.hpp"

namespace abut::mjcf {

/// Judges sizes, masses and densities of geoms as written, before MuJoCo does, which does not
/// print the values.
/// @throws InputError
void check_geoms(const Source& source, const Spec& spec);

/// Geoms with their contact parameters. MJCF's rule for friction goes to the scene: the geom of
/// higher priority decides, else the larger coefficient counts.
/// Returns the place in the scene of each geom of the model, -1 for those left out.
std::vector<int> read_geoms(const Source& source, const Spec& spec, const mjModel& model,
                            const BodyMap& map, Scene& scene, NoticeList& notices);

/// Whether contact parameters of MJCF's <option> take the place of those of all geoms and pairs.
bool is_overridden(const Spec& spec);

/// False for a visual geom: contype and conaffinity 0.
bool may_touch(const mjModel& model, int geom);

}  // namespace abut::mjcf
