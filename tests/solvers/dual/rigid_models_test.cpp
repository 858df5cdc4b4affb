// What the rigid models say of one contact and of few, against printed answers, enumeration and
// conditions written out here.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "abut/problem/certify_friction.hpp"
#include "abut/solvers/dual/friction_solver.hpp"
#include "abut/solvers/dual/lone_contact.hpp"
#include "abut/solvers/dual/raisim_contact.hpp"
#include "abut/solvers/dual/rigid_cones.hpp"
#include "abut/solvers/dual/scaled_problem.hpp"
#include "support/random_friction.hpp"

namespace abut {
namespace {

using enum RigidModel;

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

Vec3 solve(const FrictionProblem& p, RigidModel model) {
  std::vector<Vec3> x;
  const FrictionReport r =
      make_friction_solver("gauss-seidel")->solve(p, {.model = model, .tolerance = 1e-13}, x);
  EXPECT_EQ(r.status, SolveStatus::converged)
      << to_string(model) << " " << r.certificate.natural_error;
  return x[0];
}

TEST(RigidModels, AgreeWhereAContactSticks) {
  const FrictionProblem p = one_contact(
      symmetric(5.32596138, -0.72388089, -0.9707955, 4.11915949, -2.07305584, 2.88477717),
      {0.00065288, 0.00139417, -0.00799683}, 0.9);
  const Vec3 printed{0.001037939662, 0.002216437309, 0.004714144164};
  for (const RigidModel model : rigid_models) EXPECT_LT(norm(solve(p, model) - printed), 1e-12);
}

TEST(RigidModels, DifferWhereAContactSlides) {
  const FrictionProblem p = one_contact(symmetric(14, 1, -1, 16, -2, 15), {2, 3, -1}, 0.1);
  const auto off = [&](RigidModel model, const Vec3& x) { return norm(solve(p, model) - x); };
  EXPECT_LT(off(ncp, {-0.003678614907, -0.005443070814, 0.065695682898}), 1e-12);
  EXPECT_LT(off(ccp, {-0.004897451945, -0.007212297244, 0.087179279122}), 1e-12);
  EXPECT_LT(off(raisim, {-0.0036889144, -0.0054361248, 0.0656959224}), 1e-10);
  EXPECT_LT(off(lcp, {-0.006535947712, -0.006535947712, 0.065359477124}), 1e-12);
}

TEST(RigidModels, RaisimIsCoulombsWhereTheNormalIsDecoupled) {
  const FrictionProblem p = one_contact(Mat3::diagonal({3.5, 3.5, 1}), {1, 0.5, -0.1}, 0.5);
  const Vec3 slides{-0.04472135955, -0.022360679775, 0.1};
  EXPECT_LT(norm(solve(p, ncp) - slides), 1e-11);
  EXPECT_LT(norm(solve(p, raisim) - slides), 1e-11);
  EXPECT_LT(norm(solve(p, ccp) - Vec3{-0.157184725092, -0.07859236255, 0.351475730333}), 1e-11);
  EXPECT_LT(norm(solve(p, lcp) - Vec3{-0.05, -0.05, 0.1}), 1e-15);
}

/// W of a contact of bodies of any shape, g of any direction; |tilt| well beyond 1 among them.
FrictionProblem random_contact(std::mt19937& random) {
  std::normal_distribution<double> normal;
  Mat3 root;
  for (Vec3& c : root.col) c = {normal(random), normal(random), normal(random)};
  const Mat3 w = transpose_times(root, root) + 0.05 * Mat3::identity();
  const Vec3 g{normal(random), normal(random), normal(random)};
  return one_contact(w, g, std::uniform_real_distribution<double>(0, 1.5)(random));
}

TEST(RigidModels, ALoneContactIsSolvedExactly) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 5000; ++trial) {
    const FrictionProblem p = random_contact(random);
    for (const RigidModel model : rigid_models) {
      const Vec3 x =
          solve_lone_contact(model, p.delassus.block[0], p.velocity[0], p.friction[0], {});
      const double error = certify(p, model, std::vector<Vec3>{x}).natural_error;
      // two directions of RaiSim's friction may be as good as one where the tilt is above 1
      const bool may_fold =
          model == raisim && norm(tilt_of(p.delassus.block[0], p.friction[0])) > 1;
      ASSERT_LT(error, may_fold ? 1e-9 : 1e-12) << to_string(model) << " " << trial;
    }
  }
}

