#pragma once

#include <span>
#include <vector>

#include "abut/problem/contact_problem.hpp"

namespace abut {

/// u = v* + A^-1 J^T gamma with the previous step's impulses gamma of contacts and scalar
/// constraints, those of the latter within their bounds of this step: where nothing changes, the
/// velocity that solves this step. Of a prepared problem but for its lagged impulses; `generalized`
/// is left with J^T gamma, both in the problem's layout.
void previous_velocity(ContactProblem& problem, std::vector<double>& u,
                       std::vector<double>& generalized);

/// The same for the trees and patches of an island alone, whose part of both vectors is written.
/// `work` is as large as the problem's tree_scratch.
void previous_velocity(const ContactProblem& problem, std::span<const std::int32_t> trees,
                       std::span<const std::int32_t> patches, std::span<double> u,
                       std::span<double> generalized, std::span<double> work);

/// u += A^-1 x of one tree, with the part of both vectors that is its. `work` is as large as the
/// problem's tree_scratch.
void add_inverse(const ContactProblem& problem, int tree, const double* generalized, double* u,
                 std::span<double> work);

}  // namespace abut
