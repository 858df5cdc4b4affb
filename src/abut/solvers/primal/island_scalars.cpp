#include "abut/solvers/primal/island_scalars.hpp"

#include <algorithm>

#include "abut/core/grow.hpp"

namespace abut {

void IslandScalars::make_room(const ScalarPool& pool) {
  abut::make_room(rows_, pool.kind.capacity());
  abut::make_room(parts_, pool.entries.capacity());
  abut::make_room(entries_, pool.entries.capacity());
  abut::make_room(pairs_, most_edges(pool));
}

std::size_t IslandScalars::most_edges(const ScalarPool& pool) {
  std::size_t edges = 0;
  for (int i = 0; i < pool.size(); ++i) {
    const std::span<const RowEntry> row = pool.row(i);
    std::size_t trees = 1;
    for (std::size_t k = 1; k < row.size(); ++k) {
      if (row[k].tree != row[k - 1].tree) edges += trees++;
    }
  }
  return edges;
}

void IslandScalars::clear() {
  rows_.clear();
  parts_.clear();
  entries_.clear();
  pairs_.clear();
}

void IslandScalars::add(const ScalarPool& pool, const ScalarTerms& terms, int tree,
                        const IslandNodes& nodes) {
  for (const std::int32_t i : terms.of_tree(tree)) {
    const auto begin = static_cast<std::int32_t>(entries_.size());
    const auto first_part = static_cast<std::int32_t>(parts_.size());
    const auto first_pair = static_cast<std::int32_t>(pairs_.size());
    for (const RowEntry& e : pool.row(i)) {
      const IslandNodes::Place place = nodes.place(e.tree, e.dof);
      if (std::ssize(parts_) == first_part || parts_.back().node != place.node) {
        start_part(first_part, place.node);
      }
      entries_.push_back({place.at, place.dof, e.value});
      parts_.back().end = static_cast<std::int32_t>(entries_.size());
    }
    rows_.push_back({.index = i,
                     .begin = begin,
                     .end = static_cast<std::int32_t>(entries_.size()),
                     .part_begin = first_part,
                     .part_end = static_cast<std::int32_t>(parts_.size()),
                     .pair_begin = first_pair,
                     .pair_end = static_cast<std::int32_t>(pairs_.size()),
                     .target = terms.target[i],
                     .regularization = terms.regularization[i],
                     .lower = terms.lower[i],
                     .upper = terms.upper[i],
                     .mobility = terms.mobility[i],
                     .stiffness = 1 / terms.regularization[i]});
  }
}

/// A part of the row whose parts begin there, paired with all before it.
void IslandScalars::start_part(std::int32_t first_part, std::int32_t node) {
  const auto at = static_cast<std::int32_t>(entries_.size());
  const auto next = static_cast<std::int32_t>(parts_.size());
  for (std::int32_t s = first_part; s < next; ++s) pairs_.push_back({s, next, -1});
  parts_.push_back({node, at, at});
}

double IslandScalars::product(const Row& r, const double* x) const {
  double sum = 0;
  for (int k = r.begin; k < r.end; ++k) sum += entries_[k].value * x[entries_[k].at];
  return sum;
}

void IslandScalars::velocities(const double* x, bool direction) {
  for (Row& r : rows_) {
    (direction ? r.direction : r.velocity) = product(r, x);
  }
}

void IslandScalars::clear_directions() {
  for (Row& r : rows_) r.direction = 0;
}

bool IslandScalars::acts(const Row& r, double c) {
  const double y = (r.target - c) * r.stiffness;
  return y > r.lower && y < r.upper;
}

/// Returns gamma at v_c + alpha J dv.
double IslandScalars::add_terms(const Row& r, double alpha, ContactSums& sums) {
  const double y = (r.target - (r.velocity + alpha * r.direction)) * r.stiffness;
  const double gamma = std::min(std::max(y, r.lower), r.upper);
  sums.potential += r.regularization * gamma * (0.5 * gamma + (y - gamma));
  sums.impulse_work += gamma * r.direction;
  if (y > r.lower && y < r.upper) sums.curvature += r.direction * r.direction * r.stiffness;
  return gamma;
}

ContactSums IslandScalars::evaluate(double alpha) {
  ContactSums sums;
  for (Row& r : rows_) r.impulse = add_terms(r, alpha, sums);
  return sums;
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
    for (int k = r.begin; k < r.end; ++k) y[entries_[k].at] += entries_[k].value * r.impulse;
  }
}

void IslandScalars::ask_edges(EdgeRequests& requests) {
  for (Pair& pair : pairs_) {
    const std::int32_t a = parts_[pair.rows].node, b = parts_[pair.columns].node;
    pair.edge = a == b ? -1 : requests.ask(a, b);
  }
}

void IslandScalars::take_edges(const EdgeRequests& requests, const BlockPattern& pattern) {
  for (Pair& pair : pairs_) {
    if (pair.edge < 0) continue;
    pair.edge = requests.edge(pair.edge);
    if (pattern.edges[pair.edge].a != parts_[pair.rows].node) std::swap(pair.rows, pair.columns);
  }
}

void IslandScalars::add_hessian(BlockCholesky& cholesky) const {
  const BlockSymbolic& symbolic = cholesky.symbolic();
  for (const Row& r : rows_) {
    if (!acts(r, r.velocity)) continue;
    const auto add = [&](const Part& rows, const Part& columns, const BlockSlot& slot, bool lower) {
      double* to = cholesky.values() + slot.offset;
      for (int a = rows.begin; a < rows.end; ++a) {
        for (int b = columns.begin; b < columns.end; ++b) {
          std::int64_t row = entries_[a].dof, column = entries_[b].dof;
          if (lower && row < column) continue;
          if (slot.transposed) std::swap(row, column);
          to[row + column * slot.leading] += entries_[a].value * entries_[b].value * r.stiffness;
        }
      }
    };
    for (int s = r.part_begin; s < r.part_end; ++s) {
      add(parts_[s], parts_[s], symbolic.diagonal[parts_[s].node], true);
    }
    for (int k = r.pair_begin; k < r.pair_end; ++k) {
      const Part &rows = parts_[pairs_[k].rows], &columns = parts_[pairs_[k].columns];
      if (pairs_[k].edge >= 0) {
        add(rows, columns, symbolic.off_diagonal[pairs_[k].edge], false);
      } else {  // of one node, whose entries are apart
        add(rows, columns, symbolic.diagonal[rows.node], true);
        add(columns, rows, symbolic.diagonal[rows.node], true);
      }
    }
  }
}

double IslandScalars::stiffest() const {
  double most = 0;
  for (const Row& r : rows_) {
    if (acts(r, r.velocity)) most = std::max(most, r.mobility * r.stiffness);
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
