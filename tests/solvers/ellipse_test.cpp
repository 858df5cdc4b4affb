// Friction that depends on the direction.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "abut/problem/certify.hpp"
#include "abut/solvers/contact_solver.hpp"
#include "peers/exact_judge.hpp"
#include "support/model_case.hpp"
#include "support/random_problem.hpp"

namespace abut {
namespace {

TEST(Ellipse, RandomProblemsAreSolvedAndJudged) {
  for (const ModelCase& c : model_cases) {
    int iterations = 0, round_ones = 0;
    for (unsigned seed = 0; seed < 30; ++seed) {
      for (const bool ellipses : {true, false}) {
        std::mt19937 random(seed);
        ContactProblem p = make_problem(random, {.model = c.model,
                                                 .law = c.law,
                                                 .bodies = 6,
                                                 .dense_trees = static_cast<int>(seed % 3),
                                                 .sparse_trees = seed % 4 == 3 ? 1 : 0,
                                                 .scalars = 2,
                                                 .links = static_cast<int>(seed % 4),
                                                 .stiffness = 1e5,
                                                 .ellipses = ellipses});
        validate(p);
        const PreparedProblem q(p);
        ContactSolution x;
        x.velocity = p.velocity;
        const SolveReport report = make_solver("newton")->solve(q, {.tolerance = 1e-9}, x);
        (ellipses ? iterations : round_ones) += report.iterations;
        if (!ellipses) continue;
        EXPECT_EQ(report.status, SolveStatus::converged) << name(c) << ", seed " << seed;
        const ExactErrors exact = ExactJudge(p).judge(x.answer());
        EXPECT_LT(exact.step, 1e-8) << name(c) << ", seed " << seed;
        EXPECT_LT(exact.impulse, 1e-8) << name(c) << ", seed " << seed;
        EXPECT_LT(report.certificate.step_error, 1e-8);
        for (int i = 0; i < p.contacts.size() && c.model == ContactModel::sap; ++i) {
          const Vec3 &n = p.contacts.normal[i], &t = p.contacts.friction_axis(i);
          const double mu = p.contacts.friction[i], delta = p.contacts.anisotropy(i);
          const Vec3 gamma = x.impulse[i], s = cross(n, t);
          if (mu == 0 || delta == 0 || delta == 1) continue;
          const double size =
              std::hypot(dot(t, gamma) / (mu * (1 + delta)), dot(s, gamma) / (mu * (1 - delta)));
          EXPECT_LE(size, dot(n, gamma) * (1 + 1e-12) + 1e-15) << "beyond the ellipse";
        }
      }
    }
    printf("%s: %d iterations, %d with circles\n", name(c).c_str(), iterations, round_ones);
  }
}

// a ball of 1 kg that slides on the ground: friction is the point of the ellipse that dissipates
// most
TEST(Ellipse, SlidingDissipatesMost) {
  for (const ModelCase& c : model_cases) {
    for (const double way : {0.0, 0.3, 1.0, 1.5, 2.4}) {
      ContactProblem p;
      p.model = c.model;
      p.law = c.law;
      p.time_step = 1e-3;
      const double mu_t = 0.8, mu_s = 0.2, turn = 0.4;
      const Vec3 t{std::cos(turn), std::sin(turn), 0}, s{-t.y, t.x, 0};
      const double v[6] = {std::cos(way), std::sin(way), -9.81e-3, 0, 0, 0};
      p.add_rigid_body(1, {0, 0, 0}, Mat3::diagonal({1, 1, 1}), v, v);
      p.add_contact(world_tree, 0,
                    {.gap = -1e-6,
                     .stiffness = 1e6,
                     .friction = 0.5,
                     .previous_impulse = {0, 0, 9.81e-3},
                     .anisotropy = 0.6,
                     .friction_axis = t},
                    -1, -1);
      const PreparedProblem q(p);
      ContactSolution x;
      x.velocity = p.velocity;
      ASSERT_EQ(make_solver("newton")->solve(q, {.tolerance = 1e-12}, x).status,
                SolveStatus::converged);
      const Vec3 u{x.velocity[0], x.velocity[1], 0}, gamma = x.impulse[0];
      ASSERT_GT(gamma.z, 1e-5);
      const double a = mu_t * dot(t, u), b = mu_s * dot(s, u), rate = std::hypot(a, b);
      EXPECT_NEAR(dot(t, gamma), -gamma.z * mu_t * a / rate, 1e-5 * gamma.z) << name(c);
      EXPECT_NEAR(dot(s, gamma), -gamma.z * mu_s * b / rate, 1e-5 * gamma.z) << name(c);
    }
  }
}

}  // namespace
}  // namespace abut
