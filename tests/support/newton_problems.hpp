#pragma once

#include "support/model_case.hpp"
#include "support/random_problem.hpp"

namespace abut {

/// Hertz's stiffness is per m^(3/2): about as stiff at a tenth of a millimeter.
inline RandomProblem problem_of(const ModelCase& c, int bodies, int dense = 0) {
  RandomProblem w{.model = c.model, .law = c.law, .bodies = bodies, .dense_trees = dense};
  if (c.law == NormalLawKind::hertz) w.stiffness = 1e8;
  return w;
}

/// A body resting on four points, everything sticking: SAP's cost is quadratic there.
inline ContactProblem resting_body() {
  ContactProblem p;
  p.time_step = 1e-3;
  const double v[6] = {}, free[6] = {0, 0, -9.81e-3, 0, 0, 0};
  p.add_rigid_body(2, {0, 0, 0.1}, Mat3::diagonal({0.01, 0.01, 0.01}), v, free);
  for (const double x : {-0.1, 0.1}) {
    for (const double y : {-0.1, 0.1}) {
      ContactPoint c{.point = {x, y, 0}, .normal = {0, 0, 1}, .gap = -1e-5};
      p.add_contact(world_tree, 0, c);
    }
  }
  return p;
}

}  // namespace abut
