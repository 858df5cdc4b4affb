#pragma once

#include "abut/problem/contact_problem.hpp"

namespace abut {

/// An elastic block on the ground, with boxes lying on it: a lattice of masses and springs.
struct SoftBlock {
  int nodes_per_side = 10;
  bool as_dense = false;  ///< the block is a dense tree instead of a sparse one
  ContactModel model = ContactModel::lagged;
  double push = 0;  ///< speed of the boxes along the block [m/s]
};

/// One step of it, not prepared. Friction's regularization is too small to matter, so that a dense
/// and a sparse block are the same problem.
ContactProblem make_problem(const SoftBlock& what);

}  // namespace abut
