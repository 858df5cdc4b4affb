#pragma once

#include <cstdint>
#include <vector>

#include "abut/core/aligned_buffer.hpp"
#include "abut/linalg/block_symbolic.hpp"
#include "abut/problem/contact_problem.hpp"
#include "abut/solvers/primal/contact_kernels.hpp"

namespace abut {

/// The bodies of an island's dense trees on which contacts act. Contacts see the twists of bodies,
/// those of rigid bodies first, which are their velocities; here are those of the others, J x, and
/// what follows for loads and Hessians. The cost of J is by body, not by contact.
class LinkedBodies {
 public:
  void make_room(const ContactProblem& problem);

  /// None yet; `rigid_bodies` twists come before them.
  void start(const ContactProblem& problem, int rigid_bodies);

  /// The offset of a body's twist. Its tree is the island's `node`, with velocities from `offset`
  /// on.
  int twist_of(const ContactProblem& problem, int body, bool is_point, int node, int offset);

  /// Makes a patch of two bodies, of which one is here, a coupling; `edge` of their trees in the
  /// pattern, -1 if they are one tree's.
  void couple(BodyPatch& patch, int edge);

  void load(const ContactProblem& problem);  ///< their Jacobians, when all are there

  bool empty() const { return bodies_.empty(); }
  int count() const { return static_cast<int>(bodies_.size()); }

  /// All twists, of the island's velocities x.
  const double* twists(const double* x);
  /// Room for loads in the layout of twists, zero.
  double* loads();
  /// y = J^T of those loads, in the island's layout; y is zero where no load acts.
  void apply_loads(double* y) const;

  double* couplings() { return couplings_.data(); }
  void place_blocks(const BlockSymbolic& symbolic);
  /// Adds J^T M J of the sums over each body's contacts, and of the couplings.
  void assemble(const double* body_sums, double* values);

 private:
  struct Coupling {
    std::int32_t first = 0, second = 0;  ///< twists
    std::int32_t edge = -1;
    BlockSlot slot;  ///< of the edge, or of the tree's diagonal block
  };
  const LinkedBody& body_at(int twist) const {
    return twist < rigid_ ? rigid_body_ : bodies_[twist - rigid_];
  }

  int rigid_ = 0;
  LinkedBody rigid_body_{.rows = 6, .offset = 0, .size = 6, .padded = 8, .jacobian = 0};  ///< J = 1
  std::vector<LinkedBody> bodies_;
  std::vector<std::int32_t> source_, node_;  ///< by body: in the problem, and of its tree
  std::vector<BlockSlot> diagonal_;          ///< by body: of its tree
  std::vector<std::int32_t> twist_of_;       ///< by body of the problem; -1: not here
  std::vector<Coupling> list_;
  std::size_t numbers_ = 0;  ///< of all Jacobians
  std::int32_t widest_ = 8;
  AlignedBuffer<double> jacobians_, twists_, couplings_, work_;
};

}  // namespace abut
