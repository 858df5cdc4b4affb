#pragma once

#include <string>

#include "abut/control/controller.hpp"
#include "abut/sim/scene.hpp"
#include "abut/sim/violations.hpp"

namespace abut::cli {

/// "40 free bodies, 1 mechanism of 13 links, 267 dofs".
std::string describe_trees(const Scene& scene);

const char* describe_kind(EqualityKind kind);
const char* describe_kind(ControllerKind kind);
const char* describe_signal(const Signal& signal);

/// "5 mm", "0.2 rad": a length [m] or an angle [rad].
std::string describe_size(double size, bool is_angle);

/// The joint's name, or where it is.
std::string joint_name(const Scene& scene, int body, int joint);
std::string tendon_name(const Scene& scene, int tendon);

/// "equality 'loop' (arm.xml:12)".
std::string describe_constraint(const Scene& scene, const Violation& violation);

/// "equality 'loop' (arm.xml:12) is off by 5 mm".
std::string describe_violation(const Scene& scene, const Violation& violation);

}  // namespace abut::cli
