#pragma once

#include <span>
#include <vector>

#include "abut/problem/contact_problem.hpp"

namespace abut {

/// Momentum [J^(1/2), scaled by D] below which nothing moves and nothing pushes: no error. Times
/// 1 + sqrt(sum of w |gamma|^2) of the island: impulses that a mechanism bears without moving leave
/// their rounding as momentum.
constexpr double at_rest = 1e-14;

/// How far velocities and impulses are from solving a problem, recomputed from the problem by code
/// that no solver uses.
struct Certificate {
  /// e_m [-]: over the islands that impulses link, the worst |D r| / max(|D A v|, |D J^T gamma|),
  /// r = A (v - v*) - J^T gamma, D = diag(A)^(-1/2), with gamma the impulses that the model's law
  /// gives at v [SAP 32]. 0 where both scales are at rest.
  double momentum_error = 0;
  int worst_tree = -1;  ///< the smallest of that island; -1 if there is no error

  /// sqrt(sum over the island's contacts and constraints of w |gamma - law(v)|^2) over the larger
  /// of e_m's scale and sqrt(sum of w |gamma|^2) [-], the worst island's: a solver's impulses must
  /// be those of its velocities.
  double impulse_error = 0;

  /// e_c [-]: sum over contacts of the slack |gamma . R (gamma - y)| [SAP 33], in units of the
  /// impulses' energy; SAP only, else 0.
  double complementarity_error = 0;

  // The rigid NCP's criteria [CB 15], by impulse / h: one ruler for all models.
  double ncp_primal = 0;           ///< eps_p = dist(lambda, K_mu) [N]
  double ncp_dual = 0;             ///< eps_d = dist(sigma + Gamma(sigma), K*_mu) [m/s^2]
  double ncp_complementarity = 0;  ///< eps_c = |lambda . (sigma + Gamma(sigma))| [N m/s^2]
};

/// Whether all its numbers are; else nothing is certified.
bool is_finite(const Certificate& certificate);

/// Recomputes the certificate; keeps its buffers.
class Certifier {
 public:
  /// @throws InputError if the problem is not prepared, or sizes differ
  Certificate certify(const ContactProblem& problem, std::span<const double> velocity,
                      std::span<const Vec3> impulse, std::span<const double> scalar_impulse = {});

 private:
  struct PatchSums {
    double slack = 0, mismatch = 0;
    double gross = 0;  ///< sum of w |gamma|^2
  };
  struct IslandSums : PatchSums {
    double residual = 0, momentum = 0, impulse = 0;  ///< squared, scaled by D
  };
  int root(int tree);
  void judge_patch(const ContactProblem& p, const Patch& patch, std::span<const double> velocity,
                   std::span<const Vec3> impulse, Certificate& result);
  void judge_scalars(const ContactProblem& p, std::span<const double> velocity,
                     std::span<const double> impulse);
  void add_tree(const ContactProblem& p, int tree, std::span<const double> velocity);

  std::vector<double> momentum_, generalized_;
  std::vector<PatchSums> patch_sums_;
  std::vector<PatchSums> scalar_sums_;   ///< by tree
  std::vector<IslandSums> island_sums_;  ///< by their smallest tree
  std::vector<std::int32_t> root_;       ///< by tree; islands are what impulses link
};

Certificate certify(const ContactProblem& problem, std::span<const double> velocity,
                    std::span<const Vec3> impulse, std::span<const double> scalar_impulse = {});

}  // namespace abut
