#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "abut/core/parallel.hpp"
#include "abut/problem/contact_problem.hpp"
#include "abut/sim/course.hpp"
#include "abut/solvers/contact_solver.hpp"

namespace abut {

/// The first guess of the velocities that a step leads to, from how trees in contact have moved.
///
/// An answer that meets the tolerance leaves an error in the place, which is small but stiff: the
/// next step takes it back, and velocities jump to and fro where places run smoothly. So places are
/// followed, not velocities, and of those only the ones that iterations led to, which are far
/// nearer to the exact ones than a guess that was good enough as it was.
class FirstGuess {
 public:
  FirstGuess() = default;
  /// For trees of these dofs, in the order of the problem.
  explicit FirstGuess(std::span<const std::int32_t> dofs);

  int courses() const { return static_cast<int>(parts_.size()); }
  /// The tree was put elsewhere, or its velocity was changed.
  void forget(int tree, std::span<Course> courses) const;

  /// For a step of `dt` [s] the velocities to where the polynomials lead, as long as their terms
  /// get smaller, but not back; the last ones where the course is not known.
  void put(std::span<const Course> courses, double dt, std::span<const double> last,
           std::span<double> guess, ThreadPool* pool) const;
  /// By a solved step of `problem`. Only trees in contact have courses: for little else solvers
  /// iterate.
  void extend(const ContactProblem& problem, const ContactSolution& solution,
              std::span<Course> courses, ThreadPool* pool) const;

 private:
  /// The dofs of a course.
  struct Part {
    std::int32_t tree, first, dofs;  ///< first: in vectors of the problem
  };
  std::vector<Part> parts_;          ///< tree by tree
  std::vector<std::int32_t> begin_;  ///< by tree: its first course; then their number
};

}  // namespace abut
