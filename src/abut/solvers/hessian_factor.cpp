#include "abut/solvers/hessian_factor.hpp"

#include <algorithm>
#include <string>

#include "abut/core/error.hpp"
#include "abut/linalg/block_cholesky.hpp"
#include "abut/solvers/primal/friction_lag.hpp"
#include "abut/solvers/primal/island_system.hpp"

namespace abut {

struct HessianFactor::Part {
  IslandSystem system;
  FrictionLag lag;
  BlockSymbolic symbolic;
  BlockCholesky cholesky;
  AlignedBuffer<double> vector;
};

namespace {

/// What acts is to lie within an island: otherwise the partition is another problem's.
void require_islands_of(const ContactProblem& p, const Islands& islands) {
  const std::span<const std::int32_t> island_of = islands.island_of_tree();
  for (int i = 0; i < islands.size(); ++i) {
    for (const std::int32_t k : islands.patches_of(i)) {
      const bool is_here = k >= 0 && k < std::ssize(p.patches) &&
                           island_of[p.patches[k].tree_b] == i &&
                           (!p.patches[k].joins_trees() || island_of[p.patches[k].tree_a] == i);
      if (!is_here) fail_input("x is not a solution of this problem: its patches differ");
    }
  }
  for (int i = 0; i < p.scalars.size(); ++i) {
    const std::int32_t island = island_of[p.scalars.first_tree(i)];
    for (const RowEntry& e : p.scalars.row(i)) {
      if (island < 0 || island_of[e.tree] != island) {
        fail_input("x is not a solution of this problem: its constraints differ");
      }
    }
  }
}

}  // namespace

HessianFactor::HessianFactor() = default;
HessianFactor::~HessianFactor() = default;

bool HessianFactor::compute(const PreparedProblem& prepared, const ContactSolution& x) {
  using F = ContactField;
  const ContactProblem& p = prepared.problem();
  if (!prepared.is_prepared()) fail_input("the problem is not prepared");
  const std::span<const std::int32_t> island_of_tree = x.partition.island_of_tree();
  if (x.velocity.size() != p.velocity.size() || x.impulse.size() != p.contacts.gap.size() ||
      island_of_tree.size() != p.trees.size() ||
      x.partition.dormant.size() != p.contacts.gap.size() ||
      x.scalar_impulse.size() != p.scalars.kind.size() ||
      (traits(p.model).lags_friction && x.lagged_impulse.size() != p.contacts.gap.size())) {
    fail_input("x is not a solution of this problem: it has " + std::to_string(x.velocity.size()) +
               " velocities, " + std::to_string(x.impulse.size()) + " contacts, " +
               std::to_string(island_of_tree.size()) + " trees");
  }
  require_islands_of(p, x.partition);
  problem_ = &prepared;
  free_.clear();
  for (int t = 0; t < std::ssize(p.trees); ++t) {
    if (island_of_tree[t] < 0) free_.push_back(t);
  }
  count_ = x.partition.size();
  while (parts_.size() < count_) parts_.push_back(std::make_unique<Part>());
  SymbolicAnalysis analysis;
  bool is_positive = true;
  for (std::size_t k = 0; k < count_; ++k) {
    Part& part = *parts_[k];
    IslandSystem& system = part.system;
    system.build(prepared, x.partition, static_cast<int>(k));
    if (traits(p.model).lags_friction) {
      part.lag.start(prepared, system.contact_indices(), x.lagged_impulse, system.contacts());
    }
    part.vector.resize(system.vector_size());
    system.gather(x.velocity, part.vector.data());
    system.velocities(part.vector.data(), F::velocity_x, true);
    system.scalars().velocities(part.vector.data(), false);
    contact_kernels().model(p.model, system.laws()).hessian(system.contacts(), {});
    analysis.analyze(system.pattern(), part.symbolic);
    system.place_blocks(part.symbolic);
    part.cholesky.reset(part.symbolic);
    system.assemble(part.cholesky);
    is_positive = part.cholesky.factor() && is_positive;
  }
  return is_positive;
}

void HessianFactor::solve(std::span<double> u) {
  if (problem_ == nullptr || u.size() != problem_->problem().velocity.size()) {
    fail_input("HessianFactor::solve: u has " + std::to_string(u.size()) +
               " numbers, must have as many as the problem has dofs");
  }
  const ContactProblem& p = problem_->problem();
  for (std::size_t k = 0; k < count_; ++k) {
    Part& part = *parts_[k];
    part.system.gather(u, part.vector.data());
    part.cholesky.solve(part.vector.span());
    part.system.scatter(part.vector.data(), u);
  }
  change_.assign(u.size(), 0);
  work_.resize(problem_->masses().work_size());
  for (const std::int32_t t : free_) {
    const Tree& tree = p.trees[t];
    problem_->masses().add(p, t, u.data(), change_.data(), work_);
    std::copy_n(change_.data() + tree.first_dof, tree.size, u.data() + tree.first_dof);
  }
}

}  // namespace abut
