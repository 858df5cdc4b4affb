#pragma once

#include <cmath>
#include <vector>

#include "abut/problem/contact_problem.hpp"

namespace abut {

class PreparedProblem;
class ThreadPool;

/// Finds the contacts that solvers leave out at first: those that are apart and, by the velocities
/// at hand, stay so in this step by more than the wake gap. Bodies that meet others are turned from
/// these velocities, about so far as their contacts would else close beyond touch, and move on what
/// they meet: the gap that a contact keeps must exceed this reach of its trees, too
/// (docs/decisions/speculative-contact.md). A wrong guess costs time, not accuracy: solvers wake a
/// contact that their answer closes.
class DormancySearch {
 public:
  /// Marks them in `dormant`, by contact. The problem's lagged impulses are to be known.
  void run(const PreparedProblem& problem, std::vector<char>& dormant, ThreadPool* pool);

 private:
  /// Of a patch's contacts after a step with no impulse [m].
  struct PatchRoom {
    double depth = 0;         ///< how far beyond touch they would close at v*; 0 of slow bodies
    double nearest = 0;       ///< least gap; 0 where one does not sleep
    double least = HUGE_VAL;  ///< gap of those that may sleep
  };
  /// A patch that hands reach on from tree to tree, beyond its gap.
  struct Link {
    std::int32_t a = 0, b = 0;
    double gap = 0;
  };
  void find_slow(const ContactProblem& p, ThreadPool* pool);
  static void find_resting(const PreparedProblem& q, int begin, int end,
                           std::vector<char>& dormant);
  void measure(const PreparedProblem& q, const Patch& patch, std::vector<char>& dormant,
               PatchRoom& room);
  void find_reach(const ContactProblem& p);
  void wake(const ContactProblem& p, int patch_index, std::vector<char>& dormant);

  /// By contact of a patch with one that may sleep: about the smaller one of its gaps at v0 and v*.
  std::vector<double> rooms_;
  std::vector<PatchRoom> patches_;
  std::vector<Link> links_;
  std::vector<char> slow_;  ///< the world and, by tree, rigid bodies that move less than a wake gap
  std::vector<double> reach_, nearer_;  ///< by tree [m]; nearer: of a contact less
};

}  // namespace abut
