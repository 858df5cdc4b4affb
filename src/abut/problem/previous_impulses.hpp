#pragma once

#include <span>
#include <vector>

#include "abut/problem/prepared_problem.hpp"

namespace abut {

/// u = v* + A^-1 J^T gamma with the previous step's impulses gamma of contacts and scalar
/// constraints, those of the latter within their bounds of this step: where nothing changes, the
/// velocity that solves this step. Of a weighed problem; `generalized` is left with J^T gamma, both
/// in the problem's layout, and `work` has its masses' work_size().
void previous_velocity(const PreparedProblem& problem, std::span<double> u,
                       std::span<double> generalized, std::span<double> work);

/// The same for the trees and patches of an island alone, whose part of both vectors is written.
void previous_velocity(const PreparedProblem& problem, std::span<const std::int32_t> trees,
                       std::span<const std::int32_t> patches, std::span<double> u,
                       std::span<double> generalized, std::span<double> work);

}  // namespace abut
