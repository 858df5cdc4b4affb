#include "abut/problem/contact_problem.hpp"

#include <cmath>
#include <string>

#include "abut/core/error.hpp"
#include "abut/linalg/dense_spd.hpp"

namespace abut {

void ContactProblem::clear() {
  trees.clear();
  matrices.clear();
  velocity.clear();
  free_velocity.clear();
  patches.clear();
  contacts.clear();
  bodies.clear();
  jacobians.clear();
  scalars.clear();
  inverse_factors.clear();
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
  velocity.insert(velocity.end(), v.begin(), v.end());
  free_velocity.insert(free_velocity.end(), free_v.begin(), free_v.end());
  return static_cast<int>(trees.size()) - 1;
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
  velocity.insert(velocity.end(), v.begin(), v.end());
  free_velocity.insert(free_velocity.end(), free_v.begin(), free_v.end());
  return static_cast<int>(trees.size()) - 1;
}

int ContactProblem::add_body(int tree, const Vec3& center, std::span<const double> jacobian) {
  if (tree < 0 || tree >= std::ssize(trees) || trees[tree].kind != TreeKind::dense) {
    fail_input("add_body: tree " + std::to_string(tree) + " is none of the dense trees");
  }
  const std::size_t expected = 6 * static_cast<std::size_t>(trees[tree].size);
  if (jacobian.size() != expected) {
    fail_input("add_body: the Jacobian of a body of tree " + std::to_string(tree) + " has " +
               std::to_string(jacobian.size()) + " numbers, must have " + std::to_string(expected));
  }
  bodies.push_back({tree, std::ssize(jacobians), center});
  jacobians.insert(jacobians.end(), jacobian.begin(), jacobian.end());
  return static_cast<int>(bodies.size()) - 1;
}

int ContactProblem::add_contact(int tree_a, int tree_b, const ContactPoint& contact, int body_a,
                                int body_b) {
  const auto tree_count = static_cast<int>(trees.size());
  if (!(tree_a >= world_tree && tree_a <= tree_b && tree_b < tree_count) || tree_b < 0) {
    fail_input("add_contact: trees " + std::to_string(tree_a) + " and " + std::to_string(tree_b) +
               ", must be -1 (the world) <= a <= b < " + std::to_string(tree_count));
  }
  for (const auto& [tree, body] : {std::pair(tree_a, body_a), {tree_b, body_b}}) {
    const bool is_dense = tree != world_tree && trees[tree].kind == TreeKind::dense;
    const bool fits =
        is_dense ? body >= 0 && body < std::ssize(bodies) && bodies[body].tree == tree : body == -1;
    if (fits) continue;
    fail_input("add_contact: body " + std::to_string(body) + " is none of tree " +
               std::to_string(tree) + (is_dense ? "" : ", which must have -1"));
  }
  if (tree_a == tree_b && body_a == body_b) {
    fail_input("add_contact: tree " + std::to_string(tree_a) +
               " touches itself, by two different bodies of a dense tree");
  }
  const int index = contacts.size();
  contacts.push_back(contact);
  const Patch next{tree_a, tree_b, body_a, body_b, index, index + 1};
  const bool continues = !patches.empty() && patches.back().tree_a == tree_a &&
                         patches.back().tree_b == tree_b && patches.back().body_a == body_a &&
                         patches.back().body_b == body_b;
  if (continues) {
    patches.back().end = index + 1;
  } else {
    patches.push_back(next);
  }
  return index;
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
    const std::size_t expected =
        is_dense(tree) ? 3 * static_cast<std::size_t>(trees[tree].size) : 0;
    if (jacobian.size() == expected) return;
    fail_input("add_contact: Jacobian of tree " + std::to_string(tree) + " has " +
               std::to_string(jacobian.size()) + " numbers, must have " + std::to_string(expected));
  };
  check(tree_a, jacobian_a);
  check(tree_b, jacobian_b);
  const auto add = [&](int tree, std::span<const double> jacobian, double sign) {
    if (!is_dense(tree)) return -1;
    bodies.push_back({tree, std::ssize(jacobians), contact.point});
    for (const double j : jacobian) jacobians.push_back(sign * j);
    jacobians.resize(jacobians.size() + jacobian.size(), 0);  // it does not turn
    return static_cast<int>(bodies.size()) - 1;
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
