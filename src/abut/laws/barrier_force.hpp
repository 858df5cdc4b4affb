#pragma once

#include "abut/laws/law_kind.hpp"

namespace abut {

/// The force f = k d B(s) [N] of a barrier that is pressed in by the share s = x/d of its layer
/// (docs/laws/barrier.md), as the numbers B(s) of the logarithmic one and of that of incremental
/// potential contact:
///     B = s/(1 - s)        B = s^2/(1 - s) - 2 s ln(1 - s)
/// Both go to infinity at s = 1, where the surfaces touch. From `linear_from` on they are straight
/// lines instead, so that every state has a finite force.
class BarrierForce {
 public:
  static constexpr double linear_from = 1 - 0x1p-12;

  /// `law` is one of those of which traits(law).is_barrier.
  explicit BarrierForce(NormalLawKind law) : is_log_(law == NormalLawKind::log_barrier) {}

  double at(double s) const;        ///< B; 0 for s <= 0
  double slope(double s) const;     ///< dB/ds, s >= 0
  double integral(double s) const;  ///< of B from 0 to s
  /// Of (sigma - s) B(sigma), sigma from s >= 0 to s + u, u >= 0: without a difference of large
  /// numbers, also where u is small.
  double moment(double s, double u) const;
  double inverse(double b) const;  ///< s at which B is b >= 0

 private:
  double smooth_moment(double s, double u) const;

  bool is_log_;
};

}  // namespace abut
