#include "abut/solvers/dual/least_norm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace abut {
namespace {

/// eps of the row with the largest units, at first and in the end; how often multipliers change,
/// and how exactly each time.
constexpr double first_eps = 1e-2, last_eps = 1e-8;
constexpr int round_limit = 50, inner_limit = 3000;
constexpr double exactness = 1e-2, least_tolerance = 1e-13;

/// Velocities below this multiple of the error count as none.
constexpr double stillness = 100;

/// The projection on the ray from 0 along d, of unit length or 0.
Vec3 project_on_ray(const Vec3& x, const Vec3& d) {
  return std::max(dot(x, d), 0.0) * d;
}

/// On {along d and the axis, |x_axis| <= mu x_n}, d having no part along the axis.
Vec3 project_on_edge(const Vec3& x, const Vec3& d, int axis, double mu) {
  // a cone of the plane: |x_axis| <= slope * (part along d)
  const double slope = mu * d.z, along = dot(x, d), across = x[axis], size = std::abs(across);
  Vec3 result = std::max(along, 0.0) * d;
  if (size <= slope * along) {
    result[axis] = across;
    return result;
  }
  const double n = std::max((along + slope * size) / (1 + slope * slope), 0.0);
  result = n * d;
  result[axis] = std::copysign(slope * n, across);
  return result;
}

}  // namespace

struct LeastNorm::Conditions {
  LeastNorm& self;
  const FrictionOptions& options;

  Vec3 project(int row, const Vec3& x) const {
    const Freedom& f = self.freedom_[row];
    switch (f.kind) {
      case Freedom::Kind::cone: return abut::project(self.problem_.scaled, options.model, row, x);
      case Freedom::Kind::ray: return project_on_ray(x, f.ray);
      case Freedom::Kind::edge:
        return project_on_edge(x, f.ray, f.free_axis, self.problem_.scaled.friction[row]);
      case Freedom::Kind::bounds: return clamp(x, f.bounds);
    }
    return x;
  }
  double lift(int, const Vec3&) const { return 0; }
  double error(std::span<const Vec3> x) const {
    self.matrix_.multiply(x, self.sigma_);
    double squares = 0;
    for (int i = 0; i < static_cast<int>(x.size()); ++i) {
      const Vec3 off = x[i] - project(i, x[i] - (self.sigma_[i] + self.g_[i]));
      squares += self.problem_.squared_error(options, i, off);
    }
    return std::sqrt(squares);
  }
};

double LeastNorm::error(const FrictionOptions& options, std::span<const Vec3> gamma) {
  const FrictionProblem& p = problem_.scaled;
  p.delassus.multiply(gamma, sigma_);
  for (int i = 0; i < p.rows(); ++i) sigma_[i] += p.velocity[i];
  return problem_.error(options, gamma, sigma_);
}

/// By the velocities in sigma_, of which those up to `still` are none.
LeastNorm::Freedom LeastNorm::freedom_of(const FrictionOptions& options, int row,
                                         double still) const {
  const FrictionProblem& p = problem_.scaled;
  const Vec3& s = sigma_[row];
  Freedom f;
  if (row >= p.contacts()) {
    f.kind = Freedom::Kind::bounds;
    f.bounds = p.bounds[row - p.contacts()];
    for (int r = 0; r < 3; ++r) {
      if (s[r] > still) f.bounds.upper[r] = f.bounds.lower[r];
      if (s[r] < -still) f.bounds.lower[r] = f.bounds.upper[r];
    }
    return f;
  }
  const double mu = p.friction[row], slip = std::hypot(s.x, s.y);
  if (norm(s) <= still) return f;
  f.kind = Freedom::Kind::ray;
  const bool is_convex = options.model == RigidModel::ccp;
  if (s.z > still + (is_convex ? mu * slip : 0)) return f;
  switch (options.model) {
    case RigidModel::lcp:
      f.ray = {0, 0, 1};
      for (int r = 0; r < 2; ++r) {
        if (std::abs(s[r]) > still) {
          f.ray[r] = -std::copysign(mu, s[r]);
        } else {
          f.kind = Freedom::Kind::edge;
          f.free_axis = r;
        }
      }
      break;
    case RigidModel::raisim: f.ray = given_[row]; break;
    default: f.ray = slip > 0 ? Vec3{-mu * s.x / slip, -mu * s.y / slip, 1} : Vec3{0, 0, 1};
  }
  if (squared_norm(f.ray) > 0) f.ray = f.ray / norm(f.ray);
  return f;
}

