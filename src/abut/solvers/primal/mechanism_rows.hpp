#pragma once

#include <cstdint>
#include <span>

#include "abut/core/aligned_buffer.hpp"
#include "abut/problem/contact_problem.hpp"
#include "abut/solvers/primal/contact_kernels.hpp"
#include "abut/solvers/primal/island_patch.hpp"

namespace abut {

/// The contacts of an island that is one dense tree, by the rows of their own Jacobians: three for
/// each instead of six for each body and side (LinkedBodies), and nothing in between.
class MechanismRows {
 public:
  /// What pays: one tree, not too large, with few contacts for each of its bodies.
  static bool suits(const ContactProblem& problem, std::span<const std::int32_t> trees,
                    std::span<const IslandPatch> patches);

  void make_room(const ContactProblem& problem);
  /// `contacts` of the problem, in the order of the patches.
  void build(const ContactProblem& problem, std::span<const IslandPatch> patches,
             std::span<const std::int32_t> contacts);

  /// J x, to three fields.
  void velocities(const double* x, double* fields, std::int64_t stride) const;
  /// y += J^T gamma.
  void add_loads(const double* gamma, std::int64_t stride, double* y) const;
  /// to += J^T K J, of a block by columns: its lower triangle.
  void add_hessian(const double* k, std::int64_t stride, double* to, std::int64_t leading);

 private:
  ContactRows rows_;
  AlignedBuffer<double> jacobian_, work_;
};

}  // namespace abut
