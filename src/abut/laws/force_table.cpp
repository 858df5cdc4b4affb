#include "abut/laws/force_table.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace abut {

void ForceTable::validate(const Origin& at) const {
  const std::size_t n = depth.size();
  if (n != force.size() || n < 2) {
    fail_input("force_table has " + std::to_string(n) + " depths and " +
                   std::to_string(force.size()) + " forces, must have as many of each, and two",
               at);
  }
  require(depth[0] == 0, "force_table: its first depth", depth[0], "m", "must be 0", at);
  require(force[0] == 0, "force_table: its first force", force[0], "N", "must be 0", at);
  constexpr double largest = 1e100;
  for (std::size_t i = 1; i < n; ++i) {
    require(depth[i] > depth[i - 1] && depth[i] <= largest, "force_table: depth", depth[i], "m",
            "must be more than the one before and at most 1e100", at);
    require(force[i] >= force[i - 1] && force[i] <= largest, "force_table: force", force[i], "N",
            "must not be less than the one before, and at most 1e100", at);
    const double slope = slope_of(static_cast<int>(i) - 1);
    require(slope <= largest, "force_table: the slope of a line", slope, "N/m",
            "must be at most 1e100", at);
  }
  require(slope_of(static_cast<int>(n) - 2) > 0, "force_table: the slope of its last line", 0,
          "N/m", "must be positive: what is heavier would fall through", at);
}

double ForceTable::slope_of(int line) const {
  return (force[line + 1] - force[line]) / (depth[line + 1] - depth[line]);
}

int ForceTable::line_of(double x) const {
  const int last = static_cast<int>(depth.size()) - 2;
  int line = 0;
  while (line < last && x > depth[line + 1]) ++line;
  return line;
}

double ForceTable::force_at(double x) const {
  if (!(x > 0)) return 0;
  const int line = line_of(x);
  return force[line] + slope_of(line) * (x - depth[line]);
}

double ForceTable::slope_at(double x) const {
  return slope_of(line_of(x));
}

double ForceTable::energy_at(double x) const {
  if (!(x > 0)) return 0;
  const int line = line_of(x);
  double energy = 0;
  for (int i = 0; i < line; ++i) {
    energy += 0.5 * (force[i] + force[i + 1]) * (depth[i + 1] - depth[i]);
  }
  const double over = x - depth[line];
  return energy + over * (force[line] + 0.5 * slope_of(line) * over);
}

double ForceTable::depth_at(double f) const {
  if (!(f > 0)) return 0;
  const int last = static_cast<int>(depth.size()) - 2;
  int line = 0;
  while (line < last && f > force[line + 1]) ++line;
  return depth[line] + (f - force[line]) / slope_of(line);
}

const ForceTable& unit_line() {
  static const ForceTable line{{0, 1}, {0, 1}};
  return line;
}

ForceTable in_series(const ForceTable& a, const ForceTable& b) {
  // the forces at which either bends; twice where one gives way without more force
  std::vector<double> forces;
  std::merge(a.force.begin() + 1, a.force.end(), b.force.begin() + 1, b.force.end(),
             std::back_inserter(forces));
  forces.erase(std::unique(forces.begin(), forces.end()), forces.end());
  const auto end_of = [](const ForceTable& t, double f) {  // the largest depth that bears f only
    const auto after = std::upper_bound(t.force.begin(), t.force.end(), f) - t.force.begin();
    const bool bends = t.force[after - 1] == f;
    return bends ? t.depth[after - 1] : t.depth_at(f);
  };
  ForceTable sum{{0}, {0}};
  const auto add = [&sum](double x, double f) {
    if (!(x > sum.depth.back())) return;
    sum.depth.push_back(x), sum.force.push_back(f);
  };
  add(end_of(a, 0) + end_of(b, 0), 0);
  for (const double f : forces) {
    if (f == 0) continue;
    add(a.depth_at(f) + b.depth_at(f), f);
    add(end_of(a, f) + end_of(b, f), f);
  }
  return sum;
}

}  // namespace abut
