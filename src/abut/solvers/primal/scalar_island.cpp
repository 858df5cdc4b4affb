#include "abut/solvers/primal/scalar_island.hpp"

#include <algorithm>
#include <cmath>

#include "abut/core/grow.hpp"
#include "abut/linalg/block_symbolic.hpp"
#include "abut/linalg/dense_spd.hpp"
#include "abut/linalg/kernels.hpp"

namespace abut {
namespace {

constexpr int most_rows = 64, most_dofs = 256;

std::size_t padded(std::size_t n) {
  return static_cast<std::size_t>(round_up_8(static_cast<std::int32_t>(n)));
}

/// Of a dense system and its inverse factor.
std::size_t square(std::size_t n) {
  return n * padded(n);
}

/// |D p|^2 of two momenta p of a tree, D = diag(A)^(-1/2).
struct ScaledSquares {
  double mismatch = 0, impulse = 0;
};
ScaledSquares scaled_squares(const ContactProblem& p, const Tree& t, const double* mismatch,
                             const double* impulse) {
  ScaledSquares sum;
  for (int k = 0; k < t.size; ++k) {
    double diagonal = t.mass;
    if (t.kind == TreeKind::dense) {
      diagonal = p.matrices[t.first_element + k * (std::int64_t{t.size} + 1)];
    } else if (k >= 3) {
      diagonal = t.inertia(k - 3, k - 3);
    }
    const double inverse = 1 / diagonal;
    sum.mismatch += mismatch[k] * mismatch[k] * inverse;
    sum.impulse += impulse[k] * impulse[k] * inverse;
  }
  return sum;
}

}  // namespace

bool ScalarIsland::suits(const PreparedProblem& prepared, const Islands& islands, int island) {
  if (!islands.patches_of(island).empty()) return false;
  const ContactProblem& p = prepared.problem();
  int rows = 0, dofs = 0;
  for (const std::int32_t t : islands.trees_of(island)) {
    if (p.trees[t].kind == TreeKind::sparse) return false;
    rows += static_cast<int>(prepared.scalars().of_tree(t).size());
    dofs += round_up_8(p.trees[t].size);
  }
  return rows <= most_rows && dofs <= most_dofs;
}

void ScalarIsland::make_room(const ContactProblem& p) {
  const std::size_t rows = std::min<std::size_t>(p.scalars.kind.capacity(), most_rows);
  const std::size_t dofs = std::min<std::size_t>(p.velocity.size() + 8 * p.trees.size(), most_dofs);
  abut::make_room(parts_, std::min<std::size_t>(p.trees.size(), most_dofs));
  abut::make_room(offset_, p.trees.size());
  abut::make_room(rows_, rows);
  abut::make_room(acting_, rows);
  abut::make_room(pushing_, rows);
  scaled_.reserve(rows * dofs);
  for (auto* b : {&coupling_, &matrix_, &factor_}) b->reserve(square(rows));
  for (auto* b : {&right_, &answer_, &push_, &row_velocity_}) b->reserve(padded(rows));
  for (auto* b : {&velocity_, &impulse_, &mismatch_}) b->reserve(dofs);
  work_.reserve(std::max(3 * dofs, padded(rows)));
}

bool ScalarIsland::solve(const PreparedProblem& prepared, int island, double tolerance,
                         ContactSolution& x, IslandReport& report) {
  gather(prepared, x.partition.trees_of(island));
  const ContactProblem& p = prepared.problem();
  for (const auto [tree, offset] : parts_) {
    std::copy_n(x.velocity.data() + p.trees[tree].first_dof, p.trees[tree].size,
                velocity_.data() + offset);
  }
  for (Row& row : rows_) {
    row.bound = bound_at(row, product(p.scalars.row(row.index), velocity_.data()));
  }
  find_couplings();
  if (!find_impulses(report)) return false;
  find_velocity();
  const double error = error_of_laws();
  if (!(error <= tolerance)) return false;
  report.momentum_error = error;
  report.status = SolveStatus::converged;
  for (const auto [tree, offset] : parts_) {
    std::copy_n(velocity_.data() + offset, p.trees[tree].size,
                x.velocity.data() + p.trees[tree].first_dof);
  }
  for (const Row& row : rows_) x.scalar_impulse[row.index] = row.impulse;
  return true;
}

void ScalarIsland::gather(const PreparedProblem& prepared, std::span<const std::int32_t> trees) {
  prepared_ = &prepared;
  const ContactProblem& p = prepared.problem();
  parts_.clear();
  rows_.clear();
  offset_.resize(p.trees.size());
  size_ = 0;
  for (const std::int32_t t : trees) {
    parts_.push_back({t, size_});
    offset_[t] = size_;
    size_ += round_up_8(p.trees[t].size);
    for (const std::int32_t i : prepared.scalars().of_tree(t)) rows_.push_back({.index = i});
  }
  for (auto* b : {&velocity_, &impulse_, &mismatch_}) b->resize(size_);
  work_.resize(std::max<std::size_t>(3 * size_, padded(rows_.size())));
  scaled_.resize(rows_.size() * size_);
  coupling_.resize(square(rows_.size()));
}

/// J x of a row, x of the island.
double ScalarIsland::product(std::span<const RowEntry> row, const double* x) const {
  double sum = 0;
  for (const RowEntry& e : row) sum += e.value * x[offset_[e.tree] + e.dof];
  return sum;
}

ScalarIsland::Bound ScalarIsland::bound_at(const Row& row, double velocity) const {
  const ScalarTerms& terms = prepared_->scalars();
  const double y = (terms.target[row.index] - velocity) / terms.regularization[row.index];
  if (!(y > terms.lower[row.index])) return Bound::lower;
  return y < terms.upper[row.index] ? Bound::none : Bound::upper;
}

/// J v*, J Y and J A^-1 J^T.
void ScalarIsland::find_couplings() {
  const ContactProblem& p = prepared_->problem();
  scaled_.fill_zero();
  coupling_.fill_zero();
  // of rigid bodies Y of the inertia, where trees have their work; if that is not positive
  // definite, the answer fails its test
  for (const auto [tree, offset] : parts_) {
    const Tree& t = p.trees[tree];
    if (t.kind != TreeKind::rigid_body) continue;
    double inertia[9];
    for (int k = 0; k < 9; ++k) inertia[k] = t.inertia(k / 3, k % 3);
    invert_factor(3, inertia, work_.data() + 3 * offset);
  }
  double* scaled = scaled_.data();
  for (Row& row : rows_) {
    row.free_velocity = 0;
    for (const RowEntry& e : p.scalars.row(row.index)) {
      const Tree& t = p.trees[e.tree];
      row.free_velocity += e.value * p.free_velocity[t.first_dof + e.dof];
      double* to = scaled + offset_[e.tree];
      if (t.kind == TreeKind::rigid_body) {
        if (e.dof < 3) {
          to[e.dof] += e.value / std::sqrt(t.mass);
          continue;
        }
        const double* y = work_.data() + 3 * offset_[e.tree] + 8 * (e.dof - 3);
        for (int k = 3; k <= e.dof; ++k) to[k] += e.value * y[k - 3];
        continue;
      }
      const double* y = prepared_->masses().factor(p, e.tree) + e.dof * round_up_8(t.size);
      for (int k = 0; k <= e.dof; ++k) to[k] += e.value * y[k];
    }
    scaled += size_;
  }
  multiply_by_transpose(static_cast<int>(rows_.size()), size_, scaled_.data(), coupling_.data());
}

/// J v at the impulses at hand.
void ScalarIsland::find_row_velocities() {
  const std::size_t lead = padded(rows_.size());
  row_velocity_.resize(lead);
  push_.resize(lead);
  pushing_.clear();
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    row_velocity_[i] = rows_[i].free_velocity;
    if (rows_[i].impulse == 0) continue;
    push_[pushing_.size()] = rows_[i].impulse;
    pushing_.push_back(static_cast<std::int32_t>(i));
  }
  std::fill(row_velocity_.data() + rows_.size(), row_velocity_.data() + lead, 0.0);
  linalg_kernels().add_columns(static_cast<int>(lead), static_cast<int>(pushing_.size()),
                               pushing_.data(), push_.data(), coupling_.data(),
                               static_cast<std::ptrdiff_t>(lead), row_velocity_.data());
}

