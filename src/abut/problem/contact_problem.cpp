#include "abut/problem/contact_problem.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "abut/core/assert.hpp"
#include "abut/core/error.hpp"
#include "abut/core/grow.hpp"
#include "abut/linalg/dense_spd.hpp"

namespace abut {

void ContactProblem::clear() {
  begin(0);
  contacts.clear();
}

void ContactProblem::begin(int rigid_bodies) {
  resize(trees, rigid_bodies);
  resize(velocity, 6 * static_cast<std::size_t>(rigid_bodies));
  resize(free_velocity, 6 * static_cast<std::size_t>(rigid_bodies));
  matrices.clear();
  sparse_matrices.clear();
  body_runs.clear();
  first_guess.clear();
  patches.clear();
  bodies.clear();
  jacobians.clear();
  scalars.clear();
  inverse_factors.clear();
}

void ContactProblem::add_velocity(std::span<const double> v) {
  velocity.insert(velocity.end(), v.begin(), v.end());
  if (!first_guess.empty()) first_guess.insert(first_guess.end(), v.begin(), v.end());
}

int ContactProblem::add_rigid_body(double mass, const Vec3& center, const Mat3& inertia,
                                   std::span<const double, 6> v,
                                   std::span<const double, 6> free_v) {
  Tree tree;
  tree.first_dof = dofs();
  tree.mass = mass;
  tree.center = center;
  tree.inertia = inertia;
  trees.push_back(tree);
  add_velocity(v);
  free_velocity.insert(free_velocity.end(), free_v.begin(), free_v.end());
  return static_cast<int>(trees.size()) - 1;
}

void ContactProblem::set_rigid_body(int t, double mass, const Vec3& center, const Mat3& inertia,
                                    std::span<const double, 6> v,
                                    std::span<const double, 6> free_v) {
  ABUT_ASSERT(t >= 0 && t < std::ssize(trees));
  Tree& tree = trees[t];
  tree.kind = TreeKind::rigid_body;
  tree.brings_factor = false;
  tree.first_dof = 6 * t;
  tree.size = 6;
  tree.mass = mass;
  tree.center = center;
  tree.inertia = inertia;
  tree.first_element = 0;
  std::copy(v.begin(), v.end(), velocity.begin() + tree.first_dof);
  std::copy(free_v.begin(), free_v.end(), free_velocity.begin() + tree.first_dof);
}

int ContactProblem::add_tree(std::span<const double> matrix, std::span<const double> v,
                             std::span<const double> free_v, double heaviest_mass,
                             std::span<const double> inverse_factor) {
  if (v.size() != free_v.size() || matrix.size() != v.size() * v.size() || v.empty()) {
    fail_input("add_tree: a tree of n dofs needs n x n, n and n numbers; got " +
               std::to_string(matrix.size()) + ", " + std::to_string(v.size()) + " and " +
               std::to_string(free_v.size()));
  }
  const std::size_t expected = v.size() * round_up_8(static_cast<std::int32_t>(v.size()));
  if (!inverse_factor.empty() && inverse_factor.size() != expected) {
    fail_input("add_tree: the inverse factor has " + std::to_string(inverse_factor.size()) +
               " numbers, must have " + std::to_string(expected));
  }
  Tree tree;
  tree.kind = TreeKind::dense;
  tree.first_dof = dofs();
  tree.size = static_cast<std::int32_t>(v.size());
  tree.mass = heaviest_mass;
  tree.first_element = std::ssize(matrices);
  if (!inverse_factor.empty()) {
    tree.brings_factor = true;
    inverse_factors.insert(inverse_factors.end(), inverse_factor.begin(), inverse_factor.end());
  }
  trees.push_back(tree);
  matrices.insert(matrices.end(), matrix.begin(), matrix.end());
  add_velocity(v);
  free_velocity.insert(free_velocity.end(), free_v.begin(), free_v.end());
  return static_cast<int>(trees.size()) - 1;
}

ContactProblem::NewTree ContactProblem::add_tree(std::span<const double> v, double heaviest_mass) {
  const std::size_t n = v.size(), lead = round_up_8(static_cast<std::int32_t>(n));
  const std::int64_t first_factor = std::ssize(inverse_factors);
  Tree tree;
  tree.kind = TreeKind::dense;
  tree.brings_factor = true;
  tree.first_dof = dofs();
  tree.size = static_cast<std::int32_t>(n);
  tree.mass = heaviest_mass;
  tree.first_element = std::ssize(matrices);
  trees.push_back(tree);
  matrices.resize(matrices.size() + n * n);
  inverse_factors.resize(inverse_factors.size() + n * lead);
  add_velocity(v);
  free_velocity.resize(velocity.size());
  return {static_cast<int>(trees.size()) - 1, first_factor};
}

ContactProblem::TreeRoom ContactProblem::room_of(const NewTree& added) {
  const Tree& tree = trees[added.tree];
  const std::size_t n = tree.size, lead = round_up_8(tree.size);
  return {std::span(matrices).subspan(tree.first_element, n * n),
          {inverse_factors.data() + added.first_factor, n * lead},
          std::span(free_velocity).subspan(tree.first_dof, n)};
}

void require_rows_of_blocks(std::span<const std::int64_t> row_end, std::int64_t begin,
                            std::span<const std::int32_t> columns, const std::string& tree) {
  const Origin at{.file = {}, .line = 0, .element = tree};
  for (std::size_t row = 0; row < row_end.size(); ++row) {
    const std::int64_t end = row_end[row];
    const std::string name = "row " + std::to_string(row) + " of its blocks";
    if (end <= begin || end > std::ssize(columns))
      fail_input(name + " has none, or ends outside", at);
    bool ascends = columns[begin] >= 0;
    for (std::int64_t k = begin + 1; k < end; ++k) ascends = ascends && columns[k] > columns[k - 1];
    if (!ascends || columns[end - 1] != static_cast<std::int32_t>(row)) {
      fail_input("columns of " + name + " must ascend from 0 to the diagonal", at);
    }
    begin = end;
  }
}

int ContactProblem::add_sparse_tree(std::span<const std::int64_t> row_end,
                                    std::span<const std::int32_t> columns,
                                    std::span<const double> elements, std::span<const double> v,
                                    std::span<const double> free_v, double heaviest_mass) {
  const std::size_t nodes = row_end.size();
  if (nodes == 0 || v.size() != 3 * nodes || free_v.size() != 3 * nodes ||
      std::ssize(columns) != row_end.back() || elements.size() != 9 * columns.size()) {
    fail_input("add_sparse_tree: " + std::to_string(nodes) + " nodes have three velocities each, " +
               "and a block 9 elements; got " + std::to_string(v.size()) + " and " +
               std::to_string(free_v.size()) + " velocities, " + std::to_string(columns.size()) +
               " columns, " + std::to_string(elements.size()) + " elements");
  }
  require_rows_of_blocks(row_end, 0, columns, "sparse tree");
  Tree tree;
  tree.kind = TreeKind::sparse;
  tree.first_dof = dofs();
  tree.size = static_cast<std::int32_t>(v.size());
  tree.mass = heaviest_mass;
  SparseMatrices& to = sparse_matrices;
  tree.first_element = std::ssize(to.row_end);
  const std::int64_t before = std::ssize(to.column);
  for (const std::int64_t end : row_end) to.row_end.push_back(before + end);
  to.column.insert(to.column.end(), columns.begin(), columns.end());
  to.elements.insert(to.elements.end(), elements.begin(), elements.end());
  trees.push_back(tree);
  add_velocity(v);
  free_velocity.insert(free_velocity.end(), free_v.begin(), free_v.end());
  return static_cast<int>(trees.size()) - 1;
}

int ContactProblem::add_point(int tree, const Vec3& center, std::span<const std::int32_t> nodes,
                              std::span<const double> weights) {
  if (tree < 0 || tree >= std::ssize(trees) || trees[tree].kind != TreeKind::sparse) {
    fail_input("add_point: tree " + std::to_string(tree) + " is not a sparse tree");
  }
  if (nodes.empty() || nodes.size() != weights.size()) {
    fail_input("add_point: a point needs nodes and a weight of each; got " +
               std::to_string(nodes.size()) + " and " + std::to_string(weights.size()));
  }
  for (const std::int32_t node : nodes) {
    if (node >= 0 && node < trees[tree].nodes()) continue;
    fail_input("add_point: tree " + std::to_string(tree) + " has no node " + std::to_string(node));
  }
  const std::size_t columns = 3 * nodes.size(), first = jacobians.size();
  bodies.push_back({.tree = tree,
                    .runs = static_cast<std::int32_t>(nodes.size()),
                    .first_run = std::ssize(body_runs),
                    .columns = static_cast<std::int32_t>(columns),
                    .first_element = std::ssize(jacobians),
                    .center = center});
  for (const std::int32_t node : nodes) body_runs.push_back({3 * node, 3 * node + 3});
  jacobians.resize(first + 6 * columns, 0);  // it does not turn
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    for (std::size_t r = 0; r < 3; ++r) jacobians[first + r * columns + 3 * k + r] = weights[k];
  }
  return static_cast<int>(bodies.size()) - 1;
}

