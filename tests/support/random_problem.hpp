#pragma once

#include <random>

#include "abut/problem/contact_problem.hpp"

namespace abut {

/// What a random problem is made of.
struct RandomProblem {
  ContactModel model = ContactModel::sap;
  NormalLawKind law = NormalLawKind::hunt_crossley;
  int bodies = 8;
  int dense_trees = 0;       ///< of 1 to 20 dofs
  bool branches = false;     ///< of dense trees: many dofs do not move a body
  int sparse_trees = 0;      ///< of 2 to 30 nodes
  int scalars = 0;           ///< scalar constraints of each dense tree
  int links = 0;             ///< scalar constraints on one to three trees of any kind each
  double touch = 0.3;        ///< probability that a pair of trees has a patch
  double ground = 0.4;       ///< probability that a tree touches the world
  double mass_spread = 0.5;  ///< decades around 1 kg
  double stiffness = 1e6;    ///< [N/m]
  double speed = 0.3;        ///< [m/s]
  double time_step = 2e-3;   ///< [s]
  double dissipation = 5;    ///< [s/m]
  bool ellipses = false;     ///< friction of most contacts depends on the direction
  bool mixed_laws = false;   ///< most contacts have a normal law of their own
  /// Of Lagged friction: the problem as it is given, one convex minimization.
  LaggedRule lagged_rule = LaggedRule::prediction;
};

/// A problem of random shape, not prepared; the same for the same state of `random`.
ContactProblem make_problem(std::mt19937& random, const RandomProblem& what);

}  // namespace abut
