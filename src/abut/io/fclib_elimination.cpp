#include "abut/io/fclib_elimination.hpp"

#include <Eigen/Dense>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "abut/core/disjoint_sets.hpp"

namespace abut {
namespace {

using Dense = Eigen::MatrixXd;
using Sparse = Eigen::SparseMatrix<double>;
using Triplets = std::vector<Eigen::Triplet<double>>;

constexpr int most_columns = 9000;  ///< of a dense part of W: 650 MB

[[noreturn]] void fail(const std::string& text) {
  throw std::invalid_argument(text);
}

/// Without a second triangle that of the first: some write only one of the two.
std::vector<SparseEntry> both_triangles(std::vector<SparseEntry> m) {
  const auto has = [&](auto side) { return std::ranges::any_of(m, side); };
  const bool upper = has([](const SparseEntry& e) { return e.row < e.column && e.value != 0; });
  const bool lower = has([](const SparseEntry& e) { return e.row > e.column && e.value != 0; });
  if (upper == lower) return m;
  const std::size_t given = m.size();
  for (std::size_t k = 0; k < given; ++k) {
    if (m[k].row != m[k].column) m.push_back({m[k].column, m[k].row, m[k].value});
  }
  return m;
}

/// Dofs that M and G link.
struct Part {
  std::vector<int> dofs;
  Triplets m;                     ///< in the part's numbers
  std::vector<SparseEntry> h, g;  ///< rows are the part's numbers, columns the problem's
};

std::vector<Part> split(const GlobalForm& p, const std::vector<SparseEntry>& m) {
  DisjointSets sets;
  sets.reset(p.m.rows);
  for (const SparseEntry& e : m) sets.join(e.row, e.column);
  std::vector<int> first(p.g.columns, -1);  // a dof of each constraint
  for (const SparseEntry& e : p.g.entries) {
    if (first[e.column] < 0) first[e.column] = e.row;
    sets.join(first[e.column], e.row);
  }
  std::vector<Part> parts;
  std::vector<int> part(p.m.rows), number(p.m.rows);
  for (int i = 0; i < p.m.rows; ++i) {
    const int smallest = sets.smallest(i);
    part[i] = smallest == i ? static_cast<int>(parts.size()) : part[smallest];
    if (smallest == i) parts.emplace_back();
    number[i] = static_cast<int>(parts[part[i]].dofs.size());
    parts[part[i]].dofs.push_back(i);
  }
  for (const SparseEntry& e : m) {
    parts[part[e.row]].m.emplace_back(number[e.row], number[e.column], e.value);
  }
  for (const SparseEntry& e : p.h.entries) {
    parts[part[e.row]].h.push_back({number[e.row], e.column, e.value});
  }
  for (const SparseEntry& e : p.g.entries) {
    parts[part[e.row]].g.push_back({number[e.row], e.column, e.value});
  }
  return parts;
}

/// The columns that have entries, and the dense matrix of these.
struct Columns {
  std::vector<int> index;
  Dense matrix;

  Columns(Eigen::Index rows, const std::vector<SparseEntry>& entries) {
    for (const SparseEntry& e : entries) index.push_back(e.column);
    std::ranges::sort(index);
    index.erase(std::ranges::unique(index).begin(), index.end());
    if (index.size() > most_columns) {
      fail("H: has " + std::to_string(index.size()) +
           " columns of bodies that are linked, at most " + std::to_string(most_columns) +
           " are eliminated");
    }
    matrix = Dense::Zero(rows, static_cast<Eigen::Index>(index.size()));
    for (const SparseEntry& e : entries) {
      const auto at = std::ranges::lower_bound(index, e.column) - index.begin();
      matrix(e.row, at) += e.value;
    }
  }
};

Eigen::VectorXd part_of(const std::vector<double>& all, const std::vector<int>& index) {
  Eigen::VectorXd some(static_cast<Eigen::Index>(index.size()));
  for (std::size_t k = 0; k < index.size(); ++k) some[static_cast<Eigen::Index>(k)] = all[index[k]];
  return some;
}

void add(const std::vector<int>& index, const Dense& w, const Eigen::VectorXd& q,
         LocalForm& result) {
  for (std::size_t i = 0; i < index.size(); ++i) {
    result.q[index[i]] += q[static_cast<Eigen::Index>(i)];
    for (std::size_t j = 0; j < index.size(); ++j) {
      const double value = w(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
      if (value != 0) result.w.entries.push_back({index[i], index[j], value});
    }
  }
}

void eliminate(const GlobalForm& problem, const Part& part, LocalForm& result) {
  const auto n = static_cast<Eigen::Index>(part.dofs.size());
  Sparse m(n, n);
  m.setFromTriplets(part.m.begin(), part.m.end());
  if ((m - Sparse(m.transpose())).norm() > 1e-6 * m.norm()) fail("M: must be symmetric");
  const Eigen::SimplicialLLT<Sparse> factor(m);
  if (factor.info() != Eigen::Success) fail("M: must be positive definite");
  const Columns h(n, part.h), g(n, part.g);
  const Dense mh = factor.solve(h.matrix);
  const Eigen::VectorXd mf = factor.solve(part_of(problem.f, part.dofs));
  Dense w = h.matrix.transpose() * mh;
  Eigen::VectorXd q = h.matrix.transpose() * mf;
  if (!g.index.empty()) {
    const Dense mg = factor.solve(g.matrix);
    const Eigen::CompleteOrthogonalDecomposition<Dense> s(g.matrix.transpose() * mg);
    const Eigen::VectorXd off = g.matrix.transpose() * mf + part_of(problem.b, g.index);
    const Eigen::VectorXd multiplier = s.solve(off);
    if ((g.matrix.transpose() * (mg * multiplier) - off).norm() > 1e-8 * off.norm()) {
      fail("G: its constraints contradict each other");
    }
    const Dense hg = h.matrix.transpose() * mg;
    w -= hg * s.solve(Dense(hg.transpose()));
    q -= hg * multiplier;
  }
  add(h.index, w, q, result);
}

Dense dense(const SparseEntries& matrix) {
  Dense all = Dense::Zero(matrix.rows, matrix.columns);
  for (const SparseEntry& e : matrix.entries) all(e.row, e.column) += e.value;
  return all;
}

}  // namespace

LocalForm eliminate_velocities(const GlobalForm& problem) {
  LocalForm result{.w = {problem.h.columns, problem.h.columns, {}}, .q = problem.w};
  for (const Part& part : split(problem, both_triangles(problem.m.entries))) {
    eliminate(problem, part, result);
  }
  return result;
}

LocalForm eliminate_multipliers(const MixedForm& problem) {
  if (problem.r.rows > most_columns / 3) {
    fail("R: has " + std::to_string(problem.r.rows) + " rows, at most " +
         std::to_string(most_columns / 3) + " are eliminated");
  }
  LocalForm result{.w = problem.w, .q = problem.q};
  const Eigen::FullPivLU<Dense> r(dense(problem.r));
  if (!r.isInvertible()) fail("R: must not be singular");
  std::vector<SparseEntry> turned;  // V^T, whose columns are those of W
  for (const SparseEntry& e : problem.v.entries) turned.push_back({e.column, e.row, e.value});
  const Columns v(problem.r.rows, turned);
  const Eigen::VectorXd s = Eigen::Map<const Eigen::VectorXd>(problem.s.data(), problem.r.rows);
  const Dense w = -v.matrix.transpose() * r.solve(v.matrix);
  const Eigen::VectorXd q = -v.matrix.transpose() * r.solve(s);
  add(v.index, w, q, result);
  return result;
}

}  // namespace abut
