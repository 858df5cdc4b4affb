#include "summary.hpp"

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "abut/core/isa.hpp"
#include "abut/core/version.hpp"
#include "describe.hpp"
#include "format.hpp"

namespace abut::cli {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Vec3& v) {
  return {v.x, v.y, v.z};
}

Json final_states(const World& world) {
  Json bodies = Json::array();
  const Scene& scene = world.scene();
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) {
    if (scene.bodies[b].kind == BodyKind::fixed) continue;
    const BodyState s = world.body_state(static_cast<int>(b));
    const Quaternion& q = s.orientation;
    bodies.push_back({{"name", display_name(scene, static_cast<int>(b))},
                      {"position", to_json(s.position)},
                      {"quaternion", {q.w, q.x, q.y, q.z}},
                      {"linear_velocity", to_json(s.linear_velocity)},
                      {"angular_velocity", to_json(s.angular_velocity)}});
  }
  return bodies;
}

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// Null where there is none, or none was off.
Json to_json(const Scene& scene, const Violation& v) {
  if (v.index < 0) return nullptr;
  return {{"constraint", describe_constraint(scene, v)},
          {"violation", v.size},
          {"unit", v.is_angle ? "rad" : "m"}};
}

Json unmet_constraints(const World& world) {
  Json list = Json::array();
  for (const Violation& v : world.violations()) {
    if (v.is_unmet()) list.push_back(to_json(world.scene(), v));
  }
  return list;
}

Json warnings_of(const World& world) {
  Json list = Json::array();
  for (const Warning& w : world.warnings()) {
    const auto name = [&](int body) {
      return body == world_body ? Json(nullptr) : Json(display_name(world.scene(), body));
    };
    list.push_back({{"kind", to_string(w.kind)},
                    {"step", w.step},
                    {"time", w.time},
                    {"body", name(w.body)},
                    {"other", name(w.other)},
                    {"value", w.value},
                    {"bound", w.bound},
                    {"unit", unit_of(w.kind)},
                    {"text", describe(world.scene(), w)}});
  }
  return list;
}

Json overlaps_of(const World& world) {
  const Scene& scene = world.scene();
  const auto geom = [&](int g) {
    return scene.geoms[g].name.empty() ? Json(nullptr) : Json(scene.geoms[g].name);
  };
  Json list = Json::array();
  for (const Watch::Overlap& o : world.overlaps()) {
    list.push_back({{"a", owner_name(scene, o.geom_a)},
                    {"b", owner_name(scene, o.geom_b)},
                    {"geom_a", geom(o.geom_a)},
                    {"geom_b", geom(o.geom_b)},
                    {"time", o.time},
                    {"depth", o.depth}});
  }
  return list;
}

/// "a and b, c and d, and 5 more", by the names of shapes, or of bodies where they have none.
std::string describe_overlaps(const World& world) {
  constexpr std::size_t most = 3;
  const std::span<const Watch::Overlap> pairs = world.overlaps();
  const auto name = [&](int geom) {
    const std::string& own = world.scene().geoms[geom].name;
    return own.empty() ? owner_name(world.scene(), geom) : own;
  };
  std::string text;
  for (std::size_t i = 0; i < std::min(most, pairs.size()); ++i) {
    text += (i == 0 ? "" : ", ") + name(pairs[i].geom_a) + " and " + name(pairs[i].geom_b);
  }
  if (pairs.size() > most) text += format(", and %zu more", pairs.size() - most);
  return text;
}

/// "equality 'a' (arm.xml:3) is off by 5 mm, ..."; empty if nothing is.
std::string describe_violations(const Scene& scene, const Statistics& t) {
  std::string text;
  for (const Violation& v : {t.equality_max, t.limit_max}) {
    if (v.index < 0) continue;
    if (!text.empty()) text += ", ";
    text += describe_violation(scene, v);
  }
  return text;
}

std::string hex(std::uint64_t x) {
  char text[17];
  std::snprintf(text, sizeof text, "%016" PRIx64, x);
  return text;
}

std::string describe_model(const WorldOptions& o, const Scene& scene) {
  std::string text(to_string(o.model));
  if (!takes_law(o.model)) return text;
  text.append(", ").append(to_string(o.law));
  const auto own = std::count_if(scene.pairs.begin(), scene.pairs.end(),
                                 [](const ScenePair& p) { return p.law.has_value(); });
  if (own > 0) text += format(", pairs of geoms with a law of their own: %td", own);
  return text;
}