void ContactProblem::require_dense(int tree) const {
  if (tree >= 0 && tree < std::ssize(trees) && trees[tree].kind == TreeKind::dense) return;
  fail_input("add_body: tree " + std::to_string(tree) + " is not a dense tree");
}

int ContactProblem::add_body(int tree, const Vec3& center, std::span<const double> jacobian) {
  require_dense(tree);
  const std::size_t expected = 6 * static_cast<std::size_t>(trees[tree].size);
  if (jacobian.size() != expected) {
    fail_input("add_body: the Jacobian of a body of tree " + std::to_string(tree) + " has " +
               std::to_string(jacobian.size()) + " numbers, must have " + std::to_string(expected));
  }
  return add_columns(tree, center, jacobian, 1);
}

int ContactProblem::add_body(int tree, const Vec3& center, std::span<const IndexRun> runs) {
  require_dense(tree);
  std::int32_t last = -1;
  for (const auto& [begin, end] : runs) {
    if (last < begin && begin < end && end <= trees[tree].size) {
      last = end;
      continue;
    }
    fail_input("add_body: runs of the " + std::to_string(trees[tree].size) + " dofs of tree " +
               std::to_string(tree) + " must ascend and not touch; got one from " +
               std::to_string(begin) + " to " + std::to_string(end));
  }
  const std::int64_t first = std::ssize(body_runs);
  body_runs.insert(body_runs.end(), runs.begin(), runs.end());
  return add_body_of_runs(tree, center, first);
}

