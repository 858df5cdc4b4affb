#pragma once

#include <cstdint>

namespace abut {

enum class LineSearch : std::uint8_t {
  loose,   ///< the whole step if it halves the slope or meets the tolerance, else down to half
  exact,   ///< slope <= 1e-12 of the first one
  armijo,  ///< backtracking from 1.25 by 0.8 until the cost falls enough
};

/// How Newton's method goes about the convex problem. Each field is one measured cure; switch them
/// singly to see what it is worth (docs/solvers/newton.md).
struct NewtonOptions {
  LineSearch line_search = LineSearch::loose;
  bool first_guess = true;           ///< goes on from the problem's; else from v0
  bool primal_dual_friction = true;  ///< friction's Hessian from a dual direction that converges
                                     ///< with v, instead of the direction of v_t alone
  bool dual_normal = true;           ///< and from a dual normal impulse (SAP, Similar)
  int predictor_sweeps = 300;        ///< most sweeps over contacts whose answer the first iteration
                                     ///< linearizes about, if the guess is far off; 0: none
  bool chord_steps = true;           ///< further steps with the same factor, where it was dear and
                                     ///< they meet the tolerance
  int patience = 20;  ///< iterations after which the cures are dropped for plain Newton with
                      ///< an exact search, which no start can hold up for long
  int max_iterations = 200;
  int lag_rounds = 10;  ///< most times that Lagged friction takes the normal impulses that came out
  bool scalar_systems = true;  ///< islands without contact by their impulses' system (ScalarIsland)
  bool restarts = true;  ///< plainly from other starts, where all this ends above the tolerance

  static constexpr int paper_iterations = 1000;  ///< Armijo's search takes hundreds in hard cases

  /// The papers' method: plain Newton from v0 with an exact or Armijo line search.
  static NewtonOptions paper(LineSearch search = LineSearch::exact) {
    return {.line_search = search,
            .first_guess = false,
            .primal_dual_friction = false,
            .dual_normal = false,
            .predictor_sweeps = 0,
            .chord_steps = false,
            .patience = paper_iterations,
            .max_iterations = paper_iterations,
            .scalar_systems = false,
            .restarts = false};
  }
};

}  // namespace abut
