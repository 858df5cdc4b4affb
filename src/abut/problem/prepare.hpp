#pragma once

// The parts of prepare(), for one island at a time.

#include <span>

#include "abut/problem/contact_problem.hpp"

namespace abut {

/// A^-1 of every tree.
void invert_masses(ContactProblem& problem);

/// w_i, R_n and R_t of the contacts of one island (docs/notation.md):
///
///     R_n = max( beta^2/(4 pi^2) min(w, 1/m_max), 1/(h (h + tau_d) k) ) / weight
///     R_t = sigma w / weight
///
/// with m_max the heaviest body of the island, so that a light body under a heavy one is near-rigid
/// for the load it carries.
void regularize(ContactProblem& problem, std::span<const std::int32_t> trees,
                std::span<const std::int32_t> patches);

/// gamma_n0 by the problem's LaggedRule. `u` is scratch for a velocity of the whole problem, of
/// which only the island's trees are touched.
void predict_impulses(ContactProblem& problem, std::span<const std::int32_t> trees,
                      std::span<const std::int32_t> patches, std::span<double> u);

/// eps = max(v_s, sigma w mu gamma_n0) [ICFT 44].
void soften(ContactProblem& problem, std::span<const std::int32_t> patches);

}  // namespace abut
