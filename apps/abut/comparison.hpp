#pragma once

#include <string>
#include <vector>

#include "abut/io/recording.hpp"
#include "abut/sim/statistics.hpp"

namespace abut::cli {

/// What contacts did in a recording's states, each mean over states and weighted by normal force.
struct ContactFigures {
  double creep = 0;              ///< slip of contacts that stick [m/s]
  double gliding = 0;            ///< gap of contacts that slip, overlap being less than 0 [m]
  double internal_friction = 0;  ///< by how much frictions of a pair's contacts cancel: sum of
                                 ///< |f_t| over contacts less that of |sum of f_t| over pairs [N]
};
ContactFigures contact_figures(const Recording& recording);

/// How far bodies are from where they are in another recording of the same scene, the farthest.
struct Distance {
  double most = 0, end = 0;  ///< of all common states; of the last one [m]
};
Distance distance(const Recording& a, const Recording& b);

/// One of the runs that are compared.
struct ComparedRun {
  std::string name;  ///< "ncp", or "ncp, admm" where solvers were named
  std::string model, solver;
  std::string recording;  ///< path
  std::string ended;      ///< what ended it early; empty
  Statistics statistics;
  bool has_ncp_criteria = true;  ///< else those in `statistics` are of no step
  double step_seconds = 0;       ///< median of the steps
  double energy_initial = 0, energy_final = 0;
  ContactFigures contacts;
  Distance distance;  ///< from the first run
};

/// docs/compare.md
std::string to_json(const std::string& scene, double time_step,
                    const std::vector<ComparedRun>& runs);

/// A column per run, for a person.
std::string to_text(const std::vector<ComparedRun>& runs);

}  // namespace abut::cli
