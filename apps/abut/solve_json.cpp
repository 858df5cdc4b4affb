#include "solve_json.hpp"

#include <nlohmann/json.hpp>

#include "abut/core/isa.hpp"
#include "abut/core/version.hpp"

namespace abut::cli {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const std::vector<SolveFigure>& figures) {
  if (figures.empty()) return nullptr;
  Json json;
  for (const SolveFigure& f : figures) json[f.key] = f.value;
  return json;
}

Json to_json(const SolveRow& row, const std::string& model) {
  return {{"solver", row.solver},
          {"model", model},
          {"start", row.is_warm ? "warm" : "cold"},
          {"status", row.status},
          {"remark", row.remark},
          {"iterations", row.iterations},
          {"factorizations", row.factorizations},
          {"seconds", row.seconds},
          {"error", row.figures.front().value},
          {"certificate", to_json(row.figures)}};
}

Json to_json(const AccuracyCurve& curve) {
  Json points = Json::array();
  for (const AccuracyPoint& p : curve.points) {
    points.push_back({{"tolerance", p.tolerance},
                      {"error", p.error},
                      {"seconds", p.seconds},
                      {"iterations", p.iterations},
                      {"converged", p.is_converged}});
  }
  return {{"solver", curve.solver}, {"start", curve.is_warm ? "warm" : "cold"}, {"points", points}};
}

Json to_json(const IterationCurve& curve) {
  Json points = Json::array();
  for (const IterationPoint& p : curve.points) {
    points.push_back({{"iterations", p.iterations}, {"error", p.error}});
  }
  return {{"solver", curve.solver}, {"points", points}};
}

template <class T>
Json list_of(const std::vector<T>& all) {
  Json list = Json::array();
  for (const T& one : all) list.push_back(to_json(one));
  return list;
}

Json to_json(const SolvedProblem& p) {
  Json solves = Json::array();
  for (const SolveRow& row : p.rows) solves.push_back(to_json(row, p.model));
  return {{"problem", p.name},
          {"description", p.description},
          {"model", p.model},
          {"tolerance", p.tolerance},
          {"solves", solves},
          {"stored", to_json(p.stored)},
          {"accuracy", list_of(p.accuracy)},
          {"iterations", list_of(p.iterations)}};
}

}  // namespace

std::string solver_report_json(const SolverReport& report) {
  Json summary = Json::array();
  for (const SolverTally& t : tally(report)) {
    summary.push_back({{"solver", t.solver},
                       {"tried", t.tried},
                       {"solved", t.solved},
                       {"fastest", t.fastest},
                       {"slower", t.solved > 0 ? Json(t.slower) : Json(nullptr)}});
  }
  Json problems = Json::array();
  for (const SolvedProblem& p : report.problems) problems.push_back(to_json(p));
  const Json json = {
      {"format_version", 1},
      {"version", version()},
      {"isa", to_string(active_isa())},
      {"repetitions", report.repetitions},
      {"interrupted", report.interrupted.empty() ? Json(nullptr) : Json(report.interrupted)},
      {"summary", summary},
      {"problems", problems}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace abut::cli
