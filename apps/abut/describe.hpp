#pragma once

#include <string>

#include "abut/control/controller.hpp"
#include "abut/sim/implied_contact.hpp"

namespace abut::cli {

/// "40 free bodies, 1 mechanism of 13 links, 267 dofs".
std::string describe_trees(const Scene& scene);

std::string describe_joint(const SceneJoint& joint);

const char* describe_kind(BodyKind kind);
const char* describe_kind(EqualityKind kind);
const char* describe_kind(ControllerKind kind);
const char* describe_signal(const Signal& signal);

/// Of a scene that is simulated with these options.
ContactSettings contact_settings(const Scene& scene, const WorldOptions& options);

}  // namespace abut::cli
