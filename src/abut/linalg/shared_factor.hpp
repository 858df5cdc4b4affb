#pragma once

#include <span>

#include "abut/linalg/kernels.hpp"

namespace abut {

class Team;

/// What BlockCholesky does with a factor, to the same bits, by all members of a team, by the plan
/// in `symbolic`, which must pay. Each has subtrees, the same ones as long as they are as many, so
/// that its cache keeps them; all share the fronts above.
class SharedFactor {
 public:
  SharedFactor(const BlockSymbolic& symbolic, double* values, double* inverse,
               const ApartSums& apart, Team& team)
      : s_(symbolic),
        view_(view(symbolic)),
        values_(values),
        inverse_(inverse),
        apart_(apart),
        team_(team) {}

  /// Makes the values zero.
  void clear();

  /// Factors; false as BlockCholesky::factor() says. Unless x is null, it becomes A^-1 x. Unless
  /// the factor is kept, it is used up: the values become zero.
  bool factor(double* x, bool is_kept);

  /// x := A^-1 x.
  void solve(double* x);

 private:
  class Elimination;
  void clear_shared(int member, int members);
  void clear_apart();
  void factor_shared_by_two(Elimination& elimination, int member, int members);
  void factor_shared_by_more(Elimination& elimination, int member, int members);
  void solve_subtrees(double* x, int member, int members);
  void solve_above(double* x, int members);
  void solve_backward(double* x, int member, int members);
  template <class F>
  void for_each_subtree(int member, int members, const F& f) const;
  std::span<const SharingPlan::Chunk> chunks_of(const SharingPlan& plan,
                                                const SharingPlan::SharedFront& shared) const {
    return std::span(plan.chunks)
        .subspan(shared.chunk_begin, shared.chunk_end - shared.chunk_begin);
  }

  const BlockSymbolic& s_;
  BlockFactorView view_;
  double *values_, *inverse_;
  ApartSums apart_;
  Team& team_;
};

}  // namespace abut
