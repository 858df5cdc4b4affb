#include "abut/io/mjcf/numbers.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>

#include "abut/core/text.hpp"

namespace abut::mjcf {

namespace {

constexpr std::string_view numeric_attributes[] = {
    // clang-format off
    "accel", "act", "actdim", "actrange", "actuatorfrcrange", "actuatorgroupdisable", "adhesion",
    "anchor", "area", "armature", "axis", "axisangle", "bias", "biasprm", "boundinertia",
    "boundmass", "ccd_iterations", "ccd_tolerance", "coef", "conaffinity", "condim", "contype",
    "count", "cranklength", "ctrl", "ctrlrange", "damping", "dampratio", "delay", "density",
    "diaginertia", "diameter", "dir", "divisor", "dynprm", "elevation", "euler", "face",
    "ffrange", "fitscale", "fluidcoef", "force", "forcerange", "fovy", "friction", "frictionloss",
    "fromto", "fullinertia", "gain", "gainprm", "gap", "gear", "gravcomp", "gravity", "group",
    "impratio", "inertiagrouprange", "inheritrange", "interval", "inttotal", "iterations", "ki",
    "kp", "kv", "lengthrange", "ls_iterations", "ls_tolerance", "magnetic", "margin",
    "mass", "massscale", "maxforce", "maxhullvert", "mpos", "mquat", "ncol", "normal",
    "noslip_iterations", "noslip_tolerance", "nrow", "nsample", "o_friction", "o_margin",
    "o_solimp", "o_solref", "offset", "params", "plastic", "polycoef", "pos", "posrange",
    "priority", "qpos", "quat", "qvel", "range", "ref", "refpos", "refquat", "relpose", "rgba",
    "scale", "sdf_initpoints", "sdf_iterations", "settotalmass", "size", "sleep_tolerance",
    "solimp", "solimpfriction", "solimplimit", "solmix", "solref", "solreffriction",
    "solreflimit", "springdamper", "springlength", "springref", "springyield", "stiffness",
    "surfacevel", "texcoord", "time", "timeconst", "timestep", "tolerance", "tolrange",
    "torquescale", "user", "velrange", "vertex", "viscosity", "width", "wind", "xyaxes", "zaxis",
    // clang-format on
};
static_assert(std::is_sorted(std::begin(numeric_attributes), std::end(numeric_attributes)));

constexpr std::string_view white_space = " \t\n\v\f\r";
constexpr std::size_t longest_number = 1024;  // characters

/// The rule that `token` breaks, or null.
const char* broken_rule(std::string_view token) {
  if (token.size() > longest_number) return "must have at most 1024 characters";
  std::string_view digits = token;
  if (digits.starts_with('+')) digits.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (end != digits.data() + digits.size() || error == std::errc::invalid_argument ||
      digits.starts_with('-') != token.starts_with('-')) {
    return "must be a decimal number";
  }
  // Too small for a double is zero, too large is an error.
  const std::size_t exponent = digits.find_first_of("eE");
  if (error == std::errc::result_out_of_range && exponent != std::string_view::npos &&
      digits.substr(exponent + 1).starts_with('-')) {
    return nullptr;
  }
  return error == std::errc{} && std::isfinite(value) ? nullptr : "must be a finite number";
}

}  // namespace

void require_decimal_numbers(const XmlTag& tag, const Origin& at) {
  if (tag.name == "flag") return;  // its attributes are switches: gravity="disable"
  for (const XmlAttribute& attribute : tag.attributes) {
    if (!std::binary_search(std::begin(numeric_attributes), std::end(numeric_attributes),
                            attribute.name)) {
      continue;
    }
    std::string_view rest = attribute.value;
    bool any = false;
    while (true) {
      rest.remove_prefix(std::min(rest.find_first_not_of(white_space), rest.size()));
      if (rest.empty()) break;
      const std::string_view token = rest.substr(0, rest.find_first_of(white_space));
      rest.remove_prefix(token.size());
      any = true;
      if (const char* rule = broken_rule(token)) {
        Origin of_attribute = at;
        of_attribute.line = attribute.line;
        const std::string quoted = quote(token);
        fail_input(
            std::string(attribute.name) + " = " + quoted.substr(1, quoted.size() - 2) + ", " + rule,
            of_attribute);
      }
    }
    if (!any) fail_input(std::string(attribute.name) + " is empty, must be a number", at);
  }
}

}  // namespace abut::mjcf