/// (W + R) gamma = v_hat - J v* of the rows between their bounds, the others at theirs. False if
/// that is not positive definite.
bool ScalarIsland::solve_system(IslandReport& report) {
  const ScalarTerms& terms = prepared_->scalars();
  acting_.clear();
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    Row& row = rows_[i];
    const double bounds[] = {0, terms.lower[row.index], terms.upper[row.index]};
    row.impulse = bounds[static_cast<int>(row.bound)];
    if (row.bound == Bound::none) acting_.push_back(static_cast<std::int32_t>(i));
  }
  const std::size_t n = acting_.size(), lead = padded(rows_.size());
  if (n == 0) return true;
  find_row_velocities();
  matrix_.resize(n * n);
  factor_.resize(square(n));
  for (auto* b : {&right_, &answer_}) b->resize(padded(n));
  answer_.fill_zero();
  for (std::size_t r = 0; r < n; ++r) {
    const std::int32_t i = acting_[r], index = rows_[i].index;
    for (std::size_t c = 0; c <= r; ++c) {
      matrix_[r * n + c] = coupling_[i * lead + acting_[c]];
    }
    matrix_[r * n + r] += terms.regularization[index];
    right_[r] = terms.target[index] - row_velocity_[i];
  }
  const int size = static_cast<int>(n);
  ++report.factorizations;
  report.factor_flops += 1.0 * size * size * size / 3;
  if (!invert_factor(size, matrix_.data(), factor_.data())) return false;
  add_inverse_times(size, factor_.data(), right_.data(), answer_.data(), work_.data());
  for (std::size_t r = 0; r < n; ++r) rows_[acting_[r]].impulse = answer_[r];
  return true;
}

