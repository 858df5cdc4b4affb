#pragma once

#include <span>

#include "abut/problem/force_problem.hpp"

namespace abut {

/// How far forces are from satisfying the conditions of a ForceProblem, recomputed from it in
/// extended precision by code that no solver uses. Each figure is the worst row's or contact's.
struct ForceCertificate {
  double pull = 0;             ///< of normal forces: -f_N [N]
  double approach = 0;         ///< of normal accelerations: -a_N [m/s^2]
  double complementarity = 0;  ///< |f_N a_N|; |a| times how far f is from its bound [N m/s^2]
  double excess = 0;           ///< static friction: |f_F| - mu f_N; f beyond its bounds [N]
  double drive = 0;            ///< a_F . f_F, where static friction speeds slip up [N m/s^2]
  double slack = 0;            ///< |a_F| (mu f_N - |f_F|): slips below its limit [N m/s^2]
  double misdirection = 0;     ///< dynamic friction: |f_F + mu f_N v_F / |v_F|| [N]
  double bilateral = 0;        ///< |a| of bilateral rows, where no bound of f lets it be [m/s^2]

  /// The largest of all [-]: accelerations over max |b|, forces over max |f|, products over both;
  /// infinite if a number is NaN.
  double error = 0;
};

/// @throws InputError if there are not as many forces as rows
ForceCertificate certify(const ForceProblem& problem, std::span<const double> force);

}  // namespace abut
