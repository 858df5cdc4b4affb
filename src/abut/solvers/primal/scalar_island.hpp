#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "abut/core/aligned_buffer.hpp"
#include "abut/problem/prepared_problem.hpp"
#include "abut/solvers/contact_solver.hpp"

namespace abut {

/// An island on which scalar constraints act and no contact: a mechanism in the air, with its
/// servos, limits and tendons. Its impulses gamma solve
///
///     gamma = P((v_hat - J v) / R),   v = v* + A^-1 J^T gamma
///
/// with P the projection on their bounds: a linear system in those between their bounds, found by a
/// semi-smooth Newton method. In the space of impulses, which needs no Hessian in v and no line
/// search; an island for which that does not end well is left to IslandNewton.
class ScalarIsland {
 public:
  /// Whether it is such an island, of rigid bodies and dense trees, and not too large.
  static bool suits(const PreparedProblem& prepared, const Islands& islands, int island);

  /// For islands as large as this problem may have.
  void make_room(const ContactProblem& problem);

  /// Starts from x.velocity. False if the step error may be above the tolerance: nothing is written
  /// then.
  bool solve(const PreparedProblem& prepared, int island, double tolerance, ContactSolution& x,
             IslandReport& report);

 private:
  enum class Bound : std::uint8_t { none, lower, upper };
  /// A constraint of the problem, and what it is at.
  struct Row {
    std::int32_t index = 0;
    Bound bound = Bound::none;
    double impulse = 0;  ///< of the system
  };
  /// A tree's place in the island's vectors.
  struct Part {
    std::int32_t tree = 0, offset = 0;
  };
  void gather(const PreparedProblem& prepared, std::span<const std::int32_t> trees);
  double product(std::span<const RowEntry> row, const double* x) const;
  Bound bound_at(const Row& row, double velocity) const;
  bool find_joint_couplings();
  void find_couplings();
  void push(std::span<const std::int32_t> rows);
  bool solve_system(IslandReport& report);
  bool find_impulses(IslandReport& report);
  double error_of_laws();

  const PreparedProblem* prepared_ = nullptr;
  std::vector<Part> parts_;
  std::vector<std::int32_t> offset_;  ///< by tree of the problem
  std::int32_t size_ = 0;             ///< of the island's vectors, each tree's padded
  std::vector<Row> rows_;
  std::vector<std::int32_t> acting_;   ///< rows between their bounds
  std::vector<std::int32_t> bounded_;  ///< rows at a bound with an impulse
  AlignedBuffer<double> scaled_;       ///< J Y of acting rows with A^-1 = Y Y^T, a vector for each
  AlignedBuffer<double> coupling_;     ///< J A^-1 J^T = (J Y) (J Y)^T, row-major, rows padded
  AlignedBuffer<double> matrix_, answer_, work_;
  AlignedBuffer<double> velocity_, impulse_, mismatch_;
};

}  // namespace abut