bool ScalarIsland::find_impulses(IslandReport& report) {
  constexpr int most_rounds = 8;
  for (int round = 0; round < most_rounds; ++round) {
    ++report.iterations;
    if (!solve_system(report)) return false;
    find_row_velocities();
    bool same = true;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      Bound& at = rows_[i].bound;
      Bound next = bound_at(rows_[i], row_velocity_[i]);
      if (next == at) continue;
      same = false;
      // from one bound to the other its impulse passes what is between them
      if (next != Bound::none && at != Bound::none) next = Bound::none;
      at = next;
    }
    if (same) return true;
  }
  return false;
}

/// v = v* + A^-1 J^T gamma.
void ScalarIsland::find_velocity() {
  const ContactProblem& p = prepared_->problem();
  impulse_.fill_zero();
  for (const Row& row : rows_) {
    for (const RowEntry& e : p.scalars.row(row.index)) {
      impulse_[offset_[e.tree] + e.dof] += e.value * row.impulse;
    }
  }
  for (const auto [tree, offset] : parts_) {
    std::copy_n(p.free_velocity.data() + p.trees[tree].first_dof, p.trees[tree].size,
                velocity_.data() + offset);
    prepared_->masses().add_part(p, tree, impulse_.data() + offset, velocity_.data() + offset,
                                 work_.span());
  }
}

/// Takes the impulses of the laws at v in the place of the system's, and returns an upper bound of
/// the step error: the largest over trees of what they differ by, relative to the tree's own
/// impulses. In a sum over trees a light one's error would be lost.
double ScalarIsland::error_of_laws() {
  const ContactProblem& p = prepared_->problem();
  const ScalarTerms& terms = prepared_->scalars();
  impulse_.fill_zero();
  mismatch_.fill_zero();
  for (Row& row : rows_) {
    const std::span<const RowEntry> entries = p.scalars.row(row.index);
    const double y = (terms.target[row.index] - product(entries, velocity_.data())) /
                     terms.regularization[row.index];
    const double gamma = std::min(std::max(y, terms.lower[row.index]), terms.upper[row.index]);
    for (const RowEntry& e : entries) {
      const std::int32_t at = offset_[e.tree] + e.dof;
      impulse_[at] += e.value * gamma;
      mismatch_[at] += e.value * (gamma - row.impulse);
    }
    row.impulse = gamma;
  }
  double largest = 0;
  for (const auto [tree, offset] : parts_) {
    const auto [error, scale] =
        scaled_squares(p, p.trees[tree], mismatch_.data() + offset, impulse_.data() + offset);
    if (error == 0) continue;
    if (!(error / scale < HUGE_VAL)) return HUGE_VAL;
    largest = std::max(largest, error / scale);
  }
  return std::sqrt(largest);
}

}  // namespace abut
