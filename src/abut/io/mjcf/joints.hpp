#pragma once

#include <vector>

#include "abut/io/mjcf/model.hpp"
#include "abut/sim/scene.hpp"

namespace abut::mjcf {

/// Ours of an mjtJoint.
JointKind kind_of(int type);

/// How a body of the model moves. Free bodies have six dofs, nothing that hangs on them by a
/// joint, and a joint that is free in every sense; all others with dofs are linked.
std::vector<BodyKind> body_kinds(const mjModel& model);

/// The joints of a linked body, in the order in which they act.
std::vector<SceneJoint> read_joints(const Source& source, const Spec& spec, const mjModel& model,
                                    int body, const std::vector<mjsElement*>& elements);

/// Place of a joint, that of its body for <freejoint>, of which MuJoCo keeps no line.
Origin origin_of_joint(const Source& source, const mjsJoint& joint, mjsElement* element);

}  // namespace abut::mjcf
