#pragma once

#include <span>
#include <vector>

#include "abut/core/aligned_buffer.hpp"
#include "abut/problem/prepared_problem.hpp"
#include "abut/solvers/primal/contact_kernels.hpp"
#include "abut/solvers/primal/island_system.hpp"

namespace abut {

/// Sweeps end when one changes the impulses by no more than the part `settled` of them. Friction is
/// limited by the contacts' own impulses, or by gamma_n0 (LonePoint).
struct SweepOptions {
  int most;
  double settled;
  bool own_limit;
};

/// Sweeps over an island's contacts, each solved alone against the velocity that the others'
/// impulses give, all at once, so that their order does not matter (Jacobi); each body shares its
/// mass among its closed contacts. Between sweeps the impulses go on along their way (Nesterov
/// 1983), and shares grow where a sweep changes more than the last one. They say which contacts
/// close, stick and slide, long before their impulses are accurate.
class Sweeps {
 public:
  /// For the whole problem.
  void make_room(const PreparedProblem& problem);

  /// Sweeps from the last step's impulses. Leaves in the system's contacts the impulses, their
  /// normal parts (in dual_normal), and the velocities at which the laws give them (in the
  /// direction). False if their numbers are not finite.
  bool run(const PreparedProblem& problem, std::span<const std::int32_t> trees,
           const ModelKernels& model, IslandSystem& system, SweepOptions options);

 private:
  /// Contacts of a patch, and its trees; for the world's the number of all trees.
  struct Pair {
    std::int32_t begin, end, tree_a, tree_b;
    double part_of_a;  ///< A's part of the mobility of the two; -1 where one is a mechanism
  };
  void start(const PreparedProblem& q, std::span<const std::int32_t> trees,
             const IslandSystem& system);
  void move(const PreparedProblem& q, std::span<const std::int32_t> trees, IslandSystem& system);
  void move_mechanisms(const PreparedProblem& q, std::span<const std::int32_t> trees,
                       const IslandSystem& system);
  void gather_inverse_inertia(const PreparedProblem& q, const IslandNodes& nodes);
  void share(std::span<const std::int32_t> trees, const ContactArrays& c, bool is_first);
  void extrapolate(const ContactArrays& c);

  AlignedBuffer<double> rows_;  ///< of arrays_ and before_
  SweepArrays arrays_;
  double *shares_ = nullptr, *before_ = nullptr;  ///< in rows_
  AlignedBuffer<double> x_, y_;                   ///< u and J^T gamma, the island's layout
  AlignedBuffer<double> rest_;                    ///< u without contacts' impulses, the same layout
  double momentum_ = 1;                           ///< Nesterov's t_k
  double damping_ = 1;  ///< of all shares: more each time that a sweep changes more than the last
  std::vector<double> resting_, u_, generalized_, work_;  ///< the problem's layout
  AlignedBuffer<double> inverse_inertia_;  ///< of rigid bodies, laid out as RigidBodies::inertia
  std::vector<Pair> pairs_;
  std::vector<int> closed_;  ///< contacts, by tree, and the world's
};

}  // namespace abut
