#pragma once

#include <string>

#include "abut/view/live/live_simulation.hpp"

namespace abut {

// Text messages to a page: docs/formats/page.md.

std::string scene_message(const LiveSimulation& simulation);
std::string state_message(const LiveStatus& status);
/// `refused`: what this page asked for; else something failed.
std::string error_message(const std::string& text, bool refused);

}  // namespace abut
