#pragma once

#include <string>

#include "abut/sim/statistics.hpp"

namespace abut::cli {

/// What is told about a run.
struct Summary {
  const World& world;
  const Statistics& statistics;
  double duration = 0;        ///< simulated [s]
  double wall_seconds = 0;    ///< of the loop, recording included
  double energy_initial = 0;  ///< kinetic plus potential [J]
  double energy_final = 0;
  std::string interrupted;  ///< the signal's name, or empty
};

/// As JSON text: docs/formats/summary.md.
std::string to_json(const Summary& summary);

/// For a person, a few lines.
std::string to_text(const Summary& summary);

}  // namespace abut::cli
