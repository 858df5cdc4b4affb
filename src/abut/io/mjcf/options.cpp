#include <cctype>
#include <cmath>
#include <cstdint>

#include "abut/io/mjcf/support.hpp"

namespace abut::mjcf {

namespace {

/// A setting of MuJoCo's algorithms, by its attribute of <option>.
struct SolverSetting {
  const char* attribute;
  double (*value)(const mjOption&);
};

constexpr SolverSetting solver_settings[] = {
    {"integrator", [](const mjOption& o) { return double(o.integrator); }},
    {"cone", [](const mjOption& o) { return double(o.cone); }},
    {"jacobian", [](const mjOption& o) { return double(o.jacobian); }},
    {"solver", [](const mjOption& o) { return double(o.solver); }},
    {"iterations", [](const mjOption& o) { return double(o.iterations); }},
    {"tolerance", [](const mjOption& o) { return o.tolerance; }},
    {"ls_iterations", [](const mjOption& o) { return double(o.ls_iterations); }},
    {"ls_tolerance", [](const mjOption& o) { return o.ls_tolerance; }},
    {"noslip_iterations", [](const mjOption& o) { return double(o.noslip_iterations); }},
    {"noslip_tolerance", [](const mjOption& o) { return o.noslip_tolerance; }},
    {"ccd_iterations", [](const mjOption& o) { return double(o.ccd_iterations); }},
    {"ccd_tolerance", [](const mjOption& o) { return o.ccd_tolerance; }},
    {"sdf_iterations", [](const mjOption& o) { return double(o.sdf_iterations); }},
    {"sdf_initpoints", [](const mjOption& o) { return double(o.sdf_initpoints); }},
    {"impratio", [](const mjOption& o) { return o.impratio; }},
    {"sleep_tolerance", [](const mjOption& o) { return o.sleep_tolerance; }},
};

constexpr std::uint32_t algorithm_disables =
    mjDSBL_CLAMPCTRL | mjDSBL_WARMSTART | mjDSBL_REFSAFE | mjDSBL_SENSOR | mjDSBL_MIDPHASE |
    mjDSBL_EULERDAMP | mjDSBL_AUTORESET | mjDSBL_NATIVECCD | mjDSBL_ISLAND | mjDSBL_MULTICCD;
constexpr std::uint32_t algorithm_enables = mjENBL_ENERGY | mjENBL_FWDINV | mjENBL_INVDISCRETE |
                                            mjENBL_SLEEP | mjENBL_DIAGEXACT | mjENBL_IPC |
                                            mjENBL_SPECULATIVE;

Origin setting_origin(const Source& source, const char* tag, const std::string& attribute) {
  Origin at = source.locate_setting(tag, attribute);
  at.element += " " + attribute;
  return at;
}

void list_solver_settings(const Source& source, const mjOption& option, NoticeList& notices) {
  mjOption standard;
  mj_defaultOption(&standard);
  for (const auto& [attribute, value] : solver_settings) {
    if (value(option) == value(standard)) continue;
    notices.add("not used: abut has its own integrator, solver and collision detection",
                setting_origin(source, "option", attribute), attribute);
  }
}

void list_flags(const Source& source, std::uint32_t flags, const char* const* names, int count,
                NoticeList& notices) {
  for (int bit = 0; bit < count; ++bit) {
    if ((flags & (1u << bit)) == 0) continue;
    std::string name = names[bit];
    for (char& letter : name) letter = static_cast<char>(std::tolower(letter));
    notices.add("not used: switches of MuJoCo's own algorithms",
                setting_origin(source, "flag", name), name);
  }
}

void list_changed_masses(const Source& source, const mjsCompiler& compiler, NoticeList& notices) {
  const auto check = [&](bool set, const char* attribute) {
    if (!set) return;
    notices.add("changes masses or inertias, as MJCF says",
                setting_origin(source, "compiler", attribute), attribute);
  };
  check(compiler.boundmass > 0, "boundmass");
  check(compiler.boundinertia > 0, "boundinertia");
  check(compiler.balanceinertia, "balanceinertia");
  check(compiler.settotalmass > 0, "settotalmass");
}

}  // namespace

void check_options(const Source& source, const Spec& spec, NoticeList& notices) {
  list_solver_settings(source, spec->option, notices);
  list_flags(source, static_cast<std::uint32_t>(spec->option.disableflags) & algorithm_disables,
             mjDISABLESTRING, mjNDISABLE, notices);
  list_flags(source, static_cast<std::uint32_t>(spec->option.enableflags) & algorithm_enables,
             mjENABLESTRING, mjNENABLE, notices);
  list_changed_masses(source, spec->compiler, notices);
  if (spec->option.timestep > 0.1) {
    notices.add("a time step above 0.1 s: contacts last shorter than that",
                setting_origin(source, "option", "timestep"));
  }
}

}  // namespace abut::mjcf
