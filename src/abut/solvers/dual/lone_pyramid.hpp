#pragma once

#include "abut/linalg/vec3.hpp"

namespace abut {

/// The impulse that solves the LCP of one contact, sigma = W gamma + g: of the modes, parting and
/// nine of sticking or sliding along each axis, the one that breaks its conditions least, which is
/// not at all but for rounding. W need not be symmetric. `last` is returned where W leaves none.
Vec3 solve_lone_pyramid(const Mat3& delassus, const Vec3& g, double mu, const Vec3& last);

}  // namespace abut
