#pragma once

#include "abut/sim/scene.hpp"

namespace abut {

/// Friction at a contact where it depends on the direction: mean (1 + anisotropy) along the axis,
/// mean (1 - anisotropy) across it. The axis is unit, and none if the anisotropy is 0.
struct DirectionalFriction {
  double mean = 0, anisotropy = 0;  ///< [-]
  Vec3 axis;
};

/// Whether friction between the two depends on the direction: what decides it has a cross_friction
/// that is not its friction.
bool is_directional(const SceneGeom& a, const SceneGeom& b, const ScenePair* explicit_pair);

/// A geom's surface, turned in the world.
struct TurnedSurface {
  const SceneGeom& geom;
  const Mat3& R;
};

/// Of two surfaces at a contact with normal n (docs/laws/ellipse.md). A surface has a symmetric
/// matrix M >= 0 across n, of which |M v| / |v| is its coefficient along v, with
///
///     M^2 = P (mu_c^2 + (mu^2 - mu_c^2) a a^T) P,    P = 1 - n n^T
///
/// for mu along the axis a and mu_c across it. Two make 2 (M_a^-1 + M_b^-1)^-1, or the maximum
/// (M_a + M_b + |M_a - M_b|)/2, as scalars do; the geom of higher priority decides alone. A pair's
/// own coefficients are along the axis of the geom that it names first, which then is a, and across
/// it.
DirectionalFriction combine_directions(const TurnedSurface& a, const TurnedSurface& b,
                                       const Vec3& n, FrictionRule rule,
                                       const ScenePair* explicit_pair = nullptr);

}  // namespace abut
