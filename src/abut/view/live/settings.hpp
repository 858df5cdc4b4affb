#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "abut/sim/world.hpp"
#include "abut/view/live/command.hpp"

namespace abut {

/// What can be changed while a simulation runs.
struct LiveSettings {
  WorldOptions options;
  std::optional<Vec3> gravity;  ///< [m/s^2]; the scene's if absent
};

/// `settings` with one of them changed: model, law, solver, time_step, gravity, stiffness,
/// dissipation, relaxation_time or friction. No value: the scene's, or that of `start` for model,
/// law and solver.
/// @throws InputError for an unknown name, a value of another kind or out of range
LiveSettings changed(const LiveSettings& settings, const LiveSettings& start,
                     const std::string& name, const SettingValue& value);

/// A number that the settings imply for a body at rest or sliding, in a unit that people read.
struct ImpliedNumber {
  const char* label;
  double value;
  const char* unit;
};

/// The worst of all kinds of contact that the scene can have (sim/implied_contact.hpp). Empty if
/// there can be none.
std::vector<ImpliedNumber> implied_numbers(const Scene& scene, const WorldOptions& options);

}  // namespace abut
