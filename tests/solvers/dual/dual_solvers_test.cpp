// What every solver of friction problems must do, for each model that it solves.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <ostream>
#include <random>
#include <string>

#include "abut/problem/certify_friction.hpp"
#include "abut/solvers/dual/friction_solver.hpp"
#include "support/random_friction.hpp"

namespace abut {
namespace {

constexpr std::string_view solver_names[] = {"interior-point", "gauss-seidel", "admm",
                                             "staggered",      "newton-ccp",   "semismooth-newton"};

struct Case {
  std::string_view solver;
  RigidModel model;
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.solver << " " << to_string(c.model);
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const std::string_view name : solver_names) {
    for (const RigidModel model : rigid_models) {
      if (make_friction_solver(name)->supports(model)) all.push_back({name, model});
    }
  }
  return all;
}

std::vector<Vec3> velocities(const FrictionProblem& p, const std::vector<Vec3>& impulse) {
  std::vector<Vec3> v(impulse.size());
  p.delassus.multiply(impulse, v);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] += p.velocity[i];
  return v;
}

double largest_difference(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, norm(a[i] - b[i]));
  return most;
}

class DualSolvers : public testing::TestWithParam<Case> {
 protected:
  FrictionReport try_to_solve(const FrictionProblem& p, double tolerance,
                              std::vector<Vec3>& impulse) {
    return solver_->solve(p, {.model = GetParam().model, .tolerance = tolerance}, impulse);
  }
  std::vector<Vec3> solve(const FrictionProblem& p, double tolerance = 1e-11) {
    std::vector<Vec3> x;
    const FrictionReport r = try_to_solve(p, tolerance, x);
    EXPECT_EQ(r.status, SolveStatus::converged) << r.certificate.natural_error;
    return x;
  }
  FrictionSolver& solver() { return *solver_; }
  /// Another solver, to compare with.
  FrictionReport solve_otherwise(const FrictionProblem& p, double tolerance,
                                 std::vector<Vec3>& impulse) {
    const bool is_sweeps = GetParam().solver == "gauss-seidel";
    return make_friction_solver(is_sweeps ? "admm" : "gauss-seidel")
        ->solve(p, {.model = GetParam().model, .tolerance = tolerance, .iteration_limit = 3000},
                impulse);
  }
  /// The CCP has one answer for each contact's velocity, the others may have more.
  bool is_unique() const { return GetParam().model == RigidModel::ccp; }

 private:
  std::unique_ptr<FrictionSolver> solver_ = make_friction_solver(GetParam().solver);
};

FrictionProblem lone(const Mat3& w, const Vec3& g, double mu) {
  FrictionProblem p;
  p.delassus.start = {0, 1};
  p.delassus.column = {0};
  p.delassus.block = {w};
  p.velocity = {g};
  p.friction = {mu};
  return p;
}

// digits by one-dimensional searches
TEST_P(DualSolvers, LoneContactsThatSlide) {
  struct Digits {
    Vec3 coupled, uncoupled;
  };
  const auto [coupled, uncoupled] = [&]() -> Digits {
    switch (GetParam().model) {
      case RigidModel::ncp:
        return {{-0.003678614907, -0.005443070814, 0.065695682898},
                {-0.04472135955, -0.022360679775, 0.1}};
      case RigidModel::ccp:
        return {{-0.004897451945, -0.007212297244, 0.087179279122},
                {-0.157184725092, -0.07859236255, 0.351475730333}};
      case RigidModel::lcp:
        return {{-0.006535947712, -0.006535947712, 0.065359477124}, {-0.05, -0.05, 0.1}};
      case RigidModel::raisim:
        return {{-0.0036889144, -0.0054361248, 0.0656959224},
                {-0.04472135955, -0.022360679775, 0.1}};
    }
    return {};
  }();
  const Mat3 w{{{14, 1, -1}, {1, 16, -2}, {-1, -2, 15}}};
  EXPECT_LT(norm(solve(lone(w, {2, 3, -1}, 0.1))[0] - coupled), 1e-10);
  EXPECT_LT(norm(solve(lone(Mat3::diagonal({3.5, 3.5, 1}), {1, 0.5, -0.1}, 0.5))[0] - uncoupled),
            1e-11);
}