std::string describe_status(const Summary& s) {
  const Statistics& t = s.statistics;
  if (t.all_converged()) {
    if (t.at_round_off == 0) return "every step converged";
    return format("%" PRIu64 " steps converged, %" PRIu64 " as far as rounding allows",
                  t.steps - t.at_round_off, t.at_round_off);
  }
  std::string text;
  for (std::size_t i = 1; i < t.by_status.size(); ++i) {
    if (t.by_status[i] == 0) continue;
    text += format("%s%" PRIu64 " steps %s", text.empty() ? "" : ", ", t.by_status[i],
                   std::string(to_string(static_cast<SolveStatus>(i))).c_str());
  }
  return "NOT CONVERGED: " + text + format("; the first is step %" PRIu64, *t.first_failure);
}

/// How far friction's normal impulses are from those that came out.
std::string describe_lag(const Summary& s) {
  const Statistics& t = s.statistics;
  std::string text = format(
      "lag          %.2g at worst between friction's normal impulse and the "
      "one that came out",
      t.lag_error_max);
  if (t.lagging_steps == 0) return text + "\n";
  return text + format("; above %g in %" PRIu64 " steps, in up to %d islands\n",
                       s.world.options().friction.lag_tolerance, t.lagging_steps,
                       t.lagging_islands_max);
}

std::string describe_substeps(const Summary& s) {
  const Statistics& t = s.statistics;
  const double steps = std::max(1.0, static_cast<double>(t.steps));
  std::string text = format(
      "accuracy     %.2g at worst (asked %g): %.3g substeps a step, %d at most, smallest %.3g ms; "
      "%" PRIu64 " rejected\n",
      t.error_max, *s.world.options().accuracy, static_cast<double>(t.substeps) / steps,
      t.substeps_max, 1e3 * t.smallest_substep, t.rejected);
  if (t.inaccurate_steps > 0) {
    text += format("             not met in %" PRIu64 " steps\n", t.inaccurate_steps);
  }
  return text;
}

}  // namespace

