#include "abut/view/solver_report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

#include "abut/view/chart.hpp"
#include "abut/view/html_text.hpp"
#include "abut/view/solver_report_style.hpp"

namespace abut {
namespace {

std::string format_number(const char* pattern, double value) {
  char text[64];
  std::snprintf(text, sizeof text, pattern, value);
  return text;
}

std::string scientific(double value) {
  return format_number("%.2e", value);
}

/// Three digits and a unit.
std::string time_text(double seconds) {
  if (!std::isfinite(seconds)) return "–";
  if (seconds < 999.5e-6) return format_number("%.3g µs", 1e6 * seconds);
  if (seconds < 0.9995) return format_number("%.3g ms", 1e3 * seconds);
  return format_number("%.3g s", seconds);
}

std::string status_text(std::string status) {
  std::ranges::replace(status, '_', ' ');
  return status;
}

/// A file without its folder.
std::string short_name(const std::string& path) {
  return path.substr(path.find_last_of('/') + 1);
}

class Page {
 public:
  explicit Page(const SolverReport& report) : report_(report) {
    for (std::size_t i = 0; i < report.solvers.size(); ++i) {
      style_[report.solvers[i]] = static_cast<int>(i);
    }
  }

  std::string write() {
    write_head();
    write_legend();
    if (report_.problems.size() > 1) write_summary();
    for (std::size_t i = 0; i < report_.problems.size(); ++i) write_problem(report_.problems[i], i);
    html_ += "<footer><p>";
    html_ += html_text(report_.program);
    html_ += "</p></footer>\n</main>\n</body>\n</html>\n";
    return std::move(html_);
  }

 private:
  std::string title() const {
    const std::size_t n = report_.problems.size();
    return n == 1 ? short_name(report_.problems.front().name) : std::to_string(n) + " problems";
  }

  void write_head() {
    html_ += R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline';
 img-src data:; base-uri 'none'; form-action 'none'">
<link rel="icon" href="data:,">
<title>)";
    html_ += html_text(title()) + " · abut solve</title>\n<style>\n";
    write_style();
    html_ += "</style>\n</head>\n<body>\n<main>\n<h1>" + html_text(title()) + "</h1>\n<p>";
    html_ +=
        "Errors are those of the certificate, which no solver computes for itself. Times are "
        "wall time on one core";
    if (report_.repetitions > 1) {
      html_ += ", the shortest of up to " + std::to_string(report_.repetitions) + " solves";
    }
    html_ +=
        ", without the certificate. Warm starts begin at the answer of the problem with its data "
        "changed by up to 1 %. Hollow markers: what a solver had when it did not meet a "
        "tolerance.</p>\n";
    if (!report_.interrupted.empty()) {
      html_ += "<p class=\"failed\">Interrupted by " + html_text(report_.interrupted) +
               ": what follows is what was done until then.</p>\n";
    }
  }

  void write_style() {
    html_ += report_style;
    html_ += chart_style();
    for (std::size_t i = 0; i < report_.solvers.size(); ++i) {
      const std::string n = std::to_string(i);
      html_ +=
          "body:has(#show" + n + ":not(:checked)) :is(.s" + n + ",.r" + n + "){display:none}\n";
    }
  }

  void write_legend() {
    html_ += "<div class=\"legend\" role=\"group\" aria-label=\"Solvers shown\">\n";
    for (std::size_t i = 0; i < report_.solvers.size(); ++i) {
      html_ += "<label><input type=\"checkbox\" id=\"show" + std::to_string(i) + "\" checked>" +
               draw_marker(static_cast<int>(i)) + " " + html_text(report_.solvers[i]) +
               "</label>\n";
    }
    html_ += "</div>\n";
  }

  /// The class of what a solver has in tables; what it has in charts is of the class `s`.
  std::string column_of(const std::string& solver) const {
    return std::string("r").append(std::to_string(style_.at(solver)));
  }

  /// A cell of a table's body; `names`: of classes.
  void cell(const std::string& text, const std::string& names = "") { element("td", names, text); }
  void head(const std::string& text, const std::string& names = "") {
    element("th scope=\"col\"", names, text);
  }
  void element(const char* tag, const std::string& names, const std::string& text) {
    html_.append("<").append(tag);
    if (!names.empty()) html_.append(" class=\"").append(names).append("\"");
    html_.append(">").append(html_text(text)).append("</").append(tag, 2).append(">");
  }
  void row_head(const std::string& solver) {
    const int style = style_.at(solver);
    html_ += "<tr class=\"" + column_of(solver) + "\"><th scope=\"row\">" + draw_marker(style) +
             " " + html_text(solver) + "</th>";
  }

