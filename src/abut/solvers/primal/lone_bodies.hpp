#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "abut/core/aligned_buffer.hpp"
#include "abut/solvers/contact_solver.hpp"
#include "abut/solvers/primal/island_system.hpp"

namespace abut {

/// Islands of a single rigid body, which touches only the world, several at a time as one system:
/// which of them the first guess solves. At rest most are, and their laws take less time than what
/// is done once for each island.
class LoneBodies {
 public:
  static constexpr int most = 16;  ///< at a time

  /// Whether an island is one. Not where friction lags: there the answer is not that of one
  /// minimization. Nor where its first contact's law is evaluated contact by contact: in a group it
  /// would be for all.
  static bool suits(const PreparedProblem& problem, const Islands& islands, int island);

  /// For islands with all of the problem's contacts.
  void make_room(const ContactProblem& problem);

  /// Of these islands of x.partition those that x.velocity does not solve, until the next call. Of
  /// the others it writes impulses and reports; their velocities stay.
  std::span<const std::int32_t> test(const PreparedProblem& problem,
                                     std::span<const std::int32_t> islands, double tolerance,
                                     ContactSolution& x);

 private:
  void build(const PreparedProblem& problem, std::span<const std::int32_t> islands,
             const Islands& partition);
  double error_of(int body);

  std::array<std::size_t, 3> sizes_ = {};  ///< of the problem that there is room for
  IslandSystem system_;
  std::vector<std::int32_t> trees_, patches_;  ///< of the islands
  std::vector<std::int32_t> left_;
  AlignedBuffer<double> velocity_, impulse_, momentum_, gradient_;
};

}  // namespace abut