TEST(RigidModels, SolversStopByTheErrorThatIsCertified) {
  std::mt19937 random(2);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 200; ++trial) {
    const FrictionProblem p = make_friction_problem(random, {.most_bodies = 3, .most_contacts = 6});
    if (std::ranges::max(islands_of(p)) > 0) continue;  // solvers see one island
    ScaledProblem scaled;
    scaled.set(p);
    const int n = p.rows();
    std::vector<Vec3> gamma(n), own(n), sigma(n);
    for (Vec3& x : gamma) x = {normal(random), normal(random), normal(random)};
    for (int i = 0; i < n; ++i) own[i] = scaled.from_problem(i, gamma[i]);
    scaled.scaled.delassus.multiply(own, sigma);
    for (int i = 0; i < n; ++i) sigma[i] += scaled.scaled.velocity[i];
    for (const RigidModel model : rigid_models) {
      const FrictionCertificate c = certify(p, model, gamma);
      EXPECT_NEAR(scaled.error({.model = model, .scale = 1}, own, sigma), c.energy_error,
                  1e-12 * c.energy_error)
          << to_string(model);
    }
  }
}

/// The impulses of a lone contact that slides under RaiSim's model, by angle: sigma_n = 0.
Vec3 on_the_ellipse(const FrictionProblem& p, double angle) {
  const Mat3& w = p.delassus.block[0];
  const double mu = p.friction[0], x = mu * std::cos(angle), y = mu * std::sin(angle);
  const double n = -p.velocity[0].z / (w(2, 0) * x + w(2, 1) * y + w(2, 2));
  return {n * x, n * y, n};
}

TEST(RigidModels, RaisimTakesTheBestOfAllDirections) {
  std::mt19937 random(3);
  int slid = 0, steep = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const FrictionProblem p = random_contact(random);
    const Mat3& w = p.delassus.block[0];
    const Vec3& g = p.velocity[0];
    if (g.z >= 0) continue;
    const auto energy = [&](const Vec3& x) { return dot(x, 0.5 * (w * x) + g); };
    for (const bool bisects : {false, true}) {
      const Vec3 x = bisects ? solve_raisim_contact(w, g, p.friction[0], {})
                             : solve_lone_contact(raisim, w, g, p.friction[0], {});
      ASSERT_NEAR((w * x + g).z, 0, 1e-12);
      ASSERT_LE(std::hypot(x.x, x.y), (1 + 1e-12) * p.friction[0] * x.z);
      const double least = energy(x);
      for (int k = 0; k < 1000; ++k) {
        const Vec3 y = on_the_ellipse(p, 0.001 * 2 * std::numbers::pi * k);
        if (y.z < 0 || !is_finite(y)) continue;
        ASSERT_GE(energy(y), least - 1e-13 * (1 + std::abs(least))) << trial;
      }
      const bool slides = norm(w * x + g) > 1e-9;
      slid += slides, steep += slides && norm(tilt_of(w, p.friction[0])) > 1;
    }
  }
  EXPECT_GT(slid, 100);
  EXPECT_GT(steep, 20);
}

/// A contact of given impulse and velocity: g = sigma - W gamma.
FrictionProblem moving(const Mat3& w, double mu, const Vec3& gamma, const Vec3& sigma) {
  return one_contact(w, sigma - w * gamma, mu);
}

TEST(RigidModels, RaisimsNaturalMapIsZeroWhereItsConditionsHold) {
  std::mt19937 random(4);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  int steep = 0, told = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    const FrictionProblem some = random_contact(random);
    const Mat3& w = some.delassus.block[0];
    const double mu = some.friction[0] + 0.05, n = uniform(0.1, 2), angle = uniform(-3, 3);
    const Vec3 gamma{mu * n * std::cos(angle), mu * n * std::sin(angle), n};
    const double theta = uniform(0, 3), across = mu * mu * n / w(2, 2);
    const Vec3 slip{-theta * (gamma.x + across * w(2, 0)), -theta * (gamma.y + across * w(2, 1)),
                    0};
    const auto error = [&](const Vec3& impulse, const Vec3& sigma) {
      return certify(moving(w, mu, impulse, sigma), raisim, std::vector<Vec3>{impulse})
          .natural_error;
    };
    // where |tilt| > 1 the turned slip has the square root of rounding at worst
    const bool is_steep = norm(tilt_of(w, mu)) >= 1;
    ASSERT_LT(error(gamma, slip), is_steep ? 1e-6 : 1e-12) << trial;
    ASSERT_LT(error(gamma, {}), 1e-12);  // sticks
    ASSERT_LT(error(0.5 * gamma, {}), 1e-12);
    ASSERT_LT(error({}, {slip.x, slip.y, n}), 1e-12);  // parts
    steep += is_steep;
    // and not where they do not: the slip turned, an impulse less, motion along the normal
    const double size = norm(slip);
    if (size < 0.01) continue;
    ASSERT_GT(error(gamma, slip + Vec3{-0.1 * slip.y, 0.1 * slip.x, 0}), 1e-4) << trial;
    ASSERT_GT(error({0.9 * gamma.x, 0.9 * gamma.y, n}, slip), 1e-4) << trial;
    ASSERT_GT(error(gamma, slip + Vec3{0, 0, 0.1}), 1e-4) << trial;
    ASSERT_GT(error(gamma, -slip), 1e-4) << trial;
    ++told;
  }
  EXPECT_GT(steep, 100);
  EXPECT_GT(told, 800);
}

