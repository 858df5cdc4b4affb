#include <cmath>
#include <string>
#include <utility>

#include "abut/core/error.hpp"
#include "abut/laws/normal_law.hpp"
#include "abut/linalg/dense_spd.hpp"
#include "abut/problem/check_matrix.hpp"
#include "abut/problem/contact_problem.hpp"

namespace abut {
namespace {

Origin element(const char* kind, std::size_t index) {
  return {.file = {}, .line = 0, .element = std::string(kind) + " " + std::to_string(index)};
}

void check_rows(const ContactProblem& p, const Tree& tree, const Origin& at) {
  const SparseMatrices& m = p.sparse_matrices;
  const std::int64_t first = tree.first_element;
  if (tree.size % 3 != 0 || first < 0 || first > std::ssize(m.row_end) - tree.nodes()) {
    fail_input("its rows of blocks lie outside `sparse_matrices`, or are not of three dofs each",
               at);
  }
  if (m.elements.size() != 9 * m.column.size()) {
    fail_input("sparse_matrices have " + std::to_string(m.column.size()) + " columns and " +
                   std::to_string(m.elements.size()) + " elements, must have 9 each",
               at);
  }
  const std::int64_t begin = first == 0 ? 0 : m.row_end[first - 1];
  if (begin < 0) fail_input("its rows of blocks begin below 0", at);
  require_rows_of_blocks(std::span(m.row_end).subspan(first, tree.nodes()), begin, m.column,
                         at.element);
}

/// Everything that the checks below index.
void check_sizes(const ContactProblem& p) {
  const auto check = [](const char* what, std::size_t size, std::size_t expected) {
    if (size == expected) return;
    fail_input(std::string(what) + " has " + std::to_string(size) + " elements, must have " +
               std::to_string(expected));
  };
  const auto inside = [](std::int64_t begin, std::int64_t count, std::size_t size) {
    return begin >= 0 && begin <= static_cast<std::int64_t>(size) - count;
  };
  std::size_t dofs = 0, factors = 0;
  for (std::size_t t = 0; t < p.trees.size(); ++t) {
    const Tree& tree = p.trees[t];
    const Origin at = element("tree", t);
    if (tree.size <= 0 || (tree.kind == TreeKind::rigid_body && tree.size != 6)) {
      fail_input("size = " + std::to_string(tree.size) + ", must be 6 for a rigid body, else > 0",
                 at);
    }
    if (tree.first_dof < 0 || static_cast<std::size_t>(tree.first_dof) != dofs) {
      fail_input("velocity must start where the dofs of the trees before end", at);
    }
    dofs += static_cast<std::size_t>(tree.size);
    const std::int64_t elements = std::int64_t{tree.size} * tree.size;
    if (tree.kind == TreeKind::dense && !inside(tree.first_element, elements, p.matrices.size())) {
      fail_input("its matrix lies outside `matrices`", at);
    }
    if (tree.kind == TreeKind::sparse) check_rows(p, tree, at);
    if (tree.kind == TreeKind::dense && tree.brings_factor) {
      factors += tree.size * static_cast<std::size_t>(round_up_8(tree.size));
      if (factors > p.inverse_factors.size()) {
        fail_input("its inverse factor lies outside `inverse_factors`", at);
      }
    }
  }
  check("velocity", p.velocity.size(), dofs);
  check("free_velocity", p.free_velocity.size(), dofs);
  if (!p.first_guess.empty()) check("first_guess", p.first_guess.size(), dofs);
  check("inverse_factors", p.inverse_factors.size(), factors);
  const ContactPool& c = p.contacts;
  const std::size_t n = c.gap.size();
  check("contacts.point", c.point.size(), n);
  check("contacts.normal", c.normal.size(), n);
  check("contacts.bias", c.bias.size(), n);
  check("contacts.previous_impulse", c.previous_impulse.size(), n);
  check("contacts.anchor", c.anchor.size(), n);
  check("contacts.weight", c.weight.size(), n);
  check("contacts.stiffness", c.stiffness.size(), n);
  check("contacts.dissipation", c.dissipation.size(), n);
  check("contacts.relaxation_time", c.relaxation_time.size(), n);
  check("contacts.friction", c.friction.size(), n);
  check("contacts.law", c.law.size(), n);
  check("contacts.extra", c.extra.size(), n);
  check("contacts.kind", c.kind.size(), n);
  for (const std::int32_t k : c.extra) {
    if (k >= std::ssize(c.extras)) fail_input("contacts.extra lies outside `extras`");
  }
  const ScalarPool& s = p.scalars;
  const std::size_t m = s.kind.size();
  check("scalars.gap", s.gap.size(), m);
  check("scalars.previous_impulse", s.previous_impulse.size(), m);
  check("scalars.stiffness", s.stiffness.size(), m);
  check("scalars.relaxation_time", s.relaxation_time.size(), m);
  check("scalars.damping", s.damping.size(), m);
  check("scalars.force", s.force.size(), m);
  check("scalars.lower_force", s.lower_force.size(), m);
  check("scalars.upper_force", s.upper_force.size(), m);
  check("scalars.entry_end", s.entry_end.size(), m);
  std::int32_t end = 0;
  for (std::size_t i = 0; i < m; ++i) {
    if (s.entry_end[i] < end || s.entry_end[i] > std::ssize(s.entries)) {
      fail_input("its entries lie outside `entries`", element("scalar constraint", i));
    }
    end = s.entry_end[i];
  }
}

/// Blocks of the Jacobian where, and only where, a dense tree needs them. After the patches.
void check_body(const ContactProblem& p, std::size_t index) {
  const ContactBody& b = p.bodies[index];
  const Origin at = element("body", index);
  if (b.tree < 0 || b.tree >= std::ssize(p.trees) || p.is_rigid_body(b.tree)) {
    fail_input("tree " + std::to_string(b.tree) + " is neither dense nor sparse", at);
  }
  const Tree& tree = p.trees[b.tree];
  if (b.runs < 1 || b.first_run < 0 || b.first_run > std::ssize(p.body_runs) - b.runs) {
    fail_input("its runs of dofs lie outside `body_runs`", at);
  }
  const bool is_dense = tree.kind == TreeKind::dense;
  std::int64_t columns = 0;
  std::int32_t last = -1;  // of a dense tree the end of the run before
  for (const IndexRun& run : p.runs_of(b)) {
    if (run.begin < 0 || run.begin >= run.end || run.end > tree.size ||
        !(is_dense || (run.begin % 3 == 0 && run.size() == 3))) {
      fail_input("tree " + std::to_string(b.tree) + " has no " +
                     (is_dense ? "dofs [" : "node of dofs [") + std::to_string(run.begin) + ", " +
                     std::to_string(run.end) + ")",
                 at);
    }
    if (is_dense && run.begin <= last) {
      fail_input("its runs of dofs must ascend and not touch; one begins at " +
                     std::to_string(run.begin) + " after one that ends at " + std::to_string(last),
                 at);
    }
    last = run.end;
    columns += run.size();
  }
  if (columns != b.columns) {
    fail_input("its Jacobian has " + std::to_string(b.columns) + " columns for " +
                   std::to_string(columns) + " dofs",
               at);
  }
  const std::int64_t count = 6 * std::int64_t{b.columns};
  if (b.first_element < 0 || b.first_element > std::ssize(p.jacobians) - count) {
    fail_input("its Jacobian lies outside `jacobians`", at);
  }
  if (!is_finite(b.center)) fail_input("center is not finite", at);
}

void check_tree(const ContactProblem& p, std::size_t index, std::size_t& brought) {
  const Tree& t = p.trees[index];
  const Origin at = element("tree", index);
  require(t.mass > 0 && std::isfinite(t.mass), "mass", t.mass, "kg", "must be positive and finite",
          at);
  if (t.kind == TreeKind::rigid_body) {
    if (!is_finite(t.center)) fail_input("center is not finite", at);
    const double m[9] = {t.inertia(0, 0), t.inertia(0, 1), t.inertia(0, 2),
                         t.inertia(1, 0), t.inertia(1, 1), t.inertia(1, 2),
                         t.inertia(2, 0), t.inertia(2, 1), t.inertia(2, 2)};
    const double largest = std::abs(m[0]) + std::abs(m[4]) + std::abs(m[8]);
    for (const auto& [upper, lower] : {std::pair(m[1], m[3]), {m[2], m[6]}, {m[5], m[7]}}) {
      if (!(std::abs(upper - lower) <= 1e-9 * largest)) fail_input("inertia is not symmetric", at);
    }
    double factor[24];
    if (!invert_factor(3, m, factor)) fail_input("inertia is not positive definite", at);
  } else {
    check_matrix(p, static_cast<int>(index), brought, at);
  }
  for (int k = t.first_dof; k < t.first_dof + t.size; ++k) {
    require(std::isfinite(p.velocity[k]), "velocity", p.velocity[k], "", "must be finite", at);
    require(std::isfinite(p.free_velocity[k]), "free_velocity", p.free_velocity[k], "",
            "must be finite", at);
    if (p.first_guess.empty()) continue;
    require(std::isfinite(p.first_guess[k]), "first_guess", p.first_guess[k], "", "must be finite",
            at);
  }
}

void check_contact(const ContactProblem& p, int i) {
  const ContactPool& c = p.contacts;
  const Origin at = element("contact", i);
  if (!is_finite(c.point[i]) || !is_finite(c.bias[i]) || !is_finite(c.previous_impulse[i]) ||
      !is_finite(c.anchor[i])) {
    fail_input("point, bias, previous impulse or anchor is not finite", at);
  }
  const double length = norm(c.normal[i]);
  require(std::abs(length - 1) < 1e-6, "norm of normal", length, "", "must be 1", at);
  require(std::isfinite(c.gap[i]), "gap", c.gap[i], "m", "must be finite", at);
  require(c.weight[i] > 0 && std::isfinite(c.weight[i]), "weight", c.weight[i], "",
          "must be positive", at);
  PointMaterial{c.stiffness[i], c.dissipation[i], c.relaxation_time[i], c.thickness(i)}.validate(
      at);
  if (c.table(i) != nullptr) c.table(i)->validate(at);
  require(c.friction[i] >= 0 && std::isfinite(c.friction[i]), "friction", c.friction[i], "",
          "must not be negative", at);
  const double delta = c.anisotropy(i);
  require(delta >= 0 && delta <= 1, "anisotropy", delta, "", "must lie in [0, 1]", at);
  if (delta == 0) return;
  const double axis = norm(c.friction_axis(i)), along = dot(c.friction_axis(i), c.normal[i]);
  require(std::abs(axis - 1) < 1e-6, "norm of friction_axis", axis, "", "must be 1", at);
  require(std::abs(along) < 1e-6, "friction_axis along the normal", along, "", "must be 0", at);
}

void check_scalar(const ContactProblem& p, int i) {
  const ScalarPool& s = p.scalars;
  const Origin at = element("scalar constraint", i);
  std::int32_t last = 0;
  for (const RowEntry& e : s.row(i)) {
    if (e.tree < last || e.tree >= std::ssize(p.trees)) {
      fail_input("the trees of its row must ascend and be below " + std::to_string(p.trees.size()) +
                     ", got " + std::to_string(e.tree),
                 at);
    }
    last = e.tree;
    if (e.dof < 0 || e.dof >= p.trees[e.tree].size) {
      fail_input("tree " + std::to_string(e.tree) + " has no dof " + std::to_string(e.dof), at);
    }
    require(std::isfinite(e.value), "entry of J", e.value, "", "must be finite", at);
  }
  if (s.row(i).empty()) fail_input("its row of J is empty", at);
  const auto not_negative = [&](double value, const char* name) {
    require(value >= 0 && std::isfinite(value), name, value, "", "must be finite and not negative",
            at);
  };
  require(std::isfinite(s.gap[i]), "gap", s.gap[i], "", "must be finite", at);
  require(std::isfinite(s.previous_impulse[i]), "previous_impulse", s.previous_impulse[i],
          "N s or N m s", "must be finite", at);
  const bool servo = s.kind[i] == ScalarKind::actuator;
  const double acts = servo ? p.time_step * s.stiffness[i] + s.damping[i] : s.stiffness[i];
  require(acts > 0 && std::isfinite(acts), servo ? "h stiffness + damping" : "stiffness", acts, "",
          "must be positive and finite", at);
  not_negative(s.relaxation_time[i], "relaxation_time");
  const auto check_bounds = [&] {
    require(s.lower_force[i] <= s.upper_force[i], "lower_force", s.lower_force[i], "",
            "must not exceed upper_force", at);
  };
  switch (s.kind[i]) {
    case ScalarKind::limit:
    case ScalarKind::equality: break;
    case ScalarKind::actuator:
      require(std::isfinite(s.force[i]), "force", s.force[i], "", "must be finite", at);
      check_bounds();
      break;
    case ScalarKind::dry_friction:
      check_bounds();
      require(s.lower_force[i] <= 0 && s.upper_force[i] >= 0, "lower_force", s.lower_force[i], "",
              "of dry friction must not be positive, nor upper_force negative", at);
      break;
  }
}

void check_patches(const ContactProblem& p) {
  int next = 0;
  for (std::size_t k = 0; k < p.patches.size(); ++k) {
    const Patch& patch = p.patches[k];
    const Origin at = element("patch", k);
    const auto tree_count = static_cast<int>(p.trees.size());
    if (patch.begin != next || patch.end <= patch.begin || patch.end > p.contacts.size()) {
      fail_input("its range of contacts does not follow the one before", at);
    }
    const bool is_own = patch.tree_a == patch.tree_b && patch.body_a != patch.body_b;
    if (!(patch.tree_a >= world_tree && (patch.tree_a < patch.tree_b || is_own) &&
          patch.tree_b < tree_count)) {
      fail_input("trees must be -1 (the world) <= a < b < " + std::to_string(tree_count) +
                     ", or two bodies of one",
                 at);
    }
    for (const auto& [tree, body] :
         {std::pair(patch.tree_a, patch.body_a), {patch.tree_b, patch.body_b}}) {
      const bool has_bodies = tree != world_tree && !p.is_rigid_body(tree);
      const bool fits =
          has_bodies ? body >= 0 && body < std::ssize(p.bodies) && p.bodies[body].tree == tree
                     : body == -1;
      if (!fits) {
        fail_input("body " + std::to_string(body) + " does not belong to tree " +
                       std::to_string(tree) + (has_bodies ? "" : ": a rigid body's must be -1"),
                   at);
      }
    }
    next = patch.end;
  }
  if (next != p.contacts.size()) fail_input("there are contacts after the last patch");
  require_patches_by_pair(p.patches);
}

/// Numbers whose squares overflow, which no certificate survives. Bounds of forces may be infinite.
void check_magnitudes(const ContactProblem& p) {
  const auto check = [](double x, const char* name, const Origin& at) {
    require(std::abs(x) <= 1e100, name, x, "", "must be at most 1e100 in magnitude", at);
  };
  const auto check_vector = [&](const Vec3& v, const char* name, const Origin& at) {
    for (const double x : {v.x, v.y, v.z}) check(x, name, at);
  };
  require(p.time_step >= 1e-12 && p.time_step <= 1e6, "time_step", p.time_step, "s",
          "must lie in [1e-12, 1e6]");
  for (std::size_t k = 0; k < p.trees.size(); ++k) {
    const Tree& t = p.trees[k];
    const Origin at = element("tree", k);
    check(t.mass, "mass", at);
    check_vector(t.center, "center", at);
    for (const Vec3& column : t.inertia.col) check_vector(column, "inertia", at);
    for (int i = t.first_dof; i < t.first_dof + t.size; ++i) {
      check(p.velocity[i], "velocity", at);
      check(p.free_velocity[i], "free_velocity", at);
      if (!p.first_guess.empty()) check(p.first_guess[i], "first_guess", at);
    }
  }
  const ContactPool& c = p.contacts;
  for (int i = 0; i < c.size(); ++i) {
    const Origin at = element("contact", i);
    check_vector(c.point[i], "point", at);
    check_vector(c.bias[i], "bias", at);
    check_vector(c.previous_impulse[i], "previous_impulse", at);
    check(c.gap[i], "gap", at);
    check(c.weight[i], "weight", at);
    check(c.stiffness[i], "stiffness", at);
    check(c.dissipation[i], "dissipation", at);
    check(c.relaxation_time[i], "relaxation_time", at);
    check(c.friction[i], "friction", at);
  }
  const ScalarPool& s = p.scalars;
  for (int i = 0; i < s.size(); ++i) {
    const Origin at = element("scalar constraint", i);
    for (const RowEntry& e : s.row(i)) check(e.value, "entry of J", at);
    check(s.gap[i], "gap", at);
    check(s.stiffness[i], "stiffness", at);
    check(s.relaxation_time[i], "relaxation_time", at);
    check(s.damping[i], "damping", at);
    if (s.kind[i] == ScalarKind::actuator) check(s.force[i], "force", at);
    check(s.previous_impulse[i], "previous_impulse", at);
  }
  for (std::size_t k = 0; k < p.bodies.size(); ++k) {
    check_vector(p.bodies[k].center, "center", element("body", k));
  }
  for (const double j : p.jacobians) check(j, "Jacobian entry", {});
  for (const double a : p.matrices) check(a, "element of a dense A", {});
  for (const double a : p.sparse_matrices.elements) check(a, "element of a sparse A", {});
}

}  // namespace

void FrictionParameters::validate() const {
  require(stiction_tolerance > 0 && std::isfinite(stiction_tolerance), "stiction_tolerance",
          stiction_tolerance, "m/s", "must be positive");
  require(sigma > 0 && std::isfinite(sigma), "sigma", sigma, "", "must be positive");
  require(beta >= 0 && std::isfinite(beta), "beta", beta, "", "must not be negative");
  require(lag_tolerance > 0 && lag_tolerance <= 1, "lag_tolerance", lag_tolerance, "",
          "must lie in (0, 1]");
}

void RigidRules::validate() const {
  require(restitution >= 0 && restitution <= 1, "restitution", restitution, "",
          "must lie in 0 to 1");
  require(baumgarte >= 0 && baumgarte <= 1, "baumgarte", baumgarte, "", "must lie in 0 to 1");
  require(penetration_slop >= 0 && std::isfinite(penetration_slop), "penetration_slop",
          penetration_slop, "m", "must not be negative");
}

void validate(const ContactProblem& p) {
  require(p.time_step > 0 && std::isfinite(p.time_step), "time_step", p.time_step, "s",
          "must be positive and finite");
  p.friction.validate();
  p.rigid.validate();
  require(p.wake_gap >= 0, "wake_gap", p.wake_gap, "m", "must not be negative");
  check_sizes(p);
  std::size_t brought = 0;
  for (std::size_t t = 0; t < p.trees.size(); ++t) check_tree(p, t, brought);
  for (std::size_t k = 0; k < p.bodies.size(); ++k) check_body(p, k);
  check_patches(p);
  for (int i = 0; i < p.contacts.size(); ++i) check_contact(p, i);
  for (int i = 0; i < p.scalars.size(); ++i) check_scalar(p, i);
  for (const double j : p.jacobians) {
    require(std::isfinite(j), "Jacobian entry", j, "", "must be finite");
  }
  check_magnitudes(p);
}

}  // namespace abut
