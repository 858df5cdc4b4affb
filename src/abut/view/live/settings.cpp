#include "abut/view/live/settings.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "abut/core/text.hpp"
#include "abut/sim/implied_contact.hpp"
#include "abut/sim/pair_kinds.hpp"

namespace abut {
namespace {

constexpr std::array<std::string_view, 12> setting_names = {
    "model",   "law",       "scheme",      "solver",          "time_step", "accuracy",
    "gravity", "stiffness", "dissipation", "relaxation_time", "friction",  "thickness"};

/// The value as T, nothing for the scene's.
template <class T>
std::optional<T> as(const std::string& name, const SettingValue& value, const char* what) {
  if (std::holds_alternative<std::monostate>(value)) return {};
  if (const T* v = std::get_if<T>(&value)) return *v;
  fail_input(name + " must be " + what);
}

[[noreturn]] void fail_unknown(const std::string& name) {
  const std::string_view near = nearest_word(name, setting_names);
  fail_input("setting " + quote(name) + " is not known" +
             (near.empty() ? "" : ", did you mean '" + std::string(near) + "'?"));
}

}  // namespace

LiveSettings changed(const LiveSettings& settings, const LiveSettings& start,
                     const std::string& name, const SettingValue& value) {
  LiveSettings s = settings;
  WorldOptions& o = s.options;
  const auto word = [&] { return as<std::string>(name, value, "a name"); };
  const auto number = [&] { return as<double>(name, value, "a number"); };
  if (name == "model") {
    const auto model = word();
    o.model = model ? find_named(name, *model, contact_models) : start.options.model;
    // another model may need another solver
    if (!o.solver.empty() && !make_solver(o.solver)->supports(o.model)) o.solver.clear();
  } else if (name == "law") {
    const auto law = word();
    o.law = law ? find_named(name, *law, normal_laws) : start.options.law;
  } else if (name == "scheme") {
    const auto scheme = word();
    o.scheme = scheme ? find_named(name, *scheme, stepping_schemes) : start.options.scheme;
  } else if (name == "solver") {
    const auto solver = word();
    o.solver =
        solver ? std::string(find_named(name, *solver, solver_names())) : start.options.solver;
    const bool fits = o.solver.empty() || make_solver(o.solver)->supports(o.model);
    if (!fits && !solver) o.solver.clear();  // that of the start was of another model
    o.solver_name();                         // throws for one of other models
  } else if (name == "time_step") {
    o.time_step = number();
  } else if (name == "accuracy") {
    const auto accuracy = number();
    o.accuracy = accuracy ? accuracy : start.options.accuracy;
  } else if (name == "gravity") {
    s.gravity = as<Vec3>(name, value, "three numbers");
    if (s.gravity && !is_finite(*s.gravity)) fail_input("gravity must be finite");
  } else if (name == "stiffness") {
    o.pair.stiffness = number();
  } else if (name == "dissipation") {
    o.pair.dissipation = number();
  } else if (name == "relaxation_time") {
    o.pair.relaxation_time = number();
  } else if (name == "friction") {
    o.pair.friction = number();
  } else if (name == "thickness") {
    o.pair.thickness = number();
  } else {
    fail_unknown(name);
  }
  o.validate();
  return s;
}

std::vector<ImpliedNumber> implied_numbers(const Scene& scene, const WorldOptions& options) {
  const std::vector<PairKind> kinds = find_pair_kinds(scene, options.pair);
  if (kinds.empty()) return {};
  constexpr double unlimited = std::numeric_limits<double>::infinity();
  const ContactSettings settings = contact_settings(scene, options);
  ImpliedContact worst{
      .depth = 0, .period = unlimited, .creep = 0, .glide = 0, .rigid_step = unlimited};
  for (const PairKind& k : kinds) {
    const ImpliedContact i = implied_contact(k.material, settings, k.lightest, k.heaviest);
    worst.depth = std::max(worst.depth, i.depth);
    worst.period = std::min(worst.period, i.period);
    worst.creep = std::max(worst.creep, i.creep);
    worst.glide = std::max(worst.glide, i.glide);
    worst.rigid_step = std::min(worst.rigid_step, i.rigid_step);
  }
  std::vector<ImpliedNumber> list = {{"depth at rest", 1e6 * worst.depth, "µm"},
                                     {"creep at half the friction", 1e6 * worst.creep, "µm/s"},
                                     {"glide height", 1e3 * worst.glide, "mm/(m/s)"},
                                     {"period of a bounce", 1e3 * worst.period, "ms"}};
  if (traits(options.model).is_near_rigid) {
    list.push_back({"rigid from a step of", 1e3 * worst.rigid_step, "ms"});
  }
  return list;
}

}  // namespace abut
