#include "abut/problem/sparse_mass.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace abut {

/// Both directions of A's off-diagonal blocks, by node.
void NodeGroups::gather(const ContactProblem& p, const Tree& tree) {
  start_.assign(tree.nodes() + 1, 0);
  p.sparse_matrices.for_each_block(tree, [&](int row, int column, const double*) {
    if (row != column) ++start_[row + 1], ++start_[column + 1];
  });
  std::partial_sum(start_.begin(), start_.end(), start_.begin());
  neighbours_.resize(start_.back());
  p.sparse_matrices.for_each_block(tree, [&](int row, int column, const double*) {
    if (row == column) return;
    neighbours_[start_[row]++] = column;
    neighbours_[start_[column]++] = row;
  });
  for (int node = tree.nodes(); node > 0; --node) start_[node] = start_[node - 1];
  start_[0] = 0;
}

/// Each group grows from a node next to those before, by the nodes that it meets first.
void NodeGroups::find(const ContactProblem& p, int tree_index) {
  const Tree& tree = p.trees[tree_index];
  const int count = tree.nodes();
  gather(p, tree);
  group.assign(count, -1);
  place.assign(count, 0);
  begin.assign(1, 0);
  nodes.clear();
  const auto add = [&](int node) {
    group[node] = size();
    place[node] = static_cast<int>(nodes.size()) - begin.back();
    nodes.push_back(node);
  };
  int unseen = 0;
  for (std::size_t looked = 0; static_cast<int>(nodes.size()) < count;) {
    // a node next to the earliest that has one free, else any
    int seed = -1;
    for (; seed < 0 && looked < nodes.size(); looked += seed < 0) {
      for (int k = start_[nodes[looked]]; k < start_[nodes[looked] + 1] && seed < 0; ++k) {
        if (group[neighbours_[k]] < 0) seed = neighbours_[k];
      }
    }
    while (seed < 0) {
      if (group[unseen] < 0) seed = unseen;
      ++unseen;
    }
    add(seed);
    for (auto at = static_cast<std::size_t>(begin.back()); at < nodes.size(); ++at) {
      for (int k = start_[nodes[at]]; k < start_[nodes[at] + 1]; ++k) {
        const int node = neighbours_[k];
        if (group[node] < 0 && static_cast<int>(nodes.size()) - begin.back() < most) add(node);
      }
    }
    begin.push_back(static_cast<std::int32_t>(nodes.size()));
  }
  find_edges(p, tree);
}

void NodeGroups::find_edges(const ContactProblem& p, const Tree& tree) {
  links_.clear();
  edge.clear();
  p.sparse_matrices.for_each_block(tree, [&](int row, int column, const double*) {
    const auto [a, b] = std::minmax(group[row], group[column]);
    if (a != b) {
      links_.emplace_back(
          std::uint64_t{static_cast<std::uint32_t>(a)} << 32 | static_cast<std::uint32_t>(b),
          static_cast<std::int32_t>(edge.size()));
    }
    edge.push_back(-1);
  });
  std::sort(links_.begin(), links_.end());
  edges.clear();
  std::uint64_t last = 0;
  for (const auto& [groups, block] : links_) {
    if (edges.empty() || groups != last) {
      edges.push_back({static_cast<std::int32_t>(groups >> 32),
                       static_cast<std::int32_t>(groups & 0xffffffff)});
    }
    last = groups;
    edge[block] = static_cast<std::int32_t>(edges.size()) - 1;
  }
}

