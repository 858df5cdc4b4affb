#pragma once

#include <span>
#include <vector>

#include "abut/linalg/block_cholesky.hpp"
#include "abut/problem/contact_problem.hpp"
#include "abut/solvers/primal/contact_kernels.hpp"

namespace abut {

/// The patches in which a dense tree takes part, with explicit Jacobians for both sides.
class GeneralPatches {
 public:
  /// One side of a patch: a node of the island, or none.
  struct Side {
    std::int32_t node = -1, offset = 0, size = 0;
  };

  void clear();

  /// Adds a patch whose contacts follow each other from `first` on in the island's arrays. `edge`
  /// is that of (a, b) in the island's pattern, -1 if one side is the world.
  void add(const ContactProblem& problem, const Patch& patch, int first, Side a, Side b, int edge);

  bool empty() const { return patches_.empty(); }
  void velocities(const ContactArrays& c, const double* x, ContactField first_field) const;
  void impulses(const ContactArrays& c, double* y) const;
  void assemble(const ContactArrays& c, BlockCholesky& cholesky);

 private:
  struct GeneralPatch {
    std::int32_t begin = 0, end = 0;
    Side side[2];
    std::int32_t edge = -1;
    std::int64_t jacobian = 0;  ///< per contact the 3 x size blocks of a, then of b, row-major
  };
  std::vector<GeneralPatch> patches_;
  std::vector<double> jacobians_, product_, block_;
};

}  // namespace abut
