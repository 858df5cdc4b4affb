#pragma once

#include <vector>

#include "abut/core/aligned_buffer.hpp"
#include "abut/linalg/block_symbolic.hpp"
#include "abut/problem/contact_problem.hpp"
#include "abut/solvers/primal/contact_kernels.hpp"

namespace abut {

/// The patches in which a dense tree takes part, with explicit Jacobians for both sides.
class GeneralPatches {
 public:
  /// For all of the problem as one island.
  void make_room(const ContactProblem& problem);

  void clear();

  /// Adds a patch whose contacts are `first` to `end` of the island's. `edge` is that of (a, b) in
  /// the island's pattern, -1 if one side is the world.
  void add(const Patch& patch, int first, int end, const PatchSide& a, const PatchSide& b,
           int edge);

  /// Gathers the Jacobians, when all patches are there; `contacts` are the island's.
  void load(const ContactProblem& problem, std::span<const std::int32_t> contacts);

  /// Tells the patches where their blocks are.
  void place_blocks(const BlockSymbolic& symbolic);

  bool empty() const { return patches_.empty(); }
  void velocities(const ContactArrays& c, const double* x, ContactField first_field) const;
  void impulses(const ContactArrays& c, double* y) const;
  /// Adds J^T K J to the slots of the factor's values.
  void assemble(const ContactArrays& c, double* values);

 private:
  int count() const { return static_cast<int>(patches_.size()); }

  std::vector<GeneralPatch> patches_;
  std::vector<Patch> sources_;      ///< by patch: in the problem
  std::vector<std::int32_t> edge_;  ///< by patch
  std::size_t numbers_ = 0;         ///< of all Jacobians
  std::int32_t widest_ = 0;         ///< both sides of a patch
  AlignedBuffer<double> jacobians_, work_;
};

}  // namespace abut
