#pragma once

#include "abut/linalg/block_symbolic.hpp"

namespace abut {

class Team;

/// Factors as BlockCholesky::factor() does, to the same bits, by all members of a team, by the plan
/// in `symbolic`, which must pay. Each takes subtrees; then all share the fronts above, the updates
/// by columns and the elimination by rows.
bool factor_shared(const BlockSymbolic& symbolic, double* values, double* inverse, Team& team);

}  // namespace abut