/// A body whose runs are the last ones, from `first` on; J is zero.
int ContactProblem::add_body_of_runs(int tree, const Vec3& center, std::int64_t first) {
  // what nothing moves has a column of zeros, so that every body has some
  if (first == std::ssize(body_runs)) body_runs.push_back({0, 1});
  ContactBody body{.tree = tree,
                   .runs = static_cast<std::int32_t>(std::ssize(body_runs) - first),
                   .first_run = first,
                   .first_element = std::ssize(jacobians),
                   .center = center};
  body.columns = total_size(runs_of(body));
  bodies.push_back(body);
  jacobians.resize(jacobians.size() + std::size_t{6} * body.columns, 0);
  return static_cast<int>(bodies.size()) - 1;
}

/// A body with the columns of J that are not zero, times `sign`; rows that are not given are zero.
int ContactProblem::add_columns(int tree, const Vec3& center, std::span<const double> jacobian,
                                double sign) {
  const int n = trees[tree].size, rows = static_cast<int>(jacobian.size()) / n;
  const std::int64_t first = std::ssize(body_runs);
  for (int c = 0; c < n; ++c) {
    bool moves = false;
    for (int r = 0; r < rows; ++r) moves = moves || jacobian[r * n + c] != 0;
    if (!moves) continue;
    if (std::ssize(body_runs) == first || body_runs.back().end != c) body_runs.push_back({c, c});
    ++body_runs.back().end;
  }
  const int index = add_body_of_runs(tree, center, first);
  double* to = jacobian_of(index).data();
  for (int r = 0; r < rows; ++r, to += bodies[index].columns) {
    for_each_run(bodies[index], [&](int dof, int column, int count) {
      for (int k = 0; k < count; ++k) to[column + k] = sign * jacobian[r * n + dof + k];
    });
  }
  return index;
}

int ContactProblem::add_contact(int tree_a, int tree_b, const ContactPoint& contact, int body_a,
                                int body_b) {
  require_sides(tree_a, tree_b, body_a, body_b);
  const int index = contacts.size();
  contacts.push_back(contact);
  extend_patches({tree_a, tree_b, body_a, body_b, index, index + 1});
  return index;
}

void ContactProblem::add_patch(int tree_a, int tree_b, int count, int body_a, int body_b) {
  require_sides(tree_a, tree_b, body_a, body_b);
  const int begin = patches.empty() ? 0 : patches.back().end;
  if (count < 1) fail_input("add_patch: a patch has at least one contact");
  extend_patches({tree_a, tree_b, body_a, body_b, begin, begin + count});
}

