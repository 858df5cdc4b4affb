#include "abut/geometry/height_field.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace abut {
namespace {

Vec3 upward_normal(const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 n = cross(b - a, c - a);
  const Vec3 up = n.z < 0 ? -n : n;
  return up / norm(up);
}

/// The part of x at right angles to the unit vector d, as a unit vector.
Vec3 across(const Vec3& x, const Vec3& d) {
  const Vec3 y = x - dot(x, d) * d;
  return y / norm(y);
}

/// Where a place is in its cell: from 0 to 1 along x and y.
struct CellPlace {
  int i, j;
  double u, v;
  CellPlace(const HeightField& f, double x, double y)
      : i(f.column_at(x)),
        j(f.row_at(y)),
        u(std::clamp((x + f.half_x) / f.step_x - i, 0.0, 1.0)),
        v(std::clamp((y + f.half_y) / f.step_y - j, 0.0, 1.0)) {}
};

}  // namespace

double HeightField::height_at(double x, double y) const {
  const CellPlace p(*this, x, y);
  const double h00 = heights[index(p.i, p.j)], h11 = heights[index(p.i + 1, p.j + 1)];
  if (p.u >= p.v) {
    const double h10 = heights[index(p.i + 1, p.j)];
    return h00 + p.u * (h10 - h00) + p.v * (h11 - h10);
  }
  const double h01 = heights[index(p.i, p.j + 1)];
  return h00 + p.v * (h01 - h00) + p.u * (h11 - h01);
}

Vec3 HeightField::normal_at(double x, double y) const {
  const CellPlace p(*this, x, y);
  return TerrainTriangle(*this, p.i, p.j, p.u < p.v).normal;
}

TerrainTriangle::TerrainTriangle(const HeightField& f, int i, int j, bool upper_left) {
  corner[0] = f.vertex(i, j);
  corner[1] = upper_left ? f.vertex(i + 1, j + 1) : f.vertex(i + 1, j);
  corner[2] = upper_left ? f.vertex(i, j + 1) : f.vertex(i + 1, j + 1);
  normal = upward_normal(corner[0], corner[1], corner[2]);
}

bool TerrainTriangle::is_under(const Vec3& x, double slack) const {
  double area[3];
  for (int k = 0; k < 3; ++k) {
    const Vec3 &p = corner[k], &q = corner[(k + 1) % 3];
    area[k] = (q.x - p.x) * (x.y - p.y) - (q.y - p.y) * (x.x - p.x);
  }
  const double least = -slack * (area[0] + area[1] + area[2]);
  return area[0] >= least && area[1] >= least && area[2] >= least;
}

TerrainEdge::TerrainEdge(const HeightField& f, int i, int j, Kind kind) {
  struct Step {
    int i, j;
  };
  constexpr Step end_of[] = {{1, 0}, {0, 1}, {1, 1}};
  constexpr Step beside[][2] = {{{0, -1}, {1, 1}}, {{-1, 0}, {1, 1}}, {{1, 0}, {0, 1}}};
  const Step last = end_of[kind];
  from = f.index(i, j), to = f.index(i + last.i, j + last.j);
  begin = f.vertex(i, j), end = f.vertex(i + last.i, j + last.j);
  const Vec3 direction = (end - begin) / norm(end - begin);
  for (const Step& step : beside[kind]) {
    if (!f.has_vertex(i + step.i, j + step.j)) continue;
    const Vec3 apex = f.vertex(i + step.i, j + step.j);
    normal[sides] = upward_normal(begin, end, apex);
    inward[sides] = across(apex - begin, direction);
    ++sides;
  }
  if (sides == 2) {
    const double sine = norm(cross(normal[0], normal[1]));
    bend = std::copysign(std::atan2(sine, dot(normal[0], normal[1])), -dot(normal[0], inward[1]));
  }
}

std::shared_ptr<const HeightField> make_height_field(int columns, int rows, double half_x,
                                                     double half_y, double base,
                                                     std::vector<double> heights,
                                                     const Origin& at) {
  for (const auto& [count, name] : {std::pair{columns, "columns"}, {rows, "rows"}}) {
    require(count >= 2 && count <= HeightField::largest_count, name, count, "",
            "must be from 2 to 4096", at);
  }
  const auto count = static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows);
  require(heights.size() == count, "heights", static_cast<double>(heights.size()), "values",
          "must be columns times rows", at);
  for (const auto& [length, name] :
       {std::pair{half_x, "half_x"}, {half_y, "half_y"}, {base, "base"}}) {
    require(length > 0 && std::isfinite(length), name, length, "m", "must be positive and finite",
            at);
  }
  for (std::size_t k = 0; k < count; ++k) {
    require(heights[k] > -base && std::isfinite(heights[k]), "height " + std::to_string(k),
            heights[k], "m", "must be finite and above the base", at);
  }
  const auto [low, high] = std::minmax_element(heights.begin(), heights.end());
  HeightField field;
  field.columns = columns, field.rows = rows;
  field.half_x = half_x, field.half_y = half_y, field.base = base;
  field.step_x = 2 * half_x / (columns - 1), field.step_y = 2 * half_y / (rows - 1);
  field.lowest = *low, field.highest = *high;
  field.heights = std::move(heights);
  return std::make_shared<const HeightField>(std::move(field));
}

}  // namespace abut
