#include "abut/solvers/dual/compliant_row.hpp"

#include <algorithm>
#include <cmath>

namespace abut {
namespace {

/// tau >= 0 of a contact that slides: (r_t + tau) gamma_t = -sigma_t, (r_n - mu^2 tau) gamma_n =
/// -sigma_n, |gamma_t| = mu gamma_n; the root of (r_n - mu^2 tau) |gamma_t| + mu sigma_n, which
/// falls.
double find_tau(const Vec3& sigma, const Vec3& r, double mu) {
  const double slip = std::hypot(sigma.x, sigma.y), mean = (r.x + r.y) / 2;
  const auto closed = [&](double rt) {
    return (slip * r.z + mu * sigma.z * rt) / (mu * (mu * slip - sigma.z));
  };
  if (r.x == r.y) return closed(r.x);
  double low = closed(std::max(r.x, r.y)), high = closed(std::min(r.x, r.y));
  if (low > high) std::swap(low, high);
  low = std::max(low, 0.0);
  double tau = std::clamp(closed(mean), low, high);
  for (int k = 0; k < 60 && high - low > 1e-15 * high; ++k) {
    const double x = sigma.x / (r.x + tau), y = sigma.y / (r.y + tau), size = std::hypot(x, y);
    const double off = (r.z - mu * mu * tau) * size + mu * sigma.z;
    (off > 0 ? low : high) = tau;
    const double turn = (x * x / (r.x + tau) + y * y / (r.y + tau)) / size;
    const double slope = -mu * mu * size - (r.z - mu * mu * tau) * turn;
    const double next = tau - off / slope;
    if (std::abs(next - tau) <= 1e-16 * tau) break;
    tau = next > low && next < high ? next : (low + high) / 2;
  }
  return tau;
}

/// D = H^-1 - H^-1 a a^T H^-1 / (a^T H^-1 a), H = R + tau (1 - t t^T) across, a = (t, -mu).
Mat3 fall_of_sliding(const Vec3& t, const Vec3& r, double mu, double tau) {
  const double xx = r.x + tau * (1 - t.x * t.x), yy = r.y + tau * (1 - t.y * t.y);
  const double xy = -tau * t.x * t.y, determinant = xx * yy - xy * xy;
  Mat3 inverse{};
  inverse(0, 0) = yy / determinant, inverse(1, 1) = xx / determinant;
  inverse(0, 1) = inverse(1, 0) = -xy / determinant;
  inverse(2, 2) = 1 / r.z;
  const Vec3 a{t.x, t.y, -mu}, b = inverse * a;
  const double size = dot(a, b);
  for (int c = 0; c < 3; ++c) inverse.col[c] -= b[c] / size * b;
  return inverse;
}

}  // namespace

CompliantAnswer compliant_contact(const Vec3& sigma, const Vec3& r, double mu) {
  const double slip = std::hypot(sigma.x, sigma.y);
  if (sigma.z >= mu * slip) return {};
  if (mu == 0) return {{0, 0, -sigma.z / r.z}, Mat3::diagonal({0, 0, 1 / r.z})};
  const Vec3 held{-sigma.x / r.x, -sigma.y / r.y, -sigma.z / r.z};
  if (std::hypot(held.x, held.y) <= mu * held.z) {
    return {held, Mat3::diagonal({1 / r.x, 1 / r.y, 1 / r.z})};
  }
  const double tau = find_tau(sigma, r, mu);
  const Vec3 across{-sigma.x / (r.x + tau), -sigma.y / (r.y + tau), 0};
  const double size = norm(across);
  return {{across.x, across.y, size / mu}, fall_of_sliding(across / size, r, mu, tau)};
}

CompliantAnswer compliant_constraints(const Vec3& sigma, const Vec3& r, const ImpulseBounds& b) {
  CompliantAnswer answer;
  for (int k = 0; k < 3; ++k) {
    const double free = -sigma[k] / r[k];
    answer.gamma[k] = std::clamp(free, b.lower[k], b.upper[k]);
    answer.fall(k, k) = free > b.lower[k] && free < b.upper[k] ? 1 / r[k] : 0;
  }
  return answer;
}

}  // namespace abut
