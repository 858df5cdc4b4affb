#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "abut/core/disjoint_sets.hpp"
#include "abut/problem/body_mobilities.hpp"
#include "abut/problem/contact_problem.hpp"
#include "abut/problem/dormant.hpp"
#include "abut/problem/inverse_masses.hpp"
#include "abut/problem/islands.hpp"
#include "abut/problem/patch_shares.hpp"

namespace abut {

class ThreadPool;

class Elasticity;

/// What follows from the problem for each contact.
struct ContactTerms {
  /// W_ii = J A^-1 J^T with each side alone; w_i = |W_ii|_F / 3 [1/kg]
  std::vector<double> mobility;
  std::vector<double> normal_mobility;            ///< n . W_ii n [1/kg]
  std::vector<double> tangential_mobility;        ///< mean of W_ii across n [1/kg]
  std::vector<Vec3> normal_response;              ///< W_ii n [1/kg], RaiSim
  std::vector<double> normal_regularization;      ///< R_n [1/kg], SAP
  std::vector<double> tangential_regularization;  ///< R_t [1/kg]
  std::vector<double> lagged_impulse;             ///< gamma_n0 [N s], all but SAP and rigid models
  std::vector<double> slip_tolerance;             ///< eps [m/s], likewise
  std::vector<double> given_gap;                  ///< phi0 as weigh() found it [m]
  std::vector<double> allowance;                  ///< what allow() has enlarged it by since [m]

  /// Of so many contacts, with room for `room`: what weigh() writes, under any model.
  void resize(std::size_t count, std::size_t room);
};

/// What follows from the problem for each scalar constraint (ScalarPool).
struct ScalarTerms {
  std::vector<double> mobility;        ///< w [1/kg or 1/(kg m^2)]
  std::vector<double> regularization;  ///< R
  std::vector<double> target;          ///< v_hat
  std::vector<double> lower, upper;    ///< bounds of gamma
  std::vector<std::int32_t> order;     ///< constraints by the first tree of their rows
  std::vector<std::int32_t> start;     ///< by tree and one more: where its constraints begin there

  std::span<const std::int32_t> of_tree(int t) const {
    return {order.data() + start[t], order.data() + start[t + 1]};
  }
  void resize(std::size_t count, std::size_t room);  ///< likewise, but for `start`
};

/// A contact problem, which can be read and not changed, and what follows from it: what solvers
/// take. Buffers are kept from problem to problem, so that a step of known size allocates nothing.
class PreparedProblem {
 public:
  PreparedProblem() = default;
  /// Of this problem, prepared. @throws InputError if two patches have the same trees
  explicit PreparedProblem(ContactProblem problem);

  const ContactProblem& problem() const { return problem_; }

  /// The problem to be changed, or built anew. It has to be prepared afterwards, and is then not to
  /// be changed through this reference any more.
  ContactProblem& edit();

  /// weigh() and complete(). @throws InputError if two patches have the same trees
  void prepare(ThreadPool* pool = nullptr);

  /// All that does not depend on the gaps of contacts: masses, mobilities, regularizations. The
  /// same bits with threads.
  void weigh(ThreadPool* pool = nullptr);
  /// Between weigh() and complete(): enlarges the gap of a contact by `depth` >= 0 [m], so much of
  /// an overlap as is let be.
  void allow(int contact, double depth);
  /// The rest: lagged impulses, dormant contacts, islands. Likewise.
  void complete(ThreadPool* pool = nullptr);

  bool is_prepared() const { return stage_ == Stage::complete; }

  // As weigh() leaves them:
  const PatchShares& shares() const { return shares_; }  ///< of weigh()'s pool
  const InverseMasses& masses() const { return masses_; }
  const BodyMobilities& bodies() const { return bodies_; }
  const ContactTerms& contacts() const { return contacts_; }  ///< but for those of friction's lag
  const ScalarTerms& scalars() const { return scalars_; }
  // As complete() does:
  const Islands& islands() const { return islands_; }  ///< linked by contacts that may touch

 private:
  friend struct PreparedParts;  // tests plant errors there
  enum class Stage { none, weighed, complete };

  void estimate_mobilities(ThreadPool* pool);
  void estimate_mobilities(const Patch& patch);
  void estimate_rigid_mobilities(int first, int end);
  PointMobilities mobilities_from(int contact);
  void regularize_contacts(ThreadPool* pool);
  void regularize_scalars();
  void predict_impulses();

  ContactProblem problem_;
  Stage stage_ = Stage::none;
  PatchShares shares_;
  InverseMasses masses_;
  BodyMobilities bodies_;
  ContactTerms contacts_;
  ScalarTerms scalars_;
  DisjointSets linked_trees_;  ///< by any contact or scalar constraint, SAP
  DormancySearch dormancy_;
  Islands islands_;
  std::vector<BodyPair> sides_;             ///< by contact between rigid bodies: 1 + tree
  std::vector<double> heaviest_;            ///< by the smallest tree linked [kg]
  std::vector<double> velocity_, impulse_;  ///< of all dofs: what the last impulses give
  std::vector<std::int32_t> closed_;        ///< contacts, by tree
  std::vector<double> work_;                ///< of the masses
};

/// eps = max(v_s, R_t mu gamma_n0) [m/s] of contact i, [ICFT 44].
double slip_tolerance(const PreparedProblem& problem, int contact, double lagged_impulse);

/// k_t [N/m] of the spring that holds contact i of an anchored model: as stiff as its normal law
/// is under gamma_n0.
double tangential_stiffness(const ContactProblem& problem, int contact, double lagged_impulse);

/// k of the spring that contact i is at rest, weight included [N/m; Hertz: N/m^(3/2)]. SAP's R_n
/// may stand for a softer one than the material's: R_n = 1/(h (h + tau_d) k).
inline double spring_stiffness(const PreparedProblem& problem, int contact) {
  const ContactPool& c = problem.problem().contacts;
  if (!traits(problem.problem().model).is_near_rigid) {
    return c.weight[contact] * c.stiffness[contact];
  }
  const double h = problem.problem().time_step;
  return 1 /
         (h * (h + c.relaxation_time[contact]) * problem.contacts().normal_regularization[contact]);
}

/// The spring that contact i is at rest; of rigid models k = weight/(w h^2), of any material.
Elasticity spring_of(const PreparedProblem& problem, int contact);

/// True if contact i transmits an impulse at contact velocity v, by the model's law.
bool is_active(const PreparedProblem& problem, int contact, const Vec3& v);

}  // namespace abut
