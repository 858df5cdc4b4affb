#include "abut/solvers/direct/lemke_friction.hpp"

#include <cmath>

namespace abut {

void LemkeFriction::list_variables(const FrictionProblem& p) {
  parts_.clear();
  part_begin_.clear();
  limits_.clear();
  variables_ = 0;
  fixed_.assign(p.rows(), {});
  const auto add = [&](int block, const Vec3& direction) {
    parts_.push_back({variables_, block, direction});
    return variables_++;
  };
  for (int i = 0; i < p.rows(); ++i) {
    part_begin_.push_back(static_cast<std::int32_t>(parts_.size()));
    if (i < p.contacts()) {
      const int normal = add(i, {0, 0, 1});
      if (p.friction[i] == 0) continue;
      const int begin = variables_;
      for (const double x : {-1.0, 1.0}) {
        for (const double y : {-1.0, 1.0}) add(i, {x, y, 0});
      }
      const int end = variables_++;
      limits_.push_back({end, begin, end, normal, p.friction[i], 0});
      continue;
    }
    const auto& [lower, upper] = p.bounds[i - p.contacts()];
    for (int r = 0; r < 3; ++r) {
      Vec3 direction;
      direction[r] = 1;
      const bool has_lower = std::isfinite(lower[r]), has_upper = std::isfinite(upper[r]);
      fixed_[i][r] = has_lower ? lower[r] : has_upper ? upper[r] : 0;
      if (lower[r] == upper[r]) continue;
      const int first = add(i, has_lower ? direction : -direction);
      if (!has_lower && !has_upper) add(i, direction);  // of either sign
      if (!has_lower || !has_upper) continue;
      const int limit = variables_++;
      limits_.push_back({limit, first, first + 1, -1, 0, upper[r] - lower[r]});
    }
  }
  part_begin_.push_back(static_cast<std::int32_t>(parts_.size()));
}

void LemkeFriction::fill(const FrictionProblem& p) {
  lemke_.reset(variables_);
  const BlockMatrix& w = p.delassus;
  w.multiply(fixed_, sigma_);
  for (int i = 0; i < p.rows(); ++i) {
    sigma_[i] += p.velocity[i];
    for (int a = part_begin_[i]; a < part_begin_[i + 1]; ++a) {
      lemke_.q(parts_[a].variable) = dot(parts_[a].direction, sigma_[i]);
    }
    for (std::int64_t k = w.start[i]; k < w.start[i + 1]; ++k) {
      const int j = w.column[k];
      for (int b = part_begin_[j]; b < part_begin_[j + 1]; ++b) {
        const Vec3 velocity = w.block[k] * parts_[b].direction;
        double* column = lemke_.column(parts_[b].variable);
        for (int a = part_begin_[i]; a < part_begin_[i + 1]; ++a) {
          column[parts_[a].variable] = dot(parts_[a].direction, velocity);
        }
      }
    }
  }
  for (const Limit& l : limits_) {
    lemke_.q(l.variable) = l.rhs;
    if (l.normal >= 0) lemke_.column(l.normal)[l.variable] += l.ratio;
    for (int v = l.begin; v < l.end; ++v) {
      lemke_.column(v)[l.variable] -= 1;
      lemke_.column(l.variable)[v] += 1;
    }
  }
}

void LemkeFriction::iterate(const FrictionProblem& original, const FrictionOptions& options,
                            std::span<Vec3> impulse, FrictionReport& report) {
  problem_.set(original);
  const FrictionProblem& p = problem_.scaled;
  gamma_.resize(impulse.size());
  sigma_.resize(impulse.size());
  const auto error = [&] {
    p.delassus.multiply(gamma_, sigma_);
    for (int i = 0; i < p.rows(); ++i) sigma_[i] += p.velocity[i];
    return problem_.error(options, gamma_, sigma_);
  };
  for (int i = 0; i < p.rows(); ++i) gamma_[i] = problem_.from_problem(i, impulse[i]);
  const double guessed = error();
  report.status = SolveStatus::converged;
  if (guessed <= options.tolerance) return;
  list_variables(p);
  fill(p);
  const LemkeEnd end = lemke_.solve(options.iteration_limit);
  gamma_.assign(fixed_.begin(), fixed_.end());
  for (const Part& part : parts_) {
    gamma_[part.block] += lemke_.z()[part.variable] * part.direction;
  }
  report.iterations = lemke_.pivots();
  report.factorizations = 1 + lemke_.refreshes();
  const double reached = error();
  if (!(reached <= options.tolerance)) {
    switch (end) {
      case LemkeEnd::cut: report.status = SolveStatus::iteration_limit; break;
      case LemkeEnd::lost: report.status = SolveStatus::numerical_failure; break;
      default: report.status = SolveStatus::stalled;
    }
  }
  if (!(reached < guessed)) return;  // no better than what was given
  for (int i = 0; i < p.rows(); ++i) impulse[i] = problem_.to_problem(i, gamma_[i]);
}

}  // namespace abut