void add_sparse_matrix(const ContactProblem& p, const Tree& tree, const NodeGroups& groups,
                       int first_node, std::span<const std::int32_t> edges,
                       BlockCholesky& cholesky) {
  const BlockSymbolic& symbolic = cholesky.symbolic();
  std::size_t index = 0;
  p.sparse_matrices.for_each_block(tree, [&](int row, int column, const double* block) {
    const std::int32_t edge = groups.edge[index++];
    const int group = groups.group[row];
    int at_row = 3 * groups.place[row], at_column = 3 * groups.place[column];
    // the block lies turned where its row is not among the rows of its slot
    bool turned = edge < 0 && at_row < at_column;
    BlockSlot slot = symbolic.diagonal[first_node + group];
    if (edge >= 0) {
      slot = symbolic.off_diagonal[edges[edge]];
      turned = (groups.edges[edge].a != group) != slot.transposed;
    }
    if (turned) std::swap(at_row, at_column);
    double* to = cholesky.values() + slot.offset + at_row + std::int64_t{at_column} * slot.leading;
    for (int c = 0; c < 3; ++c) {
      for (int r = 0; r < 3; ++r) {
        to[r + c * slot.leading] += turned ? block[3 * c + r] : block[3 * r + c];
      }
    }
  });
}

bool SparseMass::has_pattern_of(const ContactProblem& p, const Tree& tree) const {
  const SparseMatrices& m = p.sparse_matrices;
  const auto ends = m.row_end.begin() + tree.first_element;
  const std::int64_t first = tree.first_element == 0 ? 0 : ends[-1], last = ends[tree.nodes() - 1];
  if (std::ssize(row_end_) != tree.nodes() || std::ssize(column_) != last - first) return false;
  for (int k = 0; k < tree.nodes(); ++k) {
    if (row_end_[k] != ends[k] - first) return false;
  }
  return std::equal(column_.begin(), column_.end(), m.column.begin() + first);
}

bool SparseMass::factor(const ContactProblem& p, int tree_index) {
  const Tree& tree = p.trees[tree_index];
  if (!has_pattern_of(p, tree)) {
    groups_.find(p, tree_index);
    const auto ends = p.sparse_matrices.row_end.begin() + tree.first_element;
    const std::int64_t first = tree.first_element == 0 ? 0 : ends[-1];
    row_end_.clear();
    for (int k = 0; k < tree.nodes(); ++k) row_end_.push_back(ends[k] - first);
    const auto columns = p.sparse_matrices.column.begin() + first;
    column_.assign(columns, columns + row_end_.back());
    pattern_.clear();
    for (int g = 0; g < groups_.size(); ++g) pattern_.sizes.push_back(groups_.dofs(g));
    pattern_.edges = groups_.edges;
    all_edges_.resize(groups_.edges.size());
    std::iota(all_edges_.begin(), all_edges_.end(), 0);
    auto symbolic = std::make_shared<BlockSymbolic>();
    analysis_.analyze(pattern_, *symbolic);
    vector_.resize(symbolic->vector_size);
    symbolic_ = std::move(symbolic);
  }
  inverse_blocks_.clear();
  p.sparse_matrices.for_each_block(tree, [&](int row, int column, const double* a) {
    if (row != column) return;
    inverse_blocks_.push_back(
        inverse(Mat3{{{a[0], a[3], a[6]}, {a[1], a[4], a[7]}, {a[2], a[5], a[8]}}}));
  });
  cholesky_.reset(*symbolic_);
  add_sparse_matrix(p, tree, groups_, 0, all_edges_, cholesky_);
  return cholesky_.factor();
}

void SparseMass::add_inverse_times(const double* x, double* u) {
  vector_.fill_zero();
  const auto for_each_node = [&](const auto& f) {
    for (int g = 0; g < groups_.size(); ++g) {
      double* at = vector_.data() + symbolic_->vector_offset[g];
      for (int k = groups_.begin[g]; k < groups_.begin[g + 1]; ++k, at += 3) {
        f(3 * groups_.nodes[k], at);
      }
    }
  };
  for_each_node([&](int dof, double* at) { std::copy_n(x + dof, 3, at); });
  cholesky_.solve(vector_.span());
  for_each_node([&](int dof, const double* at) {
    for (int k = 0; k < 3; ++k) u[dof + k] += at[k];
  });
}

}  // namespace abut
