// Errors planted in what solvers read: the certificate of the true problem sees each of them.
// Errors of the code itself are planted by tools/mutate.py, whose --certificate runs the last test
// alone.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "abut/solvers/contact_solver.hpp"
#include "support/model_case.hpp"
#include "support/prepared_parts.hpp"
#include "support/random_problem.hpp"

namespace abut {
namespace {

using Parts = PreparedParts;

struct Planted {
  std::string name;
  std::function<void(PreparedProblem&)> plant;
  std::function<bool(const ModelCase&)> applies = [](const ModelCase&) { return true; };
};

bool is_anchored(const ModelCase& c) {
  return traits(c.model).is_anchored;
}

bool is_sap(const ModelCase& c) {
  return c.model == ContactModel::sap;
}
bool is_soft(const ModelCase& c) {
  return !is_sap(c);
}
bool is_damped_by_speed(const ModelCase& c) {
  return is_soft(c) && c.law != NormalLawKind::kelvin_voigt;
}

/// Multiplies all numbers of a kind.
Planted scaled(
    std::string name, std::vector<double>& (*numbers)(PreparedProblem&), double factor,
    bool (*applies)(const ModelCase&) = [](const ModelCase&) { return true; }) {
  return {std::move(name),
          [=](PreparedProblem& q) {
            for (double& x : numbers(q)) x *= factor;
          },
          applies};
}

const std::vector<Planted>& planted_errors() {
  static const std::vector<Planted> list = {
      // preparation: regularizations, targets, bounds, order
      scaled(
          "R_n", [](auto& q) -> auto& { return Parts::contacts(q).normal_regularization; }, 1.01,
          is_sap),
      scaled(
          "R_t", [](auto& q) -> auto& { return Parts::contacts(q).tangential_regularization; },
          1.01, is_sap),
      scaled(
          "eps", [](auto& q) -> auto& { return Parts::contacts(q).slip_tolerance; }, 1.1,
          [](const ModelCase& c) { return c.model == ContactModel::similar; }),
      scaled(
          "R of scalars", [](auto& q) -> auto& { return Parts::scalars(q).regularization; }, 1.01),
      scaled(
          "v_hat of scalars", [](auto& q) -> auto& { return Parts::scalars(q).target; }, 1.01),
      scaled(
          "upper bounds of scalars", [](auto& q) -> auto& { return Parts::scalars(q).upper; }, 0.5),
      scaled(
          "lower bounds of scalars", [](auto& q) -> auto& { return Parts::scalars(q).lower; }, 0.5),
      {"a scalar constraint forgotten", [](auto& q) { --Parts::scalars(q).start.back(); }},
      // kinematics
      {"a normal",
       [](auto& q) {
         Parts::problem(q).contacts.normal[0] = {0.6, 0, 0.8};
       }},
      {"a point", [](auto& q) { Parts::problem(q).contacts.point[0].x += 1e-2; }},
      {"a bias", [](auto& q) { Parts::problem(q).contacts.bias[0].x += 1e-2; }},
      {"a center of mass", [](auto& q) { Parts::problem(q).trees[0].center.y += 1e-2; }},
      scaled(
          "Jacobians", [](auto& q) -> auto& { return Parts::problem(q).jacobians; }, 1.01),
      scaled(
          "Jacobians' sign", [](auto& q) -> auto& { return Parts::problem(q).jacobians; }, -1),
      {"a scalar's row", [](auto& q) { Parts::problem(q).scalars.entries[0].value *= 1.01; }},
      {"a scalar's dof",
       [](auto& q) {
         auto& s = Parts::problem(q).scalars;
         s.entries[0].dof = (s.entries[0].dof + 1) % Parts::problem(q).trees[s.first_tree(0)].size;
       }},
      {"sides exchanged",
       [](auto& q) {
         for (Vec3& n : Parts::problem(q).contacts.normal) n = -n;
       }},
      // momentum
      {"a mass", [](auto& q) { Parts::problem(q).trees[0].mass *= 1.01; }},
      {"an inertia", [](auto& q) { Parts::problem(q).trees[0].inertia.col[0].x *= 1.1; }},
      {"A of a mechanism", [](auto& q) { Parts::problem(q).matrices[0] *= 1.01; }},
      scaled(
          "v*", [](auto& q) -> auto& { return Parts::problem(q).free_velocity; }, 1.001),
      // laws
      scaled(
          "friction", [](auto& q) -> auto& { return Parts::problem(q).contacts.friction; }, 1.01),
      scaled(
          "friction halved", [](auto& q) -> auto& { return Parts::problem(q).contacts.friction; },
          0.5),
      scaled(
          "gaps", [](auto& q) -> auto& { return Parts::problem(q).contacts.gap; }, 1.01),
      scaled(
          "stiffness", [](auto& q) -> auto& { return Parts::problem(q).contacts.stiffness; }, 1.01,
          is_soft),
      scaled(
          "weights", [](auto& q) -> auto& { return Parts::problem(q).contacts.weight; }, 1.01,
          is_soft),
      scaled(
          "dissipation", [](auto& q) -> auto& { return Parts::problem(q).contacts.dissipation; },
          1.1, is_damped_by_speed),
      scaled(
          "tau_d", [](auto& q) -> auto& { return Parts::problem(q).contacts.relaxation_time; }, 1.1,
          [](const ModelCase& c) { return is_sap(c) || !is_damped_by_speed(c); }),
      {"anchors",
       [](auto& q) {
         for (Vec3& t : Parts::problem(q).contacts.anchor) t *= 1.1;
       },
       is_anchored},
      {"anchors turned",
       [](auto& q) {
         for (Vec3& t : Parts::problem(q).contacts.anchor) t = -t;
       },
       is_anchored},
      {"the step", [](auto& q) { Parts::problem(q).time_step *= 1.01; }},
      {"the model",
       [](auto& q) {
         auto& model = Parts::problem(q).model;
         model = model == ContactModel::lagged ? ContactModel::similar : ContactModel::lagged;
       },
       is_soft},
      {"the law",
       [](auto& q) {
         auto& law = Parts::problem(q).law;
         law = law == NormalLawKind::kelvin_voigt ? NormalLawKind::hunt_crossley
                                                  : NormalLawKind::kelvin_voigt;
       },
       is_soft},
      {"a contact forgotten",
       [](auto& q) {
         ContactPool& c = Parts::problem(q).contacts;  // the deepest
         *std::min_element(c.gap.begin(), c.gap.end()) = 10;
       }},
  };
  return list;
}

ContactProblem problem_of(const ModelCase& c, unsigned seed) {
  std::mt19937 random(seed);
  const bool hertz = c.law == NormalLawKind::hertz && is_soft(c);
  ContactProblem p = make_problem(random, {.model = c.model,
                                           .law = c.law,
                                           .bodies = 6,
                                           .dense_trees = 2,
                                           .scalars = 8,
                                           .touch = 0.8,
                                           .ground = 1,
                                           .stiffness = hertz ? 1e8 : 1e6});
  p.friction.lagged_rule = LaggedRule::prediction;
  return p;
}

double error_of(const PreparedProblem& truth, const PreparedProblem& solved) {
  ContactSolution x;
  make_solver("newton")->solve(solved, {.tolerance = 1e-9}, x);
  const Certificate c = certify(truth, x.answer());
  return std::max(c.step_error, c.impulse_error);
}

TEST(CertificateSees, ErrorsInWhatSolversRead) {
  EXPECT_GE(planted_errors().size(), 30u);
  for (const Planted& error : planted_errors()) {
    for (const ModelCase& c : model_cases) {
      if (!error.applies(c)) continue;
      double largest = 0;
      for (unsigned seed = 0; seed < 3; ++seed) {
        const PreparedProblem truth(problem_of(c, seed));
        PreparedProblem wrong = truth;
        error.plant(wrong);
        largest = std::max(largest, error_of(truth, wrong));
      }
      EXPECT_GT(largest, 1e-5) << error.name << ", " << name(c);
    }
  }
}

// and where nothing was planted it sees nothing: by tools/mutate.py --certificate, errors in the
// code
TEST(CertificateSees, NothingWhereThereIsNothing) {
  for (const ModelCase& c : model_cases) {
    for (const LaggedRule rule :
         {LaggedRule::fixed_point, LaggedRule::prediction, LaggedRule::state}) {
      for (unsigned seed = 0; seed < 6; ++seed) {
        ContactProblem p = problem_of(c, seed);
        p.friction.lagged_rule = rule;
        const PreparedProblem q(p);
        for (const std::string_view solver : solvers_of(c.model)) {
          ContactSolution x;
          const SolveReport r = make_solver(solver)->solve(q, {.tolerance = 1e-8}, x);
          ASSERT_EQ(r.status, SolveStatus::converged) << name(c) << " " << solver << " " << seed;
          const Certificate exact = certify(q, x.answer());
          EXPECT_LT(exact.step_error, 1e-7) << name(c) << " " << solver << " " << seed;
          EXPECT_LT(exact.impulse_error, 1e-7) << name(c) << " " << solver << " " << seed;
        }
      }
    }
  }
}

}  // namespace
}  // namespace abut
