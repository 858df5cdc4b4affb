#pragma once

#include <limits>
#include <vector>

#include "abut/sim/contact_material.hpp"

namespace abut {

/// One kind of contact that a scene can have, and the masses of the free bodies that can have it.
struct PairKind {
  PairMaterial material;
  double lightest = std::numeric_limits<double>::infinity(), heaviest = 0;  ///< [kg]
};

/// The different materials of all pairs of geoms that may touch, wherever they are: those that have
/// no law of their own first, then by stiffness, dissipation, relaxation time, friction and table.
std::vector<PairKind> find_pair_kinds(const Scene& scene, const PairOverride& pair);

}  // namespace abut
