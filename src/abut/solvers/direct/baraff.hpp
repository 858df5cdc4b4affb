#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "abut/problem/certify_forces.hpp"
#include "abut/problem/force_problem.hpp"
#include "abut/solvers/direct/pivoting.hpp"

namespace abut {

/// How forces were found. Only the certificate decides what is solved.
enum class ForceStatus : std::uint8_t {
  solved,         ///< the certificate's error is at most the tolerance
  unbounded_ray,  ///< no forces were found: with dynamic friction there may be none, and an impulse
                  ///< along the ray is due [BARAFF 6]; without it b is not in the range of A
  gave_up,        ///< pivoting led in circles, in each of the orders tried
  inaccurate      ///< pivoting ended, the certificate does not agree
};

std::string_view to_string(ForceStatus status);

struct ForceReport {
  ForceStatus status = ForceStatus::gave_up;
  ForceCertificate certificate;
  PivotCounts counts;
  int driven = -1;          ///< of a ray, the row that can be driven without end
  std::vector<double> ray;  ///< its direction; empty if there is none
};

/// Contact forces by pivoting [BARAFF]: no friction, static and dynamic friction, bilateral rows,
/// in 2D and 3D. Without friction there always is an answer if b is in the range of A; with static
/// friction none was ever missed, with dynamic friction there may be none. Static friction of a
/// contact in 3D is first driven against its acceleration, so that the answer does not depend on
/// the tangents' axes [BARAFF 5.6]. Buffers are kept.
class BaraffSolver {
 public:
  /// Whatever the status, `force` [N] is the last that was found.
  /// @throws InputError if the problem makes no sense
  ForceReport solve(const ForceProblem& problem, std::vector<double>& force,
                    double tolerance = 1e-9);

 private:
  Pivoting pivoting_;
};

/// How far along a ray an impulse goes: until slip along a dynamic contact that it brakes is zero.
/// `velocity` has the relative velocities of all rows [m/s], before. The impulse is the result
/// [N s] times the ray, and makes no kinetic energy. Infinite if it brakes no slip.
double impulse_along_ray(const ForceProblem& problem, std::span<const double> velocity,
                         std::span<const double> ray);

}  // namespace abut
