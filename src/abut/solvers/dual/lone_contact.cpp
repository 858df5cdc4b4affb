#include "abut/solvers/dual/lone_contact.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "abut/solvers/dual/lone_pyramid.hpp"
#include "abut/solvers/dual/raisim_contact.hpp"
#include "abut/solvers/dual/rigid_cones.hpp"
#include "abut/solvers/dual/slip_direction.hpp"

namespace abut {
namespace {

/// A contact that slides: its impulse is gamma_n (mu d, 1) with d = (cos a, sin a) against the
/// slip, of RaiSim with d + tilt against it. Of each angle a the normal condition gives gamma_n;
/// what is left is one equation for a.
class Sliding {
 public:
  Sliding(RigidModel model, const Mat3& w, const Vec3& g, double mu)
      : model_(model), w_(w), g_(g), mu_(mu) {
    if (model == RigidModel::raisim) tilt_ = tilt_of(w, mu);
  }

  /// gamma_n times a positive number, and `off`: the slip's part across d, times the same.
  struct Value {
    double impulse, scale, off, along;
  };
  Value at(double angle) const {
    const double c = std::cos(angle), s = std::sin(angle);
    const Vec3 edge{mu_ * c, mu_ * s, 1}, response = w_ * edge;
    // CCP: sigma perpendicular to the edge of the cone; else sigma_n = 0
    const bool rigid = model_ != RigidModel::ccp;
    const double impulse = rigid ? -g_.z : -dot(edge, g_);
    const double scale = rigid ? response.z : dot(edge, response);
    const Vec3 slip = impulse * response + scale * g_;
    const double x = c + tilt_.x, y = s + tilt_.y;
    return {impulse, scale, x * slip.y - y * slip.x, x * slip.x + y * slip.y};
  }
  bool is_answer(const Value& v) const { return v.scale > 0 && v.impulse >= 0 && v.along <= 0; }
  Vec3 impulse(double angle) const {
    const Value v = at(angle);
    const double n = v.impulse / v.scale;
    return {mu_ * n * std::cos(angle), mu_ * n * std::sin(angle), n};
  }

  /// Newton's method from a good guess.
  std::optional<double> near(double angle) const {
    for (int i = 0; i < 6; ++i) {
      constexpr double d = 1e-6;
      const double off = at(angle).off, slope = (at(angle + d).off - at(angle - d).off) / (2 * d);
      const double change = -off / slope;
      if (!(std::abs(change) < 0.3)) return {};
      angle += change;
      if (std::abs(change) < 1e-9) break;
      if (i == 5) return {};
    }
    // one bisection-free step more leaves rounding alone
    return is_answer(at(angle)) ? std::optional(angle) : std::nullopt;
  }

  /// Wherever it is: the equation is a trigonometric polynomial of degree 2 or 3.
  std::optional<double> anywhere() const {
    constexpr int sectors = 48;
    constexpr double width = 2 * std::numbers::pi / sectors;
    std::optional<double> found;
    double most = 0;
    double off = at(0).off;
    for (int i = 0; i < sectors; ++i) {
      const double begin = i * width, next = at(begin + width).off;
      const bool changes = (off <= 0) != (next <= 0);
      if (changes) {
        double low = begin, high = begin + width;
        for (int k = 0; k < 60; ++k) {
          const double middle = 0.5 * (low + high);
          ((at(middle).off <= 0) == (off <= 0) ? low : high) = middle;
        }
        const Value v = at(low);
        if (v.scale > 0 && v.impulse >= 0 && v.along < most) {
          most = v.along;
          found = low;
        }
      }
      off = next;
    }
    return found;
  }

 private:
  RigidModel model_;
  const Mat3& w_;
  Vec3 g_, tilt_;
  double mu_;
};

Vec3 solve_regular(RigidModel model, const ProximalContact& contact, double mu, const Vec3& last) {
  const auto& [w, g] = contact;
  if (model == RigidModel::lcp) return solve_lone_pyramid(w, g, mu, last);
  const double slip = std::sqrt(g.x * g.x + g.y * g.y);
  if (model == RigidModel::ccp ? g.z >= mu * slip : g.z >= 0) return {};
  if (mu == 0) return {0, 0, -g.z / w(2, 2)};
  const Vec3 held = contact.holding_impulse();
  if (is_in_cone(held, mu)) return held;
  const bool slid = last.z > 0 && (last.x != 0 || last.y != 0);
  const Vec3 guess = slid ? last : -g;
  if (model == RigidModel::ncp) return sliding_impulse(w, g, mu, guess).value_or(last);
  const Sliding sliding(model, w, g, mu);
  if (const auto angle = sliding.near(std::atan2(guess.y, guess.x))) {
    return sliding.impulse(*angle);
  }
  if (model == RigidModel::raisim) return slide_by_bisection(w, g, mu, held);
  if (const auto angle = sliding.anywhere()) return sliding.impulse(*angle);
  return last;
}

}  // namespace

ProximalContact::ProximalContact(RigidModel model, const Mat3& w, const Vec3& given,
                                 const Vec3& last)
    : delassus(w), g(given) {
  const double mobility = (w(0, 0) + w(1, 1) + w(2, 2)) / 3;
  if (determinant(w) > 1e-4 * mobility * mobility * mobility) return;
  const int count = model == RigidModel::raisim ? 2 : 3;
  for (int k = 0; k < count; ++k) {
    delassus(k, k) += 1e-6 * mobility;
    g[k] -= 1e-6 * mobility * last[k];
  }
}

Vec3 solve_lone_contact(RigidModel model, const Mat3& w, const Vec3& g, double mu,
                        const Vec3& last) {
  if (model == RigidModel::raisim && !(w(2, 2) > 0)) return g.z < 0 ? last : Vec3{};
  return solve_regular(model, ProximalContact(model, w, g, last), mu, last);
}

}  // namespace abut
