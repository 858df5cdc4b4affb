#pragma once

#include <cstdint>

namespace abut {

enum class LineSearch : std::uint8_t {
  loose,   ///< the whole step if it halves the slope, else down to half of it
  exact,   ///< slope <= 1e-12 of the first one
  armijo,  ///< backtracking from 1.25 by 0.8 until the cost falls enough
};

/// How Newton's method goes about the convex problem. Each field is one measured cure; switch them
/// singly to see what it is worth.
struct NewtonOptions {
  LineSearch line_search = LineSearch::loose;
  bool primal_dual_friction = true;  ///< friction's Hessian from a dual direction that converges
                                     ///< with v, instead of the direction of v_t alone
  bool dual_normal = true;           ///< and from a dual normal impulse (SAP, Similar)
  bool predictor = true;             ///< start from one linear solve with every contact's secant
  int max_iterations = 200;

  /// The papers' method: plain Newton from v0 with an exact or Armijo line search.
  static NewtonOptions paper(LineSearch search = LineSearch::exact) {
    return {.line_search = search,
            .primal_dual_friction = false,
            .dual_normal = false,
            .predictor = false,
            .max_iterations = 200};
  }
};

}  // namespace abut
