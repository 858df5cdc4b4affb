#include "abut/io/mjcf/numbers.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "abut/core/text.hpp"
#include "abut/io/decimal.hpp"

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
    for (std::string_view word; !(word = take_word(rest)).empty();) {
      any = true;
      if (const char* rule = read_decimal(word).broken_rule) {
        Origin of_attribute = at;
        of_attribute.line = attribute.line;
        const std::string quoted = quote(word);
        fail_input(
            std::string(attribute.name) + " = " + quoted.substr(1, quoted.size() - 2) + ", " + rule,
            of_attribute);
      }
    }
    if (!any) fail_input(std::string(attribute.name) + " is empty, must be a number", at);
  }
}

}  // namespace abut::mjcf
