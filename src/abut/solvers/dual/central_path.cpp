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
  const auto n = static_cast<std::size_t>(p.rows());
  for (auto* v : {&row_scale_, &rhs_, &velocity_}) v->resize(n);
  to_gamma_.resize(n);
  to_sigma_.resize(n);
  products_ = 0;
  for (const double mu : p.friction) products_ += mu > 0 ? 2 : 1;
  for (const ImpulseBounds& b : p.bounds) {
    for (int r = 0; r < 3; ++r) {
      if (abut::is_fixed(b, r)) continue;
      products_ += std::isfinite(b.lower[r]) + std::isfinite(b.upper[r]);
    }
  }
  is_analyzed_ = false;
}

BlockLu& CentralPath::lu() {
  if (!is_analyzed_) {
    lu_.analyze(problem_->delassus);
    is_analyzed_ = true;
  }
  return lu_;
}

void CentralPath::resize(Point& x) const {
  x.rows.resize(problem_->velocity.size());
  x.bounded.resize(problem_->bounds.size());
}

void CentralPath::resize(Targets& t) const {
  t.rows.resize(problem_->velocity.size());
  t.bounded.resize(problem_->bounds.size());
}

void CentralPath::start(double size, Point& x) const {
  const int contacts = problem_->contacts();
  for (int i = 0; i < contacts; ++i) x.rows[i] = {{0, 0, size}, {0, 0, size}, size};
  for (std::size_t k = 0; k < x.bounded.size(); ++k) {
    Row& row = x.rows[contacts + k];
    x.bounded[k] = start_bounded(problem_->bounds[k], size, row.gamma);
    row.sigma = x.bounded[k].z_lower - x.bounded[k].z_upper;
  }
}

void CentralPath::missing(const Point& x, double k, Targets& targets) const {
  const int contacts = problem_->contacts();
  for (int i = 0; i < contacts; ++i) {
    const auto& [gamma, sigma, eta] = x.rows[i];
    const double mu = problem_->friction[i];
    Target& t = targets.rows[i];
    t.normal = k - gamma.z * sigma.z;
    if (mu == 0) {
      t.along = 0;
      t.across = {-gamma.x, -gamma.y, 0};
      continue;
    }
    t.along = k - (mu * gamma.z * eta + gamma.x * sigma.x + gamma.y * sigma.y);
    for (int r = 0; r < 2; ++r) t.across[r] = -(mu * gamma.z * sigma[r] + eta * gamma[r]);
    t.across.z = 0;
  }
  for (std::size_t j = 0; j < x.bounded.size(); ++j) {
    targets.bounded[j] = abut::missing(x.bounded[j], k);
  }
}

void CentralPath::subtract_products(const Point& dx, Targets& targets) const {
  for (int i = 0; i < problem_->contacts(); ++i) {
    const auto& [gamma, sigma, eta] = dx.rows[i];
    const double mu = problem_->friction[i];
    Target& t = targets.rows[i];
    t.normal -= gamma.z * sigma.z;
    if (mu == 0) continue;
    t.along -= mu * gamma.z * eta + gamma.x * sigma.x + gamma.y * sigma.y;
    for (int r = 0; r < 2; ++r) t.across[r] -= mu * gamma.z * sigma[r] + eta * gamma[r];
  }
  for (std::size_t j = 0; j < dx.bounded.size(); ++j) {
    const BoundedRow& d = dx.bounded[j];
    targets.bounded[j].lower -= multiply_each(d.from_lower, d.z_lower);
    targets.bounded[j].upper -= multiply_each(d.to_upper, d.z_upper);
  }
}

void CentralPath::residuals(const Point& x, std::span<Vec3> result) {
  const std::size_t n = x.rows.size();
  for (std::size_t i = 0; i < n; ++i) rhs_[i] = x.rows[i].gamma;
  problem_->delassus.multiply(rhs_, result);
  for (std::size_t i = 0; i < n; ++i) result[i] += problem_->velocity[i] - x.rows[i].sigma;
}

double CentralPath::complementarity(const Point& x, const Point& dx, double step) const {
  double sum = 0;
  for (int i = 0; i < problem_->contacts(); ++i) {
    const Row &at = x.rows[i], &d = dx.rows[i];
    const double normal = at.gamma.z + step * d.gamma.z, mu = problem_->friction[i];
    sum += normal * (at.sigma.z + step * d.sigma.z);
    if (mu == 0) continue;
    sum += mu * normal * (at.eta + step * d.eta);
    for (int r = 0; r < 2; ++r) {
      sum += (at.gamma[r] + step * d.gamma[r]) * (at.sigma[r] + step * d.sigma[r]);
    }
  }
  for (std::size_t j = 0; j < x.bounded.size(); ++j) {
    sum += products(x.bounded[j], dx.bounded[j], step);
  }
  return products_ > 0 ? sum / products_ : 0;
}