  void write_summary() {
    html_ +=
        "<section aria-labelledby=\"all\">\n<h2 id=\"all\">All problems, cold start</h2>\n"
        "<div class=\"split\">\n<div>\n";
    write_tally();
    write_times();
    html_ += "</div>\n";
    write_profile();
    html_ += "</div>\n</section>\n";
  }

  void write_tally() {
    html_ +=
        "<div class=\"scroll\" tabindex=\"0\"><table>\n<caption>Problems solved, by solver"
        "</caption>\n<thead><tr>";
    head("solver", "left"), head("tried"), head("solved"), head("fastest");
    head("slower than the fastest, geometric mean");
    html_ += "</tr></thead>\n<tbody>\n";
    for (const SolverTally& t : tally(report_)) {
      row_head(t.solver);
      cell(std::to_string(t.tried));
      cell(std::to_string(t.solved), t.solved < t.tried ? "failed" : "");
      cell(std::to_string(t.fastest));
      cell(t.solved > 0 ? format_number("%.3g ×", t.slower) : "–");
      html_ += "</tr>\n";
    }
    html_ += "</tbody></table></div>\n";
  }

  /// Problem by solver: the time, or how it ended.
  void write_times() {
    html_ +=
        "<div class=\"scroll\" tabindex=\"0\"><table>\n<caption>Time, by problem and solver"
        "</caption>\n<thead><tr>";
    head("problem", "left");
    for (const std::string& solver : report_.solvers) {
      head(solver, column_of(solver));
    }
    html_ += "</tr></thead>\n<tbody>\n";
    for (std::size_t i = 0; i < report_.problems.size(); ++i) {
      const SolvedProblem& p = report_.problems[i];
      html_ += "<tr><th scope=\"row\"><a href=\"#problem" + std::to_string(i) + "\">" +
               html_text(short_name(p.name)) + "</a></th>";
      const double fastest = fastest_of(p);
      for (const std::string& solver : report_.solvers) {
        const auto row = std::ranges::find_if(
            p.rows, [&](const SolveRow& r) { return r.solver == solver && !r.is_warm; });
        const std::string column = column_of(solver);
        if (row == p.rows.end()) {
          cell("–", column);
        } else if (row->is_converged) {
          cell(time_text(row->seconds), row->seconds == fastest ? column + " best" : column);
        } else {
          cell(status_text(row->status), column + " failed");
        }
      }
      html_ += "</tr>\n";
    }
    html_ += "</tbody></table></div>\n";
  }

  void write_profile() {
    const int problems = static_cast<int>(report_.problems.size());
    Chart chart{.title = "Performance profile: the part of " + std::to_string(problems) +
                         " problems that a solver solves within a factor of the fastest one's time",
                .x = {ChartScale::ratio, "time / time of the fastest"},
                .y = {ChartScale::part, "problems solved"},
                .curves = {}};
    double last = 10;
    for (const std::string& solver : report_.solvers) {
      for (const double r : ratios_to_fastest(report_, solver)) last = std::max(last, r);
    }
    last = std::pow(10, std::ceil(std::log10(last) - 1e-9));  // to the end of the axis
    for (const std::string& solver : report_.solvers) {
      ChartCurve curve{.style = style_.at(solver), .has_steps = true, .points = {}};
      double solved = 0;
      curve.points.push_back({1, 0, "", false});
      for (const double ratio : ratios_to_fastest(report_, solver)) {
        curve.points.push_back({ratio, ++solved / problems, "", false});
      }
      curve.points.push_back({last, solved / problems, "", false});
      chart.curves.push_back(std::move(curve));
    }
    write_chart(chart, "Performance profile");
  }

  void write_chart(const Chart& chart, const std::string& heading) {
    html_ += "<figure><h3>" + html_text(heading) + "</h3>\n" +
             draw_chart(chart, "chart" + std::to_string(charts_++)) + "</figure>\n";
  }

