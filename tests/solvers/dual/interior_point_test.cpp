// Coulomb's law by the interior point method: closed forms, symmetries, other solvers, and what no
// answer may claim.

#include "abut/solvers/dual/interior_point.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "abut/core/error.hpp"
#include "support/random_friction.hpp"

namespace abut {
namespace {

std::vector<Vec3> solve(const FrictionProblem& p, double tolerance = 1e-10,
                        const char* name = "interior-point") {
  std::vector<Vec3> x;
  const FrictionReport r = make_friction_solver(name)->solve(p, {.tolerance = tolerance}, x);
  EXPECT_EQ(r.status, SolveStatus::converged) << name << " " << r.certificate.natural_error;
  return x;
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

FrictionProblem one_contact(const Mat3& w, const Vec3& g, double mu) {
  FrictionProblem p;
  p.delassus.start = {0, 1};
  p.delassus.column = {0};
  p.delassus.block = {w};
  p.velocity = {g};
  p.friction = {mu};
  return p;
}

Mat3 symmetric(double xx, double xy, double xz, double yy, double yz, double zz) {
  return {{{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}}};
}

TEST(InteriorPoint, SolvesLoneContactsOfOtherSimulators) {
  // of ContactBench: it sticks, all models agree
  const FrictionProblem sticks = one_contact(
      symmetric(5.32596138, -0.72388089, -0.9707955, 4.11915949, -2.07305584, 2.88477717),
      {0.00065288, 0.00139417, -0.00799683}, 0.9);
  EXPECT_LT(norm(solve(sticks)[0] - Vec3{0.001037939662, 0.002216437309, 0.004714144164}), 1e-11);
  // of Siconos: it slides
  const FrictionProblem slides = one_contact(symmetric(14, 1, -1, 16, -2, 15), {2, 3, -1}, 0.1);
  EXPECT_LT(norm(solve(slides)[0] - Vec3{-0.003678614907, -0.005443070814, 0.065695682898}), 1e-9);
}

TEST(InteriorPoint, LeavesPartingContactsAlone) {
  const FrictionProblem p = one_contact(Mat3::identity(), {1, 2, 0.5}, 0.7);
  EXPECT_LT(norm(solve(p)[0]), 1e-9);
}

TEST(InteriorPoint, SolvesFrictionlessContactsAmongOthers) {
  FrictionProblem p = box_on_ground(0.1, 0.5, {0.3, 0, 0}, 0.01);
  p.friction = {0, 0.5, 0, 0.5};
  const std::vector<Vec3> x = solve(p);
  for (const int i : {0, 2}) EXPECT_LT(std::hypot(x[i].x, x[i].y), 1e-12);
  double weight = 0;
  for (const Vec3& g : x) weight += g.z;
  EXPECT_NEAR(weight, 0.0981, 1e-9);
}

TEST(InteriorPoint, BoxHoldsOrSlidesAsCoulombSays) {
  constexpr double h = 0.01, mu = 0.4;
  for (const double pull : {1.0, 3.9, 4.0, 8.0}) {
    const FrictionProblem p = box_on_ground(0.1, mu, {pull, 0, 0}, h);
    const std::vector<Vec3> x = solve(p), v = velocities(p, x);
    double pushed = 0, borne = 0;
    for (const Vec3& g : x) pushed += g.x, borne += g.z;
    EXPECT_NEAR(borne, 9.81 * h, 1e-9);
    const double limit = mu * 9.81;
    EXPECT_NEAR(pushed, -std::min(pull, limit) * h, 1e-9) << pull;
    for (const Vec3& u : v) EXPECT_NEAR(u.x, std::max(0.0, pull - limit) * h, 1e-9) << pull;
  }
}

TEST(InteriorPoint, AgreesWithGaussSeidel) {
  std::mt19937 random(11);
  int compared = 0;
  for (int trial = 0; trial < 100; ++trial) {
    const FrictionProblem p = make_friction_problem(random, {.most_contacts = 8});
    const std::vector<Vec3> x = solve(p, 1e-10);
    std::vector<Vec3> y;
    const FrictionReport r =
        make_friction_solver("gauss-seidel")->solve(p, {.tolerance = 1e-10}, y);
    if (r.status != SolveStatus::converged) continue;
    // where the NCP has several answers, both may be right
    if (largest_difference(velocities(p, x), velocities(p, y)) < 1e-6) ++compared;
  }
  EXPECT_GT(compared, 85);
}

TEST(InteriorPoint, SolvesRandomProblemsOfAnyMassesAndSaysHonestlyWhichNot) {
  std::mt19937 random(12);
  for (const double spread : {0.0, 1.5, 3.0}) {
    for (const bool rests : {false, true}) {
      int solved = 0;
      InteriorPoint solver;
      for (int trial = 0; trial < 100; ++trial) {
        const FrictionProblem p =
            make_friction_problem(random, {.mass_spread = spread, .rests = rests});
        std::vector<Vec3> x;
        const FrictionReport r = solver.solve(p, {}, x);
        solved += r.status == SolveStatus::converged;
        const FrictionCertificate again = certify(p, RigidModel::ncp, x);
        ASSERT_EQ(r.certificate.natural_error, again.natural_error);
        ASSERT_EQ(r.status == SolveStatus::converged, again.natural_error <= 1e-8);
        ASSERT_TRUE(again.is_finite());
      }
      EXPECT_GE(solved, 98) << spread << " " << rests;
    }
  }
}

TEST(InteriorPoint, OrderAndTangentAxesDoNotMatter) {
  std::mt19937 random(13);
  for (int trial = 0; trial < 30; ++trial) {
    const FrictionProblem p = make_friction_problem(random, {.most_contacts = 10});
    std::vector<int> order(p.friction.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    std::vector<double> angle;
    for (std::size_t i = 0; i < order.size(); ++i) {
      angle.push_back(std::uniform_real_distribution<double>(-3, 3)(random));
    }
    const FrictionProblem q = turned(p, order, angle);
    const std::vector<Vec3> u = velocities(p, solve(p)), v = velocities(q, solve(q));
    for (std::size_t i = 0; i < order.size(); ++i) {
      const double a = angle[order[i]];
      const Vec3& w = v[i];
      const Vec3 back{std::cos(a) * w.x - std::sin(a) * w.y, std::sin(a) * w.x + std::cos(a) * w.y,
                      w.z};
      ASSERT_LT(norm(back - u[order[i]]), 1e-8) << trial;
    }
  }
}

TEST(InteriorPoint, HeavyOnLightIsBorne) {
  // a point of 1000 kg on one of 1 g on the ground: W of two contacts in line
  FrictionProblem p;
  const Mat3 one = Mat3::identity();
  p.delassus.start = {0, 2, 4};
  p.delassus.column = {0, 1, 0, 1};
  p.delassus.block = {1e3 * one, -1e3 * one, -1e3 * one, (1e3 + 1e-3) * one};
  constexpr double h = 1e-3;
  p.velocity = {{0, 0, -9.81 * h}, {0, 0, 0}};
  p.friction = {0.5, 0.5};
  p.time_step = h;
  const std::vector<Vec3> x = solve(p, 1e-8);
  EXPECT_NEAR(x[0].z / h, 9810.00981, 1e-3);
  EXPECT_NEAR(x[1].z / h, 9810, 1e-3);
}

TEST(InteriorPoint, RefusesWhatItDoesNotSolve) {
  const FrictionProblem p = one_contact(Mat3::identity(), {0, 0, -1}, 0.5);
  std::vector<Vec3> x;
  EXPECT_THROW(InteriorPoint().solve(p, {.model = RigidModel::ccp}, x), InputError);
  EXPECT_THROW(InteriorPoint().solve(p, {.tolerance = 0}, x), InputError);
  x.resize(3);
  EXPECT_THROW(InteriorPoint().solve(p, {.is_warm = true}, x), InputError);
  EXPECT_THROW(make_friction_solver("no-such-solver"), InputError);
}

TEST(InteriorPoint, SolvesProblemsWithoutContactsOrMotion) {
  std::vector<Vec3> x;
  EXPECT_EQ(InteriorPoint().solve({}, {}, x).status, SolveStatus::converged);
  FrictionProblem still = box_on_ground(0.1, 0.5, {}, 0.01);
  for (Vec3& g : still.velocity) g = {};
  EXPECT_EQ(InteriorPoint().solve(still, {}, x).status, SolveStatus::converged);
  EXPECT_EQ(x, std::vector<Vec3>(4));
}

TEST(InteriorPoint, IslandsAreSolvedApart) {
  // two boxes that do not touch, contacts of one between those of the other
  const FrictionProblem a = box_on_ground(0.1, 0.4, {8, 0, 0}, 0.01);
  const FrictionProblem b = box_on_ground(0.3, 0.7, {0, 2, 0}, 0.01);
  FrictionProblem both;
  both.time_step = 0.01;
  for (int i = 0; i < 4; ++i) {
    for (const FrictionProblem* p : {&a, &b}) {
      both.velocity.push_back(p->velocity[i]);
      both.friction.push_back(p->friction[i]);
      for (int j = 0; j < 4; ++j) {
        both.delassus.column.push_back(2 * j + (p == &b));
        both.delassus.block.push_back(p->delassus.block[p->delassus.find(i, j)]);
      }
      both.delassus.start.push_back(std::ssize(both.delassus.column));
    }
  }
  EXPECT_EQ(islands_of(both), (std::vector<std::int32_t>{0, 1, 0, 1, 0, 1, 0, 1}));
  const std::vector<Vec3> x = solve(both), y = solve(a), z = solve(b);
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(x[2 * i], y[i]);
    EXPECT_EQ(x[2 * i + 1], z[i]);
  }
  // the worst island counts, however little it moves beside the others
  std::vector<Vec3> wrong = x;
  wrong[1].z *= 1.01;
  const double alone =
      certify(b, RigidModel::ncp, std::vector<Vec3>{wrong[1], x[3], x[5], x[7]}).natural_error;
  for (int i = 0; i < 8; i += 2) both.velocity[i] *= 1e6, wrong[i] *= 1e6;
  EXPECT_EQ(certify(both, RigidModel::ncp, wrong).natural_error, alone);
}

TEST(InteriorPoint, WarmStartsNeedLittleMoreThanOneFactorization) {
  std::mt19937 random(14);
  int cold = 0, warm = 0;
  for (int trial = 0; trial < 100; ++trial) {
    FrictionProblem p = make_friction_problem(random, {.most_contacts = 20});
    std::vector<Vec3> x = solve(p, 1e-8);
    for (Vec3& g : p.velocity) g *= 1.001;  // its answer is 1.001 times the one before
    for (std::size_t i = 0; i < p.friction.size(); ++i) p.friction[i] *= 0.999;
    std::vector<Vec3> afresh;
    const FrictionReport c = InteriorPoint().solve(p, {}, afresh);
    const FrictionReport w = InteriorPoint().solve(p, {.is_warm = true}, x);
    EXPECT_EQ(w.status, c.status);
    cold += c.factorizations, warm += w.factorizations;
  }
  EXPECT_LT(warm, 150);
  EXPECT_LT(warm, 0.6 * cold);
}

TEST(InteriorPoint, KeepsAnAnswerThatIsGiven) {
  const FrictionProblem p = box_on_ground(0.1, 0.4, {8, 0, 0}, 0.01);
  std::vector<Vec3> x = solve(p);
  const std::vector<Vec3> answer = x;
  const FrictionReport r = InteriorPoint().solve(p, {.is_warm = true}, x);
  EXPECT_EQ(r.iterations, 0);
  EXPECT_LT(largest_difference(x, answer), 1e-15);
}

TEST(InteriorPoint, DoesNotSweepBeyondALimitOfIterations) {
  const FrictionProblem p = two_points(1e-3, 1e3, 1e-3);
  std::vector<Vec3> x;
  const FrictionReport whole = InteriorPoint().solve(p, {.tolerance = 1e-9}, x);
  EXPECT_EQ(whole.status, SolveStatus::converged);
  std::mt19937 random(8);
  int limited = 0;
  for (int trial = 0; trial < 20; ++trial) {
    const FrictionProblem hard = make_friction_problem(random, {.mass_spread = 3, .rests = true});
    const FrictionReport r =
        InteriorPoint().solve(hard, {.tolerance = 1e-12, .iteration_limit = 5}, x);
    limited += r.status == SolveStatus::iteration_limit;
    EXPECT_LT(r.iterations, 40) << "thousands without a limit";
  }
  EXPECT_GT(limited, 5);
}

// but for the steps that take the last digits, and the sweeps at the start
TEST(InteriorPoint, KeepsToALimitOfIterations) {
  constexpr int limit = 20;
  InteriorPoint solver;
  std::mt19937 random(5);
  for (int k = 0; k < 300; ++k) {
    const FrictionProblem p = make_friction_problem(
        random, {.most_bodies = 6, .most_contacts = 18, .mass_spread = 6, .rests = k % 2 == 0});
    std::vector<Vec3> impulse(p.rows());
    const FrictionReport r = solver.solve_island(p, {.iteration_limit = limit}, impulse);
    EXPECT_LE(r.iterations, 3 * limit) << k;
    EXPECT_LE(r.factorizations, 3 * limit) << k;
  }
}

}  // namespace
}  // namespace abut
