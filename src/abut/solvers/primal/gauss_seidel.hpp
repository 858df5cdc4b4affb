#pragma once

#include <span>
#include <vector>

#include "abut/problem/contact_problem.hpp"

namespace abut {

/// Gauss-Seidel sweeps over an island's contacts, each solved alone against the velocity that
/// the others' impulses give; those of a body that touches one other, and those of Lagged friction
/// with a fixed point, all at once (Jacobi), so that their order does not matter. They say which
/// contacts close, stick and slide, long before their impulses are accurate.
class GaussSeidel {
 public:
  /// For the whole problem.
  void make_room(const ContactProblem& problem);

  /// Sweeps to and fro over the patches from the last step's impulses, at most so many times: until
  /// a sweep changes them by less than 1 %.
  void sweep(const ContactProblem& problem, std::span<const std::int32_t> trees,
             std::span<const std::int32_t> patches, int sweeps);

  /// By contact of the problem: the velocity at which its law gives its impulse, and that impulse.
  const Vec3& velocity(int contact) const { return local_[contact].velocity; }
  const Vec3& impulse(int contact) const { return local_[contact].impulse; }

 private:
  struct Local {
    Vec3 velocity, impulse;
  };
  void start(const ContactProblem& p, std::span<const std::int32_t> trees,
             std::span<const std::int32_t> patches);
  void relax_together(const ContactProblem& p, std::span<const std::int32_t> trees,
                      std::span<const std::int32_t> patches, double& changed, double& borne);
  void relax(const ContactProblem& p, const Patch& patch, int contact, const Vec3& v, double shares,
             double& changed, double& borne);

  std::vector<double> u_;  ///< v* + A^-1 J^T gamma, the problem's layout
  std::vector<double> generalized_;
  std::vector<int> closed_;   ///< contacts, by tree
  std::vector<Local> local_;  ///< by contact of the problem
  std::vector<double> work_;  ///< of one tree
};

}  // namespace abut