  void write_problem(const SolvedProblem& p, std::size_t index) {
    const std::string id = "problem" + std::to_string(index);
    html_ += "<section aria-labelledby=\"" + id + "\">\n<h2 id=\"" + id + "\">" +
             html_text(p.name) + "</h2>\n<p class=\"quiet\">" + html_text(p.description) +
             ", solved to " + format_number("%g", p.tolerance) + "</p>\n";
    write_table(p);
    html_ += "<div class=\"charts\">\n";
    for (const bool warm : {false, true}) write_accuracy(p, warm);
    write_iterations(p);
    html_ += "</div>\n</section>\n";
  }

  void write_table(const SolvedProblem& p) {
    if (p.rows.empty()) return;
    html_ += "<div class=\"scroll\" tabindex=\"0\"><table>\n<caption>";
    html_ +=
        "Warm starts begin at the answer of the problem with its data changed by up to 1 "
        "%</caption>\n";
    html_ += "<thead><tr>";
    head("solver", "left"), head("start", "left"), head("status", "left");
    head("iterations"), head("factorizations"), head("time");
    for (const SolveFigure& f : p.rows.front().figures) {
      head(f.unit.empty() ? f.label : f.label + " [" + f.unit + "]");
    }
    html_ += "</tr></thead>\n<tbody>\n";
    for (const SolveRow& row : p.rows) {
      row_head(row.solver);
      cell(row.is_warm ? "warm" : "cold", "left");
      cell(status_text(row.status) + (row.remark.empty() ? "" : ", " + row.remark),
           row.is_converged ? "left" : "left failed");
      cell(std::to_string(row.iterations));
      cell(std::to_string(row.factorizations));
      cell(time_text(row.seconds));
      for (const SolveFigure& f : row.figures) cell(scientific(f.value));
      html_ += "</tr>\n";
    }
    if (!p.stored.empty()) {
      html_ +=
          "<tr><th scope=\"row\">in the file</th><td></td><td></td><td></td><td></td><td></td>";
      for (const SolveFigure& f : p.stored) cell(scientific(f.value));
      html_ += "</tr>\n";
    }
    html_ += "</tbody></table></div>\n";
  }

  void write_accuracy(const SolvedProblem& p, bool warm) {
    const std::string start = warm ? "warm start" : "cold start";
    Chart chart{.title = "Wall time over the certificate's error, " + start + ", of " + p.name,
                .x = {ChartScale::error, "error that is left"},
                .y = {ChartScale::seconds, "wall time"},
                .curves = {}};
    for (const AccuracyCurve& curve : p.accuracy) {
      ChartCurve drawn{.style = style_.at(curve.solver), .has_steps = false, .points = {}};
      for (const AccuracyPoint& point : curve.points) {
        chart.x.holds.push_back(point.error);  // the axes of both starts are alike
        chart.y.holds.push_back(point.seconds);
        const std::string note = curve.solver + ", asked for " +
                                 format_number("%.0e", point.tolerance) + ": " +
                                 scientific(point.error) + " in " + time_text(point.seconds) +
                                 ", iterations: " + std::to_string(point.iterations) +
                                 (point.is_converged ? "" : ", not reached");
        drawn.points.push_back({point.error, point.seconds, note, !point.is_converged});
      }
      if (curve.is_warm == warm) chart.curves.push_back(std::move(drawn));
    }
    if (!chart.curves.empty()) write_chart(chart, "Time to accuracy, " + start);
  }

  void write_iterations(const SolvedProblem& p) {
    Chart chart{.title = "The certificate's error after iterations, cold start, of " + p.name,
                .x = {ChartScale::count, "iterations"},
                .y = {ChartScale::error, "error that is left"},
                .curves = {}};
    for (const IterationCurve& curve : p.iterations) {
      ChartCurve drawn{.style = style_.at(curve.solver), .has_steps = false, .points = {}};
      for (const IterationPoint& point : curve.points) {
        drawn.points.push_back({static_cast<double>(point.iterations), point.error,
                                curve.solver + ", iterations: " + std::to_string(point.iterations) +
                                    ", error " + scientific(point.error),
                                false});
      }
      chart.curves.push_back(std::move(drawn));
    }
    if (!chart.curves.empty()) write_chart(chart, "Error over iterations, cold start");
  }

  const SolverReport& report_;
  std::map<std::string, int> style_;
  int charts_ = 0;
  std::string html_;
};

}  // namespace

std::string solver_report_page(const SolverReport& report) {
  return Page(report).write();
}

}  // namespace abut
