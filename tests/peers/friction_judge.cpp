#include "peers/friction_judge.hpp"

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "peers/quad.hpp"

namespace abut {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Quad square(const Quad& x) {
  return x * x;
}

/// The distance from y to the point of K nearest to it, squared, as a function of that point's
/// height, which is convex: its minimum by bisection of the slope. Returns the point.
QuadVec nearest_in_cone(const QuadVec& y, const Quad& mu, bool is_pyramid) {
  const Quad length = sqrt(square(y[0]) + square(y[1]));
  const auto at = [&](const Quad& height) {
    QuadVec x = y;
    x[2] = height;
    const Quad most = mu * height;
    if (is_pyramid) {
      for (int k = 0; k < 2; ++k) x[k] = max(-most, min(most, y[k]));
    } else if (length > most) {
      for (int k = 0; k < 2; ++k) x[k] = most * (y[k] / length);
    }
    return x;
  };
  // the derivative of the squared distance by the height, half of it
  const auto slope = [&](const Quad& height) {
    const Quad most = mu * height;
    Quad sum = height - y[2];
    if (is_pyramid) {
      for (int k = 0; k < 2; ++k) sum -= mu * max(abs(y[k]) - most, 0);
    } else {
      sum -= mu * max(length - most, 0);
    }
    return sum;
  };
  Quad low = 0, high = abs(y[2]) + mu * (abs(y[0]) + abs(y[1]));
  if (slope(low) >= 0) return at(0);
  for (int k = 0; k < 80; ++k) {
    const Quad middle = (low + high) / 2;
    (slope(middle) < 0 ? low : high) = middle;
  }
  return at(high);
}

struct Contact {
  QuadVec gamma, sigma;
  Quad tilt[2];  // a
  Quad mobility, mu;
};

/// |gamma - P_K(gamma - c/w)|^2
Quad squared_map(const Contact& x, const QuadVec& c, bool is_pyramid) {
  const QuadVec off = x.gamma - nearest_in_cone(x.gamma - (1 / x.mobility) * c, x.mu, is_pyramid);
  return dot(off, off);
}

/// Of the slip sigma_t + tau a, and what it misses of the size tau.
Quad squared_map_of_slip(const Contact& x, const Quad& tau, bool fits) {
  QuadVec c = x.sigma;
  for (int k = 0; k < 2; ++k) c[k] += tau * x.tilt[k];
  const Quad size = sqrt(square(c[0]) + square(c[1]));
  c[2] += x.mu * size;
  const Quad missed = fits ? 0 : min((size - tau) / x.mobility, max(x.gamma[2], 0));
  return squared_map(x, c, false) + square(missed);
}

/// The least over tau with |sigma_t + tau a| = tau; if there is none, of that which comes nearest.
Quad squared_map_of_raisim(const Contact& x) {
  const Quad slip = square(x.sigma[0]) + square(x.sigma[1]);
  if (slip == 0) return squared_map(x, x.sigma, false);
  // lead tau^2 - 2 half tau - slip = 0
  const Quad lead = 1 - square(x.tilt[0]) - square(x.tilt[1]);
  const Quad half = x.sigma[0] * x.tilt[0] + x.sigma[1] * x.tilt[1];
  const Quad inside = square(half) + lead * slip;
  Quad least = infinity;
  const auto try_root = [&](const Quad& tau) {
    if (tau >= 0) least = min(least, squared_map_of_slip(x, tau, true));
  };
  if (lead == 0 && half < 0) try_root(-slip / (2 * half));
  if (lead != 0 && inside >= 0) {
    const Quad root = sqrt(inside);
    // two roots, their product is -slip / lead
    const Quad large = half > 0 ? (half + root) / lead : (half - root) / lead;
    try_root(large);
    try_root(-slip / lead / large);
  }
  if (least < infinity) return least;
  // |s|^2 - tau^2 is least at half / lead where it opens upwards, else at 0
  return squared_map_of_slip(x, half < 0 ? half / lead : 0, false);
}

Quad squared_map(const Contact& x, RigidModel model) {
  QuadVec c = x.sigma;
  switch (model) {
    case RigidModel::ncp:
      c[2] += x.mu * sqrt(square(c[0]) + square(c[1]));
      return squared_map(x, c, false);
    case RigidModel::ccp: return squared_map(x, c, false);
    case RigidModel::lcp: c[2] += x.mu * (abs(c[0]) + abs(c[1])); return squared_map(x, c, true);
    case RigidModel::raisim: break;
  }
  return squared_map_of_raisim(x);
}

/// By block row the row that stands for its island.
std::vector<int> roots_of_islands(const BlockMatrix& w) {
  std::vector<int> root(w.rows());
  for (int i = 0; i < w.rows(); ++i) root[i] = i;
  for (bool changes = true; changes;) {
    changes = false;
    for (int i = 0; i < w.rows(); ++i) {
      for (std::int64_t k = w.start[i]; k < w.start[i + 1]; ++k) {
        const int j = w.column[k], least = std::min(root[i], root[j]);
        changes = changes || root[i] != least || root[j] != least;
        root[i] = root[j] = least;
      }
    }
  }
  return root;
}

}  // namespace

double exact_natural_error(const FrictionProblem& p, RigidModel model,
                           std::span<const Vec3> impulse) {
  const BlockMatrix& w = p.delassus;
  const std::vector<int> root = roots_of_islands(w);
  std::vector<Quad> missed(p.rows(), Quad(0)), given(p.rows(), Quad(0));
  for (int i = 0; i < p.rows(); ++i) {
    Contact x;
    Mat3 own{};
    for (int r = 0; r < 3; ++r) {
      x.gamma[r] = impulse[i][r];
      x.sigma[r] = p.velocity[i][r];
      given[root[i]] += square(x.sigma[r]);
    }
    for (std::int64_t k = w.start[i]; k < w.start[i + 1]; ++k) {
      if (w.column[k] == i) own = w.block[k];
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
          x.sigma[r] += Quad(w.block[k](r, c)) * impulse[w.column[k]][c];
        }
      }
    }
    if (i >= p.contacts()) {
      const auto& [lower, upper] = p.bounds[i - p.contacts()];
      for (int r = 0; r < 3; ++r) {
        Quad to = x.gamma[r] - x.sigma[r] / own(r, r);
        if (to < lower[r]) to = lower[r];
        if (to > upper[r]) to = upper[r];
        missed[root[i]] += square(own(r, r) * (x.gamma[r] - to));
      }
      continue;
    }
    x.mobility = (Quad(own(0, 0)) + own(1, 1) + own(2, 2)) / 3;
    x.mu = p.friction[i];
    for (int k = 0; k < 2; ++k) {
      x.tilt[k] = own(2, 2) > 0 ? x.mu * own(2, k) / own(2, 2) : Quad(0);
    }
    missed[root[i]] += square(x.mobility) * squared_map(x, model);
  }
  double worst = 0;
  for (int i = 0; i < p.rows(); ++i) {
    if (missed[i] == 0) continue;
    const auto error = static_cast<double>(sqrt(missed[i] / given[i]));
    if (!(error <= worst)) worst = error;
  }
  return worst;
}

}  // namespace abut
