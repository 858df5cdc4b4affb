#pragma once

#include <cmath>
#include <vector>

#include "abut/problem/contact_problem.hpp"

namespace abut {

class PreparedProblem;
class ThreadPool;

/// Finds the contacts that solvers leave out at first: those that are apart and, by the velocities
/// at hand, stay so in this step. Bodies that meet others are turned from these velocities, about
/// so far as they would else go into what they meet, and move on what they touch: within their
/// reach no contact sleeps. A wrong guess costs time, not accuracy: solvers wake a contact that
/// their answer closes.
class DormancySearch {
 public:
  /// Marks them in `dormant`, by contact. The problem's lagged impulses are to be known.
  void run(const PreparedProblem& problem, std::vector<char>& dormant, ThreadPool* pool);

 private:
  /// Of a patch's contacts after a step with no impulse [m].
  struct PatchRoom {
    double depth = 0;         ///< at v*, of those that would close
    double least = HUGE_VAL;  ///< gap of those that may sleep
  };
  void find_slow(const ContactProblem& p);
  PatchRoom measure(const PreparedProblem& q, const Patch& patch, std::vector<char>& dormant);
  void find_reach(const ContactProblem& p);
  void wake(const ContactProblem& p, int patch_index, std::vector<char>& dormant);

  std::vector<double> rooms_;  ///< by contact that may sleep: its gap, the smaller one at v0 and v*
  std::vector<PatchRoom> patches_;
  std::vector<char> slow_;  ///< the world and, by tree, rigid bodies that do not close half the
                            ///< wake gap in a step
  std::vector<double> reach_, nearer_;  ///< by tree [m]; nearer: of a contact less
};

}  // namespace abut
