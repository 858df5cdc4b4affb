#include "abut/solvers/dual/staggered.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace abut {
namespace {

constexpr int round_limit = 500, inner_limit = 1000, rounds_apart = 20;

/// By how much better the two problems are solved than the whole, and how well at first.
constexpr double better = 0.05, first_tolerance = 1e-3;

/// The components that a problem has as unknowns; x without the others.
Vec3 keep(const Vec3& x, bool is_contact, bool is_normal) {
  if (!is_contact) return x;
  return is_normal ? Vec3{0, 0, x.z} : Vec3{x.x, x.y, 0};
}

/// One of the two problems as Splitting sees it: components that are none of its unknowns are 0.
struct HalfConditions {
  const ScaledProblem& problem;
  const FrictionOptions& options;
  const BlockMatrix& matrix;
  std::span<const Vec3> g, limits;  ///< limits.z: the normal impulses
  bool is_normal;
  std::vector<Vec3>& sigma;

  Vec3 project(int row, const Vec3& x) const {
    const FrictionProblem& p = problem.scaled;
    if (row >= p.contacts()) return abut::project(p, row, x);
    if (is_normal) return {0, 0, std::max(x.z, 0.0)};
    const double most = p.friction[row] * limits[row].z;
    if (options.model == RigidModel::lcp) {
      return {std::clamp(x.x, -most, most), std::clamp(x.y, -most, most), 0};
    }
    const double size = std::hypot(x.x, x.y), within = size <= most ? 1 : most / size;
    return {within * x.x, within * x.y, 0};
  }
  double lift(int, const Vec3&) const { return 0; }
  double error(std::span<const Vec3> x) const {
    matrix.multiply(x, sigma);
    double squares = 0;
    for (int i = 0; i < static_cast<int>(x.size()); ++i) {
      squares += problem.squared_error(options, i, x[i] - project(i, x[i] - (sigma[i] + g[i])));
    }
    return std::sqrt(squares);
  }
};

}  // namespace

/// W of the unknowns; 1 on the diagonal of all else.
void Staggered::cut(bool is_normal, Half& half) {
  const FrictionProblem& p = problem_.scaled;
  const BlockMatrix& w = p.delassus;
  half.matrix = w;
  for (int i = 0; i < w.rows(); ++i) {
    for (std::int64_t k = w.start[i]; k < w.start[i + 1]; ++k) {
      const int j = w.column[k];
      const Vec3 rows = keep({1, 1, 1}, i < p.contacts(), is_normal);
      const Vec3 columns = keep({1, 1, 1}, j < p.contacts(), is_normal);
      Mat3& m = half.matrix.block[k];
      for (int c = 0; c < 3; ++c) {
        m.col[c] = columns[c] * multiply_each(rows, m.col[c]);
        if (i == j && columns[c] == 0) m(c, c) = 1;
      }
    }
  }
  half.g.resize(w.rows());
  half.splitting.set(half.matrix);
}

/// Solves for one part of gamma_; false if numbers fail.
bool Staggered::solve_part(bool is_normal, const FrictionOptions& options, double tolerance,
                           Half& half, FrictionReport& report) {
  const FrictionProblem& p = problem_.scaled;
  const int n = p.rows();
  for (int i = 0; i < n; ++i) {
    part_[i] = keep(gamma_[i], i < p.contacts(), is_normal);
    rest_[i] = gamma_[i] - part_[i];
  }
  p.delassus.multiply(rest_, half.g);
  for (int i = 0; i < n; ++i) {
    half.g[i] = keep(half.g[i] + p.velocity[i], i < p.contacts(), is_normal);
  }
  const HalfConditions conditions{problem_, options,   half.matrix, half.g,
                                  gamma_,   is_normal, sigma_};
  const Splitting::Result result =
      half.splitting.run(half.g, conditions, tolerance, inner_limit, part_);
  report.factorizations += result.factorizations;
  for (int i = 0; i < n; ++i) gamma_[i] = rest_[i] + part_[i];
  return result.is_finite;
}

double Staggered::error(const FrictionOptions& options) {
  const FrictionProblem& p = problem_.scaled;
  p.delassus.multiply(gamma_, sigma_);
  for (int i = 0; i < p.rows(); ++i) sigma_[i] += p.velocity[i];
  return problem_.error(options, gamma_, sigma_);
}

void Staggered::iterate(const FrictionProblem& original, const FrictionOptions& options,
                        std::span<Vec3> impulse, FrictionReport& report) {
  problem_.set(original);
  const FrictionProblem& p = problem_.scaled;
  const int n = p.rows(), contacts = p.contacts();
  for (auto* v : {&gamma_, &sigma_, &part_, &rest_, &best_}) v->resize(n);
  for (auto* v : {&friction_, &change_, &plain_}) v->resize(2 * contacts);
  for (int i = 0; i < n; ++i) gamma_[i] = problem_.from_problem(i, impulse[i]);
  cut(true, normal_);
  cut(false, tangential_);
  anderson_.reset(friction_.size());
  best_ = gamma_;
  double best = error(options), last_change = std::numeric_limits<double>::infinity();
  double accuracy = std::min(first_tolerance, std::max(best, options.tolerance));
  double checked = best;
  int next_check = rounds_apart;
  bool is_proposed = false;
  const int limit = options.iteration_limit > 0 ? options.iteration_limit : round_limit;
  report.status = SolveStatus::iteration_limit;
  while (best > options.tolerance && report.iterations < limit) {
    ++report.iterations;
    for (int i = 0; i < contacts; ++i) {
      friction_[2 * i] = gamma_[i].x, friction_[2 * i + 1] = gamma_[i].y;
    }
    if (!solve_part(true, options, accuracy, normal_, report) ||
        !solve_part(false, options, accuracy, tangential_, report)) {
      report.status = SolveStatus::numerical_failure;
      break;
    }
    const double now = error(options);
    if (now < best) best = now, best_ = gamma_;
    accuracy = std::max(better * options.tolerance, std::min(accuracy, better * now));
    if (report.iterations >= next_check) {  // no progress may be for want of accuracy
      if (best > 0.7 * checked) accuracy = std::max(better * options.tolerance, 0.1 * accuracy);
      checked = best;
      next_check += rounds_apart;
    }
    double change = 0;
    for (int i = 0; i < contacts; ++i) {
      change_[2 * i] = gamma_[i].x - friction_[2 * i];
      change_[2 * i + 1] = gamma_[i].y - friction_[2 * i + 1];
      change += std::hypot(change_[2 * i], change_[2 * i + 1]);
    }
    if (is_proposed && !(change <= last_change)) {
      anderson_.reset(friction_.size());
      for (int i = 0; i < contacts; ++i)
        gamma_[i].x = plain_[2 * i], gamma_[i].y = plain_[2 * i + 1];
      is_proposed = false;
      continue;
    }
    last_change = change;
    for (std::size_t k = 0; k < plain_.size(); ++k) plain_[k] = friction_[k] + change_[k];
    anderson_.propose(friction_, change_, friction_);
    is_proposed = true;
    for (int i = 0; i < contacts; ++i) {
      gamma_[i].x = friction_[2 * i], gamma_[i].y = friction_[2 * i + 1];
    }
  }
  if (best <= options.tolerance) report.status = SolveStatus::converged;
  for (int i = 0; i < n; ++i) impulse[i] = problem_.to_problem(i, best_[i]);
}

}  // namespace abut
