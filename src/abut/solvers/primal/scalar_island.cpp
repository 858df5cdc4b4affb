#include "abut/solvers/primal/scalar_island.hpp"

#include <algorithm>
#include <cmath>

#include "abut/core/grow.hpp"
#include "abut/linalg/block_symbolic.hpp"
#include "abut/linalg/dense_spd.hpp"

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
  abut::make_room(bounded_, rows);
  scaled_.reserve(rows * dofs);
  for (auto* b : {&coupling_, &matrix_}) b->reserve(square(rows));
  answer_.reserve(rows);
  for (auto* b : {&velocity_, &impulse_, &mismatch_}) b->reserve(dofs);
  work_.reserve(std::max(3 * dofs, solve_work(static_cast<int>(rows))));
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
  if (!find_impulses(report)) return false;
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
  work_.resize(std::max<std::size_t>(3 * size_, solve_work(static_cast<int>(rows_.size()))));
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

/// J A^-1 J^T of the rows between their bounds, its lower triangle, where each acts on one joint of
/// a mechanism of up to eight dofs, as in most small ones. False if they do not.
bool ScalarIsland::find_joint_couplings() {
  const ContactProblem& p = prepared_->problem();
  if (size_ > 8 || p.trees[parts_.front().tree].kind != TreeKind::dense) return false;
  const double* factor = prepared_->masses().factor(p, parts_.front().tree);
  const std::size_t n = acting_.size();
  for (std::size_t r = 0; r < n; ++r) {
    const std::span<const RowEntry> a = p.scalars.row(rows_[acting_[r]].index);
    if (a.size() > 1) return false;
    for (std::size_t c = 0; c <= r; ++c) {
      const RowEntry& b = p.scalars.row(rows_[acting_[c]].index).front();
      const double *y = factor + 8 * a.front().dof, *z = factor + 8 * b.dof;
      double sum[4];
      for (int k = 0; k < 4; ++k) sum[k] = y[k] * z[k] + y[k + 4] * z[k + 4];
      matrix_[r * n + c] = a.front().value * b.value * ((sum[0] + sum[2]) + (sum[1] + sum[3]));
    }
  }
  return true;
}

/// The same by J Y.
void ScalarIsland::find_couplings() {
  const ContactProblem& p = prepared_->problem();
  scaled_.resize(acting_.size() * size_);
  coupling_.resize(square(acting_.size()));
  scaled_.fill_zero();
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
  for (const std::int32_t i : acting_) {
    for (const RowEntry& e : p.scalars.row(rows_[i].index)) {
      const Tree& t = p.trees[e.tree];
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
  const std::size_t n = acting_.size(), lead = padded(n);
  multiply_by_transpose(static_cast<int>(n), size_, scaled_.data(), coupling_.data());
  for (std::size_t r = 0; r < n; ++r) {
    for (std::size_t c = 0; c <= r; ++c) matrix_[r * n + c] = coupling_[r * lead + c];
  }
}

/// v += A^-1 J^T gamma of some rows.
void ScalarIsland::push(std::span<const std::int32_t> rows) {
  const ContactProblem& p = prepared_->problem();
  impulse_.fill_zero();
  for (const std::int32_t i : rows) {
    for (const RowEntry& e : p.scalars.row(rows_[i].index)) {
      impulse_[offset_[e.tree] + e.dof] += e.value * rows_[i].impulse;
    }
  }
  for (const auto [tree, offset] : parts_) {
    prepared_->masses().add_part(p, tree, impulse_.data() + offset, velocity_.data() + offset,
                                 work_.span());
  }
}

/// (W + R) gamma = v_hat - J v of the rows between their bounds, v that of the others at theirs,
/// and v = v* + A^-1 J^T gamma of all. False if W + R is not positive definite.
bool ScalarIsland::solve_system(IslandReport& report) {
  const ContactProblem& p = prepared_->problem();
  const ScalarTerms& terms = prepared_->scalars();
  acting_.clear();
  bounded_.clear();
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    Row& row = rows_[i];
    const double bounds[] = {0, terms.lower[row.index], terms.upper[row.index]};
    row.impulse = bounds[static_cast<int>(row.bound)];
    if (row.bound == Bound::none) acting_.push_back(static_cast<std::int32_t>(i));
    if (row.impulse != 0) bounded_.push_back(static_cast<std::int32_t>(i));
  }
  for (const auto [tree, offset] : parts_) {
    std::copy_n(p.free_velocity.data() + p.trees[tree].first_dof, p.trees[tree].size,
                velocity_.data() + offset);
  }
  if (!bounded_.empty()) push(bounded_);
  const std::size_t n = acting_.size();
  if (n == 0) return true;
  matrix_.resize(n * n);
  if (!find_joint_couplings()) find_couplings();
  answer_.resize(n);
  for (std::size_t r = 0; r < n; ++r) {
    const Row& row = rows_[acting_[r]];
    matrix_[r * n + r] += terms.regularization[row.index];
    answer_[r] = terms.target[row.index] - product(p.scalars.row(row.index), velocity_.data());
  }
  const int size = static_cast<int>(n);
  ++report.factorizations;
  report.factor_flops += 1.0 * size * size * size / 3;
  if (!solve_definite(size, matrix_.data(), answer_.data(), work_.data())) return false;
  for (std::size_t r = 0; r < n; ++r) rows_[acting_[r]].impulse = answer_[r];
  push(acting_);
  return true;
}

bool ScalarIsland::find_impulses(IslandReport& report) {
  constexpr int most_rounds = 8;
  const ScalarPool& scalars = prepared_->problem().scalars;
  for (int round = 0; round < most_rounds; ++round) {
    ++report.iterations;
    if (!solve_system(report)) return false;
    bool same = true;
    for (Row& row : rows_) {
      Bound& at = row.bound;
      Bound next = bound_at(row, product(scalars.row(row.index), velocity_.data()));
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
