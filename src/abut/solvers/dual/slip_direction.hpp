#pragma once

#include <optional>

#include "abut/linalg/vec3.hpp"

namespace abut {

/// A contact that slides under Coulomb's law, sigma = W gamma + g with g_n < 0: gamma = gamma_n (mu
/// d, 1), sigma_n = 0 and sigma_t = -s d with s >= 0. With gamma_n = -g_n / (W (mu d, 1))_n what is
/// left is one equation for the unit vector d, of second degree:
///
///     d x (M d + b) = 0,   M = -g_n mu W_tt + mu g_t W_nt^T,   b = -g_n W_tn + W_nn g_t.
///
/// Of several answers it is that near `guess`, else the one that slides fastest. None if there is
/// none. W need not be symmetric.
std::optional<Vec3> sliding_impulse(const Mat3& delassus, const Vec3& g, double mu,
                                    const Vec3& guess);

}  // namespace abut
