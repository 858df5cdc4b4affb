// Linear complementarity problems by Lemke's and Dantzig's pivoting: against enumeration, each
// other, sweeps and convex minima.

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "abut/solvers/direct/lemke.hpp"
#include "abut/solvers/direct/pivoting.hpp"
#include "abut/solvers/dual/friction_solver.hpp"
#include "support/random_friction.hpp"

namespace abut {
namespace {

constexpr double inf = PivotRow::inf;

Eigen::MatrixXd random_matrix(std::mt19937& random, int rows, int columns) {
  std::normal_distribution<double> normal;
  return Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return normal(random); });
}

struct Answer {
  LemkeEnd end;
  Eigen::VectorXd z;
  int pivots;
};

Answer by_lemke(const Eigen::MatrixXd& m, const Eigen::VectorXd& q, int most = 0) {
  Lemke lemke;
  const int n = static_cast<int>(q.size());
  lemke.reset(n);
  for (int i = 0; i < n; ++i) {
    lemke.q(i) = q[i];
    for (int j = 0; j < n; ++j) lemke.column(j)[i] = m(i, j);
  }
  const LemkeEnd end = lemke.solve(most);
  return {end, Eigen::VectorXd::Map(lemke.z().data(), n), lemke.pivots()};
}

/// The largest of -z, -w and |z w|.
double broken(const Eigen::MatrixXd& m, const Eigen::VectorXd& q, const Eigen::VectorXd& z) {
  const Eigen::VectorXd w = m * z + q;
  return std::max({-z.minCoeff(), -w.minCoeff(), z.cwiseProduct(w).cwiseAbs().maxCoeff()});
}

/// All answers of non-degenerate problems: of each set of z that may be positive.
std::vector<Eigen::VectorXd> enumerate(const Eigen::MatrixXd& m, const Eigen::VectorXd& q) {
  const int n = static_cast<int>(q.size());
  std::vector<Eigen::VectorXd> found;
  for (int set = 0; set < 1 << n; ++set) {
    std::vector<int> in;
    for (int i = 0; i < n; ++i) {
      if (set >> i & 1) in.push_back(i);
    }
    Eigen::VectorXd z = Eigen::VectorXd::Zero(n);
    if (!in.empty()) {
      const Eigen::VectorXd x = Eigen::MatrixXd(m(in, in)).fullPivLu().solve(-q(in));
      for (std::size_t k = 0; k < in.size(); ++k) z[in[k]] = x[k];
    }
    if (broken(m, q, z) < 1e-9) found.push_back(z);
  }
  return found;
}

// positive definite but unsymmetric M: there is one answer
TEST(Lemke, FindsTheOneAnswerThatEnumerationFinds) {
  std::mt19937 random(1);
  for (int k = 0; k < 200; ++k) {
    const int n = 1 + static_cast<int>(random() % 8);
    const Eigen::MatrixXd half = random_matrix(random, n, n + 2),
                          turn = random_matrix(random, n, n);
    const Eigen::MatrixXd m = half * half.transpose() + turn - turn.transpose();
    const Eigen::VectorXd q = random_matrix(random, n, 1);
    const std::vector<Eigen::VectorXd> all = enumerate(m, q);
    ASSERT_EQ(all.size(), 1u);
    const Answer answer = by_lemke(m, q);
    ASSERT_EQ(answer.end, LemkeEnd::solved);
    EXPECT_LT((answer.z - all[0]).norm(), 1e-9 * (1 + all[0].norm()));
  }
}

// M of any signs may have no answer: then it ends in a ray, and never claims one
TEST(Lemke, EndsInARayWhereThereIsNoAnswer) {
  std::mt19937 random(2);
  int rays = 0, without = 0;
  for (int k = 0; k < 300; ++k) {
    const int n = 1 + static_cast<int>(random() % 5);
    const Eigen::MatrixXd m = random_matrix(random, n, n);
    const Eigen::VectorXd q = random_matrix(random, n, 1);
    const bool has_answer = !enumerate(m, q).empty();
    const Answer answer = by_lemke(m, q);
    if (answer.end == LemkeEnd::solved) {
      EXPECT_LT(broken(m, q, answer.z), 1e-8);
      EXPECT_TRUE(has_answer);
    } else {
      EXPECT_EQ(answer.end, LemkeEnd::ray);
      ++rays;
    }
    without += !has_answer;
  }
  EXPECT_GE(rays, without);
  EXPECT_GT(without, 20);
  EXPECT_EQ(by_lemke(Eigen::MatrixXd::Constant(1, 1, -1), Eigen::VectorXd::Constant(1, -1)).end,
            LemkeEnd::ray);
}

