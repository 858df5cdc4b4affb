#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "abut/problem/prepared_problem.hpp"

namespace abut {

/// The tangential force T [N] on B that the spring of each contact of an anchored model holds after
/// a step with velocities v and gamma_n0 = lagged_impulse, in the step's contact frame:
///
///     T = T0 - h k_t v_t        where the contact sticks, at most F/h long
///     T = gamma_t / h           where it slides, F/h long
///
/// Returned as it is for the next step once the bodies have moved: turned by their mean spin about
/// the normal, as what they hold turns with them. `slid`: whether it is at the limit.
void hold_anchors(const PreparedProblem& problem, std::span<const double> velocity,
                  std::span<const Vec3> impulse, std::span<const double> lagged_impulse,
                  std::vector<Vec3>& anchor, std::vector<std::uint8_t>& slid);

}  // namespace abut
