#pragma once

#include <compare>
#include <vector>

#include "abut/core/error.hpp"

namespace abut {

/// The force of a contact point at rest over its penetration, by points that straight lines join:
/// zero at zero, never falling, and beyond the last point as between the last two.
struct ForceTable {
  std::vector<double> depth;  ///< x_0 = 0 < x_1 < ... < x_m [m]
  std::vector<double> force;  ///< f_0 = 0 <= f_1 <= ... < f_m [N]; the last line rises

  /// @throws InputError unless that holds
  void validate(const Origin& at = {}) const;

  double force_at(double x) const;   ///< 0 for x <= 0
  double slope_at(double x) const;   ///< of the line that ends at x or contains it, x > 0 [N/m]
  double energy_at(double x) const;  ///< integral of the force from 0 to x [J]
  double depth_at(double f) const;   ///< the least at which it bears f >= 0 [m]
  double mean_slope() const { return force.back() / depth.back(); }  ///< to the last point [N/m]

  /// The line on which x lies, by the number of its first point.
  int line_of(double x) const;
  /// Rise of that line [N/m].
  double slope_of(int line) const;

  friend auto operator<=>(const ForceTable&, const ForceTable&) = default;
};

/// f = x: 1 N/m.
const ForceTable& unit_line();

/// Of two surfaces pressed on each other, each with its table: at every force their depths add up.
ForceTable in_series(const ForceTable& a, const ForceTable& b);

}  // namespace abut