// 9.81 N s in double precision leaves 10^3/kg times 10^-15 N s of velocity at the lower contact
TEST_P(DualSolvers, HeavyOnLightIsBorne) {
  constexpr double h = 1e-3;
  const FrictionProblem p = two_points(1e-3, 1e3, h);
  std::vector<Vec3> x;
  const FrictionReport r = try_to_solve(p, 1e-12, x);
  if (GetParam().solver == "gauss-seidel") {
    EXPECT_EQ(r.status, SolveStatus::iteration_limit);
    return;
  }
  EXPECT_LT(r.certificate.model.complementarity, 5e-5) << to_string(r.status);
  EXPECT_NEAR(x[0].z / h, 9810.00981, 1e-5);
  EXPECT_NEAR(x[1].z / h, 9810, 1e-5);
  EXPECT_LT(largest_difference(velocities(p, x), {{}, {}}), 1e-11);
}

TEST_P(DualSolvers, VelocitiesAreThoseOfAnotherSolver) {
  if (GetParam().model == RigidModel::raisim) return;  // one method has it
  std::mt19937 random(31);
  int compared = 0;
  const int count = 30;
  for (int trial = 0; trial < count; ++trial) {
    const FrictionProblem p = make_friction_problem(random, {.most_bodies = 4, .most_contacts = 8});
    std::vector<Vec3> x, y;
    const FrictionReport r = try_to_solve(p, 1e-12, x);
    const FrictionReport s = solve_otherwise(p, 1e-12, y);
    if (r.status != SolveStatus::converged || s.status != SolveStatus::converged) continue;
    const double apart = largest_difference(velocities(p, x), velocities(p, y));
    if (!is_unique() && apart > 1e-3) continue;
    EXPECT_LT(apart, 1e-8) << trial;
    ++compared;
  }
  EXPECT_GE(compared, 0.8 * count);
}

TEST_P(DualSolvers, SaysHonestlyWhatIsSolved) {
  std::mt19937 random(32);
  for (const double spread : {0.0, 3.0}) {
    for (int trial = 0; trial < 20; ++trial) {
      const FrictionProblem p = make_friction_problem(
          random, {.most_bodies = 6, .most_contacts = 16, .mass_spread = spread});
      std::vector<Vec3> x;
      const FrictionReport r = solver().solve(
          p, {.model = GetParam().model, .tolerance = 1e-8, .iteration_limit = 100}, x);
      const FrictionCertificate again = certify(p, GetParam().model, x);
      ASSERT_EQ(r.certificate.natural_error, again.natural_error);
      ASSERT_EQ(r.status == SolveStatus::converged, again.natural_error <= 1e-8);
      ASSERT_TRUE(again.is_finite());
    }
  }
}

TEST_P(DualSolvers, OrderAndTangentAxesDoNotMatter) {
  std::mt19937 random(33);
  int compared = 0;
  for (int trial = 0; trial < 20; ++trial) {
    const FrictionProblem p = make_friction_problem(random, {.most_bodies = 4, .most_contacts = 6});
    std::vector<int> order(p.friction.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    std::vector<double> angle;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const double turn = std::uniform_real_distribution<double>(-3, 3)(random);
      // a pyramid has the symmetry of a square
      angle.push_back(GetParam().model == RigidModel::lcp ? std::acos(0) * std::round(turn) : turn);
    }
    const FrictionProblem q = turned(p, order, angle);
    std::vector<Vec3> x, y;
    const bool both = try_to_solve(p, 1e-12, x).status == SolveStatus::converged &&
                      try_to_solve(q, 1e-12, y).status == SolveStatus::converged;
    if (!both) continue;
    const std::vector<Vec3> u = velocities(p, x), v = velocities(q, y);
    double apart = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const double c = std::cos(angle[order[i]]), s = std::sin(angle[order[i]]);
      const Vec3 back{c * v[i].x - s * v[i].y, s * v[i].x + c * v[i].y, v[i].z};
      apart = std::max(apart, norm(back - u[order[i]]));
    }
    if (!is_unique() && apart > 1e-3) continue;  // another answer
    EXPECT_LT(apart, 1e-9) << trial;
    ++compared;
  }
  EXPECT_GE(compared, 17);
}

