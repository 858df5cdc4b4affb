// Contact forces by pivoting: closed forms, conditions at exit, what the theorems promise.

#include "abut/solvers/direct/baraff.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <vector>

#include "abut/core/error.hpp"
#include "support/force_problems.hpp"
#include "support/random_friction.hpp"

namespace abut {
namespace {

constexpr double g = 9.81;

struct Answer {
  ForceReport report;
  std::vector<double> f;
};

Answer solve(const ForceProblem& p, double tolerance = 1e-10) {
  Answer answer;
  answer.report = BaraffSolver().solve(p, answer.f, tolerance);
  return answer;
}

std::vector<double> accelerations(const ForceProblem& p, const std::vector<double>& f) {
  std::vector<double> a = p.bias;
  for (int i = 0; i < p.rows(); ++i) {
    for (int j = 0; j < p.rows(); ++j) a[i] += p.entry(i, j) * f[j];
  }
  return a;
}

/// A = J J^T of a rank, b = J c: frictionless contacts.
struct RandomNormals {
  Eigen::MatrixXd j;
  Eigen::VectorXd c;
  ForceProblem problem;
};

RandomNormals random_normals(std::mt19937& random, int size, int rank) {
  std::normal_distribution<double> normal;
  RandomNormals r;
  r.j = Eigen::MatrixXd::NullaryExpr(size, rank, [&] { return normal(random); });
  r.c = Eigen::VectorXd::NullaryExpr(rank, [&] { return normal(random); });
  const Eigen::MatrixXd a = r.j * r.j.transpose();
  const Eigen::VectorXd b = r.j * r.c;
  for (int i = 0; i < size; ++i) {
    for (int k = 0; k < size; ++k) r.problem.matrix.push_back(a(i, k));
    r.problem.bias.push_back(b[i]);
    r.problem.contacts.push_back({.normal = i});
  }
  return r;
}

/// min |J^T f + c|^2 over f >= 0 by Lawson and Hanson's active sets, each solved afresh; of its
/// answer a = J (J^T f + c), which is the one that there is.
Eigen::VectorXd accelerations_by_least_squares(const RandomNormals& r) {
  const auto size = r.j.rows();
  Eigen::VectorXd f = Eigen::VectorXd::Zero(size);
  std::vector<int> passive;
  for (int round = 0; round < 20 * size; ++round) {
    const Eigen::VectorXd a = r.j * (r.j.transpose() * f + r.c);
    int enters = -1;
    for (int i = 0; i < size; ++i) {
      const bool is_passive = std::find(passive.begin(), passive.end(), i) != passive.end();
      if (!is_passive && a[i] < -1e-11 && (enters < 0 || a[i] < a[enters])) enters = i;
    }
    if (enters < 0) return a;
    passive.push_back(enters);
    while (true) {
      const Eigen::VectorXd z =
          Eigen::MatrixXd(r.j(passive, Eigen::all).transpose()).colPivHouseholderQr().solve(-r.c);
      double step = 1;
      for (std::size_t k = 0; k < passive.size(); ++k) {
        if (z[k] <= 0) step = std::min(step, f[passive[k]] / (f[passive[k]] - z[k]));
      }
      for (std::size_t k = 0; k < passive.size(); ++k) {
        f[passive[k]] += step * (z[k] - f[passive[k]]);
      }
      if (step == 1) break;
      std::erase_if(passive, [&](int i) {
        if (f[i] > 1e-12) return false;
        f[i] = 0;
        return true;
      });
    }
  }
  return r.j * (r.j.transpose() * f + r.c);
}

TEST(Baraff, NormalForcesOfAnyRankGiveTheOneAcceleration) {
  std::mt19937 random(1);
  double worst = 0;
  for (int k = 0; k < 60; ++k) {
    const int size = k < 50 ? 1 + static_cast<int>(random() % 40) : 200;
    const int rank = 1 + static_cast<int>(random() % size);
    SCOPED_TRACE(testing::Message() << size << " rows of rank " << rank);
    const RandomNormals r = random_normals(random, size, rank);
    const auto [report, f] = solve(r.problem);
    EXPECT_EQ(report.status, ForceStatus::solved) << report.certificate.error;
    EXPECT_LE(report.counts.drives, size);
    if (size > 40) continue;
    const std::vector<double> a = accelerations(r.problem, f);
    const Eigen::VectorXd expected = accelerations_by_least_squares(r);
    for (int i = 0; i < size; ++i) worst = std::max(worst, std::abs(a[i] - expected[i]));
  }
  EXPECT_LT(worst, 1e-9);
}

// theorem 2: what is driven moves; 3: no index set comes twice; 4 and 5: what has changed sets goes
// away from where it was
TEST(Baraff, ThePivotsOfNormalForcesAreAsTheTheoremsSay) {
  std::mt19937 random(2);
  for (int k = 0; k < 200; ++k) {
    const int size = 1 + static_cast<int>(random() % 60);
    const bool is_definite = k % 2 == 0;
    const int rank = is_definite ? size + 5 : 1 + static_cast<int>(random() % size);
    const auto [report, f] = solve(random_normals(random, size, rank).problem);
    const PivotCounts& c = report.counts;
    EXPECT_GT(c.least_gain, is_definite ? 0 : -1e-12);
    EXPECT_GT(c.least_return, is_definite ? 0 : -1e-12);
    EXPECT_EQ(c.repeated_sets, 0);
    EXPECT_EQ(c.given_up, 0);
    EXPECT_EQ(c.restarts, 0);
  }
}

TEST(Baraff, NormalForcesTakeFewPivots) {
  std::mt19937 random(3);
  for (int k = 0; k < 200; ++k) {
    const ForceProblem p =
        without_friction(to_forces(make_friction_problem(random, {.rests = k % 2 == 0})));
    const auto [report, f] = solve(p);
    EXPECT_EQ(report.status, ForceStatus::solved);
    EXPECT_LE(report.counts.drives, p.rows());
    EXPECT_LE(report.counts.pivots, 4 * p.rows());
  }
}

// total force on each face, whatever way it is shared by corners of which one is redundant
TEST(Baraff, AStackOfCubesBearsItself) {
  constexpr int levels = 10;
  for (const bool with_friction : {false, true}) {
    SCOPED_TRACE(with_friction);
    const ForceProblem stack = stack_of_cubes(levels, 0.5);
    const ForceProblem p = with_friction ? stack : without_friction(stack);
    const auto [report, f] = solve(p);
    EXPECT_EQ(report.status, ForceStatus::solved) << report.certificate.error;
    for (int level = 0; level < levels; ++level) {
      double sum = 0;
      for (int i = 4 * level; i < 4 * level + 4; ++i) sum += f[p.contacts[i].normal];
      EXPECT_NEAR(sum, (levels - level) * g, 1e-9) << level;
    }
  }
}

/// A block of 2 kg, W wide and H high, on a slope, in axes along and across it; x is downhill.
PlanarScene block_on_slope(double width, double height, double angle, double mu) {
  PlanarScene scene;
  const double m = 2, inertia = m * (width * width + height * height) / 12;
  scene.bodies.push_back({.mass = m,
                          .inertia = inertia,
                          .y = height / 2,
                          .a_x = g * std::sin(angle),
                          .a_y = -g * std::cos(angle)});
  for (const double x : {-width / 2, width / 2}) scene.contacts.push_back({.x = x, .friction = mu});
  return scene;
}

TEST(Baraff, ABlockSticksOrSlidesOnASlope) {
  const double width = 0.6, height = 0.4, mu = 0.5, m = 2;
  for (const double angle : {0.1, 0.3, 0.46, 0.47, 0.7, 0.9}) {  // tan 0.4636 = 0.5
    for (const bool is_moving : {false, true}) {
      SCOPED_TRACE(testing::Message() << angle << (is_moving ? " moving" : " at rest"));
      PlanarScene scene = block_on_slope(width, height, angle, mu);
      if (is_moving) scene.bodies[0].v_x = 0.3;
      const ForceProblem p = scene.forces();
      const auto [report, f] = solve(p);
      ASSERT_EQ(report.status, ForceStatus::solved);
      const bool sticks = !is_moving && std::tan(angle) <= mu;
      const double friction = sticks ? m * g * std::sin(angle) : mu * m * g * std::cos(angle);
      EXPECT_NEAR(f[1] + f[3], -friction, 1e-12);
      EXPECT_NEAR(f[0] + f[2], m * g * std::cos(angle), 1e-12);
      EXPECT_NEAR(f[2] - f[0], height / width * friction, 1e-12);  // downhill bears more
      const std::vector<double> a = accelerations(p, f);
      const double slides = sticks ? 0 : g * (std::sin(angle) - mu * std::cos(angle));
      EXPECT_NEAR(a[1], slides, 1e-12);
      EXPECT_NEAR(a[3], slides, 1e-12);
    }
  }
}

TEST(Baraff, ADiskInAGrooveWedges) {
  for (const double half : {0.2, 0.7, 1.2}) {
    PlanarScene scene;
    scene.bodies.push_back({.mass = 3, .inertia = 1});
    for (const double side : {-1.0, 1.0}) {
      const double n_x = -side * std::cos(half), n_y = std::sin(half);
      scene.contacts.push_back(
          {.x = -n_x, .y = -n_y, .n_x = n_x, .n_y = n_y, .has_tangent = false});
    }
    const auto [report, f] = solve(scene.forces());
    EXPECT_EQ(report.status, ForceStatus::solved);
    for (const double force : f) EXPECT_NEAR(force, 3 * g / (2 * std::sin(half)), 1e-12);
  }
}

// the wall is smooth: it bears m g/(2 tan angle), which the floor's friction has to hold
TEST(Baraff, ALadderSlipsWhereItsFrictionIsBelowHalfTheCotangent) {
  const double m = 5, length = 3, angle = 1.0, needed = 1 / (2 * std::tan(angle));
  for (const double mu : {0.8 * needed, 0.99 * needed, 1.01 * needed, 2 * needed}) {
    SCOPED_TRACE(mu / needed);
    PlanarScene scene;
    const double x = length / 2 * std::cos(angle), y = length / 2 * std::sin(angle);
    scene.bodies.push_back({.mass = m, .inertia = m * length * length / 12});
    scene.contacts.push_back({.x = x, .y = -y, .friction = mu});
    scene.contacts.push_back({.x = -x, .y = y, .n_x = 1, .n_y = 0, .has_tangent = false});
    const ForceProblem p = scene.forces();
    const auto [report, f] = solve(p);
    ASSERT_EQ(report.status, ForceStatus::solved);
    const std::vector<double> a = accelerations(p, f);
    if (mu > needed) {
      EXPECT_NEAR(f[2], m * g / (2 * std::tan(angle)), 1e-12);
      EXPECT_NEAR(f[0], m * g, 1e-12);
      EXPECT_NEAR(a[1], 0, 1e-13);
    } else {
      EXPECT_GT(a[1], 1e-2);
      EXPECT_NEAR(f[1], -mu * f[0], 1e-12);
    }
  }
}

TEST(Baraff, StaticFrictionOfRandomProblemsIsAsItShould) {
  std::mt19937 random(4);
  BaraffSolver solver;
  std::vector<double> f;
  int missed = 0, given_up = 0;
  for (int k = 0; k < 10000; ++k) {
    ForceProblem p;
    switch (k % 3) {
      case 0: p = random_planar_scene(random, 6, 12).forces(); break;
      case 1:
        p = to_forces(make_friction_problem(random, {.most_bodies = 4, .most_contacts = 8}));
        break;
      default:
        p = to_forces(make_friction_problem(
            random, {.most_bodies = 4, .most_contacts = 8, .mass_spread = 1, .rests = true}));
    }
    const ForceReport report = solver.solve(p, f, 1e-10);
    if (report.status != ForceStatus::solved) ++missed;
    given_up += report.counts.given_up;
  }
  EXPECT_GT(given_up, 30) << "these problems are to need it";
  // where contacts are redundant but for rounding, forces have no digits left
  EXPECT_LE(missed, 2);
}

TEST(Baraff, StaticFrictionDoesNotDependOnTheTangents) {
  std::mt19937 random(5);
  double worst = 0;
  for (int k = 0; k < 100; ++k) {
    const ForceProblem p =
        to_forces(make_friction_problem(random, {.most_bodies = 3, .most_contacts = 4}));
    ForceProblem swapped = p;
    for (ForceContact& c : swapped.contacts) std::swap(c.tangents[0], c.tangents[1]);
    const Answer one = solve(p), other = solve(swapped);
    ASSERT_EQ(one.report.status, ForceStatus::solved);
    ASSERT_EQ(other.report.status, ForceStatus::solved);
    for (int i = 0; i < p.rows(); ++i) worst = std::max(worst, std::abs(one.f[i] - other.f[i]));
  }
  EXPECT_LT(worst, 1e-9);
}

/// A rod that slides on its leading tip at an angle from the ground.
struct Rod {
  static constexpr double m = 0.3, half = 0.25, mu = 2.3;
  static PlanarScene at(double degrees, double spin = 0) {
    const double angle = degrees * std::numbers::pi / 180;
    PlanarScene scene;
    // the tip moves along the ground alone
    const double x = half * std::cos(angle), y = half * std::sin(angle);
    scene.bodies.push_back({.mass = m,
                            .inertia = m * half * half / 3,
                            .v_x = 1 - spin * y,
                            .v_y = -spin * x,
                            .spin = spin});
    scene.contacts.push_back({.x = x, .y = -y, .friction = mu});
    return scene;
  }
};

TEST(Baraff, ARodThatSlidesHasForcesOutsideOfPainlevesRange) {
  const auto [report, f] = solve(Rod::at(30).forces());
  EXPECT_EQ(report.status, ForceStatus::solved);
  const double angle = std::numbers::pi / 6;
  const double p = 1 + 3 * std::cos(angle) * (std::cos(angle) - Rod::mu * std::sin(angle));
  EXPECT_NEAR(p, 0.262212, 1e-6);
  EXPECT_NEAR(f[0], Rod::m * g / p, 1e-10);
  EXPECT_NEAR(f[0], 11.22373, 5e-6);
  EXPECT_NEAR(f[1], -Rod::mu * f[0], 1e-12);
  // p = 0 at these
  for (const auto& [degrees, inside] : {std::pair(32.57294, 1), std::pair(80.92563, -1)}) {
    EXPECT_EQ(solve(Rod::at(degrees - inside * 1e-4).forces()).report.status, ForceStatus::solved);
    EXPECT_EQ(solve(Rod::at(degrees + inside * 1e-4).forces()).report.status,
              ForceStatus::unbounded_ray);
  }
}

// it spins fast enough to lift its tip: then there is nothing to bear
TEST(Baraff, ARodThatSpinsFastHasNoForces) {
  const double angle = std::numbers::pi / 4, fast = std::sqrt(g / (Rod::half * std::sin(angle)));
  EXPECT_EQ(solve(Rod::at(45, 0.99 * fast).forces()).report.status, ForceStatus::unbounded_ray);
  const auto [report, f] = solve(Rod::at(45, 1.01 * fast).forces());
  EXPECT_EQ(report.status, ForceStatus::solved);
  EXPECT_EQ(f[0], 0);
}

TEST(Baraff, AnImpulseAlongTheRayStopsTheTip) {
  for (const double degrees : {33.0, 45.0, 60.0, 80.0}) {
    SCOPED_TRACE(degrees);
    PlanarScene rod = Rod::at(degrees);
    const ForceProblem p = rod.forces();
    const ForceReport report = solve(p).report;
    ASSERT_EQ(report.status, ForceStatus::unbounded_ray);
    EXPECT_EQ(report.driven, 0);
    const std::vector<double> before = {0, 1};
    const double size = impulse_along_ray(p, before, report.ray);
    ASSERT_GT(size, 0);
    const std::vector<double> impulse = {size * report.ray[0], size * report.ray[1]};
    EXPECT_NEAR(impulse[1], -Rod::mu * impulse[0], 1e-12);
    // what it does to the rod
    PlanarScene pushed = rod;
    pushed.bodies[0].a_x = pushed.bodies[0].a_y = pushed.bodies[0].turn = 0;
    pushed.accelerate(impulse);
    const auto& [m, inertia, x, y, v_x, v_y, spin, a_x, a_y, turn] = pushed.bodies[0];
    const double r_x = rod.contacts[0].x, r_y = rod.contacts[0].y;
    const double slip = v_x + a_x - (spin + turn) * r_y, lift = v_y + a_y + (spin + turn) * r_x;
    EXPECT_NEAR(slip, 0, 1e-12);
    EXPECT_LT(lift, 1e-12) << "a ray is no collision: the ground has yet to answer";
    const auto energy = [&, m = m, inertia = inertia](double u, double w, double s) {
      return 0.5 * (m * (u * u + w * w) + inertia * s * s);
    };
    EXPECT_LT(energy(v_x + a_x, v_y + a_y, spin + turn), energy(v_x, v_y, spin));
  }
}

TEST(Baraff, WithoutASlidingContactNoRayIsAnImpulse) {
  const ForceProblem p = block_on_slope(1, 1, 0.2, 0.5).forces();
  EXPECT_EQ(impulse_along_ray(p, std::vector<double>(4, 0.0), std::vector<double>(4, 1.0)),
            std::numeric_limits<double>::infinity());
  EXPECT_THROW(impulse_along_ray(p, std::vector<double>(3, 0.0), std::vector<double>(4, 1.0)),
               InputError);
}

// b pushes together what no force can part
TEST(Baraff, NormalsThatCannotBeHeldAreARay) {
  ForceProblem p;
  p.matrix = {1, -1, -1, 1};
  p.bias = {-1, -1};
  p.contacts = {{.normal = 0}, {.normal = 1}};
  const ForceReport report = solve(p).report;
  EXPECT_EQ(report.status, ForceStatus::unbounded_ray);
  ASSERT_EQ(report.ray.size(), 2u);
  EXPECT_NEAR(report.ray[0], report.ray[1], 1e-15);
}

// a rigid pendulum on a joint of two bilateral rows, from the top
TEST(Baraff, APendulumOnAJointMovesAsByItsAngle) {
  const double m = 1.3, length = 0.7, inertia = 0.05, h = 1e-3;
  double angle = 3.0, rate = 2, least = 0, most = 0, worst = 0, apart = 0;
  for (int step = 0; step < 2000; ++step) {
    PlanarScene scene;
    const double x = length * std::sin(angle), y = -length * std::cos(angle);
    scene.bodies.push_back({.mass = m,
                            .inertia = inertia,
                            .x = x,
                            .y = y,
                            .v_x = -y * rate,
                            .v_y = x * rate,
                            .spin = rate});
    scene.joints.push_back({});
    const ForceProblem p = scene.forces();
    const auto [report, f] = solve(p);
    ASSERT_EQ(report.status, ForceStatus::solved);
    for (const double a : accelerations(p, f)) apart = std::max(apart, std::abs(a));
    least = std::min(least, f[1]), most = std::max(most, f[1]);
    scene.accelerate(f);
    const double turn = -m * g * length * std::sin(angle) / (inertia + m * length * length);
    worst = std::max(worst, std::abs(scene.bodies[0].turn - turn));
    rate += h * turn;
    angle += h * rate;
  }
  EXPECT_LT(worst, 1e-10);
  EXPECT_LT(apart, 1e-12);
  EXPECT_LT(least, -0.1);  // pushed down at the top
  EXPECT_GT(most, 3 * m * g);
}

// a lever on a joint presses on a support: joints and contacts at once
TEST(Baraff, ALeverOnAJointPressesOnItsSupport) {
  PlanarScene scene;
  scene.bodies.push_back({.mass = 2, .inertia = 0.3, .x = 0.5});
  scene.joints.push_back({});
  scene.contacts.push_back({.x = 1, .friction = 0.3});
  const auto [report, f] = solve(scene.forces());
  EXPECT_EQ(report.status, ForceStatus::solved);
  EXPECT_NEAR(f[0], g, 1e-12);
  EXPECT_NEAR(f[2] + f[1], 0, 1e-12);
  EXPECT_NEAR(f[3], g, 1e-12);
}

TEST(ForceProblemInput, IsRefusedWhereItMakesNoSense) {
  const ForceProblem good = block_on_slope(1, 1, 0.2, 0.5).forces();
  std::vector<double> f;
  BaraffSolver solver;
  const auto refuses = [&](const auto& damage) {
    ForceProblem p = good;
    damage(p);
    EXPECT_THROW(solver.solve(p, f), InputError);
  };
  EXPECT_NO_THROW(solver.solve(good, f));
  refuses([](ForceProblem& p) { p.matrix.pop_back(); });
  refuses([](ForceProblem& p) { p.bias[1] = std::nan(""); });
  refuses([](ForceProblem& p) { p.matrix[1] = std::numeric_limits<double>::infinity(); });
  refuses([](ForceProblem& p) { p.matrix[0] = 0; });
  refuses([](ForceProblem& p) { p.contacts[0].normal = 4; });
  refuses([](ForceProblem& p) { p.contacts[0].tangents = {-1, 1}; });
  refuses([](ForceProblem& p) { p.contacts[1].tangents[0] = 1; });
  refuses([](ForceProblem& p) { p.contacts.pop_back(); });
  refuses([](ForceProblem& p) { p.contacts[0].friction = -0.1; });
  refuses([](ForceProblem& p) { p.contacts[0].slip[1] = 1; });
  refuses([](ForceProblem& p) { p.bilaterals = {{.row = 0}}; });
  EXPECT_THROW(solver.solve(good, f, 0), InputError);
  EXPECT_THROW(certify(good, std::vector<double>(3)), InputError);
}

// each figure alone, by hand: one contact of mobility 1, a = f + b
TEST(ForceCertificate, SeesEachErrorAsItIs) {
  ForceProblem p;
  p.matrix = {1, 0, 0, 1};
  p.bias = {-1, 0.5};
  p.contacts = {{.normal = 0, .tangents = {1, -1}, .friction = 0.25}};
  const auto judge = [&](double f_n, double f_t) {
    return certify(p, std::vector<double>{f_n, f_t});
  };
  EXPECT_EQ(judge(1, -0.25).error, 0);                 // slips at its limit
  EXPECT_DOUBLE_EQ(judge(0.5, -0.125).approach, 0.5);  // still comes closer
  EXPECT_DOUBLE_EQ(judge(1.5, -0.375).complementarity, 0.75);
  EXPECT_DOUBLE_EQ(judge(1, -0.5).excess, 0.25);
  EXPECT_DOUBLE_EQ(judge(1, 0.25).drive, 0.1875);
  EXPECT_DOUBLE_EQ(judge(1, -0.125).slack, 0.375 * 0.125);
  p.bias = {1, 0};
  EXPECT_DOUBLE_EQ(judge(-0.5, 0).pull, 0.5);
  p.bias = {-1, 0.5};
  p.contacts[0].slip = {2, 0};
  EXPECT_EQ(judge(1, -0.25).error, 0);
  EXPECT_DOUBLE_EQ(judge(1, 0.25).misdirection, 0.5);
  p.contacts[0] = {.normal = 0};
  p.bilaterals = {{.row = 1}};
  EXPECT_DOUBLE_EQ(judge(1, 0.25).bilateral, 0.75);
  EXPECT_DOUBLE_EQ(judge(1, 0.25).error, 0.75);
  // with bounds: a > 0 at the lower one, a < 0 at the upper one
  p.bilaterals = {{.row = 1, .lower = -0.2, .upper = 0.3}};
  EXPECT_EQ(judge(1, -0.2).error, 0);
  EXPECT_DOUBLE_EQ(judge(1, 0).complementarity, 0.5 * 0.2);
  EXPECT_DOUBLE_EQ(judge(1, -0.5).excess, 0.3);
  p.bias[1] = -0.5;
  EXPECT_EQ(judge(1, 0.3).error, 0);
  EXPECT_DOUBLE_EQ(judge(1, 0.1).complementarity, 0.4 * 0.2);
  EXPECT_DOUBLE_EQ(judge(1, 0.5).excess, 0.2);
  p.bilaterals[0].upper = std::numeric_limits<double>::infinity();
  EXPECT_DOUBLE_EQ(judge(1, 0.1).bilateral, 0.4);  // nothing lets it be
  EXPECT_EQ(judge(std::nan(""), 0).error, std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace abut
