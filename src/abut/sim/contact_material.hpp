#pragma once

#include <compare>
#include <memory>
#include <optional>

#include "abut/sim/scene.hpp"

namespace abut {

/// Parameters of the contact between two surfaces.
struct PairMaterial {
  double stiffness = 1e7;                     ///< k [N/m] of one contact point (Hertz: N/m^(3/2))
  double dissipation = 10;                    ///< d [s/m]
  double relaxation_time = 1e-4;              ///< tau_d [s]
  double friction = 0.5;                      ///< mu [-]
  double static_friction = 0.5;               ///< mu_s of what holds [-], Anchored; at least mu
  std::optional<NormalLawKind> law{};         ///< instead of the world's
  double thickness = 1e-3;                    ///< d_hat of their layer [m], barriers
  std::shared_ptr<const ForceTable> table{};  ///< Tabulated (sim/pair_tables.hpp); null: k alone
  bool holds_better = false;                  ///< mu_s is more than mu, the same in all directions
  bool is_directional = false;  ///< mu is that along the axes: combine_directions() has the rest

  friend auto operator<=>(const PairMaterial&, const PairMaterial&) = default;
};

/// Parameters that replace those of every pair, without mixing.
struct PairOverride {
  std::optional<double> stiffness, dissipation, relaxation_time, friction, thickness{};

  /// Throws InputError unless k, d_hat > 0, d, tau_d, mu >= 0, all finite.
  void validate() const;
};

/// A surface of which nothing is said. Two of them make a default PairMaterial: springs in series
/// halve the stiffness.
constexpr double default_surface_stiffness = 2e7;  // [N/m]
constexpr double default_friction = 0.5;
constexpr double default_surface_thickness = 5e-4;  // [m]

/// What two surfaces make together (docs/notation.md): springs in series; the softer one dissipates
/// more; friction by the scene's rule, by priority first; layers one on the other; no law of their
/// own. What the scene says of these two alone (`explicit_pair`, may be null) goes before that, and
/// what is said of every pair before both. Without a table. Finite for all materials that a scene
/// may have.
PairMaterial combine(const SceneGeom& a, const SceneGeom& b, FrictionRule rule,
                     const PairOverride& pair, const ScenePair* explicit_pair = nullptr);

}  // namespace abut
