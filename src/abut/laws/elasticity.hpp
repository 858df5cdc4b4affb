#pragma once

#include <cmath>

#include "abut/laws/law_kind.hpp"

namespace abut {

/// A normal law without its dissipation: the force f [N] of a spring at rest, of stiffness k, that
/// is pressed in by x > 0 [m].
struct Elasticity {
  NormalLawKind law;

  double force(double k, double x) const {
    switch (law) {
      case NormalLawKind::kelvin_voigt:
      case NormalLawKind::hunt_crossley: return k * x;
      case NormalLawKind::hertz: break;
    }
    return k * x * std::sqrt(x);
  }

  /// What a spring of force f at x has stored [J].
  double energy(double f, double x) const {
    switch (law) {
      case NormalLawKind::kelvin_voigt:
      case NormalLawKind::hunt_crossley: return 0.5 * f * x;
      case NormalLawKind::hertz: break;
    }
    return 0.4 * f * x;
  }

  /// x at which it bears f.
  double depth(double k, double f) const {
    switch (law) {
      case NormalLawKind::kelvin_voigt:
      case NormalLawKind::hunt_crossley: return f / k;
      case NormalLawKind::hertz: break;
    }
    return std::cbrt(f / k * (f / k));
  }

  /// df/dx [N/m].
  double slope(double k, double x) const {
    switch (law) {
      case NormalLawKind::kelvin_voigt:
      case NormalLawKind::hunt_crossley: return k;
      case NormalLawKind::hertz: break;
    }
    return 1.5 * k * std::sqrt(x);
  }
};

}  // namespace abut
