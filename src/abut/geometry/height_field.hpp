#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "abut/core/error.hpp"
#include "abut/linalg/vec3.hpp"

namespace abut {

/// A surface z = h(x, y) over a rectangle, solid below it. Its heights are given at the vertices of
/// a regular grid; each cell is two triangles that meet in the diagonal towards +x and +y.
/// Immutable; shapes share it.
struct HeightField {
  static constexpr int largest_count = 4096;  ///< vertices along an axis

  int columns = 0, rows = 0;       ///< vertices along x and along y
  double half_x = 0;               ///< x runs from -half_x to half_x [m]
  double half_y = 0;               ///< y likewise [m]
  double base = 0;                 ///< the solid ends at z = -base [m]
  double step_x = 0, step_y = 0;   ///< between vertices [m]
  std::vector<double> heights;     ///< z of the vertices, row by row of constant y [m]
  double lowest = 0, highest = 0;  ///< of the heights [m]

  int index(int i, int j) const { return j * columns + i; }
  Vec3 vertex(int i, int j) const {
    return {-half_x + i * step_x, -half_y + j * step_y, heights[index(i, j)]};
  }
  bool has_vertex(int i, int j) const { return i >= 0 && j >= 0 && i < columns && j < rows; }
  bool is_below(const Vec3& x) const { return std::abs(x.x) <= half_x && std::abs(x.y) <= half_y; }

  /// Column of the cell that holds the coordinate, or of the nearest one; row likewise.
  int column_at(double x) const { return cell_at(x, half_x, step_x, columns); }
  int row_at(double y) const { return cell_at(y, half_y, step_y, rows); }

  /// Height over a place, or over the nearest place of the rectangle [m].
  double height_at(double x, double y) const;

  /// Upward unit normal of the triangle below a place.
  Vec3 normal_at(double x, double y) const;

 private:
  static int cell_at(double x, double half, double step, int count) {
    const double cell = std::floor((x + half) / step);
    return cell > 0 ? static_cast<int>(minimum(cell, count - 2)) : 0;
  }
};

/// One of the two triangles of a cell, counterclockwise seen from above.
struct TerrainTriangle {
  Vec3 corner[3];
  Vec3 normal;  ///< unit, upward

  /// The lower right one of the cell with its least vertex at (i, j), or the upper left one.
  TerrainTriangle(const HeightField& field, int i, int j, bool upper_left);

  double height_of(const Vec3& x) const { return dot(normal, x - corner[0]); }
  /// Whether it lies below or above x, by up to `slack` of its size beside it.
  bool is_under(const Vec3& x, double slack) const;
};

/// An edge of the surface, with what is on its two sides.
struct TerrainEdge {
  enum Kind { along_x, along_y, diagonal };

  int from = 0, to = 0;  ///< vertices
  Vec3 begin, end;       ///< [m]
  int sides = 0;         ///< triangles: 1 at the border
  Vec3 normal[2];        ///< of these, upward
  Vec3 inward[2];        ///< unit, in the triangle, away from the edge
  double bend = 0;       ///< angle between the normals, positive for a ridge; 0 at the border

  /// From the vertex (i, j) to the next one.
  TerrainEdge(const HeightField& field, int i, int j, Kind kind);
  static bool exists(const HeightField& field, int i, int j, Kind kind) {
    return field.has_vertex(i + (kind != along_y), j + (kind != along_x));
  }
};

/// A range of cells, both ends included.
struct CellRange {
  int first_column = 0, last_column = 0, first_row = 0, last_row = 0;

  /// Those below a rectangle, or the nearest to it.
  CellRange(const HeightField& field, double lower_x, double upper_x, double lower_y,
            double upper_y)
      : first_column(field.column_at(lower_x)),
        last_column(field.column_at(upper_x)),
        first_row(field.row_at(lower_y)),
        last_row(field.row_at(upper_y)) {}
};

/// A field of columns times rows `heights` [m], row by row from the least y on. Throws InputError
/// unless there are 2 to 4096 of each, lengths are positive and finite, and all heights are finite
/// and above the base.
std::shared_ptr<const HeightField> make_height_field(int columns, int rows, double half_x,
                                                     double half_y, double base,
                                                     std::vector<double> heights,
                                                     const Origin& at = {});

}  // namespace abut
