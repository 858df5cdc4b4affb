#pragma once

#include "abut/sim/violations.hpp"
#include "abut/solvers/contact_solver.hpp"

namespace abut {

/// Wall time of one step's stages [s]; NaN of a world that is not timed.
struct StageTimes {
  double contact_query = 0;  ///< kinematics, broad phase, manifolds
  double problem = 0;        ///< A, v*, islands, regularization, lagged impulses
  double solve = 0;
  double rest = 0;  ///< certificate, integration, bookkeeping
  double total() const { return contact_query + problem + solve + rest; }
  StageTimes& operator+=(const StageTimes& other);
};

/// How a step went in substeps, where it has to keep to an accuracy (WorldOptions::accuracy).
struct ErrorReport {
  int substeps = 1;     ///< taken
  int rejected = 0;     ///< substeps that were not, as they erred too much
  double smallest = 0;  ///< of those taken [s]
  double error = 0;     ///< estimated: the largest of two substeps, of a body's radius [-]
  int body = -1;        ///< moving body that has it; -1: none
  bool is_met = true;   ///< false: even substeps of the smallest size err by more
};

/// What happened within a step of the scheme `accelerations`.
struct EventReport {
  int impacts = 0;  ///< times at which something met
  int rays = 0;     ///< impulses where no forces exist [BARAFF 6]
};

struct StepReport {
  SolveReport solve;       ///< stalled too where v* was not found
  FreeMotion free_motion;  ///< how v* was found, by schemes that are implicit in it
  int contacts = 0;
  double penetration = 0;  ///< deepest, at the step's start [m]
  int overlaps = 0;        ///< pairs of shapes that began in each other and still are
  Violation equality;      ///< the largest of an equality constraint, at the step's start
  Violation limit;         ///< of a limit of a joint or tendon
  StageTimes time;
  ErrorReport error;
  EventReport events;
};

/// Of two substeps, one after the other, what is to be said of both: work adds up, of errors the
/// larger counts, and what there is at one time is as in the second.
StepReport follow(const StepReport& first, const StepReport& second);

}  // namespace abut
