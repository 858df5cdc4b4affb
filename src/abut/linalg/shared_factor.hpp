#pragma once

#include "abut/linalg/block_symbolic.hpp"

namespace abut {

class Team;

// What BlockCholesky does with a factor, to the same bits, by all members of a team, by the plan in
// `symbolic`, which must pay. Each has subtrees, the same ones as long as they are as many, so that
// its cache keeps them; all share the fronts above.

/// Makes the values zero.
void clear_shared(const BlockSymbolic& symbolic, double* values, Team& team);

/// Factors, the shared fronts' updates by columns and their elimination by rows. False as
/// BlockCholesky::factor() says. Unless x is null, it becomes A^-1 x.
bool factor_shared(const BlockSymbolic& symbolic, double* values, double* inverse, double* x,
                   Team& team);

/// x := A^-1 x.
void solve_shared(const BlockSymbolic& symbolic, const double* values, const double* inverse,
                  double* x, Team& team);

}  // namespace abut
