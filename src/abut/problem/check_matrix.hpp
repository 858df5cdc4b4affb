#pragma once

#include <cstddef>

#include "abut/core/error.hpp"
#include "abut/problem/contact_problem.hpp"

namespace abut {

/// A part of validate(): throws InputError unless A of a dense or sparse tree is symmetric and
/// positive definite and an inverse factor that the tree brings is that of it. `brought` is where
/// the factors of the trees before end, and advances by this one's.
void check_matrix(const ContactProblem& problem, int tree, std::size_t& brought, const Origin& at);

}  // namespace abut
