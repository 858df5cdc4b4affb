#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "abut/laws/force_table.hpp"
#include "abut/laws/law_kind.hpp"
#include "abut/linalg/vec3.hpp"

namespace abut {

/// What a caller knows of one contact point. Vectors are in the contact's frame: world axes where
/// a rigid body takes part, any frame in which the Jacobians are given otherwise.
struct ContactPoint {
  Vec3 point{};                   ///< on both surfaces or halfway between [m], world
  Vec3 normal{0, 0, 1};           ///< unit, from A into B
  double gap = 0;                 ///< phi0 [m], negative in overlap; of a barrier that of its layer
  double weight = 1;              ///< multiplies the stiffness, or the table, of this point, > 0
  double stiffness = 1e7;         ///< k [N/m] (Hertz: N/m^(3/2))
  double dissipation = 10;        ///< d [s/m], Hunt & Crossley and Hertz
  double relaxation_time = 1e-4;  ///< tau_d [s], SAP and Kelvin-Voigt
  double friction = 0.5;          ///< mu [-]; of an ellipse the mean of both
  Vec3 bias{};                    ///< b [m/s]: contact velocity = J v + b
  Vec3 previous_impulse{};        ///< on B in the last step, where the contact persists [N s]
  Vec3 anchor{};                  ///< T0 on B [N]: the last step's ContactSolution::anchor,
                                  ///< of which what is across the normal counts (Anchored)
  std::optional<NormalLawKind> law{};         ///< its normal law, if not the problem's
  double anisotropy = 0;                      ///< delta, 0 to 1: mu (1 + delta) along the axis,
                                              ///< and mu (1 - delta) across it [-]
  Vec3 friction_axis{};                       ///< t: unit, across n, if delta is not 0
  std::shared_ptr<const ForceTable> table{};  ///< Tabulated: its forces; without one a line of k
  double thickness = 1e-3;                    ///< d_hat [m] of a barrier's layer: touch is at
                                              ///< phi = -d_hat
};

/// All contact points of a problem as parallel arrays, patch after patch.
struct ContactPool {
  std::vector<Vec3> point, normal, bias, previous_impulse, anchor, friction_axis;
  std::vector<double> gap, weight, stiffness, dissipation, relaxation_time, thickness, friction,
      anisotropy;
  std::vector<std::optional<NormalLawKind>> law;
  std::vector<std::shared_ptr<const ForceTable>> table;

  int size() const { return static_cast<int>(gap.size()); }
  void clear();
  void reserve(int contacts);
  void push_back(const ContactPoint& contact);
};

}  // namespace abut
