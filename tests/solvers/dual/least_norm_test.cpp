// Impulses of the least norm, where contacts are more than bodies can tell apart.

#include "abut/solvers/dual/least_norm.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <ostream>
#include <random>

#include "support/random_friction.hpp"

namespace abut {
namespace {

double norm_of(const std::vector<Vec3>& x) {
  double sum = 0;
  for (const Vec3& g : x) sum += squared_norm(g);
  return std::sqrt(sum);
}

/// A body of 1 kg that rests on points of the ground, with a contact at each.
FrictionProblem resting_on(const std::vector<Vec3>& points, double mu) {
  const Vec3 weight{0, 0, -9.81e-3};
  FrictionProblem p;
  for (const Vec3& a : points) {
    p.velocity.push_back(weight);
    p.friction.push_back(mu);
    for (std::size_t j = 0; j < points.size(); ++j) {
      Mat3 w{};
      for (int c = 0; c < 3; ++c) {
        Vec3 push;
        push[c] = 1;
        w.col[c] = push + cross(20 * cross(points[j], push), a);  // moment of inertia 1/20
      }
      p.delassus.block.push_back(w);
      p.delassus.column.push_back(static_cast<std::int32_t>(j));
    }
    p.delassus.start.push_back(std::ssize(p.delassus.column));
  }
  p.time_step = 1e-3;
  return p;
}

Eigen::VectorXd pseudo_inverse_times(const FrictionProblem& p) {
  const int n = 3 * p.rows();
  Eigen::MatrixXd w = Eigen::MatrixXd::Zero(n, n);
  Eigen::VectorXd g(n);
  for (int i = 0; i < p.rows(); ++i) {
    for (int r = 0; r < 3; ++r) g(3 * i + r) = -p.velocity[i][r];
    for (std::int64_t k = p.delassus.start[i]; k < p.delassus.start[i + 1]; ++k) {
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c)
          w(3 * i + r, 3 * p.delassus.column[k] + c) = p.delassus.block[k](r, c);
      }
    }
  }
  return w.completeOrthogonalDecomposition().solve(g);
}

struct Case {
  const char* solver;
  RigidModel model;
};
void PrintTo(const Case& c, std::ostream* out) {
  *out << c.solver << " " << to_string(c.model);
}
class LeastNormOf : public testing::TestWithParam<Case> {};

// a cube: a quarter of its weight each, from any start
TEST_P(LeastNormOf, ACubeAtRestBearsAQuarterOfItsWeightAtEachCorner) {
  constexpr double h = 0.01;
  const FrictionProblem p = box_on_ground(0.1, 0.5, {}, h);
  // pressed together along x and along a diagonal of the face: internal forces
  std::vector<Vec3> x{{0.005, 0, 0.03}, {0.005, 0, 0.02}, {-0.005, 0, 0.02}, {-0.005, 0, 0.03}};
  for (Vec3& g : x) g.z *= 0.0981 / 0.1;
  ASSERT_LT(certify(p, GetParam().model, x).natural_error, 1e-12) << "an answer";
  const auto solver = make_friction_solver(GetParam().solver);
  for (const bool is_warm : {true, false}) {
    std::vector<Vec3> y = x;
    const FrictionReport r =
        solver->solve(p, {.model = GetParam().model, .is_warm = is_warm, .least_norm = true}, y);
    EXPECT_EQ(r.status, SolveStatus::converged);
    for (const Vec3& g : y) EXPECT_LT(norm(g / h - Vec3{0, 0, 9.81 / 4}), 1e-6) << is_warm;
  }
}