std::string to_json(const Summary& s) {
  const Statistics& t = s.statistics;
  const WorldOptions& o = s.world.options();
  Json status;
  for (std::size_t i = 0; i < t.by_status.size(); ++i) {
    status[std::string(to_string(static_cast<SolveStatus>(i)))] = t.by_status[i];
  }
  status["at_round_off"] = t.at_round_off;
  // the scheme `accelerations` has these criteria of no step
  const bool has_criteria = o.scheme != SteppingScheme::accelerations;
  const auto criterion = [&](double x) { return has_criteria ? Json(x) : Json(nullptr); };
  Json j = {
      {"version", version()},
      {"scene", s.world.scene().file},
      {"isa", to_string(active_isa())},
      {"threads", o.threads},
      {"model", to_string(o.model)},
      {"law",
       traits(o.model).is_rigid ? Json(nullptr) : Json(to_string(effective_law(o.model, o.law)))},
      {"scheme", to_string(o.scheme)},
      {"solver", o.solver},
      {"material",
       {{"stiffness", or_null(o.pair.stiffness)},
        {"dissipation", or_null(o.pair.dissipation)},
        {"relaxation_time", or_null(o.pair.relaxation_time)},
        {"friction", or_null(o.pair.friction)},
        {"thickness", or_null(o.pair.thickness)}}},
      {"tolerance", o.tolerance},
      {"lag_tolerance", o.friction.lag_tolerance},
      {"restitution", o.rigid.restitution},
      {"baumgarte", o.rigid.baumgarte},
      {"accuracy", or_null(o.accuracy)},
      {"steps", t.steps},
      {"dt", s.world.time_step()},
      {"substeps", t.substeps},
      {"substeps_max", t.substeps_max},
      {"smallest_substep", t.smallest_substep},
      {"rejected_substeps", t.rejected},
      {"error_max", t.error_max},
      {"inaccurate_steps", t.inaccurate_steps},
      {"duration", s.duration},
      {"wall_seconds", s.wall_seconds},
      {"realtime_factor", s.wall_seconds > 0 ? s.duration / s.wall_seconds : 0},
      {"bodies", s.world.moving_bodies()},
      {"nv", s.world.dofs()},
      {"contacts_mean", t.contacts_mean()},
      {"contacts_max", t.contacts_max},
      {"iterations_mean", t.iterations_mean()},
      {"iterations_max", t.iterations_max},
      {"factorizations", t.factorizations},
      {"certificate_max", t.certificate_max},
      {"momentum_error_max", criterion(t.momentum_error_max)},
      {"lag_error_max", t.lag_error_max},
      {"lagging_steps", t.lagging_steps},
      {"lagging_islands_max", t.lagging_islands_max},
      {"status", status},
      {"first_failed_step", or_null(t.first_failure)},
      {"interrupted", s.interrupted.empty() ? Json(nullptr) : Json(s.interrupted)},
      {"energy_initial", s.energy_initial},
      {"energy_final", s.energy_final},
      {"penetration_max", t.penetration_max},
      {"overlaps_max", t.overlaps_max},
      {"overlaps", overlaps_of(s.world)},
      {"equality_violation_max", to_json(s.world.scene(), t.equality_max)},
      {"limit_violation_max", to_json(s.world.scene(), t.limit_max)},
      {"unmet", unmet_constraints(s.world)},
      {"ncp_primal_max", criterion(t.ncp_primal_max)},
      {"ncp_dual_max", criterion(t.ncp_dual_max)},
      {"ncp_complementarity_max", criterion(t.ncp_complementarity_max)},
      {"impacts", t.impacts},
      {"rays", t.rays},
      {"warnings", warnings_of(s.world)},
      {"state_hash", hex(s.world.state_hash())},
      {"time",
       {{"contact_query", t.time.contact_query},
        {"problem", t.time.problem},
        {"solve", t.time.solve},
        {"rest", t.time.rest}}},
      {"final", final_states(s.world)},
  };
  // a file name need not be UTF-8
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string to_text(const Summary& s) {
  const Statistics& t = s.statistics;
  const WorldOptions& o = s.world.options();
  const double total = t.time.total(), steps = static_cast<double>(t.steps);
  const auto share = [&](double seconds) { return total > 0 ? 100 * seconds / total : 0; };
  std::string text;
  text += format("%s, model %s", describe_trees(s.world.scene()).c_str(),
                 describe_model(o, s.world.scene()).c_str());
  if (o.scheme != WorldOptions{}.scheme) text += format(", scheme %s", to_string(o.scheme).data());
  text += "\n";
  text += format("%" PRIu64 " steps of %g ms: %g s simulated in %.3g s, %.3g times real time\n",
                 t.steps, 1e3 * s.world.time_step(), s.duration, s.wall_seconds,
                 s.wall_seconds > 0 ? s.duration / s.wall_seconds : 0);
  if (o.accuracy) text += describe_substeps(s);
  text += format("certificate  %.2g at worst (tolerance %g): %s\n", std::abs(t.certificate_max),
                 o.tolerance, describe_status(s).c_str());
  if (traits(o.model).lags_friction) text += describe_lag(s);
  if (o.scheme == SteppingScheme::accelerations) {
    text += format("events       %" PRIu64 " impacts, %" PRIu64 " impulses where no forces exist\n",
                   t.impacts, t.rays);
  } else {
    text += format(
        "model error  %.2g N outside Coulomb's cone, %.2g m/s^2 of the rigid contact law, at "
        "worst\n",
        t.ncp_primal_max, t.ncp_dual_max);
  }
  text += format("contacts     %.3g on average, %d at most; deepest penetration %.3g mm\n",
                 t.contacts_mean(), t.contacts_max, 1e3 * t.penetration_max);
  if (const std::size_t pairs = s.world.overlaps().size(); pairs > 0) {
    text += format("overlap      %zu %s of shapes began in each other, parted slowly: ", pairs,
                   pairs == 1 ? "pair" : "pairs") +
            describe_overlaps(s.world) + "\n";
  }
  if (const std::string off = describe_violations(s.world.scene(), t); !off.empty()) {
    text += "constraints  " + off + " at worst\n";
  }
  text += format("iterations   %.3g on average over contacts, %d at most\n", t.iterations_mean(),
                 t.iterations_max);
  text += format("energy       %.6g J at the start, %.6g J at the end\n", s.energy_initial,
                 s.energy_final);
  text += format(
      "step         %.3g us: contact query %.0f %%, problem %.0f %%, solve %.0f %%, "
      "rest %.0f %%\n",
      steps > 0 ? 1e6 * total / steps : 0, share(t.time.contact_query), share(t.time.problem),
      share(t.time.solve), share(t.time.rest));
  text += "state hash   " + hex(s.world.state_hash()) + "\n";
  for (const Warning& w : s.world.warnings()) {
    text += "warning      " + describe(s.world.scene(), w) + "\n";
  }
  if (!s.interrupted.empty()) text += "interrupted by " + s.interrupted + "\n";
  return text;
}

}  // namespace abut::cli