TEST(RigidModels, RaisimSaysByHowMuchASlipCannotBe) {
  // tilt (2, 0): no tau >= 0 has |sigma_t + 2 tau e_x| = tau if sigma_t is along e_x or across it
  const Mat3 w = symmetric(6, 0, 2, 1, 0, 1);
  const double mu = 1, mobility = 8.0 / 3;
  const Vec3 gamma{-0.5, 0, 0.5};
  const auto certificate = [&](const Vec3& sigma) {
    return certify(moving(w, mu, gamma, sigma), raisim, std::vector<Vec3>{gamma});
  };
  // tau = 0: c = (0.3, 0, 0.3) is perpendicular to gamma, but 0.3 m/s are missed
  const FrictionCertificate along = certificate({0.3, 0, 0});
  EXPECT_NEAR(along.energy_error, std::sqrt(mobility) * 0.3 / mobility, 1e-15);
  EXPECT_NEAR(along.model.complementarity, mu * 0.5 * 0.3, 1e-15);
  EXPECT_LT(along.ncp.complementarity, 1e-15);
  // backwards along e_x there are two: s = sigma_t + 2 tau e_x, of sigma_t = -0.3 with tau = 0.3
  // or 0.1. The first is against gamma, as [CB 24] has it: u + tilt = e_x
  EXPECT_LT(certificate({-0.3, 0, 0}).energy_error, 1e-15);
}

TEST(RigidModels, ProjectionOnThePyramidIsThatOfItsEdges) {
  // x = P(y) if and only if x is in the pyramid, (y - x).x = 0 and (y - x).e <= 0 of all edges e
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 10000; ++trial) {
    const double mu = std::exp(normal(random));
    const Vec3 y{normal(random), normal(random), normal(random)};
    const Vec3 x = project_on_pyramid(y, mu), off = y - x;
    ASSERT_LE(std::max(std::abs(x.x), std::abs(x.y)), (1 + 1e-15) * mu * x.z);
    ASSERT_NEAR(dot(off, x), 0, 1e-14 * squared_norm(y));
    for (const double a : {-mu, mu}) {
      for (const double b : {-mu, mu}) ASSERT_LE(dot(off, {a, b, 1}), 1e-14 * norm(y) * (1 + mu));
    }
  }
  EXPECT_EQ(project_on_pyramid({1, -2, 3}, 0), (Vec3{0, 0, 3}));
}

TEST(RigidModels, PyramidsGiveUpToRoot2OfTheFriction) {
  // a point of 1 kg that slides along x, seen in axes turned about its normal
  const FrictionProblem p = one_contact(Mat3::identity(), {5, 0, -1}, 0.3);
  for (const double angle : {0.0, 0.3, 0.25 * std::numbers::pi, 1.2}) {
    const FrictionProblem q = turned(p, {0}, {angle});
    const auto friction = [&](RigidModel model) {
      const Vec3 x = solve(q, model);
      return std::hypot(x.x, x.y);
    };
    EXPECT_NEAR(friction(lcp), (angle == 0 ? 1 : std::numbers::sqrt2) * 0.3, 1e-14) << angle;
    EXPECT_NEAR(friction(ncp), 0.3, 1e-12);
    EXPECT_NEAR(friction(raisim), 0.3, 1e-12);
    EXPECT_NEAR(friction(ccp), 0.3 * solve(p, ccp).z, 1e-12);
  }
}

}  // namespace
}  // namespace abut
