#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "abut/linalg/vec3.hpp"

namespace abut {

/// What a setting is set to; nothing: what the scene says.
using SettingValue = std::variant<std::monostate, double, std::string, Vec3>;

/// What a page asks for (docs/formats/page.md).
struct LiveCommand {
  enum class Kind { play, pause, step, reset, speed, set, drag, release, record };
  Kind kind = Kind::pause;
  double speed = 1;       ///< speed: simulated seconds per second
  std::string name = {};  ///< set: which setting
  SettingValue value = {};
  int body = 0;      ///< drag
  Vec3 point = {};   ///< drag: in the body's frame [m]
  Vec3 target = {};  ///< drag: in the world [m]
  bool on = false;   ///< record
};

/// Longest message that is read [bytes].
constexpr std::size_t longest_command = 4096;

/// Reads a message, which may be anything. Whether the numbers make sense, who obeys must check.
/// @throws InputError saying what is wrong with it
LiveCommand parse_command(std::string_view message);

}  // namespace abut
