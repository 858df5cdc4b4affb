#include "run_options.hpp"

#include <algorithm>
#include <charconv>
#include <climits>
#include <cmath>

#include "abut/core/error.hpp"
#include "abut/core/text.hpp"
#include "abut/io/decimal.hpp"
#include "abut/sim/pair_kinds.hpp"
#include "abut/sim/scene_checks.hpp"
#include "abut/solvers/contact_solver.hpp"

namespace abut::cli {
namespace {

/// The whole text as a finite number, whatever the locale.
double parse_number(const std::string& flag, const std::string& text) {
  const auto [value, broken_rule] = read_decimal(text);
  if (broken_rule != nullptr) {
    throw CLI::ValidationError(flag, quote(text) + " is not a finite number");
  }
  return value;
}

template <class T>
void add(CLI::App& command, const std::string& flag, T& value, const std::string& unit,
         const std::string& help) {
  command
      .add_option_function<std::string>(
          flag, [flag, &value](const std::string& text) { value = parse_number(flag, text); }, help)
      ->type_name(unit);
}

void require_sign(const std::optional<double>& value, bool positive, const char* flag,
                  const char* unit) {
  const double x = value.value_or(1);
  require(positive ? x > 0 : x >= 0, flag, x, unit,
          positive ? "must be positive" : "must not be negative");
}

std::uint64_t steps_of(double duration, double dt, const char* name) {
  require(duration >= 0, name, duration, "s", "must not be negative");
  const double steps = std::round(duration / dt);
  require(steps <= 0x1p53, name, duration, "s", "takes more than 2^53 steps");
  require(steps >= 1 || duration == 0, name, duration, "s", "must be 0 or at least one step");
  return static_cast<std::uint64_t>(steps);
}

}  // namespace

void LengthArguments::add_to(CLI::App& command) {
  add_number(command, "--duration", duration, "S", "simulated time (default: the scene's, else 5)");
  command.add_option("--keyframe", keyframe, "start from this keyframe of the scene")
      ->type_name("NAME");
  add_number(
      command, "--frame-rate", frame_rate, "1/s",
      "recorded states per simulated second, 0 for every step (default: the scene's, else 60)");
}

double LengthArguments::rate(const SceneFile& file) const {
  const double rate = frame_rate.value_or(file.output.frame_rate.value_or(60));
  require(rate >= 0, "--frame-rate", rate, "1/s", "must not be negative");
  return rate;
}

std::uint64_t LengthArguments::steps(const SceneFile& file, double dt) const {
  if (!duration && file.simulation.duration) {
    return steps_of(*file.simulation.duration, dt, "simulation: duration");
  }
  return steps_of(duration.value_or(5), dt, "--duration");
}

std::uint64_t parse_whole_number(const std::string& flag, const std::string& text) {
  std::uint64_t value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || rest != text.data() + text.size()) {
    throw CLI::ValidationError(flag, quote(text) + " is not a whole number");
  }
  return value;
}

void add_number(CLI::App& command, const std::string& flag, double& value, const std::string& unit,
                const std::string& help) {
  add(command, flag, value, unit, help);
}

void add_number(CLI::App& command, const std::string& flag, std::optional<double>& value,
                const std::string& unit, const std::string& help) {
  add(command, flag, value, unit, help);
}

void SimulationArguments::add_to(CLI::App& command) {
  command
      .add_option("--model", model,
                  "contact model: " + list_names(contact_models) + " (default: the scene's, else " +
                      std::string(to_string(WorldOptions{}.model)) + ")")
      ->type_name("NAME");
  add_parameters_to(command);
  command
      .add_option("--solver", solver,
                  list_names(solver_names()) + " (default: the scene's, else the model's own)")
      ->type_name("NAME");
}

