#pragma once

#include "abut/geometry/way_out.hpp"

namespace abut {

// A cylinder or an ellipsoid A and a hull B. The difference C has flat faces where a triangle of
// the hull meets the farthest point of A, where an edge crosses a cylinder's side, and where a
// vertex meets its cap. A search by support points nears such a face by a digit in two or three;
// with the face known, one support point proves it.

/// Sets `way`, but for its face, by that of the step before (memory.face, which stays right); of
/// shapes apart its depth is negative. False, where a search must tell: there is no such face,
/// another point of C reaches farther along its normal, the origin's foot has left it, or the two
/// do not surely overlap where the face says so.
bool stay_on_face(CoreDifference& c, const PairMemory& memory, WayOut& way);

}  // namespace abut