void ContactProblem::require_sides(int tree_a, int tree_b, int body_a, int body_b) const {
  const auto tree_count = static_cast<int>(trees.size());
  const bool are_rigid_bodies = tree_a >= world_tree && tree_a < tree_b && tree_b < tree_count &&
                                body_a == -1 && body_b == -1 && is_rigid_body(tree_b) &&
                                (tree_a == world_tree || is_rigid_body(tree_a));
  if (are_rigid_bodies) return;  // most of them
  if (!(tree_a >= world_tree && tree_a <= tree_b && tree_b < tree_count) || tree_b < 0) {
    fail_input("add_contact: trees " + std::to_string(tree_a) + " and " + std::to_string(tree_b) +
               ", must be -1 (the world) <= a <= b < " + std::to_string(tree_count));
  }
  for (const auto& [tree, body] : {std::pair(tree_a, body_a), {tree_b, body_b}}) {
    const bool has_bodies = tree != world_tree && !is_rigid_body(tree);
    const bool fits = has_bodies
                          ? body >= 0 && body < std::ssize(bodies) && bodies[body].tree == tree
                          : body == -1;
    if (fits) continue;
    fail_input("add_contact: body " + std::to_string(body) + " does not belong to tree " +
               std::to_string(tree) + (has_bodies ? "" : ": a rigid body's must be -1"));
  }
  if (tree_a == tree_b && body_a == body_b) {
    fail_input("add_contact: tree " + std::to_string(tree_a) +
               " touches itself, by two different bodies");
  }
}

void ContactProblem::extend_patches(const Patch& next) {
  const bool continues = !patches.empty() && patches.back().tree_a == next.tree_a &&
                         patches.back().tree_b == next.tree_b &&
                         patches.back().body_a == next.body_a &&
                         patches.back().body_b == next.body_b;
  if (continues) {
    patches.back().end = next.end;
  } else {
    patches.push_back(next);
  }
}

int ContactProblem::add_contact(int tree_a, int tree_b, const ContactPoint& contact,
                                std::span<const double> jacobian_a,
                                std::span<const double> jacobian_b) {
  const auto tree_count = static_cast<int>(trees.size());
  if (!(tree_a >= world_tree && tree_a < tree_b && tree_b < tree_count)) {
    fail_input("add_contact: trees " + std::to_string(tree_a) + " and " + std::to_string(tree_b) +
               ", must be -1 (the world) <= a < b < " + std::to_string(tree_count));
  }
  const auto is_dense = [&](int tree) {
    return tree != world_tree && trees[tree].kind == TreeKind::dense;
  };
  const auto check = [&](int tree, std::span<const double> jacobian) {
    if (tree != world_tree && trees[tree].kind == TreeKind::sparse) {
      fail_input("add_contact: tree " + std::to_string(tree) +
                 " is sparse: its contacts name points of it (add_point)");
    }
    const std::size_t expected =
        is_dense(tree) ? 3 * static_cast<std::size_t>(trees[tree].size) : 0;
    if (jacobian.size() == expected) return;
    fail_input("add_contact: Jacobian of tree " + std::to_string(tree) + " has " +
               std::to_string(jacobian.size()) + " numbers, must have " + std::to_string(expected));
  };
  check(tree_a, jacobian_a);
  check(tree_b, jacobian_b);
  const auto add = [&](int tree, std::span<const double> jacobian, double sign) {
    return is_dense(tree) ? add_columns(tree, contact.point, jacobian, sign) : -1;  // does not turn
  };
  const int body_a = add(tree_a, jacobian_a, -1), body_b = add(tree_b, jacobian_b, 1);
  return add_contact(tree_a, tree_b, contact, body_a, body_b);
}

int ContactProblem::add_scalar(const ScalarConstraint& constraint, std::span<const RowEntry> row) {
  if (row.empty()) fail_input("add_scalar: the row of J is empty");
  std::int32_t last = 0;
  for (const RowEntry& e : row) {
    if (e.tree < last || e.tree >= std::ssize(trees)) {
      fail_input("add_scalar: trees of a row must ascend and be below " +
                 std::to_string(trees.size()) + ", got " + std::to_string(e.tree));
    }
    last = e.tree;
    if (e.dof >= 0 && e.dof < trees[e.tree].size) continue;
    fail_input("add_scalar: tree " + std::to_string(e.tree) + " has no dof " +
               std::to_string(e.dof));
  }
  scalars.push_back(constraint, row);
  return scalars.size() - 1;
}

}  // namespace abut