void SimulationArguments::add_parameters_to(CLI::App& command) {
  command
      .add_option("--law", law,
                  "normal law of models without their own: " + list_names(normal_laws) +
                      " (default: the scene's, else " + std::string(to_string(WorldOptions{}.law)) +
                      ")")
      ->type_name("NAME");
  command
      .add_option("--scheme", scheme,
                  "stepping scheme: " + list_names(stepping_schemes) +
                      " (default: the scene's, else " +
                      std::string(to_string(WorldOptions{}.scheme)) + ")")
      ->type_name("NAME");
  add_number(command, "--stiffness", pair.stiffness, "N/m",
             "of every contact point (default: the materials', else 1e7)");
  add_number(command, "--dissipation", pair.dissipation, "s/m",
             "Hunt & Crossley's, of every pair (default: the materials', else 10)");
  add_number(command, "--relaxation-time", pair.relaxation_time, "s",
             "of Kelvin-Voigt damping, of every pair (default: the materials', else 1e-4)");
  add_number(command, "--mu", pair.friction, "X",
             "friction of every pair (default: the materials', else 0.5)");
  add_number(command, "--thickness", pair.thickness, "M",
             "of the layer of barriers, of every pair (default: the materials', else 0.001)");
  add_number(command, "--dt", time_step, "S", "time step (default: the scene's)");
  add_number(command, "--tolerance", tolerance, "X",
             "step error that each island may keep (default: the scene's, else 1e-6)");
  add_number(command, "--accuracy", accuracy, "X",
             "error of a body's place, of its radius, that a substep may make: a time step is made "
             "in as many as it takes (default: the scene's, else one)");
  add_number(
      command, "--lag-tolerance", lag_tolerance, "X",
      "of the normal impulse that friction of lagged and anchored is given against the one that "
      "comes out "
      "(default: the scene's, else 0.1)");
  add_number(command, "--restitution", restitution, "X",
             "of rigid models: the share of its normal speed with which a pair that meets parts "
             "(default: the scene's, else 0)");
  add_number(command, "--baumgarte", baumgarte, "X",
             "of rigid models: the share of an overlap that a step lets out (default: the "
             "scene's, else 0.2)");
  command
      .add_option_function<std::string>(
          "--threads",
          [this](const std::string& text) {
            const std::uint64_t n = parse_whole_number("--threads", text);
            require(n >= 1 && n <= 1024, "--threads", static_cast<double>(n), "",
                    "must lie in [1, 1024]");
            threads = static_cast<int>(n);
          },
          "largest number of threads; results do not depend on it (default 1)")
      ->type_name("N");
  command
      .add_option_function<std::string>(
          "--contact-limit",
          [this](const std::string& text) {
            const std::uint64_t n = parse_whole_number("--contact-limit", text);
            require(n >= 1 && n <= INT_MAX, "--contact-limit", static_cast<double>(n), "",
                    "must lie in [1, 2^31)");
            contact_limit = static_cast<int>(n);
          },
          "contacts of a step at which the run ends (default: the scene's, else 1000000)")
      ->type_name("N");
}

namespace {

/// Whether all contacts that the scene can have take their force from a table.
bool only_tables(const WorldOptions& o, const Scene& scene) {
  const auto asks = [&](NormalLawKind law) {
    return effective_law(o.model, law) == NormalLawKind::tabulated;
  };
  const bool any =
      asks(o.law) || std::any_of(scene.pairs.begin(), scene.pairs.end(),
                                 [&](const ScenePair& p) { return asks(p.law.value_or(o.law)); });
  if (!any) return false;
  const std::vector<PairKind> kinds = find_pair_kinds(scene, o.pair);
  return std::all_of(kinds.begin(), kinds.end(), [&](const PairKind& k) {
    return asks(k.material.law.value_or(o.law)) && k.material.table != nullptr;
  });
}

}  // namespace