// ties in each ratio: equal rows, zeros in q, rank 1
TEST(Lemke, DoesNotCycleWhereAllIsTied) {
  for (const int n : {2, 5, 12}) {
    const Eigen::MatrixXd m = Eigen::MatrixXd::Ones(n, n);
    Eigen::VectorXd q = -Eigen::VectorXd::Ones(n);
    EXPECT_EQ(by_lemke(m, q).end, LemkeEnd::solved);
    EXPECT_LT(broken(m, q, by_lemke(m, q).z), 1e-14);
    q.setZero();
    EXPECT_EQ(by_lemke(m, q).z.norm(), 0);
    q[n / 2] = -1;
    EXPECT_LT(broken(m, q, by_lemke(m, q).z), 1e-14);
  }
}

// with the first of tied rows leaving, bases come back after some pivots, until the limit of 400
TEST(Lemke, DoesNotCycleWhereTheFirstOfTiedRowsWould) {
  Eigen::MatrixXd m(6, 6);
  Eigen::VectorXd q(6);
  m << 1, 0, 2, 1, 1, 0,   //
      0, 1, 0, 1, 2, 0,    //
      0, -1, 1, 1, 0, 2,   //
      -1, 0, -1, 1, 1, 1,  //
      -1, 2, 2, -1, 2, 1,  //
      -1, 1, 2, 2, 0, 2;
  q << -1, -1, -1, -1, -1, 0;
  const auto check = [&] {
    const Answer answer = by_lemke(m, q);
    EXPECT_EQ(answer.end, LemkeEnd::solved);
    EXPECT_LT(answer.pivots, 64);
    EXPECT_LT(broken(m, q, answer.z), 1e-13);
  };
  check();
  m << 0, 2, 2, -1, -1, 1,  //
      -2, 0, 2, -1, 1, 2,   //
      -2, -2, 0, 1, -1, 2,  //
      1, 1, -1, 0, 1, 1,    //
      1, -1, 1, -1, 0, 1,   //
      -1, -2, -2, -1, -1, 0;
  q << 0, -1, -1, -1, 0, 0;
  check();
}

TEST(Lemke, StopsAtTheLimit) {
  std::mt19937 random(3);
  const Eigen::MatrixXd half = random_matrix(random, 20, 20);
  const Eigen::MatrixXd m = half * half.transpose();
  const Eigen::VectorXd q = -Eigen::VectorXd::Ones(20);
  EXPECT_EQ(by_lemke(m, q, 3).end, LemkeEnd::cut);
  EXPECT_EQ(by_lemke(m, q, 1000).end, LemkeEnd::solved);
}

// limits that are given: min f.A f/2 + b.f between them, which cyclic sweeps find as well
TEST(Pivoting, FixedLimitsGiveTheMinimumThatSweepsFind) {
  std::mt19937 random(4);
  double worst = 0;
  for (int k = 0; k < 100; ++k) {
    const int n = 1 + static_cast<int>(random() % 15);
    const Eigen::MatrixXd half = random_matrix(random, n, n + 5);
    const Eigen::MatrixXd a = half * half.transpose();
    const Eigen::VectorXd b = random_matrix(random, n, 1);
    Eigen::VectorXd lower = -random_matrix(random, n, 1).cwiseAbs() * 0.1,
                    upper = random_matrix(random, n, 1).cwiseAbs() * 0.1;
    if (n > 3) lower[0] = -inf, upper[1] = inf, lower[2] = upper[2] / 2, upper[3] = lower[3];
    Pivoting pivoting;
    pivoting.reset(n);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) pivoting.column(j)[i] = a(i, j);
      pivoting.bias(i) = b[i];
      pivoting.row(i) = {.lower = lower[i], .upper = upper[i]};
    }
    ASSERT_EQ(pivoting.run(), PivotEnd::solved);
    Eigen::VectorXd f = Eigen::VectorXd::Zero(n);
    for (int sweep = 0; sweep < 3000; ++sweep) {
      for (int i = 0; i < n; ++i) {
        f[i] = std::clamp(f[i] - (a.row(i).dot(f) + b[i]) / a(i, i), lower[i], upper[i]);
      }
    }
    for (int i = 0; i < n; ++i) worst = std::max(worst, std::abs(f[i] - pivoting.forces()[i]));
  }
  EXPECT_LT(worst, 1e-9);
}