// on more feet than three, in no order, all of them sticking: the pseudo-inverse, where it presses
TEST_P(LeastNormOf, ABodyOnManyFeetIsThePseudoInverse) {
  std::mt19937 random(101);
  std::uniform_real_distribution<double> side(-0.3, 0.3);
  const auto solver = make_friction_solver(GetParam().solver);
  int compared = 0;
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<Vec3> feet;
    for (int i = 0; i < 5 + trial % 3; ++i) {
      feet.push_back({side(random), side(random), -0.2 + 0.1 * side(random)});
    }
    const FrictionProblem p = resting_on(feet, 0.8);
    const Eigen::VectorXd exact = pseudo_inverse_times(p);
    bool presses = true;
    for (int i = 0; i < p.rows(); ++i) {
      presses = presses && std::hypot(exact(3 * i), exact(3 * i + 1)) < 0.8 * exact(3 * i + 2);
    }
    if (!presses) continue;
    ++compared;
    std::vector<Vec3> x;
    const FrictionReport r =
        solver->solve(p, {.model = GetParam().model, .tolerance = 1e-10, .least_norm = true}, x);
    EXPECT_EQ(r.status, SolveStatus::converged);
    for (int i = 0; i < p.rows(); ++i) {
      EXPECT_LT((Eigen::Vector3d(x[i].x, x[i].y, x[i].z) - exact.segment<3>(3 * i)).norm(),
                1e-6 * 9.81e-3)
          << trial;
    }
  }
  EXPECT_GE(compared, 3);
}

INSTANTIATE_TEST_SUITE_P(All, LeastNormOf,
                         testing::Values(Case{"admm", RigidModel::ncp},
                                         Case{"admm", RigidModel::ccp},
                                         Case{"staggered", RigidModel::ncp},
                                         Case{"staggered", RigidModel::lcp},
                                         Case{"interior-point", RigidModel::ncp},
                                         Case{"gauss-seidel", RigidModel::ccp}));

// bodies on many feet, pushed: they hold or slide, feet part; no norm grows, no answer is lost
TEST(LeastNorm, ShortensImpulsesAndKeepsAnswers) {
  std::mt19937 random(102);
  std::uniform_real_distribution<double> side(-0.3, 0.3);
  for (const RigidModel model : rigid_models) {
    const auto solver = make_friction_solver("gauss-seidel");
    int shortened = 0, slid = 0;
    for (int trial = 0; trial < 20; ++trial) {
      std::vector<Vec3> feet;
      for (int i = 0; i < 6; ++i) feet.push_back({side(random), side(random), -0.2});
      FrictionProblem p = resting_on(feet, 0.4);
      const Vec3 push{0.03 * side(random), 0.03 * side(random), 0};
      // turning, feet slide in directions of their own: that leaves one answer
      const Vec3 turn{0, 0, trial % 4 == 3 ? 0.02 * side(random) : 0};
      for (int i = 0; i < 6; ++i) p.velocity[i] += push + cross(turn, feet[i]);
      std::vector<Vec3> x;
      if (solver->solve(p, {.model = model, .tolerance = 1e-9, .iteration_limit = 3000}, x)
              .status != SolveStatus::converged) {
        continue;
      }
      std::vector<Vec3> y = x, v(6), u(6);
      const double before = norm_of(x);
      LeastNorm().improve(p, {.model = model}, y);
      EXPECT_LE(certify(p, model, y).natural_error, 1.01e-8);
      EXPECT_LE(norm_of(y), before) << to_string(model) << " " << trial;
      p.delassus.multiply(x, u);
      p.delassus.multiply(y, v);
      for (int i = 0; i < 6; ++i) {
        EXPECT_LT(norm(u[i] - v[i]), 1e-9) << trial;
        slid += norm(u[i] + p.velocity[i]) > 1e-4;
      }
      shortened += norm_of(y) < 0.999 * before;
    }
    // under RaiSim's model a foot that slides and bears nothing stays so
    EXPECT_GE(shortened, model == RigidModel::raisim ? 2 : 10) << to_string(model);
    EXPECT_GE(slid, 12) << to_string(model);
  }
}

// an answer that is the shortest already: each foot bears what it must
TEST(LeastNorm, LeavesWhatIsUniqueAlone) {
  const FrictionProblem p = resting_on({{0, 0, -0.2}}, 0.5);
  std::vector<Vec3> x;
  make_friction_solver("interior-point")->solve(p, {.tolerance = 1e-12}, x);
  std::vector<Vec3> y = x;
  LeastNorm().improve(p, {}, y);
  EXPECT_LT(norm(y[0] - x[0]), 1e-11);
}

}  // namespace
}  // namespace abut