std::vector<std::string> SimulationArguments::without_effect(const WorldOptions& o,
                                                             const Scene& scene) const {
  std::vector<std::string> flags;
  bool relaxes = false, dissipates = false, has_layer = false;
  const auto use = [&](NormalLawKind asked_for) {
    const LawTraits used = traits(effective_law(o.model, asked_for));
    (used.relaxes ? relaxes : dissipates) = true;
    has_layer = has_layer || used.is_barrier;
  };
  use(o.law);
  for (const ScenePair& p : scene.pairs) use(p.law.value_or(o.law));
  const bool is_rigid = traits(o.model).is_rigid;
  if (is_rigid) relaxes = dissipates = has_layer = false;
  if (law && is_rigid) flags.push_back("--law " + *law);
  if (law && traits(o.model).has_own_law && o.law != effective_law(o.model, o.law)) {
    flags.push_back("--law " + *law);
  }
  if (!dissipates && pair.dissipation) flags.push_back("--dissipation");
  if (!is_rigid && restitution) flags.push_back("--restitution");
  if (!is_rigid && baumgarte) flags.push_back("--baumgarte");
  if (!traits(o.model).lags_friction && lag_tolerance) flags.push_back("--lag-tolerance");
  if (!relaxes && pair.relaxation_time) flags.push_back("--relaxation-time");
  if (!has_layer && pair.thickness) flags.push_back("--thickness");
  if (pair.stiffness && (is_rigid || only_tables(o, scene))) flags.push_back("--stiffness");
  return flags;
}

ContactModel parse_model(const std::string& name) {
  return find_named("--model", name, contact_models);
}

NormalLawKind parse_law(const std::string& name) {
  return find_named("--law", name, normal_laws);
}

std::string parse_solver(const std::string& name) {
  return std::string(find_named("--solver", name, solver_names()));
}

/// The world would refuse them too, without the option's name.
void SimulationArguments::check_numbers() const {
  if (time_step) require_time_step(*time_step, "--dt");
  if (accuracy) require_accuracy(*accuracy, "--accuracy");
  if (tolerance) {
    require(*tolerance > 0 && *tolerance < 1, "--tolerance", *tolerance, "", "must lie in (0, 1)");
  }
  if (lag_tolerance) {
    require(*lag_tolerance > 0 && *lag_tolerance <= 1, "--lag-tolerance", *lag_tolerance, "",
            "must lie in (0, 1]");
  }
  const auto require_share = [](const std::optional<double>& x, const char* flag) {
    if (x) require(*x >= 0 && *x <= 1, flag, *x, "", "must lie in 0 to 1");
  };
  require_share(restitution, "--restitution");
  require_share(baumgarte, "--baumgarte");
  require_sign(pair.stiffness, true, "--stiffness", "N/m");
  require_sign(pair.dissipation, false, "--dissipation", "s/m");
  require_sign(pair.relaxation_time, false, "--relaxation-time", "s");
  require_sign(pair.friction, false, "--mu", "");
  require_sign(pair.thickness, true, "--thickness", "m");
}

WorldOptions SimulationArguments::world_options(const SimulationSettings& settings) const {
  WorldOptions o = settings.over({});
  if (model) o.model = parse_model(*model);
  if (law) o.law = parse_law(*law);
  if (scheme) o.scheme = find_named("--scheme", *scheme, stepping_schemes);
  if (solver) o.solver = parse_solver(*solver);
  // a model that is asked for here has its own where the file's solver is of others
  if (model && !solver && !o.solver.empty() && !make_solver(o.solver)->supports(o.model)) {
    o.solver.clear();
  }
  if (tolerance) o.tolerance = *tolerance;
  if (accuracy) o.accuracy = accuracy;
  if (lag_tolerance) o.friction.lag_tolerance = *lag_tolerance;
  if (restitution) o.rigid.restitution = *restitution;
  if (baumgarte) o.rigid.baumgarte = *baumgarte;
  if (contact_limit) o.contact_limit = *contact_limit;
  o.pair = pair;
  o.time_step = time_step;
  o.threads = threads;
  check_numbers();
  o.validate();
  return o;
}

}  // namespace abut::cli
