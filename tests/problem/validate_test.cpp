// Every number that makes no sense is named, with its place.

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "abut/core/error.hpp"
#include "abut/problem/contact_problem.hpp"

namespace abut {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
const double nan = std::nan("");

/// A body and a dense tree of two dofs, touching each other and the ground.
ContactProblem good_problem() {
  ContactProblem p;
  p.time_step = 1e-3;
  const double v[6] = {};
  p.add_rigid_body(1, {0, 0, 1}, Mat3::identity(), v, v);
  const double matrix[4] = {2, 0, 0, 1}, w[2] = {};
  p.add_tree(matrix, w, w, 1);
  p.add_contact(world_tree, 0, {});
  const double jacobian[6] = {1, 0, 0, 1, 0, 0};
  p.add_contact(0, 1, {}, {}, jacobian);
  return p;
}

struct Bad {
  const char* said;  ///< what the message must hold, the place first
  std::function<void(ContactProblem&)> change;
};

const Bad bad_problems[] = {
    {"time_step", [](ContactProblem& p) { p.time_step = 0; }},
    {"time_step", [](ContactProblem& p) { p.time_step = infinity; }},
    {"wake_gap", [](ContactProblem& p) { p.wake_gap = nan; }},
    {"free_velocity", [](ContactProblem& p) { p.free_velocity.pop_back(); }},
    {"velocity", [](ContactProblem& p) { p.velocity.clear(); }},
    {"first_guess", [](ContactProblem& p) { p.first_guess.assign(7, 0); }},
    {"tree 1: first_guess",
     [](ContactProblem& p) {
       p.first_guess.assign(8, 0);
       p.first_guess[6] = nan;
     }},
    {"tree 1", [](ContactProblem& p) { p.trees[1].first_dof = 1 << 30; }},
    {"tree 1", [](ContactProblem& p) { p.trees[1].first_dof = -6; }},
    {"tree 1", [](ContactProblem& p) { p.trees[1].first_element = 1; }},
    {"tree 1", [](ContactProblem& p) { p.trees[1].first_element = -1; }},
    {"tree 0", [](ContactProblem& p) { p.trees[0].size = 0; }},
    {"tree 0", [](ContactProblem& p) { p.trees[0].inertia(0, 1) = 0.1; }},
    {"contacts.weight", [](ContactProblem& p) { p.contacts.weight.pop_back(); }},
    {"contacts.point", [](ContactProblem& p) { p.contacts.point.clear(); }},
    {"body 0", [](ContactProblem& p) { p.bodies[0].first_element = 1; }},
    {"body 0", [](ContactProblem& p) { p.bodies[0].first_element = -1; }},
    {"body 0: tree 0 is neither dense nor sparse", [](ContactProblem& p) { p.bodies[0].tree = 0; }},
    {"body 0: center is not finite", [](ContactProblem& p) { p.bodies[0].center.z = nan; }},
    {"patch 1: body -1 does not belong to tree 1",
     [](ContactProblem& p) { p.patches[1].body_b = -1; }},
    {"patch 1: body 1 does not belong to tree 1",
     [](ContactProblem& p) { p.patches[1].body_b = 1; }},
    {"patch 0: body 0 does not belong to tree 0: a rigid body's must be -1",
     [](ContactProblem& p) { p.patches[0].body_b = 0; }},
    {"stiction_tolerance", [](ContactProblem& p) { p.friction.stiction_tolerance = 0; }},
    {"sigma", [](ContactProblem& p) { p.friction.sigma = 0; }},
    {"beta", [](ContactProblem& p) { p.friction.beta = -1; }},
    {"tree 0", [](ContactProblem& p) { p.trees[0].mass = 0; }},
    {"tree 0", [](ContactProblem& p) { p.trees[0].mass = infinity; }},
    {"tree 0", [](ContactProblem& p) { p.trees[0].center.x = nan; }},
    {"tree 0", [](ContactProblem& p) { p.trees[0].inertia(1, 1) = -1; }},
    {"tree 0", [](ContactProblem& p) { p.velocity[3] = nan; }},
    {"tree 1", [](ContactProblem& p) { p.free_velocity[6] = infinity; }},
    {"tree 1", [](ContactProblem& p) { p.matrices[0] = -2; }},
    {"tree 1", [](ContactProblem& p) { p.trees[1].mass = 0; }},
    {"contact 0", [](ContactProblem& p) { p.contacts.point[0].y = nan; }},
    {"contact 1", [](ContactProblem& p) { p.contacts.bias[1].z = infinity; }},
    {"contact 0", [](ContactProblem& p) { p.contacts.previous_impulse[0].z = nan; }},
    {"contact 0",
     [](ContactProblem& p) {
       p.contacts.normal[0] = {0, 0, 1.01};
     }},
    {"contact 0", [](ContactProblem& p) { p.contacts.gap[0] = nan; }},
    {"contact 0", [](ContactProblem& p) { p.contacts.weight[0] = 0; }},
    {"contact 1", [](ContactProblem& p) { p.contacts.stiffness[1] = 0; }},
    {"contact 1", [](ContactProblem& p) { p.contacts.dissipation[1] = -1; }},
    {"contact 1", [](ContactProblem& p) { p.contacts.relaxation_time[1] = -1; }},
    {"contact 0", [](ContactProblem& p) { p.contacts.friction[0] = -0.1; }},
    {"contact 0", [](ContactProblem& p) { p.contacts.friction[0] = nan; }},
    {"patch 0", [](ContactProblem& p) { p.patches[0].end = 0; }},
    {"patch 1", [](ContactProblem& p) { p.patches[1].tree_b = 2; }},
    {"must follow each other",
     [](ContactProblem& p) { p.patches[1] = {world_tree, 0, -1, -1, 1, 2}; }},
    {"there are contacts after the last patch", [](ContactProblem& p) { p.patches.pop_back(); }},
    {"Jacobian", [](ContactProblem& p) { p.jacobians[2] = nan; }},
};

TEST(Validate, AcceptsAGoodProblem) {
  EXPECT_NO_THROW(validate(good_problem()));
  ContactProblem p = good_problem();
  p.contacts.friction[0] = p.contacts.dissipation[0] = p.friction.beta = 0;
  EXPECT_NO_THROW(validate(p)) << "zero is allowed there";
}

TEST(Validate, NamesWhatMakesNoSense) {
  for (std::size_t k = 0; k < std::size(bad_problems); ++k) {
    ContactProblem p = good_problem();
    bad_problems[k].change(p);
    try {
      validate(p);
      ADD_FAILURE() << "case " << k << " (" << bad_problems[k].said << ") passes";
    } catch (const InputError& e) {
      EXPECT_NE(std::string(e.what()).find(bad_problems[k].said), std::string::npos)
          << "case " << k << ": " << e.what();
    }
  }
}

TEST(Validate, SaysValueUnitAndRule) {
  const auto message = [](const std::function<void(ContactProblem&)>& spoil) -> std::string {
    ContactProblem p = good_problem();
    spoil(p);
    try {
      validate(p);
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(message([](auto&) {}), "");
  EXPECT_EQ(message([](auto& p) { p.time_step = 0; }),
            "time_step = 0 s, must be positive and finite");
  EXPECT_EQ(message([](auto& p) { p.trees[0].mass = -1; }),
            "tree 0: mass = -1 kg, must be positive and finite");
  EXPECT_EQ(message([](auto& p) {
              p.trees[0].inertia = Mat3::diagonal({1, -1, 1});
            }),
            "tree 0: inertia is not positive definite");
  EXPECT_EQ(message([](auto& p) { p.contacts.friction[0] = std::nan(""); }),
            "contact 0: friction = nan, must not be negative");
  EXPECT_EQ(message([](auto& p) {
              p.contacts.normal[0] = {0, 0, 2};
            }),
            "contact 0: norm of normal = 2, must be 1");
  EXPECT_EQ(message([](auto& p) { p.contacts.stiffness[0] = 0; }),
            "contact 0: stiffness = 0 N/m, must be positive and finite");
  EXPECT_EQ(message([](auto& p) { p.free_velocity[3] = INFINITY; }),
            "tree 0: free_velocity = inf, must be finite");
  EXPECT_EQ(message([](auto& p) { p.contacts.gap[1] = 1e308; }),
            "contact 1: gap = 1e+308, must be at most 1e100 in magnitude");
  EXPECT_EQ(message([](auto& p) { p.time_step = 1e-308; }),
            "time_step = 1e-308 s, must lie in [1e-12, 1e6]");
  EXPECT_NE(message([](auto& p) {
              p.contacts.push_back({});
              p.patches.push_back({-1, 0, -1, -1, 2, 3});
            }).find("must follow each other"),
            std::string::npos);
  EXPECT_NE(message([](auto& p) { p.patches[0].tree_b = 7; }).find("patch 0"), std::string::npos);
}

}  // namespace
}  // namespace abut
