#pragma once

#include "abut/geometry/gjk.hpp"

namespace abut {

/// The direction of the shortest way out of cores that overlap, the globally shortest to about 1e-9
/// of the pair's size unless it takes more than 1000 steps: a polyhedron inside the difference C
/// grows, always where it is nearest to the origin (expanding polytope algorithm). `inner` is four
/// points of C around the origin. Its buffers belong to the thread.
Vec3 shortest_way_out(CoreDifference& c, const Simplex& inner);

}  // namespace abut
