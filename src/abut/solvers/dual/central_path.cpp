#include "abut/solvers/dual/central_path.hpp"

#include <algorithm>
#include <cmath>

namespace abut {
namespace {

/// The largest step a <= most with |x_t + a d_t| <= x_n + a d_n, x being inside.
double step_in_cone(const Vec3& x, const Vec3& d, double most) {
  double step = most;
  if (x.z + step * d.z < 0) step = x.z / -d.z;
  // |x_t + a d_t|^2 = (x_n + a d_n)^2: the first positive root
  const double a = d.x * d.x + d.y * d.y - d.z * d.z, b = x.x * d.x + x.y * d.y - x.z * d.z;
  const double c = std::min(x.x * x.x + x.y * x.y - x.z * x.z, 0.0), root = b * b - a * c;
  if (root < 0) return step;
  const double q = -(b + std::copysign(std::sqrt(root), b));
  for (const double r : {a != 0 ? q / a : -1, q != 0 ? c / q : -1}) {
    if (r >= 0) step = std::min(step, r);
  }
  return step;
}

}  // namespace

void CentralPath::set(const FrictionProblem& p) {
  problem_ = &p;
  const std::size_t n = p.friction.size();
  for (auto* v : {&row_scale_, &rhs_, &velocity_}) v->resize(n);
  to_gamma_.resize(n);
  to_sigma_.resize(n);
  matrix_ = p.delassus;
  lu_.analyze(matrix_);
}

CentralPath::Target CentralPath::missing(const Contact& x, double mu, double k) const {
  const auto& [gamma, sigma, eta] = x;
  Target t;
  t.normal = k - gamma.z * sigma.z;
  if (mu == 0) {
    t.across = {-gamma.x, -gamma.y, 0};
    return t;
  }
  t.along = k - (mu * gamma.z * eta + gamma.x * sigma.x + gamma.y * sigma.y);
  for (int r = 0; r < 2; ++r) t.across[r] = -(mu * gamma.z * sigma[r] + eta * gamma[r]);
  return t;
}

void CentralPath::residuals(std::span<const Contact> x, std::span<Vec3> result) {
  for (std::size_t i = 0; i < x.size(); ++i) rhs_[i] = x[i].gamma;
  problem_->delassus.multiply(rhs_, result);
  for (std::size_t i = 0; i < x.size(); ++i) result[i] += problem_->velocity[i] - x[i].sigma;
}

double CentralPath::complementarity(std::span<const Contact> x, std::span<const Contact> dx,
                                    double step) const {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Vec3 g = x[i].gamma + step * dx[i].gamma, s = x[i].sigma + step * dx[i].sigma;
    const double eta = x[i].eta + step * dx[i].eta;
    sum += g.z * s.z + problem_->friction[i] * g.z * eta + g.x * s.x + g.y * s.y;
  }
  return sum / (2 * static_cast<double>(x.size()));
}

bool CentralPath::linearize(std::span<const Contact> x) {
  const FrictionProblem& p = *problem_;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto& [gamma, sigma, eta] = x[i];
    const double mu = p.friction[i];
    Mat3 &a = to_gamma_[i] = {}, &b = to_sigma_[i] = {};
    a(2, 2) = sigma.z;
    b(2, 2) = gamma.z;
    if (mu == 0) {  // gamma_t = 0
      a(0, 0) = a(1, 1) = 1;
      continue;
    }
    const double load = mu * gamma.z;
    for (int r = 0; r < 2; ++r) {
      a(r, 2) = mu * sigma[r] - gamma[r] * eta / gamma.z;
      for (int c = 0; c < 2; ++c) {
        a(r, c) = -gamma[r] * sigma[c] / load;
        b(r, c) = -gamma[r] * gamma[c] / load;
      }
      a(r, r) += eta;
      b(r, r) += load;
    }
  }
  const BlockMatrix& w = p.delassus;
  for (int i = 0; i < w.rows(); ++i) {
    Vec3 most;
    for (std::int64_t k = w.start[i]; k < w.start[i + 1]; ++k) {
      Mat3& m = matrix_.block[k] = to_sigma_[i] * w.block[k];
      if (w.column[k] == i) m = m + to_gamma_[i];
      for (const Vec3& c : m.col) {
        for (int r = 0; r < 3; ++r) most[r] = std::max(most[r], std::abs(c[r]));
      }
    }
    row_scale_[i] = {1 / most.x, 1 / most.y, 1 / most.z};
    for (std::int64_t k = w.start[i]; k < w.start[i + 1]; ++k) {
      for (Vec3& c : matrix_.block[k].col) {
        c = {c.x * row_scale_[i].x, c.y * row_scale_[i].y, c.z * row_scale_[i].z};
      }
    }
  }
  return lu_.factor(matrix_);
}

void CentralPath::solve(std::span<const Contact> x, std::span<const Target> target,
                        std::span<Contact> change) {
  const FrictionProblem& p = *problem_;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Vec3& gamma = x[i].gamma;
    const double mu = p.friction[i];
    Vec3 b = target[i].across;
    b.z = target[i].normal;
    if (mu > 0) {  // d_eta, of the second equation, put into the third
      const double along = target[i].along / (mu * gamma.z);
      b.x -= gamma.x * along, b.y -= gamma.y * along;
    }
    b -= to_sigma_[i] * target[i].residual;
    rhs_[i] = {b.x * row_scale_[i].x, b.y * row_scale_[i].y, b.z * row_scale_[i].z};
  }
  lu_.solve(rhs_);
  p.delassus.multiply(rhs_, velocity_);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto& [gamma, sigma, eta] = x[i];
    Contact& d = change[i];
    d = {rhs_[i], velocity_[i] + target[i].residual, 0};
    const double mu = p.friction[i];
    if (mu == 0) continue;
    d.eta = (target[i].along - mu * eta * d.gamma.z - sigma.x * d.gamma.x - sigma.y * d.gamma.y -
             gamma.x * d.sigma.x - gamma.y * d.sigma.y) /
            (mu * gamma.z);
  }
}

double CentralPath::longest_step(std::span<const Contact> x, std::span<const Contact> dx,
                                 double most) const {
  double step = most;
  const auto keep_positive = [&](double value, double change) {
    if (value + step * change < 0) step = value / -change;
  };
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto& [gamma, sigma, eta] = x[i];
    const Contact& d = dx[i];
    const double mu = problem_->friction[i];
    keep_positive(gamma.z, d.gamma.z);
    keep_positive(sigma.z, d.sigma.z);
    if (mu == 0) continue;
    step = std::min(step, step_in_cone({gamma.x, gamma.y, mu * gamma.z},
                                       {d.gamma.x, d.gamma.y, mu * d.gamma.z}, step));
    step =
        std::min(step, step_in_cone({sigma.x, sigma.y, eta}, {d.sigma.x, d.sigma.y, d.eta}, step));
  }
  return step;
}

}  // namespace abut
