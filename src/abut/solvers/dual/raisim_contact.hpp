#pragma once

#include "abut/linalg/vec3.hpp"

namespace abut {

/// The impulse of a contact that slides under RaiSim's model, sigma = W gamma + g with g_n < 0: of
/// those in the friction cone with sigma_n = 0, the one with the least gamma.W gamma/2 + gamma.g
/// [CB 23]. They are bounded by gamma = gamma_n (mu d, 1), d = (cos a, sin a), gamma_n = -g_n /
/// (W_nn (1 + tilt.d)), and the angle a is bisected as [CB] algorithm 5 has it: from that of `held`
/// = -W^-1 g, which is outside of the cone, a step that doubles goes downhill until the slope
/// changes.
///
/// `held` sees the boundary at its own angle from outside, as a segment from it to the impulse
/// without friction, which is inside, leaves there. On the stretch that it sees the distance from
/// it by W has no stationary point but the answer, and it grows where the stretch ends; so what
/// lies beyond is taken for uphill.
Vec3 slide_by_bisection(const Mat3& delassus, const Vec3& g, double mu, const Vec3& held);

/// The impulse of a lone contact: it parts if g_n >= 0, sticks if `held` is in the cone, or slides.
/// `last` is its impulse before, of which only `held` may depend, and only if W has no inverse.
Vec3 solve_raisim_contact(const Mat3& delassus, const Vec3& g, double mu, const Vec3& last);

}  // namespace abut
