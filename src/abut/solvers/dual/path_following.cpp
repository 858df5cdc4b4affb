#include "abut/solvers/dual/path_following.hpp"

#include <algorithm>
#include <cmath>

namespace abut {
namespace {

constexpr double first_step = 0.5, largest_step = 3, shortest_step = 1e-5;
constexpr int corrections = 4;

/// Beyond this, in scaled units, a path leads nowhere.
constexpr double largest_impulse = 1e12;

/// Products within this factor of k are near enough to the path.
constexpr double near_path = 0.3;

}  // namespace

void PathFollowing::start(CentralPath& path, double size, int most_factorizations) {
  for (Point* p : {&point_, &trial_, &tangent_, &newton_, &along_k_, &last_tangent_}) {
    path.resize(p->x);
  }
  path.resize(targets_);
  path.start(size, point_.x);
  const FrictionProblem& problem = path.problem();
  for (int i = 0; i < problem.contacts(); ++i) {
    const double mu = problem.friction[i];
    point_.x.rows[i].eta = mu > 0 ? size / mu : 0;  // on the path: both products are k = size^2
  }
  point_.log_k = start_log_k_ = 2 * std::log(size);
  start_residual_.resize(problem.velocity.size());
  residual_.resize(problem.velocity.size());
  path.residuals(point_.x, start_residual_);
  most_ = most_factorizations;
  factorizations_ = 0;
  step_ = first_step;
  is_first_ = true;
}

bool PathFollowing::advance(CentralPath& path) {
  if (factorizations_ >= most_) return false;
  ++factorizations_;
  if (!path.linearize(point_.x) || !find_tangent(path, point_)) return false;
  const double ahead = is_first_ ? -tangent_.log_k : product(point_, tangent_, last_tangent_);
  if (ahead < 0) scale(tangent_, -1);
  is_first_ = false;
  for (;;) {
    const double within = 0.9 * path.longest_step(point_.x, tangent_.x, step_ / 0.9);
    trial_ = point_;
    path.move(trial_.x, tangent_.x, std::min(step_, within));
    trial_.log_k += std::min(step_, within) * tangent_.log_k;
    const int before = factorizations_;
    if (correct(path, trial_)) {
      if (factorizations_ - before <= 1) step_ = std::min(2 * step_, largest_step);
      break;
    }
    step_ *= 0.4;
    if (step_ < shortest_step || factorizations_ >= most_) return false;
  }
  std::swap(point_, trial_);
  std::swap(last_tangent_, tangent_);
  return !is_lost();
}

bool PathFollowing::is_lost() const {
  return std::ranges::any_of(point_.x.rows, [](const CentralPath::Row& row) {
    const Vec3& gamma = row.gamma;
    const double most = std::max({std::abs(gamma.x), std::abs(gamma.y), std::abs(gamma.z)});
    return !(most < largest_impulse);
  });
}

/// The right-hand sides of a change of log k by 1.
void PathFollowing::aim_along_k(const CentralPath& path, double log_k) {
  const FrictionProblem& problem = path.problem();
  const double k = std::exp(log_k), part = std::exp(log_k - start_log_k_);
  for (int i = 0; i < problem.rows(); ++i) {
    const bool has_friction = i < problem.contacts() && problem.friction[i] > 0;
    targets_.rows[i] = {k, has_friction ? k : 0, {}, -part * start_residual_[i]};
  }
  for (std::size_t j = 0; j < targets_.bounded.size(); ++j) {
    const BoundedRow& x = point_.x.bounded[j];
    for (int r = 0; r < 3; ++r) {
      targets_.bounded[j].lower[r] = x.z_lower[r] > 0 ? k : 0;
      targets_.bounded[j].upper[r] = x.z_upper[r] > 0 ? k : 0;
    }
  }
}

/// The direction of the path at a point that is linearized, of length 1.
bool PathFollowing::find_tangent(CentralPath& path, const Point& at) {
  aim_along_k(path, at.log_k);
  path.solve(at.x, targets_, tangent_.x);
  tangent_.log_k = 1;
  const double length = std::sqrt(product(at, tangent_, tangent_));
  if (!std::isfinite(length)) return false;
  scale(tangent_, 1 / length);
  return true;
}

/// How far a point is from the path, relative to k; sets the right-hand sides of Newton's step.
double PathFollowing::distance(const CentralPath& path, const Point& at) {
  const double k = std::exp(at.log_k), part = std::exp(at.log_k - start_log_k_);
  path.missing(at.x, k, targets_);
  double off = 0;
  for (std::size_t i = 0; i < at.x.rows.size(); ++i) {
    CentralPath::Target& t = targets_.rows[i];
    const CentralPath::Row& x = at.x.rows[i];
    t.residual = residual_[i] - part * start_residual_[i];
    off = std::max(off, norm(t.residual) / (norm(x.sigma) + part));
    if (i >= path.problem().friction.size()) continue;
    off = std::max({off, std::abs(t.normal) / k, std::abs(t.along) / k});
    const double load = std::abs(x.gamma.z * x.eta);
    if (load > 0) off = std::max(off, norm(t.across) / load);
  }
  for (const auto& [lower, upper] : targets_.bounded) {
    for (int r = 0; r < 3; ++r)
      off = std::max({off, std::abs(lower[r]) / k, std::abs(upper[r]) / k});
  }
  return off;
}

/// Newton's method across the tangent. False if it does not come back to the path.
bool PathFollowing::correct(CentralPath& path, Point& at) {
  for (int i = 0; i < corrections && factorizations_ < most_; ++i) {
    if (!std::isfinite(std::exp(at.log_k))) return false;
    path.residuals(at.x, residual_);
    if (distance(path, at) < near_path) return true;
    ++factorizations_;
    if (!path.linearize(at.x)) return false;
    path.solve(at.x, targets_, newton_.x);
    newton_.log_k = 0;
    aim_along_k(path, at.log_k);
    path.solve(at.x, targets_, along_k_.x);
    along_k_.log_k = 1;
    const double turn = -product(at, tangent_, newton_) / product(at, tangent_, along_k_);
    if (!std::isfinite(turn) || std::abs(turn) > 5) return false;
    add(newton_, along_k_, turn);
    const double step = std::min(1.0, 0.9 * path.longest_step(at.x, newton_.x, 1 / 0.9));
    if (step < 0.05) return false;
    path.move(at.x, newton_.x, step);
    at.log_k += step * newton_.log_k;
  }
  return false;
}

/// In a metric in which unknowns count by their own size; impulses without bounds do not.
double PathFollowing::product(const Point& at, const Point& a, const Point& b) const {
  const std::size_t contacts = at.x.rows.size() - at.x.bounded.size();
  double sum = 0;
  for (std::size_t i = 0; i < contacts; ++i) {
    const CentralPath::Row &x = at.x.rows[i], &p = a.x.rows[i], &q = b.x.rows[i];
    const double g = x.gamma.z * x.gamma.z;
    const double s = std::max(x.eta, x.sigma.z) * std::max(x.eta, x.sigma.z);
    sum += dot(p.gamma, q.gamma) / g + (dot(p.sigma, q.sigma) + p.eta * q.eta) / s;
  }
  for (std::size_t j = 0; j < at.x.bounded.size(); ++j) {
    const BoundedRow &x = at.x.bounded[j], &p = a.x.bounded[j], &q = b.x.bounded[j];
    for (int r = 0; r < 3; ++r) {
      const auto add = [&](const Vec3& size, const Vec3& u, const Vec3& v) {
        if (size[r] > 0) sum += u[r] / size[r] * (v[r] / size[r]);
      };
      add(x.from_lower, p.from_lower, q.from_lower);
      add(x.to_upper, p.to_upper, q.to_upper);
      add(x.z_lower, p.z_lower, q.z_lower);
      add(x.z_upper, p.z_upper, q.z_upper);
    }
  }
  return sum / static_cast<double>(at.x.rows.size()) + a.log_k * b.log_k;
}

void PathFollowing::scale(Point& change, double by) {
  for (CentralPath::Row& c : change.x.rows) c = {by * c.gamma, by * c.sigma, by * c.eta};
  for (BoundedRow& c : change.x.bounded) {
    c = {by * c.from_lower, by * c.to_upper, by * c.z_lower, by * c.z_upper};
  }
  change.log_k *= by;
}

void PathFollowing::add(Point& change, const Point& other, double by) {
  for (std::size_t i = 0; i < change.x.rows.size(); ++i) {
    CentralPath::Row& c = change.x.rows[i];
    const CentralPath::Row& d = other.x.rows[i];
    c = {c.gamma + by * d.gamma, c.sigma + by * d.sigma, c.eta + by * d.eta};
  }
  for (std::size_t j = 0; j < change.x.bounded.size(); ++j) {
    BoundedRow& c = change.x.bounded[j];
    const BoundedRow& d = other.x.bounded[j];
    c = {c.from_lower + by * d.from_lower, c.to_upper + by * d.to_upper, c.z_lower + by * d.z_lower,
         c.z_upper + by * d.z_upper};
  }
  change.log_k += by * other.log_k;
}

}  // namespace abut
