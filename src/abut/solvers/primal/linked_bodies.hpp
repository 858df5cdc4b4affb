#pragma once

#include <cstdint>
#include <vector>

#include "abut/core/aligned_buffer.hpp"
#include "abut/linalg/block_symbolic.hpp"
#include "abut/linalg/edge_requests.hpp"
#include "abut/problem/contact_problem.hpp"
#include "abut/solvers/primal/contact_kernels.hpp"
#include "abut/solvers/primal/island_nodes.hpp"

namespace abut {

/// The bodies of an island's dense and sparse trees on which contacts act. Contacts see the twists
/// of bodies, those of rigid bodies first, which are their velocities; here are those of the
/// others, J x, and what follows for loads and Hessians. The cost of J is by body, not by contact.
/// A body has a part for each node that moves it: one of a dense tree, of a sparse one the groups
/// that its nodes are in.
class LinkedBodies {
 public:
  void make_room(const ContactProblem& problem);

  /// None yet; the twists of rigid bodies come before them.
  void start(const ContactProblem& problem, const IslandNodes& nodes);

  /// The offset of a body's twist.
  int twist_of(const ContactProblem& problem, int body, bool is_point);

  /// Makes a patch of two bodies, of which one is here, a coupling; `edge` of their trees in the
  /// pattern, -1 if they are one tree's or one is sparse.
  void couple(BodyPatch& patch, int edge);

  /// Their Jacobians, when all are there.
  void load(const ContactProblem& problem);
  /// Asks for the edges that couple() got none for.
  void ask_edges(EdgeRequests& requests);
  void take_edges(const EdgeRequests& requests, const BlockPattern& pattern);

  bool empty() const { return bodies_.empty(); }
  int count() const { return static_cast<int>(bodies_.size()); }

  /// All twists, of the island's velocities x.
  const double* twists(const double* x);
  /// Room for loads in the layout of twists, zero.
  double* loads();
  /// y = J^T of those loads, in the island's layout; y is zero where no load acts.
  void apply_loads(double* y);

  double* couplings() { return couplings_.data(); }
  void place_blocks(const BlockSymbolic& symbolic);
  /// Adds J^T M J of the sums over each body's contacts, and of the couplings.
  void assemble(const double* body_sums, double* values);

 private:
  struct Body {
    std::int32_t source = 0;                      ///< in the problem
    std::int32_t part_begin = 0, part_end = 0;    ///< in parts_
    std::int32_t block_begin = 0, block_end = 0;  ///< in blocks_
  };
  struct Coupling {
    std::int32_t first = 0, second = 0;           ///< twists
    std::int32_t edge = -1;                       ///< if it was given
    std::int32_t block_begin = 0, block_end = 0;  ///< in blocks_
  };
  /// Of the Hessian: what two parts share. Below 0: a rigid body's node.
  struct Block {
    std::int32_t rows = 0, columns = 0;
    std::int32_t edge = -1;  ///< -1: on the diagonal; a request first
    bool turned = false;     ///< the rows are those of the coupling's second body
    BlockSlot slot;
  };
  bool is_plain() const { return parts_.size() == bodies_.size(); }
  int part_begin(int twist) const {
    return twist < rigid_ ? ~twist : bodies_[twist - rigid_].part_begin;
  }
  int part_end(int twist) const {
    return twist < rigid_ ? ~twist + 1 : bodies_[twist - rigid_].part_end;
  }
  int node_of(int part) const { return part < 0 ? ~part : node_[part]; }
  LinkedBody part(int index) const;
  void add_part(const ContactProblem& problem, int node, int rows);
  void list_blocks();
  void add_blocks(std::int32_t begin, std::int32_t end, const double* m, const double* turned,
                  double* values);

  const IslandNodes* nodes_ = nullptr;
  int rigid_ = 0;
  std::vector<Body> bodies_;
  std::vector<LinkedBody> parts_;
  std::vector<std::int32_t> node_;      ///< by part
  std::vector<std::int32_t> twist_of_;  ///< by body of the problem; -1: not here
  std::vector<Coupling> list_;
  std::vector<Block> blocks_;
  std::size_t numbers_ = 0;  ///< of all Jacobians
  std::int32_t widest_ = 8;
  AlignedBuffer<double> jacobians_, twists_, part_twists_, couplings_, work_;
};

}  // namespace abut
