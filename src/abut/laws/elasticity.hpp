#pragma once

#include <cmath>

#include "abut/laws/barrier_force.hpp"
#include "abut/laws/force_table.hpp"
#include "abut/laws/law_kind.hpp"
#include "abut/laws/normal_law.hpp"

namespace abut {

/// A normal law without its dissipation: the force f [N] of a spring at rest that is pressed in by
/// x > 0 [m]; into its layer if it is a barrier.
class Elasticity {
 public:
  Elasticity(NormalLawKind law, const PointMaterial& m)
      : law_(law),
        k_(m.table != nullptr && law == NormalLawKind::tabulated ? m.weight : m.stiffness),
        thickness_(m.thickness),
        table_(m.table) {}

  double force(double x) const {
    switch (law_) {
      case NormalLawKind::kelvin_voigt:
      case NormalLawKind::hunt_crossley: return k_ * x;
      case NormalLawKind::tabulated: return k_ * table().force_at(x);
      case NormalLawKind::log_barrier:
      case NormalLawKind::ipc_barrier: return k_ * thickness_ * barrier().at(x / thickness_);
      case NormalLawKind::hertz: break;
    }
    return k_ * x * std::sqrt(x);
  }

  /// What it has stored at x [J].
  double energy(double x) const {
    switch (law_) {
      case NormalLawKind::kelvin_voigt:
      case NormalLawKind::hunt_crossley: return 0.5 * force(x) * x;
      case NormalLawKind::tabulated: return k_ * table().energy_at(x);
      case NormalLawKind::log_barrier:
      case NormalLawKind::ipc_barrier:
        return k_ * thickness_ * thickness_ * barrier().integral(x / thickness_);
      case NormalLawKind::hertz: break;
    }
    return 0.4 * force(x) * x;
  }

  /// x at which it bears f.
  double depth(double f) const {
    switch (law_) {
      case NormalLawKind::kelvin_voigt:
      case NormalLawKind::hunt_crossley: return f / k_;
      case NormalLawKind::tabulated: return table().depth_at(f / k_);
      case NormalLawKind::log_barrier:
      case NormalLawKind::ipc_barrier: return thickness_ * barrier().inverse(f / k_ / thickness_);
      case NormalLawKind::hertz: break;
    }
    return std::cbrt(f / k_ * (f / k_));
  }

  /// df/dx [N/m].
  double slope(double x) const {
    switch (law_) {
      case NormalLawKind::kelvin_voigt:
      case NormalLawKind::hunt_crossley: return k_;
      case NormalLawKind::tabulated: return k_ * table().slope_at(x);
      case NormalLawKind::log_barrier:
      case NormalLawKind::ipc_barrier: return k_ * barrier().slope(x / thickness_);
      case NormalLawKind::hertz: break;
    }
    return 1.5 * k_ * std::sqrt(x);
  }

  /// The stiffness of Anchored's spring under the load f [N/m]: the slope, but of a table, whose
  /// slope jumps, the mean to its last point, and of a barrier k.
  double tangential(double f) const {
    if (law_ == NormalLawKind::tabulated) return k_ * table().mean_slope();
    if (traits(law_).is_barrier) return k_;
    return slope(depth(f));
  }

 private:
  BarrierForce barrier() const { return BarrierForce(law_); }
  const ForceTable& table() const { return table_ != nullptr ? *table_ : unit_line(); }

  NormalLawKind law_;
  double k_, thickness_;
  const ForceTable* table_;
};

}  // namespace abut
