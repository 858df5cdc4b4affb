#include "abut/solvers/hessian_factor.hpp"

#include <algorithm>
#include <string>

#include "abut/core/error.hpp"
#include "abut/linalg/block_cholesky.hpp"
#include "abut/linalg/lanczos.hpp"
#include "abut/solvers/primal/friction_lag.hpp"
#include "abut/solvers/primal/island_system.hpp"

namespace abut {

struct HessianFactor::Part {
  IslandSystem system;
  FrictionLag lag;
  BlockSymbolic symbolic;
  BlockCholesky cholesky;
  AlignedBuffer<double> matrix;  ///< the slots of `cholesky` before they were factored
  AlignedBuffer<double> vector, product;
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

/// y += H x, vectors in BlockSymbolic's layout, of a matrix in its slots.
void multiply_blocks(const BlockPattern& pattern, const BlockSymbolic& symbolic,
                     const double* values, const double* x, double* y) {
  const std::vector<std::int32_t>& at = symbolic.vector_offset;
  for (int n = 0; n < pattern.nodes(); ++n) {
    const BlockSlot& s = symbolic.diagonal[n];
    for (int c = 0; c < pattern.sizes[n]; ++c) {
      for (int r = c; r < pattern.sizes[n]; ++r) {
        const double h = values[s.offset + r + std::int64_t{c} * s.leading];
        y[at[n] + r] += h * x[at[n] + c];
        if (r > c) y[at[n] + c] += h * x[at[n] + r];
      }
    }
  }
  for (std::size_t e = 0; e < pattern.edges.size(); ++e) {
    const BlockSlot& s = symbolic.off_diagonal[e];
    const int row = s.transposed ? pattern.edges[e].b : pattern.edges[e].a,
              column = s.transposed ? pattern.edges[e].a : pattern.edges[e].b;
    for (int c = 0; c < pattern.sizes[column]; ++c) {
      for (int r = 0; r < pattern.sizes[row]; ++r) {
        const double h = values[s.offset + r + std::int64_t{c} * s.leading];
        y[at[row] + r] += h * x[at[column] + c];
        y[at[column] + c] += h * x[at[row] + r];
      }
    }
  }
}

/// u += A x of one tree, with the part of both vectors that is its.
void add_momentum(const ContactProblem& p, const Tree& tree, const double* x, double* u) {
  x += tree.first_dof;
  u += tree.first_dof;
  const auto add = [&](int row, int column, double a) { u[row] += a * x[column]; };
  if (tree.kind == TreeKind::rigid_body) {
    for (int r = 0; r < 3; ++r) {
      add(r, r, tree.mass);
      for (int c = 0; c < 3; ++c) add(3 + r, 3 + c, tree.inertia(r, c));
    }
  } else if (tree.kind == TreeKind::dense) {
    const double* a = p.matrices.data() + tree.first_element;
    for (int r = 0; r < tree.size; ++r) {
      for (int c = 0; c < tree.size; ++c) add(r, c, a[r * tree.size + c]);
    }
  } else {
    p.sparse_matrices.for_each_block(tree, [&](int row, int column, const double* a) {
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
          add(3 * row + r, 3 * column + c, a[3 * r + c]);
          if (row != column) add(3 * column + c, 3 * row + r, a[3 * r + c]);
        }
      }
    });
  }
}

void copy_tree(const Tree& tree, std::span<const double> from, std::span<double> to) {
  std::ranges::copy(from.subspan(tree.first_dof, tree.size), to.begin() + tree.first_dof);
}

}  // namespace

HessianFactor::HessianFactor() = default;
HessianFactor::~HessianFactor() = default;

bool HessianFactor::compute(const PreparedProblem& prepared, const ContactSolution& x) {
  using F = ContactField;
  const ContactProblem& p = prepared.problem();
  if (!prepared.is_prepared()) fail_input("the problem is not prepared");
  if (traits(p.model).is_rigid) {
    fail_input("the model " + std::string(to_string(p.model)) +
               " is rigid: its problem is not the minimization of a function with a Hessian");
  }
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
    part.matrix.resize(part.symbolic.value_count);
    std::copy_n(part.cholesky.values(), part.symbolic.value_count, part.matrix.data());
    is_positive = part.cholesky.factor() && is_positive;
  }
  return is_positive;
}

void HessianFactor::require_size(std::span<const double> u, const char* function) const {
  if (problem_ == nullptr || u.size() != problem_->problem().velocity.size()) {
    fail_input(std::string("HessianFactor::") + function + ": u has " + std::to_string(u.size()) +
               " numbers, must have as many as the problem has dofs");
  }
}

void HessianFactor::solve(std::span<double> u) {
  require_size(u, "solve");
  for (std::size_t k = 0; k < count_; ++k) {
    Part& part = *parts_[k];
    part.system.gather(u, part.vector.data());
    part.cholesky.solve(part.vector.span());
    part.system.scatter(part.vector.data(), u);
  }
  const ContactProblem& p = problem_->problem();
  change_.assign(u.size(), 0);
  work_.resize(problem_->masses().work_size());
  for (const std::int32_t t : free_) {
    problem_->masses().add(p, t, u.data(), change_.data(), work_);
    copy_tree(p.trees[t], change_, u);
  }
}

void HessianFactor::multiply(std::span<double> u) {
  require_size(u, "multiply");
  for (std::size_t k = 0; k < count_; ++k) {
    Part& part = *parts_[k];
    part.system.gather(u, part.vector.data());
    part.product.resize(part.vector.size());
    part.product.fill_zero();
    multiply_blocks(part.system.pattern(), part.symbolic, part.matrix.data(), part.vector.data(),
                    part.product.data());
    part.system.scatter(part.product.data(), u);
  }
  const ContactProblem& p = problem_->problem();
  change_.assign(u.size(), 0);
  for (const std::int32_t t : free_) {
    add_momentum(p, p.trees[t], u.data(), change_.data());
    copy_tree(p.trees[t], change_, u);
  }
}

double HessianFactor::condition() {
  if (problem_ == nullptr) fail_input("HessianFactor::condition: compute() comes first");
  const int n = problem_->problem().dofs();
  if (n == 0) return 1;
  return largest_eigenvalue(n, [this](std::span<double> u) { multiply(u); }) *
         largest_eigenvalue(n, [this](std::span<double> u) { solve(u); });
}

}  // namespace abut
