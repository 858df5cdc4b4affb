#include "abut/solvers/primal/island_nodes.hpp"

#include <algorithm>
#include <cstring>

#include "abut/core/grow.hpp"
#include "abut/linalg/block_symbolic.hpp"

namespace abut {
namespace {

/// In line, unlike std::copy_n().
void copy_six(const double* from, double* to) {
  std::memcpy(to, from, 6 * sizeof(double));
}

}  // namespace

void IslandNodes::make_room(const ContactProblem& p) {
  for (auto* v : {&tree_, &offset_, &node_of_}) abut::make_room(*v, p.trees.size());
}

void IslandNodes::add(int tree, int dofs, BlockPattern& pattern) {
  tree_.push_back(tree);
  offset_.push_back(vector_size_);
  pattern.sizes.push_back(dofs);
  vector_size_ += round_up_8(dofs);
}

void IslandNodes::number(const PreparedProblem& q, std::span<const std::int32_t> trees,
                         BlockPattern& pattern) {
  const ContactProblem& p = q.problem();
  prepared_ = &q;
  resize(node_of_, p.trees.size());
  tree_.clear();
  offset_.clear();
  sparse_.clear();
  pattern.clear();
  vector_size_ = 0;
  for (const TreeKind kind : {TreeKind::rigid_body, TreeKind::dense, TreeKind::sparse}) {
    for (const int t : trees) {
      if (p.trees[t].kind != kind) continue;
      node_of_[t] = count();
      if (kind != TreeKind::sparse) {
        add(t, p.trees[t].size, pattern);
        continue;
      }
      sparse_.push_back(t);
      for (int g = 0; g < groups(t).size(); ++g) add(t, groups(t).dofs(g), pattern);
    }
    if (kind == TreeKind::rigid_body) rigid_bodies_ = count();
    if (kind == TreeKind::dense) whole_trees_ = count();
  }
}

IslandNodes::Place IslandNodes::place_in_group(int tree, int dof) const {
  std::int32_t node = node_of_[tree];
  if (node >= whole_trees_) {
    const NodeGroups& g = groups(tree);
    node += g.group[dof / 3];
    dof = 3 * g.place[dof / 3] + dof % 3;
  }
  return {node, offset_[node] + dof, dof};
}

void IslandNodes::gather(std::span<const double> from, double* to) const {
  const ContactProblem& p = prepared_->problem();
  for (int i = 0; i < rigid_bodies_; ++i) {
    double* six = to + offset_[i];
    copy_six(from.data() + p.trees[tree_[i]].first_dof, six);
    six[6] = six[7] = 0;
  }
  if (rigid_bodies_ == count()) return;
  std::fill(to + offset_[rigid_bodies_], to + vector_size_, 0.0);
  for (int i = rigid_bodies_; i < whole_trees_; ++i) {
    const Tree& t = p.trees[tree_[i]];
    std::copy_n(from.data() + t.first_dof, t.size, to + offset_[i]);
  }
  for (const int tree : sparse_) {
    const Tree& t = p.trees[tree];
    for (int dof = 0; dof < t.size; dof += 3) {
      std::copy_n(from.data() + t.first_dof + dof, 3, to + place(tree, dof).at);
    }
  }
}

void IslandNodes::scatter(const double* from, std::span<double> to) const {
  const ContactProblem& p = prepared_->problem();
  for (int i = 0; i < rigid_bodies_; ++i) {
    copy_six(from + offset_[i], to.data() + p.trees[tree_[i]].first_dof);
  }
  for (int i = rigid_bodies_; i < whole_trees_; ++i) {
    const Tree& t = p.trees[tree_[i]];
    std::copy_n(from + offset_[i], t.size, to.data() + t.first_dof);
  }
  for (const int tree : sparse_) {
    const Tree& t = p.trees[tree];
    for (int dof = 0; dof < t.size; dof += 3) {
      std::copy_n(from + place(tree, dof).at, 3, to.data() + t.first_dof + dof);
    }
  }
}

}  // namespace abut
