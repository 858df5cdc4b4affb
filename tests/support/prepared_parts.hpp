#pragma once

#include "abut/problem/prepared_problem.hpp"

namespace abut {

/// What follows from a problem, to be changed: for errors that tests plant.
struct PreparedParts {
  static ContactProblem& problem(PreparedProblem& q) { return q.problem_; }
  static ContactTerms& contacts(PreparedProblem& q) { return q.contacts_; }
  static ScalarTerms& scalars(PreparedProblem& q) { return q.scalars_; }
  static InverseMasses& masses(PreparedProblem& q) { return q.masses_; }
  static Islands& islands(PreparedProblem& q) { return q.islands_; }
};

}  // namespace abut
