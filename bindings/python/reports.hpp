#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "abut/sim/world.hpp"

namespace nb = nanobind;

namespace abut::python {

/// Of the equality constraint, joint or tendon; empty if it has none.
std::string name_of(const Scene& scene, const Violation& v);

/// One with its constraint's name.
struct NamedViolation : Violation {
  std::string name;

  NamedViolation(const Violation& v, const Scene& scene) : Violation(v), name(name_of(scene, v)) {}
};

/// A step's report with the names of the constraints that it tells of.
struct NamedReport {
  StepReport step;
  NamedViolation equality, limit;

  explicit NamedReport(const World& w)
      : step(w.report()), equality(step.equality, w.scene()), limit(step.limit, w.scene()) {}
};

}  // namespace abut::python
