#include "abut/solvers/primal/island_scalars.hpp"

#include <algorithm>

#include "abut/core/grow.hpp"

namespace abut {

void IslandScalars::make_room(const ScalarPool& pool) {
  abut::make_room(rows_, pool.kind.capacity());
  abut::make_room(entries_, pool.entries.capacity());
}

void IslandScalars::add(const ScalarPool& pool, const ScalarTerms& terms, int tree, int offset) {
  for (const std::int32_t i : terms.of_tree(tree)) {
    const auto row = pool.row(i);
    const auto begin = static_cast<std::int32_t>(entries_.size());
    entries_.insert(entries_.end(), row.begin(), row.end());
    rows_.push_back({.index = i,
                     .offset = offset,
                     .begin = begin,
                     .end = static_cast<std::int32_t>(entries_.size()),
                     .target = terms.target[i],
                     .regularization = terms.regularization[i],
                     .lower = terms.lower[i],
                     .upper = terms.upper[i],
                     .mobility = terms.mobility[i]});
  }
}

void IslandScalars::velocities(const double* x, bool direction) {
  for (Row& r : rows_) {
    double sum = 0;
    for (int k = r.begin; k < r.end; ++k) sum += entries_[k].value * x[r.offset + entries_[k].dof];
    (direction ? r.direction : r.velocity) = sum;
  }
}

void IslandScalars::clear_directions() {
  for (Row& r : rows_) r.direction = 0;
}

double IslandScalars::impulse_at(const Row& r, double c) {
  return std::min(std::max((r.target - c) / r.regularization, r.lower), r.upper);
}

bool IslandScalars::acts(const Row& r, double c) {
  const double y = (r.target - c) / r.regularization;
  return y > r.lower && y < r.upper;
}

void IslandScalars::add_terms(const Row& r, double alpha, ContactSums& sums) {
  const double c = r.velocity + alpha * r.direction;
  const double gamma = impulse_at(r, c), y = (r.target - c) / r.regularization;
  sums.potential += r.regularization * gamma * (0.5 * gamma + (y - gamma));
  sums.impulse_work += gamma * r.direction;
  if (acts(r, c)) sums.curvature += r.direction * r.direction / r.regularization;
}

ContactSums IslandScalars::evaluate(double alpha) {
  for (Row& r : rows_) r.impulse = impulse_at(r, r.velocity + alpha * r.direction);
  return line(alpha);
}

ContactSums IslandScalars::line(double alpha) const {
  ContactSums sums;
  for (const Row& r : rows_) add_terms(r, alpha, sums);
  return sums;
}

void IslandScalars::advance(double alpha) {
  for (Row& r : rows_) r.velocity += alpha * r.direction;
}

void IslandScalars::add_impulses(double* y) const {
  for (const Row& r : rows_) {
    if (r.impulse == 0) continue;
    for (int k = r.begin; k < r.end; ++k)
      y[r.offset + entries_[k].dof] += entries_[k].value * r.impulse;
  }
}

void IslandScalars::add_hessian(int offset, double* block, std::int64_t leading) const {
  for (const Row& r : rows_) {
    if (r.offset != offset || !acts(r, r.velocity)) continue;
    for (int a = r.begin; a < r.end; ++a) {
      for (int b = r.begin; b < r.end; ++b) {
        const int row = entries_[a].dof, column = entries_[b].dof;
        if (row < column) continue;
        block[row + column * leading] += entries_[a].value * entries_[b].value / r.regularization;
      }
    }
  }
}

double IslandScalars::stiffest() const {
  double most = 0;
  for (const Row& r : rows_) {
    if (acts(r, r.velocity)) most = std::max(most, r.mobility / r.regularization);
  }
  return most;
}

double IslandScalars::gross() const {
  double sum = 0;
  for (const Row& r : rows_) sum += r.mobility * r.impulse * r.impulse;
  return sum;
}

void IslandScalars::write_impulses(std::vector<double>& impulse) const {
  for (const Row& r : rows_) impulse[r.index] = r.impulse;
}

}  // namespace abut