constexpr RigidModel lcp = RigidModel::lcp;

std::vector<Vec3> velocities(const FrictionProblem& p, const std::vector<Vec3>& x) {
  std::vector<Vec3> v(x.size());
  p.delassus.multiply(x, v);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] += p.velocity[i];
  return v;
}

class DirectFriction : public testing::TestWithParam<std::string_view> {
 protected:
  FrictionReport solve(const FrictionProblem& p, std::vector<Vec3>& x,
                       FrictionOptions options = {.tolerance = 1e-10}) const {
    options.model = lcp;
    return make_friction_solver(GetParam())->solve(p, options, x);
  }
};

INSTANTIATE_TEST_SUITE_P(All, DirectFriction, testing::Values("dantzig", "lemke"),
                         [](const auto& i) { return std::string(i.param); });

// of ten decimal digits, from oracles of other programs
TEST_P(DirectFriction, SolvesLoneContactsOfOtherSimulators) {
  FrictionProblem p;
  p.delassus.start = {0, 1};
  p.delassus.column = {0};
  const auto check = [&](const Mat3& w, const Vec3& g, double mu, const Vec3& expected) {
    p.delassus.block = {w};
    p.velocity = {g};
    p.friction = {mu};
    std::vector<Vec3> x;
    EXPECT_EQ(solve(p, x).status, SolveStatus::converged);
    EXPECT_LT(norm(x[0] - expected), 1e-10);
  };
  check({{{14, 1, -1}, {1, 16, -2}, {-1, -2, 15}}}, {2, 3, -1}, 0.1,
        {-.006535947712, -.006535947712, .065359477124});
  check(Mat3::diagonal({3.5, 3.5, 1}), {1, 0.5, -0.1}, 0.5, {-0.05, -0.05, 0.1});
}

// the conditions themselves, axis by axis, and the certificate's figure
TEST_P(DirectFriction, SolvesRandomPyramids) {
  std::mt19937 random(5);
  int missed = 0;
  for (int trial = 0; trial < 300; ++trial) {
    SCOPED_TRACE(trial);
    const FrictionProblem p =
        make_friction_problem(random, {.most_bodies = 8,
                                       .most_contacts = 20,
                                       .mass_spread = trial % 2 == 0 ? 0.0 : 1.5,
                                       .rests = trial % 3 == 0,
                                       .most_scalars = trial % 4 == 0 ? 12 : 0});
    std::vector<Vec3> x;
    const FrictionReport r = solve(p, x);
    if (r.status != SolveStatus::converged) {
      ++missed;
      continue;
    }
    EXPECT_LE(r.certificate.natural_error, 1e-10);
    const std::vector<Vec3> v = velocities(p, x);
    double fastest = 0;
    for (const Vec3& g : p.velocity) fastest = std::max(fastest, norm(g));
    for (int i = 0; i < p.contacts(); ++i) {
      const double w = p.mobility(i).x, slack = 1e-7 * fastest / w, most = p.friction[i] * x[i].z;
      ASSERT_GE(x[i].z, -slack);
      ASSERT_GE(v[i].z, -w * slack);
      ASSERT_TRUE(x[i].z <= slack || v[i].z <= w * slack);
      for (int t = 0; t < 2; ++t) {
        ASSERT_LE(std::abs(x[i][t]), most + slack);
        ASSERT_TRUE(x[i][t] >= most - slack || v[i][t] >= -w * slack);
        ASSERT_TRUE(x[i][t] <= -most + slack || v[i][t] <= w * slack);
      }
    }
  }
  EXPECT_LE(missed, 1);
}

