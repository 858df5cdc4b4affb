#pragma once

#include <span>
#include <vector>

#include "abut/problem/certify.hpp"
#include "peers/quad.hpp"

namespace abut {

/// How far an answer is from solving its problem, without rounding. Islands are the trees that
/// nonzero impulses of the law link, each judged apart; of each figure the worst island's.
struct ExactErrors {
  /// e_m = |D r| / max(|D A v|, |D J^T gamma|) as docs/certificate.md defines it.
  double momentum = 0;
  /// |D r| / max(|D J^T gamma|, min(|D A v|, |D A (v* - v0)|), 1e-8 |D A v|, 1e-8 min(1 J^(1/2),
  /// sqrt(sum w |gamma|^2))), the step error.
  double step = 0;
  /// e_m with the impulses of the answer in place of the law's.
  double balance = 0;
  /// sqrt(sum w |gamma - law(v)|^2) over the larger of `step`'s scale and sqrt(sum w |law(v)|^2).
  double impulse = 0;
  /// Lagged: max mu |gamma_n - gamma_n0| / max mu max(gamma_n, gamma_n0) over an island's contacts.
  double lag = 0;
  /// sqrt(sum w (mu (gamma_n - gamma_n0))^2) over `step`'s scale: what that does to momentum.
  double lag_momentum = 0;
};

/// Judges answers to one problem in quadruple precision. It takes from the problem what its builder
/// wrote and nothing that was derived, and shares no code with the library. Formulas:
/// docs/notation.md, docs/laws, docs/certificate.md, docs/constraints.md.
class ExactJudge {
 public:
  /// @param problem  outlives this
  explicit ExactJudge(const ContactProblem& problem);

  ExactErrors judge(const Answer& answer) const;

  /// What rounding a solution to doubles makes of its step error: the median, over some samples, of
  /// the |D r| / scale that appears when each velocity moves by up to half of its last bit. A
  /// solver that works in doubles can hardly do better.
  double rounding_floor(const Answer& answer) const;

 private:
  /// A tree's 3 x nv block of a contact's J.
  struct Side {
    int tree = world_tree;
    std::vector<QuadVec> columns;
  };
  struct Contact {
    Side a, b;
    QuadVec normal;
    Quad w, rn, rt;  ///< |W_ii|_F / 3 and SAP's regularizations
  };
  struct Scalar {
    Quad w, r, target, lower, upper;
  };
  struct Law {
    std::vector<QuadVec> impulse;
    std::vector<Quad> scalar;
  };

  Side side(int tree, int body, int contact, int sign) const;
  void add_mobility(const Side& side, QuadVec w[3]) const;
  void add_contact(const Patch& patch, int i);
  void regularize_normals();
  void add_scalar(int i);
  Law law(const std::vector<Quad>& v, std::span<const double> lagged) const;
  QuadVec contact_law(int i, const QuadVec& v, double lagged) const;
  QuadVec circle_law(int i, const QuadVec& v, const QuadVec& anchor, double lagged) const;
  QuadVec stretch(int i, const QuadVec& x, bool undo) const;
  std::vector<Quad> generalized(const Law& gamma) const;
  std::vector<Quad> times_mass(const std::vector<Quad>& v) const;
  std::vector<int> islands(const Law& gamma) const;

  const ContactProblem& p_;
  std::vector<QuadSpd> mass_;         ///< A of each tree
  std::vector<QuadSpd> moved_alone_;  ///< the same, of sparse trees the diagonal blocks alone
  std::vector<Contact> contacts_;
  std::vector<Scalar> scalars_;
};

}  // namespace abut
