#pragma once

#include <cmath>

#include "abut/core/error.hpp"
#include "abut/sim/world.hpp"
#include "fuzz/fuzz_target.hpp"

namespace abut {

/// Calls attempt(), whose refusals must have a message.
template <class Attempt>
void must_refuse_or_pass(const Attempt& attempt) {
  try {
    attempt();
  } catch (const InputError& e) {
    must(e.what()[0] != '\0', "an empty message");
  } catch (const FileError& e) {
    must(e.what()[0] != '\0', "an empty message");
  }
}

/// Three steps, each after before_step(); what succeeds must be finite.
template <class BeforeStep>
void must_step(World& world, const BeforeStep& before_step) {
  for (int i = 0; i < 3; ++i) {
    before_step();
    const StepReport& r = world.step();
    if (r.solve.status != SolveStatus::converged) break;
    must(std::isfinite(r.solve.certificate.momentum_error), "success with a certificate of NaN");
    for (const double v : world.solution().velocity) {
      must(std::isfinite(v), "success with a velocity that is no number");
    }
  }
}

}  // namespace abut
