#include "abut/solvers/primal/island_masses.hpp"

#include <algorithm>

#include "abut/core/grow.hpp"
#include "abut/linalg/dense_spd.hpp"

namespace abut {

void IslandMasses::make_room(const ContactProblem& p) {
  abut::make_room(parts_, p.trees.size());
}

void IslandMasses::gather(const ContactProblem& p, const IslandNodes& nodes) {
  problem_ = &p;
  nodes_ = &nodes;
  parts_.clear();
  places_.clear();
  for (int i = nodes.rigid_bodies(); i < nodes.count(); ++i) {
    const Tree& t = p.trees[nodes.tree(i)];
    if (t.kind == TreeKind::dense) {
      parts_.push_back({.tree = nodes.tree(i),
                        .node = i,
                        .begin = nodes.offset(i),
                        .end = nodes.offset(i) + round_up_8(t.size),
                        .matrix = p.matrices.data() + t.first_element,
                        .size = t.size});
      continue;
    }
    if (!nodes.is_first(i)) continue;
    const int last = i + nodes.groups(nodes.tree(i)).size();
    parts_.push_back({.tree = nodes.tree(i),
                      .node = i,
                      .begin = nodes.offset(i),
                      .end = last < nodes.count() ? nodes.offset(last) : nodes.vector_size(),
                      .size = t.size,
                      .first_place = places_.size()});
    for (int dof = 0; dof < t.size; dof += 3) {
      places_.push_back(nodes.place(nodes.tree(i), dof).at);
    }
  }
}

void IslandMasses::multiply(const Part& part, const double* x, double* y) const {
  if (part.matrix != nullptr) {
    multiply_symmetric(part.size, part.matrix, x + part.begin, y + part.begin);
    return;
  }
  std::fill(y + part.begin, y + part.end, 0.0);
  const std::int32_t* at = places_.data() + part.first_place;
  problem_->sparse_matrices.for_each_block(
      problem_->trees[part.tree], [&](int row, int column, const double* a) {
        const double *from = x + at[column], *back = x + at[row];
        double *to = y + at[row], *mirrored = y + at[column];
        for (int r = 0; r < 3; ++r, a += 3) {
          to[r] += a[0] * from[0] + a[1] * from[1] + a[2] * from[2];
          if (row == column) continue;
          for (int c = 0; c < 3; ++c) mirrored[c] += a[c] * back[r];
        }
      });
}

void IslandMasses::get_scale(const Part& part, double* scale2) const {
  std::fill(scale2 + part.begin, scale2 + part.end, 0.0);
  if (part.matrix != nullptr) {
    for (int r = 0; r < part.size; ++r) {
      scale2[part.begin + r] = 1 / part.matrix[r * part.size + r];
    }
    return;
  }
  const std::int32_t* at = places_.data() + part.first_place;
  problem_->sparse_matrices.for_each_block(problem_->trees[part.tree],
                                           [&](int row, int column, const double* a) {
                                             if (row != column) return;
                                             for (int r = 0; r < 3; ++r)
                                               scale2[at[row] + r] = 1 / a[4 * r];
                                           });
}

void IslandMasses::ask_edges(EdgeRequests& requests) {
  asked_.clear();
  for (const Part& part : parts_) {
    if (part.matrix != nullptr) continue;
    for (const BlockEdge& e : nodes_->groups(part.tree).edges) {
      asked_.push_back(requests.ask(part.node + e.a, part.node + e.b));
    }
  }
}

void IslandMasses::take_edges(const EdgeRequests& requests) {
  edges_.clear();
  for (const std::int32_t request : asked_) edges_.push_back(requests.edge(request));
}

void IslandMasses::add_to(BlockCholesky& cholesky) const {
  const std::int32_t* edges = edges_.data();
  for (const Part& part : parts_) {
    if (part.matrix == nullptr) {
      const NodeGroups& groups = nodes_->groups(part.tree);
      add_sparse_matrix(*problem_, problem_->trees[part.tree], groups, part.node,
                        {edges, groups.edges.size()}, cholesky);
      edges += groups.edges.size();
      continue;
    }
    const BlockSlot& slot = cholesky.symbolic().diagonal[part.node];
    copy_lower(part.size, part.matrix, cholesky.values() + slot.offset, slot.leading);
  }
}

}  // namespace abut
