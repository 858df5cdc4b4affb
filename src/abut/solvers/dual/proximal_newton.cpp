#include "abut/solvers/dual/proximal_newton.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace abut {
namespace {

/// The least part of a step, and by how much of the part |F| has to fall.
constexpr double least_part = 1.0 / 1024, least_fall = 1e-4;

/// Of the model's error: an F this small is a root, for the step to come, where rounding or the
/// limit of steps leave no better one.
constexpr double near_root = 1e-2;

Mat3 slope_in_disk(const Vec3& z, double mu) {
  Mat3 d{};
  if (!(z.z > 0)) return d;
  d(2, 2) = 1;
  const double t = std::hypot(z.x, z.y), most = mu * z.z;
  if (t <= most) {
    d(0, 0) = d(1, 1) = 1;
    return d;
  }
  const double x = z.x / t, y = z.y / t, turn = most / t;
  d(0, 0) = turn * y * y, d(1, 1) = turn * x * x;
  d(0, 1) = d(1, 0) = -turn * x * y;
  d(0, 2) = mu * x, d(1, 2) = mu * y;
  return d;
}

Mat3 slope_in_square(const Vec3& z, double mu) {
  Mat3 d{};
  if (!(z.z > 0)) return d;
  d(2, 2) = 1;
  for (int r = 0; r < 2; ++r) {
    if (std::abs(z[r]) <= mu * z.z) {
      d(r, r) = 1;
    } else {
      d(r, 2) = std::copysign(mu, z[r]);
    }
  }
  return d;
}

/// Of the projection on the cone.
Mat3 slope_on_cone(const Vec3& z, double mu) {
  const double t = std::hypot(z.x, z.y);
  if (t <= mu * z.z) return Mat3::identity();
  if (mu * t <= -z.z) return {};
  // P = n (mu t^, 1) with n = (z_n + mu |z_t|) / (1 + mu^2)
  const double n = (z.z + mu * t) / (1 + mu * mu), x = z.x / t, y = z.y / t, turn = mu * n / t;
  const Vec3 edge{mu * x, mu * y, 1};
  Mat3 d{};
  for (int c = 0; c < 3; ++c) d.col[c] = edge[c] / (1 + mu * mu) * edge;
  d(0, 0) += turn * y * y, d(1, 1) += turn * x * x;
  d(0, 1) -= turn * x * y, d(1, 0) -= turn * x * y;
  return d;
}

}  // namespace

void ProximalNewton::set(const ScaledProblem& problem, const FrictionOptions& options) {
  problem_ = &problem;
  options_ = options;
  matrix_ = problem.scaled.delassus;
  lu_.analyze(matrix_);
  for (auto* v : {&z_, &gamma_, &sigma_, &f_, &step_, &from_, &best_, &trial_}) {
    v->resize(matrix_.rows());
  }
  best_error_ = std::numeric_limits<double>::infinity();
}

Vec3 ProximalNewton::limit(int row, const Vec3& z) const {
  const FrictionProblem& p = problem_->scaled;
  if (row >= p.contacts() || options_.model == RigidModel::ccp) return project(p, row, z);
  const double n = std::max(z.z, 0.0), most = p.friction[row] * n;
  if (options_.model == RigidModel::lcp) {
    return {std::clamp(z.x, -most, most), std::clamp(z.y, -most, most), n};
  }
  const double t = std::hypot(z.x, z.y), within = t <= most ? 1 : most / t;
  return {within * z.x, within * z.y, n};
}

Mat3 ProximalNewton::slope(int row, const Vec3& z) const {
  const FrictionProblem& p = problem_->scaled;
  if (row >= p.contacts()) {
    const auto& [lower, upper] = p.bounds[row - p.contacts()];
    Vec3 free;
    for (int r = 0; r < 3; ++r) free[r] = z[r] > lower[r] && z[r] < upper[r] ? 1 : 0;
    return Mat3::diagonal(free);
  }
  const double mu = p.friction[row];
  switch (options_.model) {
    case RigidModel::ccp: return slope_on_cone(z, mu);
    case RigidModel::lcp: return slope_in_square(z, mu);
    default: return slope_in_disk(z, mu);
  }
}

