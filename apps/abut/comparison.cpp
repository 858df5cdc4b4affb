#include "comparison.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "abut/core/version.hpp"
#include "abut/view/page_contacts.hpp"
#include "format.hpp"

namespace abut::cli {
namespace {

using Json = nlohmann::ordered_json;

/// A figure of each run, in the table, the page and the JSON.
struct Column {
  const char *key, *title, *unit;
  const char* format;  ///< of the table on the terminal
  double (*value)(const ComparedRun&);
};

double criterion(const ComparedRun& r, double value) {
  return r.has_ncp_criteria ? value : NAN;
}

constexpr Column columns[] = {
    {"failed_steps", "steps not converged", "", "%.0f",
     [](const ComparedRun& r) {
       return static_cast<double>(r.statistics.steps - r.statistics.by_status[0]);
     }},
    {"certificate_max", "worst certificate", "", "%.1e",
     [](const ComparedRun& r) { return r.statistics.certificate_max; }},
    {"ncp_primal_max", "NCP: eps_p", "N", "%.1e",
     [](const ComparedRun& r) { return criterion(r, r.statistics.ncp_primal_max); }},
    {"ncp_dual_max", "NCP: eps_d", "m/s^2", "%.1e",
     [](const ComparedRun& r) { return criterion(r, r.statistics.ncp_dual_max); }},
    {"ncp_complementarity_max", "NCP: eps_c", "N m/s^2", "%.1e",
     [](const ComparedRun& r) { return criterion(r, r.statistics.ncp_complementarity_max); }},
    {"iterations_mean", "iterations", "", "%.3g",
     [](const ComparedRun& r) { return r.statistics.iterations_mean(); }},
    {"step_us", "time of a step", "us", "%.3g",
     [](const ComparedRun& r) { return 1e6 * r.step_seconds; }},
    {"energy_final", "energy at the end", "J", "%.6g",
     [](const ComparedRun& r) { return r.energy_final; }},
    {"creep", "creep", "mm/s", "%.2e", [](const ComparedRun& r) { return 1e3 * r.contacts.creep; }},
    {"gliding", "gliding", "mm", "%.2e",
     [](const ComparedRun& r) { return 1e3 * r.contacts.gliding; }},
    {"internal_friction", "internal friction", "N", "%.2e",
     [](const ComparedRun& r) { return r.contacts.internal_friction; }},
    {"penetration_max", "deepest penetration", "mm", "%.3g",
     [](const ComparedRun& r) { return 1e3 * r.statistics.penetration_max; }},
    {"distance_max", "farthest from the first run", "mm", "%.3g",
     [](const ComparedRun& r) { return 1e3 * r.distance.most; }},
    {"distance_end", "farthest at the end", "mm", "%.3g",
     [](const ComparedRun& r) { return 1e3 * r.distance.end; }},
};

/// Of a sum weighted by forces; 0 where there were none.
double mean(double sum, double weight) {
  return weight > 0 ? sum / weight : 0;
}

/// NaN has no number in JSON.
Json number(double x) {
  return std::isfinite(x) ? Json(x) : Json(nullptr);
}

}  // namespace

ContactFigures contact_figures(const Recording& recording) {
  const double h = recording.scene().time_step;
  double creep = 0, stuck = 0, gap = 0, slipping = 0, cancelled = 0;
  std::size_t states = 0;
  RecordedState state;
  for (std::size_t i = 0; i < recording.states(); ++i) {
    recording.read_state(i, state);
    std::map<std::pair<std::int32_t, std::int32_t>, Vec3> friction;  // by pair of bodies
    bool any = false;
    for (const RecordedContact& c : state.contacts) {
      const PageContact page = page_contact(c, h);
      const double normal = dot(page.force, c.normal);
      if (page.mode == ContactMode::near || !(normal > 0)) continue;
      any = true;
      const Vec3 tangential = page.force - normal * c.normal;
      friction[{c.body_a, c.body_b}] += tangential;
      cancelled += norm(tangential);
      if (page.mode == ContactMode::stick) {
        creep += normal * page.slip;
        stuck += normal;
      } else {
        gap += normal * c.gap;
        slipping += normal;
      }
    }
    for (const auto& [pair, sum] : friction) cancelled -= norm(sum);
    states += any;
  }
  return {
      .creep = mean(creep, stuck),
      .gliding = mean(gap, slipping),
      .internal_friction = states > 0 ? std::max(0.0, cancelled / static_cast<double>(states)) : 0};
}

Distance distance(const Recording& a, const Recording& b) {
  Distance d;
  RecordedState x, y;
  for (std::size_t i = 0, j = 0; i < a.states() && j < b.states(); ++i, ++j) {
    a.read_state(i, x), b.read_state(j, y);
    while (x.step < y.step && ++i < a.states()) a.read_state(i, x);
    while (y.step < x.step && ++j < b.states()) b.read_state(j, y);
    if (x.step != y.step) break;
    d.end = 0;
    for (std::size_t k = 0; k < std::min(x.bodies.size(), y.bodies.size()); ++k) {
      d.end = std::max(d.end, norm(x.bodies[k].position - y.bodies[k].position));
    }
    d.most = std::max(d.most, d.end);
  }
  return d;
}

std::string to_json(const std::string& scene, double time_step,
                    const std::vector<ComparedRun>& runs) {
  Json list = Json::array(), titles = Json::array();
  titles.push_back({{"key", "name"}, {"title", "run"}, {"unit", ""}});
  for (const Column& c : columns) {
    titles.push_back({{"key", c.key}, {"title", c.title}, {"unit", c.unit}});
  }
  for (const ComparedRun& r : runs) {
    Json row = {{"name", r.name},
                {"model", r.model},
                {"solver", r.solver},
                {"recording", r.recording},
                {"ended", r.ended.empty() ? Json(nullptr) : Json(r.ended)},
                {"steps", r.statistics.steps},
                {"iterations_max", r.statistics.iterations_max},
                {"energy_initial", number(r.energy_initial)}};
    for (const Column& c : columns) row[c.key] = number(c.value(r));
    list.push_back(std::move(row));
  }
  return Json{{"format_version", 1},    {"version", version()}, {"scene", scene},
              {"time_step", time_step}, {"columns", titles},    {"runs", list}}
             .dump(2) +
         "\n";
}

std::string to_text(const std::vector<ComparedRun>& runs) {
  std::vector<std::vector<std::string>> table;  // by line
  table.push_back({""});
  for (const ComparedRun& r : runs) table.back().push_back(r.name);
  for (const Column& c : columns) {
    table.push_back(
        {std::string(c.title) + (*c.unit != 0 ? std::string(" [") + c.unit + "]" : "")});
    for (const ComparedRun& r : runs) {
      char value[32];
      std::snprintf(value, sizeof value, c.format, c.value(r));
      table.back().push_back(std::isnan(c.value(r)) ? "-" : value);
    }
  }
  std::vector<std::size_t> width(runs.size() + 1);
  for (const auto& line : table) {
    for (std::size_t k = 0; k < line.size(); ++k) width[k] = std::max(width[k], line[k].size());
  }
  std::string text;
  for (const auto& line : table) {
    text += line[0] + std::string(width[0] - line[0].size(), ' ');
    for (std::size_t k = 1; k < line.size(); ++k) {
      text += "  " + std::string(width[k] - line[k].size(), ' ') + line[k];
    }
    text += "\n";
  }
  for (const ComparedRun& r : runs) {
    if (!r.ended.empty()) text += r.name + " ended early: " + r.ended + "\n";
  }
  return text;
}

}  // namespace abut::cli