// two contacts squeeze what no impulse can part
TEST_P(DirectFriction, SaysWhereThereIsNoAnswer) {
  FrictionProblem p;
  const Mat3 one = Mat3::identity();
  p.delassus.start = {0, 2, 4};
  p.delassus.column = {0, 1, 0, 1};
  p.delassus.block = {one, -1 * one, -1 * one, one};
  p.velocity = {{0, 0, -1}, {0, 0, -1}};
  p.friction = {0.5, 0.5};
  std::vector<Vec3> x;
  const FrictionReport r = solve(p, x);
  EXPECT_EQ(r.status, SolveStatus::stalled);
  EXPECT_GT(r.certificate.natural_error, 0.1);
}

TEST_P(DirectFriction, KeepsAnAnswerThatIsGivenAndStopsAtALimit) {
  std::mt19937 random(6);
  const FrictionProblem p = make_friction_problem(random, {.most_bodies = 8, .most_contacts = 20});
  std::vector<Vec3> x;
  EXPECT_EQ(solve(p, x, {.tolerance = 1e-10, .iteration_limit = 2}).status,
            SolveStatus::iteration_limit);
  EXPECT_GT(solve(p, x).iterations, 2);
  const std::vector<Vec3> given = x;
  const FrictionReport r = solve(p, x, {.tolerance = 1e-10, .is_warm = true});
  EXPECT_EQ(r.iterations, 0);
  EXPECT_EQ(r.status, SolveStatus::converged);
  EXPECT_EQ(x, given);
}

// three methods that share nothing: their velocities
TEST(DirectFrictionSolvers, AgreeWithEachOtherAndWithTheLimitOfSweeps) {
  std::mt19937 random(7);
  int compared = 0, differ = 0, swept = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const FrictionProblem p = make_friction_problem(
        random, {.most_bodies = 5, .most_contacts = 10, .rests = trial % 2 == 0});
    std::vector<std::vector<Vec3>> v;
    double fastest = 0;
    for (const Vec3& g : p.velocity) fastest = std::max(fastest, norm(g));
    for (const std::string_view name : {"dantzig", "lemke", "gauss-seidel"}) {
      std::vector<Vec3> x;
      const FrictionReport r =
          make_friction_solver(name)->solve(p, {.model = lcp, .tolerance = 1e-12}, x);
      if (r.status == SolveStatus::converged) v.push_back(velocities(p, x));
      swept += name == "gauss-seidel" && r.status == SolveStatus::converged;
    }
    for (std::size_t k = 1; k < v.size(); ++k) {
      double most = 0;
      for (int i = 0; i < p.contacts(); ++i) most = std::max(most, norm(v[k][i] - v[0][i]));
      ++compared;
      differ += most > 1e-9 * fastest;
    }
  }
  EXPECT_GT(swept, 150);
  EXPECT_GT(compared, 350);
  EXPECT_LE(differ, compared / 20) << "where friction leaves more than one answer";
}

// without friction there is one: the velocity nearest to the free one that is admissible
TEST(DirectFrictionSolvers, FindTheMinimumWithoutFriction) {
  std::mt19937 random(8);
  for (int trial = 0; trial < 100; ++trial) {
    FrictionProblem p = make_friction_problem(random, {.most_bodies = 5, .most_contacts = 12});
    std::fill(p.friction.begin(), p.friction.end(), 0.0);
    std::vector<std::vector<Vec3>> v;
    double fastest = 0;
    for (const Vec3& g : p.velocity) fastest = std::max(fastest, norm(g));
    for (const auto& [name, model] : {std::pair("dantzig", lcp), std::pair("lemke", lcp),
                                      std::pair("interior-point", RigidModel::ncp)}) {
      std::vector<Vec3> x;
      const FrictionReport r =
          make_friction_solver(name)->solve(p, {.model = model, .tolerance = 1e-12}, x);
      ASSERT_LE(r.certificate.natural_error, 1e-11) << name;
      v.push_back(velocities(p, x));
    }
    for (int i = 0; i < p.contacts(); ++i) {
      EXPECT_LT(norm(v[1][i] - v[0][i]), 1e-9 * fastest);
      EXPECT_LT(norm(v[2][i] - v[0][i]), 1e-9 * fastest);
    }
  }
}

}  // namespace
}  // namespace abut
