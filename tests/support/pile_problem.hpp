#pragma once

#include <random>

#include "abut/problem/contact_problem.hpp"

namespace abut {

/// A heap of boxes in layers on the ground, each on the up to four boxes below it with four points
/// a pair, falling and sliding at random: a step of clutter with no geometry code. Not prepared.
struct PileProblem {
  ContactModel model = ContactModel::sap;
  NormalLawKind law = NormalLawKind::hunt_crossley;
  int side = 3;             ///< boxes along each edge of the lowest layer; each layer has one less
  double stiffness = 1e7;   ///< [N/m], or N/m^(3/2)
  double time_step = 2e-3;  ///< [s]
  LaggedRule lagged_rule = LaggedRule::prediction;  ///< as for RandomProblem
};

ContactProblem make_pile(std::mt19937& random, const PileProblem& what);

}  // namespace abut
