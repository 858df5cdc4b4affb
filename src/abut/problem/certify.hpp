#pragma once

#include <memory>
#include <span>
#include <vector>

#include "abut/problem/prepared_problem.hpp"

namespace abut {

class ThreadPool;

/// Momentum [J^(1/2), scaled by D] below which nothing moves and nothing pushes: no error. Times
/// 1 + sqrt(sum of w |gamma|^2) of the island, up to 1e-8 J^(1/2): impulses that a mechanism bears
/// without moving leave their rounding as momentum.
constexpr double at_rest = 1e-14;

/// Momenta leave this part of themselves, times a tolerance, as rounding.
constexpr double momentum_rounding = 1e-8;

/// Impulses that bear each other leave this part of their gross size, sqrt(sum of w |gamma|^2),
/// times a tolerance, as rounding; of a gross size of at most `most_borne` [J^(1/2)]: however hard
/// it is wedged, what is faster than 1e-8 J^(1/2) moves.
constexpr double impulse_rounding = 1e-8, most_borne = 1;

/// Friction that lags by no more than this part of its island's own step has no lag error.
constexpr double negligible_lag = 1e-6;

/// How far velocities and impulses are from solving a problem, recomputed by laws and kinematics of
/// its own, which neither solvers nor preparation use. certify(), and steps for islands where
/// rounding matters, also derive mobilities and regularizations again, in extended precision; for
/// other islands they are those prepared. An island here is what impulses link. r = A (v - v*) -
/// J^T gamma, with gamma the impulses that the model's law gives at v; D = diag(A)^(-1/2).
struct Certificate {
  /// |D r| / max(|D J^T gamma|, min(|D A v|, |D A (v* - v0)|), 1e-8 |D A v|, 1e-8 min(1 J^(1/2),
  /// sqrt(sum of w |gamma|^2))) [-], the worst island's: the error of what the step does to
  /// velocities, relative to what it does. Solvers stop by it: it bounds the error of accelerations
  /// for any time step, and of momentum where there is more than 1e-8 J^(1/2). 0 where nothing
  /// moves and nothing pushes.
  double step_error = 0;
  int worst_tree = -1;  ///< the smallest of that island; -1 if there is no error

  /// e_m = |D r| / max(|D A v|, |D J^T gamma|) [-] [SAP 32], the worst island's: the papers'
  /// measure, in which the momentum of fast bodies hides the impulses of small steps.
  double momentum_error = 0;

  /// sqrt(sum over the island's contacts and constraints of w |gamma - law(v)|^2) over the larger
  /// of step_error's scale and sqrt(sum of w |gamma|^2) [-], the worst island's: a solver's
  /// impulses must be those of its velocities.
  double impulse_error = 0;

  /// Lagged: max mu |gamma_n - gamma_n0| / max mu max(gamma_n, gamma_n0) [-], the worst island's:
  /// how far the normal impulse that friction was given is from the one that came out.
  double lag_error = 0;
  /// What the rounding of v in 64-bit numbers may leave of step_error and impulse_error [-].
  double rounding = 0;
  int lagging_islands = 0;  ///< in which it is above the problem's lag_tolerance

  /// e_c [-]: sum over contacts of the slack |gamma . R (gamma - y)| [SAP 33], in units of the
  /// impulses' energy; SAP only, else 0.
  double complementarity_error = 0;

  // The rigid NCP's criteria [CB 15], by impulse / h: one ruler for all models.
  double ncp_primal = 0;           ///< eps_p = dist(lambda, K_mu) [N]
  double ncp_dual = 0;             ///< eps_d = dist(sigma + Gamma(sigma), K*_mu) [m/s^2]
  double ncp_complementarity = 0;  ///< eps_c = |lambda . (sigma + Gamma(sigma))| [N m/s^2]

  /// True if no number of it is NaN or infinite.
  bool is_finite() const;
};

/// The larger of each of their errors; NaN is the largest.
Certificate worse(const Certificate& a, const Certificate& b);

/// What is to be judged, in the problem's order. Without lagged impulses: those of
/// the preparation.
struct Answer {
  std::span<const double> velocity;
  std::span<const Vec3> impulse;
  std::span<const double> scalar_impulse{};
  std::span<const double> lagged_impulse{};
};

/// Recomputes certificates; keeps its buffers.
class Certifier {
 public:
  Certifier();
  ~Certifier();
  Certifier(Certifier&&) noexcept;
  Certifier& operator=(Certifier&&) noexcept;

  /// In extended precision islands whose rounding by 64-bit numbers may reach `accuracy` [-], and
  /// what is linked to them. The same bits with threads.
  /// @throws InputError if the problem is not prepared, or sizes differ
  Certificate certify(const PreparedProblem& problem, const Answer& answer, double accuracy,
                      ThreadPool* pool = nullptr);

 private:
  struct Buffers;
  std::unique_ptr<Buffers> buffers_;
};

/// In extended precision wherever anything moves.
Certificate certify(const PreparedProblem& problem, const Answer& answer);

}  // namespace abut
