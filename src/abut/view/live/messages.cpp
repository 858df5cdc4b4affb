#include "abut/view/live/messages.hpp"

#include <nlohmann/json.hpp>

#include "abut/view/page_scene.hpp"

namespace abut {
namespace {

using Json = nlohmann::ordered_json;

Json or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

template <class Values>
Json names_of(const Values& values) {
  Json names = Json::array();
  for (const auto value : values) names.push_back(to_string(value));
  return names;
}

Json settings_of(const LiveSettings& s) {
  const WorldOptions& o = s.options;
  return {{"model", to_string(o.model)},
          {"law", to_string(o.law)},
          {"takes_law", takes_law(o.model)},
          {"scheme", to_string(o.scheme)},
          {"solver", o.solver_name()},
          {"time_step", or_null(o.time_step)},
          {"accuracy", or_null(o.accuracy)},
          {"gravity", s.gravity ? Json{s.gravity->x, s.gravity->y, s.gravity->z} : Json(nullptr)},
          {"stiffness", or_null(o.pair.stiffness)},
          {"dissipation", or_null(o.pair.dissipation)},
          {"relaxation_time", or_null(o.pair.relaxation_time)},
          {"friction", or_null(o.pair.friction)},
          {"thickness", or_null(o.pair.thickness)}};
}

std::string text_of(const Json& json) {
  // names in messages may come from files, which need not be UTF-8
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string scene_message(const LiveSimulation& simulation) {
  return R"({"type":"scene","scene":)" + page_scene(simulation.scene(), simulation.cameras()) + "}";
}

std::string state_message(const LiveStatus& s) {
  Json implied = Json::array();
  for (const ImpliedNumber& i : s.implied) {
    implied.push_back({{"label", i.label}, {"value", i.value}, {"unit", i.unit}});
  }
  return text_of({{"type", "state"},
                  {"playing", s.playing},
                  {"speed", s.speed},
                  {"real_time", s.real_time},
                  {"step_time", s.step_time},
                  {"settings", settings_of(s.settings)},
                  {"choices",
                   {{"model", names_of(contact_models)},
                    {"law", names_of(normal_laws)},
                    {"scheme", names_of(stepping_schemes)},
                    {"solver", solver_names()}}},
                  {"implied", implied},
                  {"warnings", s.warnings},
                  {"recording", s.recording},
                  {"recorded", s.recorded}});
}

std::string error_message(const std::string& text, bool refused) {
  return text_of({{"type", "error"}, {"refused", refused}, {"text", text}});
}

}  // namespace abut
