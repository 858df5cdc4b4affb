#include "abut/solvers/dual/slip_direction.hpp"

#include <array>
#include <cmath>
#include <numbers>

namespace abut {
namespace {

struct Direction {
  double c, s;
};

Direction unit(double c, double s) {
  const double size = 1 / std::sqrt(c * c + s * s);
  return {size * c, size * s};
}

class Slip {
 public:
  Slip(const Mat3& w, const Vec3& g, double mu) : w_(w), mu_(mu), load_(-g.z) {
    for (int r = 0; r < 2; ++r) {
      for (int c = 0; c < 2; ++c) m_[r][c] = mu * (load_ * w(r, c) + g[r] * w(2, c));
      b_[r] = load_ * w(r, 2) + w(2, 2) * g[r];
    }
  }

  /// Of d: sigma_t times a positive number, across d and along it.
  double across(const Direction& d) const {
    return d.c * (m_[1][0] * d.c + m_[1][1] * d.s + b_[1]) -
           d.s * (m_[0][0] * d.c + m_[0][1] * d.s + b_[0]);
  }
  double along(const Direction& d) const {
    return d.c * (m_[0][0] * d.c + m_[0][1] * d.s + b_[0]) +
           d.s * (m_[1][0] * d.c + m_[1][1] * d.s + b_[1]);
  }
  /// The change of across() as d turns.
  double turning(const Direction& d) const {
    const double turned =
        d.c * (-m_[1][0] * d.s + m_[1][1] * d.c) - d.s * (-m_[0][0] * d.s + m_[0][1] * d.c);
    return turned - along(d);
  }
  /// Normal velocity per impulse of (mu d, 1).
  double response(const Direction& d) const {
    return mu_ * (w_(2, 0) * d.c + w_(2, 1) * d.s) + w_(2, 2);
  }
  bool is_answer(const Direction& d) const { return response(d) > 0 && along(d) <= 0; }
  Vec3 impulse(const Direction& d) const {
    const double n = load_ / response(d);
    return {mu_ * n * d.c, mu_ * n * d.s, n};
  }

  /// Newton's method.
  std::optional<Direction> near(Direction d) const {
    for (int i = 0; i < 8; ++i) {
      const double change = -across(d) / turning(d);
      if (!(std::abs(change) < 0.5)) return {};
      d = unit(d.c - change * d.s, d.s + change * d.c);
      if (std::abs(change) < 1e-8) {  // what is left of the error is its square
        return is_answer(d) ? std::optional(d) : std::nullopt;
      }
    }
    return {};
  }

  /// Of all roots, each found between two of many directions.
  std::optional<Direction> fastest() const;

 private:
  Direction between(Direction low, Direction high) const;

  const Mat3& w_;
  double mu_, load_, m_[2][2], b_[2];
};

constexpr int sectors = 48;

/// Directions all around, the first one again at the end.
const std::array<Direction, sectors + 1>& all_directions() {
  static const auto all = [] {
    std::array<Direction, sectors + 1> d{};
    for (int i = 0; i <= sectors; ++i) {
      const double angle = 2 * std::numbers::pi * (i % sectors) / sectors;
      d[i] = {std::cos(angle), std::sin(angle)};
    }
    return d;
  }();
  return all;
}

/// The root between two directions of unlike signs, by secants (Illinois).
Direction Slip::between(Direction low, Direction high) const {
  double f = across(low), g = across(high);
  Direction d = low;
  for (int i = 0, side = 0; i < 60 && f != g; ++i) {
    const double t = f / (f - g);
    d = unit(low.c + t * (high.c - low.c), low.s + t * (high.s - low.s));
    const double now = across(d);
    if (now == 0) break;
    if ((now > 0) == (f > 0)) {
      const double moved = std::abs(d.c - low.c) + std::abs(d.s - low.s);
      low = d, f = now;
      if (side == -1) g *= 0.5;
      side = -1;
      if (moved < 1e-15) break;
    } else {
      const double moved = std::abs(d.c - high.c) + std::abs(d.s - high.s);
      high = d, g = now;
      if (side == 1) f *= 0.5;
      side = 1;
      if (moved < 1e-15) break;
    }
  }
  return d;
}

std::optional<Direction> Slip::fastest() const {
  const auto& all = all_directions();
  std::optional<Direction> found;
  double most = 0, f = across(all[0]);
  for (int i = 0; i < sectors; ++i) {
    const double next = across(all[i + 1]);
    if ((f <= 0) != (next <= 0)) {
      const Direction d = between(all[i], all[i + 1]);
      const double slides = along(d);
      if (response(d) > 0 && slides < most) most = slides, found = d;
    }
    f = next;
  }
  return found;
}

}  // namespace

std::optional<Vec3> sliding_impulse(const Mat3& w, const Vec3& g, double mu, const Vec3& guess) {
  const Slip slip(w, g, mu);
  std::optional<Direction> d;
  if (guess.x != 0 || guess.y != 0) d = slip.near(unit(guess.x, guess.y));
  if (!d) d = slip.fastest();
  if (!d) return {};
  return slip.impulse(*d);
}

}  // namespace abut
