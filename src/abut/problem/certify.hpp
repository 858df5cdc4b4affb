#pragma once

#include <span>
#include <vector>

#include "abut/problem/contact_problem.hpp"

namespace abut {

/// How far velocities and impulses are from solving a problem, recomputed from the problem by code
/// that no solver uses.
struct Certificate {
  /// e_m [-]: the worst island's |D r| / max(|D A v|, |D J^T gamma|), r = A (v - v*) - J^T gamma,
  /// D = diag(A)^(-1/2), with gamma the impulses that the model's law gives at v [SAP 32]. 0 where
  /// both scales are below 1e-14 J^(1/2).
  double momentum_error = 0;
  int worst_island = -1;  ///< -1: a tree without contacts, or none

  /// The largest |gamma - law(v)| / max over the island of |gamma| [-]: a solver's impulses must be
  /// those of its velocities.
  double impulse_error = 0;

  /// e_c [-]: sum over contacts of the slack |gamma . R (gamma - y)| [SAP 33], in units of the
  /// impulses' energy; SAP only, else 0.
  double complementarity_error = 0;

  // The rigid NCP's criteria [CB 15], by impulse / h: one ruler for all models.
  double ncp_primal = 0;           ///< eps_p = dist(lambda, K_mu) [N]
  double ncp_dual = 0;             ///< eps_d = dist(sigma + Gamma(sigma), K*_mu) [m/s^2]
  double ncp_complementarity = 0;  ///< eps_c = |lambda . (sigma + Gamma(sigma))| [N m/s^2]
};

/// Recomputes the certificate; keeps its buffers.
class Certifier {
 public:
  Certificate certify(const ContactProblem& problem, std::span<const double> velocity,
                      std::span<const Vec3> impulse);

 private:
  struct Norms;
  void add_tree(const ContactProblem& p, int tree, std::span<const double> velocity, Norms& sums);
  void judge_contacts(const ContactProblem& p, int island, std::span<const double> velocity,
                      std::span<const Vec3> impulse, Certificate& result, double& slack);
  static void judge_momentum(const Norms& sums, int island, double slack, Certificate& result);

  std::vector<double> momentum_, generalized_;
  std::vector<char> free_;  ///< by tree: in no island
};

Certificate certify(const ContactProblem& problem, std::span<const double> velocity,
                    std::span<const Vec3> impulse);

}  // namespace abut
