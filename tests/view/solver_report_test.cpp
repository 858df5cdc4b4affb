#include "abut/view/solver_report.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <regex>

#include "abut/view/chart.hpp"
#include "abut/view/html_text.hpp"

namespace abut {
namespace {

TEST(HtmlText, IsNeverMarkup) {
  EXPECT_EQ(html_text("<b a=\"1\" c='2'>&amp;</b>"),
            "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;amp;&lt;/b&gt;");
  EXPECT_EQ(html_text("é\xff\x01 \xc3"), "é\xEF\xBF\xBD\xEF\xBF\xBD \xEF\xBF\xBD");
}

/// All numbers that follow `before` in the text, up to a quotation mark.
std::vector<double> numbers_after(const std::string& text, const std::string& before) {
  std::vector<double> numbers;
  const std::size_t begin = text.find(before);
  if (begin == std::string::npos) return numbers;
  std::string list = text.substr(begin + before.size());
  list = list.substr(0, list.find('"'));
  const std::regex number("-?[0-9.]+");
  for (std::sregex_iterator it(list.begin(), list.end(), number), end; it != end; ++it) {
    numbers.push_back(std::stod(it->str()));
  }
  return numbers;
}

Chart chart_of(std::vector<ChartPoint> points, bool has_steps = false) {
  return {.title = "a <title>",
          .x = {ChartScale::error, "error"},
          .y = {ChartScale::seconds, "time"},
          .curves = {{.style = 3, .has_steps = has_steps, .points = std::move(points)}}};
}

TEST(Chart, IsLogarithmicAndBetterErrorsAreToTheRight) {
  const std::string svg = draw_chart(
      chart_of({{1e-2, 1e-6, "first", false}, {1e-4, 1e-5, "", false}, {1e-8, 1e-2, "", false}}),
      "c");
  const std::vector<double> at = numbers_after(svg, "points=\"");
  ASSERT_EQ(at.size(), 6U);
  EXPECT_NEAR((at[2] - at[0]) / (at[4] - at[0]), 2.0 / 6, 1e-3) << "2 of 6 decades";
  EXPECT_NEAR((at[3] - at[1]) / (at[5] - at[1]), 1.0 / 4, 1e-3) << "1 of 4 decades";
  EXPECT_LT(at[0], at[4]);
  EXPECT_GT(at[1], at[5]) << "pixels count downwards";
  EXPECT_NE(svg.find("<title>first</title>"), std::string::npos);
  EXPECT_NE(svg.find(">10⁻⁸<"), std::string::npos);
  EXPECT_NE(svg.find(">10 ms<"), std::string::npos);
  EXPECT_NE(svg.find("a &lt;title&gt;"), std::string::npos);
}

TEST(Chart, WhatWasNotReachedIsMarkedBesideTheCurve) {
  const std::string svg = draw_chart(
      chart_of({{1e-2, 1e-6, "", false}, {1e-4, 1e-5, "", false}, {1e-5, 1e-2, "lost", true}}),
      "c");
  EXPECT_EQ(numbers_after(svg, "points=\"").size(), 4U);
  EXPECT_EQ(std::string::npos, svg.find("class=\"hollow\"", svg.find("class=\"hollow\"") + 1));
}

TEST(Chart, StepsKeepTheirValue) {
  const std::vector<double> at = numbers_after(
      draw_chart(chart_of({{1e-2, 1e-6, "", false}, {1e-4, 1e-3, "", false}}, true), "c"),
      "points=\"");
  ASSERT_EQ(at.size(), 6U);
  EXPECT_EQ(at[2], at[4]);
  EXPECT_EQ(at[3], at[1]);
}

TEST(Chart, NumbersWithoutALogarithmDoNoHarm) {
  for (const double bad : {0.0, -1.0, std::nan(""), HUGE_VAL}) {
    const std::string svg = draw_chart(chart_of({{bad, bad, "", false}}), "c");
    EXPECT_EQ(svg.find("nan"), std::string::npos) << bad;
    EXPECT_EQ(svg.find("inf"), std::string::npos) << bad;
  }
}

SolveRow row(const std::string& solver, double seconds, bool is_converged) {
  SolveRow r;
  r.solver = solver;
  r.status = is_converged ? "converged" : "iteration_limit";
  r.is_converged = is_converged;
  r.seconds = seconds;
  r.figures = {{"error", "natural_error", "", 1e-9}};
  return r;
}

/// Three problems: `a` solves all, `b` two, once four times faster and once twice as slow.
SolverReport three_problems() {
  SolverReport r;
  r.solvers = {"a", "b"};
  r.problems.resize(3);
  for (SolvedProblem& p : r.problems) p.name = "folder/<script>alert(1)</script>.npz";
  r.problems[0].rows = {row("a", 4, true), row("b", 1, true)};
  r.problems[1].rows = {row("a", 1, true), row("b", 2, true)};
  r.problems[2].rows = {row("a", 1, true), row("b", 0.5, false)};
  SolveRow warm = row("b", 0.01, true);
  warm.is_warm = true;
  r.problems[2].rows.push_back(warm);
  return r;
}

TEST(SolverReport, CountsColdSolvesThatConverged) {
  const std::vector<SolverTally> t = tally(three_problems());
  ASSERT_EQ(t.size(), 2U);
  EXPECT_EQ(t[0].solved, 3);
  EXPECT_EQ(t[0].fastest, 2);
  EXPECT_NEAR(t[0].slower, std::cbrt(4), 1e-14);
  EXPECT_EQ(t[1].tried, 3);
  EXPECT_EQ(t[1].solved, 2);
  EXPECT_EQ(t[1].fastest, 1);
  EXPECT_NEAR(t[1].slower, std::sqrt(2), 1e-14);
}

TEST(SolverReport, ProfileRisesByAProblemAtEachRatio) {
  const std::string page = solver_report_page(three_problems());
  const std::string b = page.substr(page.find("<g class=\"curve s1 c1\""));
  const std::vector<double> at = numbers_after(b, "points=\"");
  // (1, 0) up to 1/3 at 1, to 2/3 at ratio 2, on to the end of the axis at 10
  ASSERT_EQ(at.size(), 14U);
  const double left = at[0], bottom = at[1], right = at[12];
  EXPECT_EQ(at[4], left);
  EXPECT_NEAR((at[8] - left) / (right - left), std::log10(2), 2e-3);
  EXPECT_NEAR((bottom - at[9]) / (bottom - at[5]), 2, 5e-3);
  EXPECT_EQ(at[13], at[9]);
}

TEST(SolverReport, PageStandsAloneAndTakesNamesAsText) {
  SolverReport r = three_problems();
  r.solvers.push_back("<img>");
  const std::string page = solver_report_page(r);
  for (const char* text : {"<script", "<img", "http:", "https:", "src=", "url(", "javascript"}) {
    EXPECT_EQ(page.find(text), std::string::npos) << text;
  }
  EXPECT_NE(page.find("&lt;script&gt;alert(1)&lt;/script&gt;.npz"), std::string::npos);
}

}  // namespace
}  // namespace abut
