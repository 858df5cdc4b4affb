#pragma once

#include <array>
#include <limits>
#include <vector>

namespace abut {

/// One contact point of a ForceProblem.
struct ForceContact {
  int normal = 0;                       ///< its row of A
  std::array<int, 2> tangents{-1, -1};  ///< rows along the surface: none, one (2D), or two (3D)
  double friction = 0;                  ///< mu [-]
  std::array<double, 2> slip{0, 0};     ///< v_F [m/s]; not zero: dynamic friction

  int tangent_count() const { return tangents[0] < 0 ? 0 : tangents[1] < 0 ? 1 : 2; }
  bool slips() const { return slip[0] != 0 || slip[1] != 0; }
};

/// A row that takes forces of either sign, as of a joint, or of one that has bounds, as of a servo.
struct BilateralRow {
  int row = 0;
  double lower = -std::numeric_limits<double>::infinity();  ///< of f [N or N m]
  double upper = std::numeric_limits<double>::infinity();
};

/// Forces of bodies in contact at one instant: relative accelerations a = A f + b [BARAFF 18] with
/// A = J M^-1 J^T, symmetric and positive semidefinite; its rank may be far below its size. Sought
/// is f that satisfies
///
///     f_N >= 0, a_N >= 0, f_N a_N = 0                                           [BARAFF 15]
///     |f_F| <= mu f_N, a_F f_F <= 0, a_F (mu f_N - |f_F|) = 0   at rest         [BARAFF 16, 21]
///     f_F = -mu f_N v_F / |v_F|                                 where it slips  [BARAFF 24]
///     a = 0 of bilateral rows; >= 0 where f is at its lower bound, <= 0 at its upper one
///
/// a_N > 0 separates; relative normal velocities are zero. Each row is of one contact or bilateral.
/// Static friction in 3D is not Coulomb's law to the letter: [BARAFF 21] leaves the direction of a
/// contact that begins to slip open within a half-plane.
struct ForceProblem {
  std::vector<double> matrix;  ///< A by rows [1/kg, 1/(kg m^2)]
  std::vector<double> bias;    ///< b [m/s^2, rad/s^2]: accelerations without these forces
  std::vector<ForceContact> contacts;
  std::vector<BilateralRow> bilaterals;

  int rows() const { return static_cast<int>(bias.size()); }
  double entry(int row, int column) const {
    return matrix[static_cast<std::size_t>(row) * bias.size() + static_cast<std::size_t>(column)];
  }
};

/// Throws InputError at the first number or row that makes no sense.
void validate(const ForceProblem& problem);

}  // namespace abut