TEST_P(DualSolvers, WarmStartsNeedLessAndLeadToTheSameAnswer) {
  std::mt19937 random(34);
  int cold = 0, warm = 0;
  for (int trial = 0; trial < 30; ++trial) {
    FrictionProblem p = make_friction_problem(random, {.most_bodies = 4, .most_contacts = 8});
    std::vector<Vec3> x, afresh;
    if (try_to_solve(p, 1e-8, x).status != SolveStatus::converged) continue;
    std::vector<Vec3> again = x;
    FrictionOptions options{.model = GetParam().model, .is_warm = true};
    EXPECT_LE(solver().solve(p, options, again).iterations, 1) << "it is an answer";
    EXPECT_LT(largest_difference(again, x), 1e-6);
    for (Vec3& g : p.velocity) g *= 1.001;
    for (double& mu : p.friction) mu *= 0.999;
    options.tolerance = 1e-10;
    const FrictionReport w = solver().solve(p, options, x);
    options.is_warm = false;
    const FrictionReport c = solver().solve(p, options, afresh);
    if (c.status != SolveStatus::converged) continue;
    EXPECT_EQ(w.status, SolveStatus::converged);
    cold += c.iterations, warm += w.iterations;
    const double apart = largest_difference(velocities(p, x), velocities(p, afresh));
    if (!is_unique() && apart > 1e-3) continue;
    EXPECT_LT(apart, 1e-7) << trial;
  }
  EXPECT_LT(warm, cold);
}

TEST_P(DualSolvers, ScalarConstraintsAmongContacts) {
  if (GetParam().model == RigidModel::raisim) return;  // one method has it
  std::mt19937 random(35);
  int compared = 0;
  for (int trial = 0; trial < 14; ++trial) {
    const FrictionProblem p = make_friction_problem(
        random, {.most_bodies = 6, .most_contacts = 8, .most_scalars = 12, .compliance = 1e-2});
    std::vector<Vec3> x, y;
    const FrictionReport r = try_to_solve(p, 1e-10, x);
    const FrictionReport s = solve_otherwise(p, 1e-10, y);
    if (r.status != SolveStatus::converged || s.status != SolveStatus::converged) continue;
    const double apart = largest_difference(velocities(p, x), velocities(p, y));
    if (!is_unique() && apart > 1e-3) continue;
    EXPECT_LT(apart, 1e-7) << trial;
    ++compared;
  }
  EXPECT_GE(compared, 9);
}

TEST_P(DualSolvers, FrictionlessContactsAmongOthers) {
  FrictionProblem p = box_on_ground(0.1, 0.5, {0.3, 0, 0}, 0.01);
  p.friction = {0, 0.5, 0, 0.5};
  const std::vector<Vec3> x = solve(p, 1e-10);
  double borne = 0;
  for (const int i : {0, 2}) EXPECT_LT(std::hypot(x[i].x, x[i].y), 1e-12);
  for (const Vec3& g : x) borne += g.z;
  EXPECT_NEAR(borne, 9.81 * 0.01, 1e-9);
}

TEST_P(DualSolvers, RestAndNothing) {
  EXPECT_TRUE(solve({}).empty());
  FrictionProblem still = box_on_ground(0.1, 0.5, {}, 0.01);
  for (Vec3& g : still.velocity) g = {};
  EXPECT_EQ(solve(still), std::vector<Vec3>(4));
}

INSTANTIATE_TEST_SUITE_P(All, DualSolvers, testing::ValuesIn(cases()), [](const auto& test) {
  std::string name =
      std::string(test.param.solver) + "_" + std::string(to_string(test.param.model));
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace abut