void ProximalNewton::start(std::span<const Vec3> gamma, std::span<const Vec3> center, double eps) {
  const FrictionProblem& p = problem_->scaled;
  p.delassus.multiply(gamma, sigma_);
  for (std::size_t i = 0; i < z_.size(); ++i) {
    z_[i] = center[i] - (sigma_[i] + p.velocity[i]) / eps;
  }
}

void ProximalNewton::change(double from, double to) {
  for (std::size_t i = 0; i < z_.size(); ++i) {
    const Vec3 within = limit(static_cast<int>(i), z_[i]);
    z_[i] = within + from / to * (z_[i] - within);
  }
}

double ProximalNewton::keep(std::span<const Vec3> gamma) {
  const FrictionProblem& p = problem_->scaled;
  p.delassus.multiply(gamma, trial_);
  for (std::size_t i = 0; i < trial_.size(); ++i) trial_[i] += p.velocity[i];
  const double error = problem_->error(options_, gamma, trial_);
  if (error < best_error_) {
    best_error_ = error;
    std::copy(gamma.begin(), gamma.end(), best_.begin());
  }
  return error;
}

/// gamma, sigma and F at z; the length of F.
double ProximalNewton::evaluate(std::span<const Vec3> center, double eps) {
  const FrictionProblem& p = problem_->scaled;
  const int n = p.rows();
  for (int i = 0; i < n; ++i) gamma_[i] = limit(i, z_[i]);
  p.delassus.multiply(gamma_, sigma_);
  double squares = 0;
  for (int i = 0; i < n; ++i) {
    sigma_[i] += p.velocity[i];
    f_[i] = eps * (z_[i] - center[i]) + sigma_[i];
    squares += problem_->squared_error(options_, i, f_[i]);
  }
  return std::sqrt(squares);
}

bool ProximalNewton::find_step(double eps) {
  const BlockMatrix& w = problem_->scaled.delassus;
  for (int i = 0; i < w.rows(); ++i) {
    for (std::int64_t k = w.start[i]; k < w.start[i + 1]; ++k) {
      const int j = w.column[k];
      Mat3& m = matrix_.block[k] = w.block[k] * slope(j, z_[j]);
      if (j != i) continue;
      for (int r = 0; r < 3; ++r) m(r, r) += eps;
    }
    step_[i] = -f_[i];
  }
  if (!lu_.factor(matrix_)) return false;
  lu_.solve(step_);
  return true;
}

ProximalNewton::End ProximalNewton::run(std::span<const Vec3> center, double eps, double tolerance,
                                        int limit, FrictionReport& report) {
  double length = evaluate(center, eps);
  for (int k = 0;; ++k) {
    const double error = problem_->error(options_, gamma_, sigma_);
    if (error < best_error_) best_error_ = error, best_ = gamma_;
    if (length <= tolerance || best_error_ <= options_.tolerance) return End::root;
    const auto rounded = [&] { return length <= near_root * best_error_; };
    if (k >= limit) return rounded() ? End::root : End::stuck;
    ++report.iterations;
    ++report.factorizations;
    if (!find_step(eps)) return End::singular;
    from_ = z_;
    double part = 1;
    for (;; part *= 0.5) {
      for (std::size_t i = 0; i < z_.size(); ++i) z_[i] = from_[i] + part * step_[i];
      const double now = evaluate(center, eps);
      if (now <= (1 - least_fall * part) * length) {
        length = now;
        break;
      }
      if (part > least_part) continue;
      z_ = from_;
      evaluate(center, eps);
      return rounded() ? End::root : End::stuck;
    }
  }
}

}  // namespace abut
