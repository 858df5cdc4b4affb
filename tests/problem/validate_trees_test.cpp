// Trees of every kind and scalar constraints that make no sense are refused with their place,
// before anything is indexed by them.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "abut/core/error.hpp"
#include "abut/linalg/dense_spd.hpp"
#include "abut/problem/contact_problem.hpp"

namespace abut {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const double nan = std::nan("");

constexpr int limit = 0, friction = 1, servo = 2, equality = 3;  // constraints by kind

/// A rigid body, a dense tree that brings its factor, and a sparse one; all touch the ground, and
/// one constraint of each kind acts on them.
ContactProblem good_problem() {
  ContactProblem p;
  p.time_step = 1e-2;
  const double v[6] = {};
  p.add_rigid_body(1, {0, 0, 1}, Mat3::identity(), v, v);
  const double a[4] = {2, 0.5, 0.5, 1};
  double factor[16];
  EXPECT_TRUE(invert_factor(2, a, factor));
  p.add_tree(a, std::span(v).first(2), std::span(v).first(2), 1, factor);
  const std::vector<std::int64_t> row_end = {1, 3};
  const std::vector<double> blocks = {3,  0, 0, 0, 3,  0, 0, 0, 3,   //
                                      -1, 0, 0, 0, -1, 0, 0, 0, -1,  //
                                      3,  0, 0, 0, 3,  0, 0, 0, 3};
  p.add_sparse_tree(row_end, std::vector{0, 0, 1}, blocks, v, v, 1);
  const int body = p.add_body(1, {}, std::vector<double>(12, 1.0));
  const int point = p.add_point(2, {1, 0, 0}, std::vector{0, 1}, std::vector{0.5, 0.5});
  p.add_contact(world_tree, 0, {});
  p.add_contact(world_tree, 1, {}, -1, body);
  p.add_contact(world_tree, 2, {.point = {1, 0, 0}}, -1, point);
  const std::vector<RowEntry> row = {{0, 5, 1}, {1, 1, -1}, {2, 3, 2}};
  p.add_scalar({.kind = ScalarKind::limit}, row);
  p.add_scalar({.kind = ScalarKind::dry_friction, .lower_force = -1, .upper_force = 2}, row);
  p.add_scalar({.kind = ScalarKind::actuator, .damping = 1, .lower_force = -1, .upper_force = 1},
               row);
  p.add_scalar({.kind = ScalarKind::equality}, row);
  return p;
}

struct Bad {
  const char* said;  ///< what the message begins with
  std::function<void(ContactProblem&)> change;
};

/// Each of them is refused with what it says; without a change the problem is a good one.
void expect_refused(std::span<const Bad> bad) {
  EXPECT_NO_THROW(validate(good_problem()));
  for (const Bad& b : bad) {
    ContactProblem p = good_problem();
    b.change(p);
    try {
      validate(p);
      ADD_FAILURE() << "passes: " << b.said;
    } catch (const InputError& e) {
      EXPECT_EQ(std::string(e.what()).substr(0, std::string(b.said).size()), b.said);
    }
  }
}

TEST(ValidateTrees, DenseOnes) {
  const Bad bad[] = {
      {"tree 1: A is not positive definite", [](auto& p) { p.matrices[3] = nan; }},
      {"tree 1: A is not positive definite", [](auto& p) { p.matrices[1] = p.matrices[2] = 2; }},
      {"tree 1: A is not symmetric", [](auto& p) { p.matrices[1] = 0.4; }},
      {"tree 1: A is not symmetric", [](auto& p) { p.matrices[1] = nan; }},
      {"tree 1: its inverse factor lies outside `inverse_factors`",
       [](auto& p) { p.inverse_factors.clear(); }},
      {"tree 1: its inverse factor lies outside `inverse_factors`",
       [](auto& p) { p.inverse_factors.pop_back(); }},
      {"inverse_factors has 24 elements, must have 16",
       [](auto& p) { p.inverse_factors.resize(24); }},
      {"tree 1: its inverse factor is not that of A", [](auto& p) { p.inverse_factors[0] = nan; }},
      {"tree 1: its inverse factor is not that of A", [](auto& p) { p.inverse_factors[8] *= 1.1; }},
      {"tree 1: its inverse factor is not that of A", [](auto& p) { p.matrices[0] = 4; }},
      {"tree 1: mass = 1e+101, must be at most 1e100", [](auto& p) { p.trees[1].mass = 1e101; }},
      {"element of a dense A = 1e+101, must be at most 1e100",
       [](auto& p) {
         p.matrices[0] = 1e101, p.trees[1].brings_factor = false, p.inverse_factors.clear();
       }},
      {"body 0: its Jacobian lies outside", [](auto& p) { p.jacobians.resize(11); }},
      {"body 0: tree 3 is neither", [](auto& p) { p.bodies[0].tree = 3; }},
      {"body 0: tree -1 is neither", [](auto& p) { p.bodies[0].tree = world_tree; }},
      {"Jacobian entry = 1e+101", [](auto& p) { p.jacobians[3] = 1e101; }},
  };
  expect_refused(bad);
}

TEST(ValidateTrees, SparseOnes) {
  const Bad bad[] = {
      {"tree 2: A is not positive definite", [](auto& p) { p.sparse_matrices.elements[0] = -3; }},
      {"tree 2: A is not positive definite", [](auto& p) { p.sparse_matrices.elements[9] = 4; }},
      {"tree 2: A is not positive definite", [](auto& p) { p.sparse_matrices.elements[9] = nan; }},
      {"tree 2: A is not symmetric", [](auto& p) { p.sparse_matrices.elements[1] = 0.1; }},
      {"tree 2: A is not symmetric", [](auto& p) { p.sparse_matrices.elements[20] = nan; }},
      {"tree 2: its rows of blocks lie outside", [](auto& p) { p.trees[2].first_element = 1; }},
      {"tree 2: its rows of blocks lie outside", [](auto& p) { p.trees[2].first_element = -1; }},
      {"tree 2: its rows of blocks lie outside",
       [](auto& p) { p.sparse_matrices.row_end.pop_back(); }},
      {"tree 2: its rows of blocks lie outside", [](auto& p) { p.trees[2].size = 5; }},
      {"tree 2: sparse_matrices have 3 columns and 26 elements",
       [](auto& p) { p.sparse_matrices.elements.pop_back(); }},
      {"tree 2: row 1 of its blocks has none, or ends outside",
       [](auto& p) { p.sparse_matrices.row_end[1] = 4; }},
      {"tree 2: row 0 of its blocks has none, or ends outside",
       [](auto& p) { p.sparse_matrices.row_end[0] = 0; }},
      {"tree 2: columns of row 1", [](auto& p) { p.sparse_matrices.column[1] = 1; }},
      {"tree 2: columns of row 1", [](auto& p) { p.sparse_matrices.column[1] = -1; }},
      {"tree 2: columns of row 0", [](auto& p) { p.sparse_matrices.column[0] = 1; }},
      {"body 1: its runs of dofs lie outside", [](auto& p) { p.bodies[1].runs = 3; }},
      {"body 1: its runs of dofs lie outside", [](auto& p) { p.bodies[1].runs = -1; }},
      {"body 1: its runs of dofs lie outside", [](auto& p) { p.bodies[1].first_run = -1; }},
      {"body 1: its runs of dofs lie outside",
       [](auto& p) { p.bodies[1].first_run = std::numeric_limits<std::int64_t>::max(); }},
      {"body 1: tree 2 has no node of dofs [6, 9)",
       [](auto& p) {
         p.body_runs.back() = {6, 9};
       }},
      {"body 1: tree 2 has no node of dofs [-3, 0)",
       [](auto& p) {
         p.body_runs.back() = {-3, 0};
       }},
      {"body 1: tree 2 has no node of dofs [0, 2)",
       [](auto& p) {
         p.body_runs.back() = {0, 2};
       }},
      {"body 1: its Jacobian has 5 columns for 6 dofs", [](auto& p) { p.bodies[1].columns = 5; }},
      {"body 0: its Jacobian has 3 columns for 2 dofs", [](auto& p) { p.bodies[0].columns = 3; }},
      {"body 0: tree 1 has no dofs [0, 3)",
       [](auto& p) {
         p.body_runs.front() = {0, 3};
       }},
      {"body 0: tree 1 has no dofs [-1, 2)",
       [](auto& p) {
         p.body_runs.front() = {-1, 2};
       }},
      {"body 0: its runs of dofs must ascend and not touch; one begins at 1 after one that ends at "
       "1",
       [](auto& p) {
         p.bodies[0].first_run = std::ssize(p.body_runs), p.bodies[0].runs = 2;
         p.body_runs.insert(p.body_runs.end(), {{0, 1}, {1, 2}});
       }},
      {"body 0: tree 1 has no dofs [2, 2)",
       [](auto& p) {
         p.body_runs.front() = {2, 2};
       }},
      {"body 1: its Jacobian lies outside", [](auto& p) { p.bodies[1].first_element = 13; }},
      {"element of a sparse A = 1e+101",
       [](auto& p) { p.sparse_matrices.elements[0] = p.sparse_matrices.elements[18] = 1e101; }},
  };
  expect_refused(bad);
}

TEST(ValidateTrees, KindsAndSizesThatDoNotFit) {
  const Bad bad[] = {
      {"tree 1: size = 2, must be 6", [](auto& p) { p.trees[1].kind = TreeKind::rigid_body; }},
      {"tree 1: its rows of blocks lie outside",
       [](auto& p) { p.trees[1].kind = TreeKind::sparse; }},
      {"tree 2: its matrix lies outside", [](auto& p) { p.trees[2].kind = TreeKind::dense; }},
      {"tree 0: its matrix lies outside", [](auto& p) { p.trees[0].kind = TreeKind::dense; }},
      {"tree 0: inertia = 1e+101, must be at most 1e100",
       [](auto& p) { p.trees[0].inertia = 1e101 * Mat3::identity(); }},
      {"tree 0: size = -6", [](auto& p) { p.trees[0].size = -6; }},
      {"tree 1: size = 0", [](auto& p) { p.trees[1].size = 0; }},
      {"tree 1: its matrix lies outside",
       [](auto& p) { p.trees[1].size = std::numeric_limits<std::int32_t>::max(); }},
  };
  expect_refused(bad);
}

TEST(ValidateScalars, NamesTheConstraintAndTheRule) {
  std::vector<Bad> bad = {
      {"scalar constraint 0: entry of J = nan", [](auto& p) { p.scalars.entries[1].value = nan; }},
      {"scalar constraint 0: the trees of its row must ascend and be below 3, got 0",
       [](auto& p) { p.scalars.entries[2].tree = 0; }},
      {"scalar constraint 1: the trees of its row must ascend and be below 3, got 3",
       [](auto& p) { p.scalars.entries[5].tree = 3; }},
      {"scalar constraint 1: the trees of its row must ascend and be below 3, got -1",
       [](auto& p) { p.scalars.entries[3].tree = world_tree; }},
      {"scalar constraint 2: tree 1 has no dof 2", [](auto& p) { p.scalars.entries[7].dof = 2; }},
      {"scalar constraint 2: tree 1 has no dof -1", [](auto& p) { p.scalars.entries[7].dof = -1; }},
      {"scalar constraint 1: its entries lie outside", [](auto& p) { p.scalars.entry_end[1] = 2; }},
      {"scalar constraint 3: its entries lie outside",
       [](auto& p) { p.scalars.entry_end[3] = 13; }},
      {"scalar constraint 1: its row of J is empty", [](auto& p) { p.scalars.entry_end[1] = 3; }},
      {"scalar constraint 2: force = inf", [](auto& p) { p.scalars.force[servo] = infinity; }},
      {"scalar constraint 2: h stiffness + damping = 0, must be positive and finite",
       [](auto& p) { p.scalars.stiffness[servo] = p.scalars.damping[servo] = 0; }},
      {"scalar constraint 2: h stiffness + damping = -1, must be positive and finite",
       [](auto& p) { p.scalars.stiffness[servo] = 100, p.scalars.damping[servo] = -2; }},
      {"scalar constraint 2: lower_force = 2, must not exceed upper_force",
       [](auto& p) { p.scalars.lower_force[servo] = 2; }},
      {"scalar constraint 2: lower_force = -1, must not exceed upper_force",
       [](auto& p) { p.scalars.upper_force[servo] = nan; }},
      {"scalar constraint 1: lower_force = 0.5, of dry friction must not be positive",
       [](auto& p) { p.scalars.lower_force[friction] = 0.5; }},
      {"scalar constraint 1: lower_force = -3, of dry friction must not be positive",
       [](auto& p) { p.scalars.lower_force[friction] = -3, p.scalars.upper_force[friction] = -2; }},
      {"scalar constraint 2: force = -1e+101, must be at most 1e100",
       [](auto& p) { p.scalars.force[servo] = -1e101; }},
      {"scalar constraint 1: previous_impulse = 1e+101, must be at most 1e100",
       [](auto& p) { p.scalars.previous_impulse[friction] = 1e101; }},
      {"scalar constraint 0: stiffness = 1e+200, must be at most 1e100",
       [](auto& p) { p.scalars.stiffness[limit] = 1e200; }},
  };
  for (const int i : {limit, equality}) {
    bad.push_back({i == limit ? "scalar constraint 0: stiffness = 0, must be positive and finite"
                              : "scalar constraint 3: stiffness = 0, must be positive and finite",
                   [i](auto& p) { p.scalars.stiffness[i] = 0; }});
    bad.push_back({i == limit ? "scalar constraint 0: gap = nan" : "scalar constraint 3: gap = nan",
                   [i](auto& p) { p.scalars.gap[i] = nan; }});
    bad.push_back({i == limit ? "scalar constraint 0: relaxation_time = -0.001, must be finite"
                              : "scalar constraint 3: relaxation_time = -0.001, must be finite",
                   [i](auto& p) { p.scalars.relaxation_time[i] = -1e-3; }});
    bad.push_back({i == limit ? "scalar constraint 0: previous_impulse = inf N s or N m s"
                              : "scalar constraint 3: previous_impulse = inf N s or N m s",
                   [i](auto& p) { p.scalars.previous_impulse[i] = infinity; }});
  }
  expect_refused(bad);
}

// what notation.md allows: a servo without damping or without stiffness, also a negative one of
// them; forces without a bound; what a constraint's kind does not read
TEST(ValidateScalars, AcceptsWhatTheRulesAllow) {
  ContactProblem p = good_problem();
  ScalarPool& s = p.scalars;
  for (const auto& [k, d] : {std::pair(100.0, 0.0), {0.0, 1.0}, {-100.0, 2.0}, {300.0, -2.0}}) {
    s.stiffness[servo] = k, s.damping[servo] = d;
    EXPECT_NO_THROW(validate(p)) << k << ", " << d;
  }
  for (const int i : {friction, servo}) s.lower_force[i] = -infinity, s.upper_force[i] = infinity;
  s.lower_force[limit] = 5, s.upper_force[limit] = -5;
  s.force[equality] = nan;
  s.stiffness[equality] = 1e-200;
  EXPECT_NO_THROW(validate(p));
  s.lower_force[friction] = s.upper_force[friction] = 0;
  EXPECT_NO_THROW(validate(p)) << "no friction";
}

// each array of the pool alone
TEST(ValidateScalars, SizesOfArrays) {
  using Numbers = std::vector<double> ScalarPool::*;
  const std::pair<const char*, Numbers> arrays[] = {
      {"gap", &ScalarPool::gap},
      {"stiffness", &ScalarPool::stiffness},
      {"relaxation_time", &ScalarPool::relaxation_time},
      {"damping", &ScalarPool::damping},
      {"force", &ScalarPool::force},
      {"lower_force", &ScalarPool::lower_force},
      {"upper_force", &ScalarPool::upper_force},
      {"previous_impulse", &ScalarPool::previous_impulse}};
  for (const auto& [name, array] : arrays) {
    for (const int size : {0, 3, 5}) {
      const std::string said = std::string("scalars.") + name + " has " + std::to_string(size) +
                               " elements, must have 4";
      const Bad bad[] = {{said.c_str(), [&](auto& p) { (p.scalars.*array).resize(size); }}};
      expect_refused(bad);
    }
  }
}

}  // namespace
}  // namespace abut
