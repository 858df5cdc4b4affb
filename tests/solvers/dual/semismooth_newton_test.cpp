// Newton's method from guesses of what holds, slides and parts.

#include "abut/solvers/dual/semismooth_newton.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "support/random_friction.hpp"

namespace abut {
namespace {

using Guess = SemismoothNewton::Guess;

struct Tried {
  std::vector<Vec3> impulse;  ///< not scaled
  double before = 0, error = 0;
  FrictionReport report;
};

/// From a guess that is not scaled.
Tried try_guess(const FrictionProblem& p, Guess guess, std::vector<Vec3> impulse,
                double tolerance) {
  ScaledProblem scaled;
  scaled.set(p);
  BlockLu lu;
  lu.analyze(p.delassus);
  for (int i = 0; i < p.rows(); ++i) impulse[i] = scaled.from_problem(i, impulse[i]);
  std::vector<Vec3> sigma(impulse.size());
  scaled.scaled.delassus.multiply(impulse, sigma);
  for (int i = 0; i < p.rows(); ++i) sigma[i] += scaled.scaled.velocity[i];
  const FrictionOptions options{.tolerance = tolerance};
  Tried t;
  t.before = scaled.error(options, impulse, sigma);
  t.error = SemismoothNewton().try_guess(scaled, options, guess, lu, impulse, t.before, t.report);
  for (int i = 0; i < p.rows(); ++i) impulse[i] = scaled.to_problem(i, impulse[i]);
  t.impulse = impulse;
  return t;
}

/// Points of masses growing by `ratio` from 1 kg, one on the other, on the ground.
FrictionProblem tower(int count, double ratio) {
  FrictionProblem p;
  for (int i = 0; i < count; ++i) {  // contact i bears point i
    const double own = std::pow(ratio, -i), below = i > 0 ? std::pow(ratio, 1 - i) : 0;
    for (const int j : {i - 1, i, i + 1}) {
      if (j < 0 || j >= count) continue;
      p.delassus.column.push_back(j);
      const double w = j == i ? own + below : j > i ? -own : -below;
      p.delassus.block.push_back(w * Mat3::identity());
    }
    p.delassus.start.push_back(std::ssize(p.delassus.column));
    p.velocity.push_back({0, 0, i == 0 ? -9.81e-3 : 0});
    p.friction.push_back(0.5);
  }
  return p;
}

TEST(SemismoothNewton, TowersHoldByOneFactorization) {
  for (const double ratio : {1.0, 2.0, 4.0}) {
    const FrictionProblem p = tower(8, ratio);
    const Tried t = try_guess(p, Guess::all_hold, std::vector<Vec3>(8), 1e-9);
    EXPECT_LE(certify(p, RigidModel::ncp, t.impulse).natural_error, 1.01e-9) << ratio;
    EXPECT_EQ(t.report.factorizations, 1) << ratio;
    double weight = 0;
    for (int i = 7; i >= 0; --i) {
      weight += 9.81e-3 * std::pow(ratio, i);
      EXPECT_NEAR(t.impulse[i].z, weight, 1e-6 * weight) << "what lies above";
    }
  }
}

// of the impulses that hold a box, four corners share them alike only where they are smallest
TEST(SemismoothNewton, ImpulsesThatAreNotUniqueAreTheSmallest) {
  const FrictionProblem p = box_on_ground(0.1, 0.5, {0, 0, 0}, 0.01);
  for (const Guess guess : {Guess::all_hold, Guess::of_impulses}) {
    const double g = 0.0981;
    // a good guess, but two corners bear all
    const Tried t = try_guess(
        p, guess, {{0, 0, 0.4 * g}, {0, 0, 0.1 * g}, {0, 0, 0.1 * g}, {0, 0, 0.401 * g}}, 1e-9);
    EXPECT_LE(t.error, 1e-9);
    for (const Vec3& x : t.impulse) EXPECT_NEAR(x.z, 0.25 * g, 1e-6 * g);
  }
}

TEST(SemismoothNewton, TakesLessThanTwoFactorizationsNextToAnAnswer) {
  std::mt19937 random(51);
  std::normal_distribution<double> normal;
  int solved = 0, factorizations = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const FrictionProblem p = make_friction_problem(
        random, {.most_contacts = 12, .most_scalars = trial % 2 == 0 ? 6 : 0, .compliance = 1e-2});
    std::vector<Vec3> x;
    make_friction_solver("interior-point")->solve(p, {.tolerance = 1e-10}, x);
    for (Vec3& g : x) g = 1.001 * g;
    const Tried t = try_guess(p, Guess::of_impulses, x, 1e-9);
    solved += t.error <= 1e-9;
    factorizations += t.report.factorizations;
  }
  EXPECT_GE(solved, 170);
  EXPECT_LT(factorizations, 300);
}

TEST(SemismoothNewton, GivesUpAWrongGuessAndKeepsTheBestImpulses) {
  std::mt19937 random(52);
  int given_up = 0;
  for (int trial = 0; trial < 100; ++trial) {
    const FrictionProblem p = make_friction_problem(random, {.mass_spread = 2});
    const std::vector<Vec3> none(p.velocity.size());
    const Tried t = try_guess(p, Guess::all_hold, none, 1e-9);
    EXPECT_LE(t.report.factorizations, 4);
    EXPECT_LE(t.error, t.before);
    given_up += t.error > 1e-9;
  }
  EXPECT_GT(given_up, 20);
}

}  // namespace
}  // namespace abut
