#include "abut/solvers/dual/gauss_seidel.hpp"

#include <algorithm>

#include "abut/solvers/dual/lone_contact.hpp"

namespace abut {
namespace {

constexpr int sweep_limit = 10000;

/// Scalar constraints one after the other; g is without what they give themselves.
void sweep_bounded(const Mat3& w, const Vec3& g, const ImpulseBounds& bounds, Vec3& gamma) {
  for (int r = 0; r < 3; ++r) {
    double sigma = g[r];
    for (int c = 0; c < 3; ++c) sigma += w(r, c) * gamma[c];
    gamma[r] = std::clamp(gamma[r] - sigma / w(r, r), bounds.lower[r], bounds.upper[r]);
  }
}

}  // namespace

void sweep_contacts(const FrictionProblem& p, RigidModel model, std::span<Vec3> gamma) {
  const BlockMatrix& w = p.delassus;
  for (int i = 0; i < p.rows(); ++i) {
    Vec3 g = p.velocity[i];
    const Mat3* own = nullptr;
    for (std::int64_t k = w.start[i]; k < w.start[i + 1]; ++k) {
      if (w.column[k] == i) {
        own = &w.block[k];
      } else {
        g += w.block[k] * gamma[w.column[k]];
      }
    }
    if (i < p.contacts()) {
      gamma[i] = solve_lone_contact(model, *own, g, p.friction[i], gamma[i]);
    } else {
      sweep_bounded(*own, g, p.bounds[i - p.contacts()], gamma[i]);
    }
  }
}

void GaussSeidel::iterate(const FrictionProblem& original, const FrictionOptions& options,
                          std::span<Vec3> impulse, FrictionReport& report) {
  problem_.set(original);
  const FrictionProblem& p = problem_.scaled;
  const BlockMatrix& w = p.delassus;
  gamma_.resize(impulse.size());
  sigma_.resize(impulse.size());
  for (int i = 0; i < p.rows(); ++i) gamma_[i] = problem_.from_problem(i, impulse[i]);
  const int limit = options.iteration_limit > 0 ? options.iteration_limit : sweep_limit;
  report.status = SolveStatus::iteration_limit;
  // the error costs as much as a sweep: it is looked at less and less often
  for (int sweep = 0, next_look = 1; sweep <= limit; ++sweep) {
    if (sweep == next_look || sweep == limit) {
      next_look += 1 + sweep / 10;
      w.multiply(gamma_, sigma_);
      for (int i = 0; i < p.rows(); ++i) sigma_[i] += p.velocity[i];
      if (problem_.error(options, gamma_, sigma_) <= options.tolerance) {
        report.status = SolveStatus::converged;
        break;
      }
      if (sweep == limit) break;
    }
    ++report.iterations;
    sweep_contacts(p, options.model, gamma_);
  }
  for (int i = 0; i < p.rows(); ++i) impulse[i] = problem_.to_problem(i, gamma_[i]);
}

}  // namespace abut
