#pragma once

#include "abut/linalg/block_symbolic.hpp"

namespace abut {

class ThreadPool;

/// Factors as BlockCholesky::factor() does, to the same bits, by all threads of a pool, by the plan
/// in `symbolic`, which must pay. Each takes subtrees; then all share the fronts above, the updates
/// by columns and the elimination by rows.
bool factor_shared(const BlockSymbolic& symbolic, double* values, double* inverse,
                   ThreadPool& pool);

}  // namespace abut
