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

int PathFollowing::run(CentralPath& path, double size, int most,
                       const std::function<bool(std::span<const Contact>)>& done) {
  const std::size_t n = path.problem().friction.size();
  point_.x.assign(n, {{0, 0, size}, {0, 0, size}, 0});
  for (std::size_t i = 0; i < n; ++i) {
    const double mu = path.problem().friction[i];
    point_.x[i].eta = mu > 0 ? size / mu : 0;  // on the path: both products are k = size^2
  }
  point_.log_k = start_log_k_ = 2 * std::log(size);
  start_residual_.resize(n);
  residual_.resize(n);
  target_.resize(n);
  for (auto* c : {&tangent_, &newton_, &along_k_, &last_tangent_}) c->x.resize(n);
  path.residuals(point_.x, start_residual_);
  int factorizations = 0;
  double step = first_step;
  bool is_first = true;
  while (factorizations < most) {
    if (done(point_.x)) break;
    ++factorizations;
    if (!path.linearize(point_.x) || !find_tangent(path, point_)) break;
    const double ahead = is_first ? -tangent_.log_k : product(point_, tangent_, last_tangent_);
    if (ahead < 0) {
      for (Contact& c : tangent_.x) c = {-c.gamma, -c.sigma, -c.eta};
      tangent_.log_k = -tangent_.log_k;
    }
    is_first = false;
    for (;;) {
      const double within = 0.9 * path.longest_step(point_.x, tangent_.x, step / 0.9);
      trial_ = point_;
      move(trial_, tangent_, std::min(step, within));
      const int before = factorizations;
      if (correct(path, trial_, factorizations, most)) {
        if (factorizations - before <= 1) step = std::min(2 * step, largest_step);
        break;
      }
      step *= 0.4;
      if (step < shortest_step || factorizations >= most) return factorizations;
    }
    std::swap(point_, trial_);
    std::swap(last_tangent_, tangent_);
    const auto is_lost = [](const Contact& c) { return !(c.gamma.z < largest_impulse); };
    if (std::ranges::any_of(point_.x, is_lost)) break;
  }
  return factorizations;
}

/// The direction of the path at a point that is linearized, of length 1.
bool PathFollowing::find_tangent(CentralPath& path, const Point& at) {
  const double k = std::exp(at.log_k), part = std::exp(at.log_k - start_log_k_);
  for (std::size_t i = 0; i < at.x.size(); ++i) {
    const bool has_friction = path.problem().friction[i] > 0;
    target_[i] = {k, has_friction ? k : 0, {}, -part * start_residual_[i]};
  }
  path.solve(at.x, target_, tangent_.x);
  tangent_.log_k = 1;
  const double length = std::sqrt(product(at, tangent_, tangent_));
  if (!std::isfinite(length)) return false;
  for (Contact& c : tangent_.x) c = {c.gamma / length, c.sigma / length, c.eta / length};
  tangent_.log_k /= length;
  return true;
}

/// Newton's method across the tangent. False if it does not come back to the path.
bool PathFollowing::correct(CentralPath& path, Point& at, int& factorizations, int most) {
  for (int i = 0; i < corrections && factorizations < most; ++i) {
    const double k = std::exp(at.log_k), part = std::exp(at.log_k - start_log_k_);
    if (!std::isfinite(k)) return false;
    path.residuals(at.x, residual_);
    double off = 0;
    for (std::size_t j = 0; j < at.x.size(); ++j) {
      target_[j] = path.missing(at.x[j], path.problem().friction[j], k);
      target_[j].residual = residual_[j] - part * start_residual_[j];
      off = std::max({off, std::abs(target_[j].normal) / k, std::abs(target_[j].along) / k});
      const double load = std::abs(at.x[j].gamma.z * at.x[j].eta);
      if (load > 0) {
        off = std::max(off, norm(target_[j].across) / load);
      }
      off = std::max(off, norm(target_[j].residual) / (norm(at.x[j].sigma) + part));
    }
    if (off < near_path) return true;
    ++factorizations;
    if (!path.linearize(at.x)) return false;
    path.solve(at.x, target_, newton_.x);
    newton_.log_k = 0;
    for (std::size_t j = 0; j < at.x.size(); ++j) {
      const bool has_friction = path.problem().friction[j] > 0;
      target_[j] = {k, has_friction ? k : 0, {}, -part * start_residual_[j]};
    }
    path.solve(at.x, target_, along_k_.x);
    along_k_.log_k = 1;
    const double turn = -product(at, tangent_, newton_) / product(at, tangent_, along_k_);
    if (!std::isfinite(turn) || std::abs(turn) > 5) return false;
    for (std::size_t j = 0; j < at.x.size(); ++j) {
      newton_.x[j].gamma += turn * along_k_.x[j].gamma;
      newton_.x[j].sigma += turn * along_k_.x[j].sigma;
      newton_.x[j].eta += turn * along_k_.x[j].eta;
    }
    newton_.log_k = turn;
    const double step = std::min(1.0, 0.9 * path.longest_step(at.x, newton_.x, 1 / 0.9));
    if (step < 0.05) return false;
    move(at, newton_, step);
  }
  return false;
}

/// In a metric in which unknowns count by their own size.
double PathFollowing::product(const Point& at, const Change& a, const Change& b) const {
  double sum = 0;
  for (std::size_t i = 0; i < at.x.size(); ++i) {
    const Contact &x = at.x[i], &p = a.x[i], &q = b.x[i];
    const double g = x.gamma.z * x.gamma.z;
    const double s = std::max(x.eta, x.sigma.z) * std::max(x.eta, x.sigma.z);
    sum += dot(p.gamma, q.gamma) / g + (dot(p.sigma, q.sigma) + p.eta * q.eta) / s;
  }
  return sum / static_cast<double>(at.x.size()) + a.log_k * b.log_k;
}

void PathFollowing::move(Point& point, const Change& change, double step) {
  for (std::size_t i = 0; i < point.x.size(); ++i) {
    point.x[i].gamma += step * change.x[i].gamma;
    point.x[i].sigma += step * change.x[i].sigma;
    point.x[i].eta += step * change.x[i].eta;
  }
  point.log_k += step * change.log_k;
}

}  // namespace abut