void LeastNorm::find_freedom(const FrictionOptions& options, double error) {
  for (int i = 0; i < problem_.scaled.rows(); ++i) {
    const double unit = std::sqrt(problem_.squared_error(options, i, {1, 0, 0}));
    freedom_[i] = freedom_of(options, i, stillness * std::max(error, least_tolerance) / unit);
  }
}

/// W + eps, which weighs impulses in original units.
void LeastNorm::regularize(double eps) {
  const FrictionProblem& p = problem_.scaled;
  double largest = 0;
  for (const Vec3& s : problem_.scale) largest = std::max({largest, s.x, s.y, s.z});
  matrix_ = p.delassus;
  for (int i = 0; i < p.rows(); ++i) {
    Mat3& own = matrix_.block[matrix_.find(i, i)];
    for (int r = 0; r < 3; ++r) {
      const double unit = problem_.scale[i][r] / largest;
      own(r, r) += eps * unit * unit;
    }
  }
  splitting_.set(matrix_);
}

bool LeastNorm::improve(const FrictionProblem& original, const FrictionOptions& options,
                        std::span<Vec3> impulse) {
  problem_.set(original);
  const FrictionProblem& p = problem_.scaled;
  const int n = p.rows();
  for (auto* v : {&given_, &gamma_, &sigma_, &g_}) v->resize(n);
  freedom_.resize(n);
  for (int i = 0; i < n; ++i) given_[i] = problem_.from_problem(i, impulse[i]);
  const double given_error = error(options, given_);
  find_freedom(options, given_error);
  gamma_ = given_;
  lambda_.assign(n, {});
  const double tolerance = std::max(exactness * options.tolerance, least_tolerance);
  double eps = first_eps, last = std::numeric_limits<double>::infinity();
  regularize(eps);
  for (int round = 0; round < round_limit; ++round) {
    for (int i = 0; i < n; ++i) sigma_[i] = lambda_[i] - given_[i];
    p.delassus.multiply(sigma_, g_);
    if (!splitting_.run(g_, Conditions{*this, options}, tolerance, inner_limit, gamma_).is_finite) {
      return false;
    }
    for (int i = 0; i < n; ++i) g_[i] = gamma_[i] - given_[i];
    p.delassus.multiply(g_, sigma_);
    double squares = 0;
    for (int i = 0; i < n; ++i) {
      squares += problem_.squared_error(options, i, sigma_[i]);
      lambda_[i] += g_[i];
    }
    const double missed = std::sqrt(squares);
    if (missed <= 10 * tolerance) break;
    if (missed > 0.1 * last && eps > last_eps) {  // multipliers are as large as eps
      eps *= 0.1;
      for (Vec3& l : lambda_) l *= 0.1;
      regularize(eps);
    }
    last = missed;
  }
  if (!(error(options, gamma_) <= std::max(options.tolerance, given_error))) return false;
  double before = 0, after = 0;
  for (int i = 0; i < n; ++i) {
    before += squared_norm(impulse[i]);
    after += squared_norm(problem_.to_problem(i, gamma_[i]));
  }
  if (!(after < before)) return false;
  for (int i = 0; i < n; ++i) impulse[i] = problem_.to_problem(i, gamma_[i]);
  return true;
}

}  // namespace abut