void CentralPath::linearize_contact(const Row& x, double mu, Mat3& a, Mat3& b) const {
  const auto& [gamma, sigma, eta] = x;
  a = b = {};
  a(2, 2) = sigma.z;
  b(2, 2) = gamma.z;
  if (mu == 0) {  // gamma_t = 0
    a(0, 0) = a(1, 1) = 1;
    return;
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

bool CentralPath::linearize(const Point& x) {
  const FrictionProblem& p = *problem_;
  matrix_.resize(p.delassus.block.size());
  for (int i = 0; i < p.contacts(); ++i) {
    linearize_contact(x.rows[i], p.friction[i], to_gamma_[i], to_sigma_[i]);
  }
  for (int i = p.contacts(); i < p.rows(); ++i) {
    Vec3 a = stiffness(x.bounded[i - p.contacts()]), b{1, 1, 1};
    for (int r = 0; r < 3; ++r) {
      if (is_fixed(i, r)) a[r] = 1, b[r] = 0;
    }
    to_gamma_[i] = Mat3::diagonal(a), to_sigma_[i] = Mat3::diagonal(b);
  }
  const BlockMatrix& w = p.delassus;
  for (int i = 0; i < w.rows(); ++i) {
    Vec3 most;
    for (std::int64_t k = w.start[i]; k < w.start[i + 1]; ++k) {
      Mat3& m = matrix_[k] = to_sigma_[i] * w.block[k];
      if (w.column[k] == i) m = m + to_gamma_[i];
      for (const Vec3& c : m.col) {
        for (int r = 0; r < 3; ++r) most[r] = std::max(most[r], std::abs(c[r]));
      }
    }
    row_scale_[i] = {1 / most.x, 1 / most.y, 1 / most.z};
    for (std::int64_t k = w.start[i]; k < w.start[i + 1]; ++k) {
      for (Vec3& c : matrix_[k].col) {
        c = {c.x * row_scale_[i].x, c.y * row_scale_[i].y, c.z * row_scale_[i].z};
      }
    }
  }
  return lu().factor(matrix_);
}

void CentralPath::solve(const Point& x, const Targets& targets, Point& change) {
  const FrictionProblem& p = *problem_;
  const int contacts = p.contacts();
  for (int i = 0; i < p.rows(); ++i) {
    const Target& t = targets.rows[i];
    Vec3 b;
    if (i < contacts) {
      const Vec3& gamma = x.rows[i].gamma;
      const double mu = p.friction[i];
      b = {t.across.x, t.across.y, t.normal};
      if (mu > 0) {  // d_eta, of the second equation, put into the third
        const double along = t.along / (mu * gamma.z);
        b.x -= gamma.x * along, b.y -= gamma.y * along;
      }
    } else {
      b = pull(x.bounded[i - contacts], targets.bounded[i - contacts]);
    }
    rhs_[i] = multiply_each(row_scale_[i], b - to_sigma_[i] * t.residual);
  }
  lu_.solve(rhs_);
  p.delassus.multiply(rhs_, velocity_);
  for (int i = 0; i < p.rows(); ++i) {
    Row& d = change.rows[i];
    d = {rhs_[i], velocity_[i] + targets.rows[i].residual, 0};
    if (i >= contacts) {
      const auto j = static_cast<std::size_t>(i - contacts);
      change.bounded[j] = change_of(x.bounded[j], targets.bounded[j], d.gamma);
      continue;
    }
    const auto& [gamma, sigma, eta] = x.rows[i];
    const double mu = p.friction[i];
    if (mu == 0) continue;
    d.eta = (targets.rows[i].along - mu * eta * d.gamma.z - sigma.x * d.gamma.x -
             sigma.y * d.gamma.y - gamma.x * d.sigma.x - gamma.y * d.sigma.y) /
            (mu * gamma.z);
  }
}

double CentralPath::longest_step(const Point& x, const Point& dx, double most) const {
  double step = most;
  const auto keep_positive = [&](double value, double change) {
    if (value + step * change < 0) step = value / -change;
  };
  for (int i = 0; i < problem_->contacts(); ++i) {
    const auto& [gamma, sigma, eta] = x.rows[i];
    const Row& d = dx.rows[i];
    const double mu = problem_->friction[i];
    keep_positive(gamma.z, d.gamma.z);
    keep_positive(sigma.z, d.sigma.z);
    if (mu == 0) continue;
    step = std::min(step, step_in_cone({gamma.x, gamma.y, mu * gamma.z},
                                       {d.gamma.x, d.gamma.y, mu * d.gamma.z}, step));
    step =
        std::min(step, step_in_cone({sigma.x, sigma.y, eta}, {d.sigma.x, d.sigma.y, d.eta}, step));
  }
  for (std::size_t j = 0; j < x.bounded.size(); ++j) {
    step = abut::longest_step(x.bounded[j], dx.bounded[j], step);
  }
  return step;
}

void CentralPath::move(Point& x, const Point& dx, double step) const {
  for (std::size_t i = 0; i < x.rows.size(); ++i) {
    x.rows[i].gamma += step * dx.rows[i].gamma;
    x.rows[i].sigma += step * dx.rows[i].sigma;
    x.rows[i].eta += step * dx.rows[i].eta;
  }
  const int contacts = problem_->contacts();
  for (std::size_t j = 0; j < x.bounded.size(); ++j) {
    BoundedRow& b = x.bounded[j];
    const BoundedRow& d = dx.bounded[j];
    b.from_lower += step * d.from_lower;
    b.to_upper += step * d.to_upper;
    b.z_lower += step * d.z_lower;
    b.z_upper += step * d.z_upper;
    for (int r = 0; r < 3; ++r) {  // of the digits that are left of z
      if (!abut::is_fixed(problem_->bounds[j], r)) {
        x.rows[contacts + j].sigma[r] = b.z_lower[r] - b.z_upper[r];
      }
    }
  }
}

}  // namespace abut
