// Scalar constraints as docs/notation.md defines them, solved: alone by closed forms, several on
// one dof by bisection, on trees of all kinds by what must not change their answer.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <random>
#include <vector>

#include "abut/solvers/contact_solver.hpp"

namespace abut {
namespace {

using Real = long double;
constexpr Real infinite = std::numeric_limits<Real>::infinity();

/// The law of one constraint, gamma = clamp((v_hat - c)/R, lower, upper), written out from the
/// definitions, of a row with the mobility w.
struct Law {
  Real v_hat = 0, r = 0, lower, upper;

  Law(const ScalarConstraint& s, Real h, Real w) {
    const Real pi = std::numbers::pi_v<Real>, horizon = h + s.relaxation_time;
    const Real compliance = 1 / (h * horizon * s.stiffness);
    lower = h * s.lower_force, upper = h * s.upper_force;
    switch (s.kind) {
      case ScalarKind::limit:
        v_hat = -s.gap / horizon, r = std::max(w / (4 * pi * pi), compliance);
        lower = 0, upper = infinite;
        break;
      case ScalarKind::equality:
        v_hat = -s.gap / horizon, r = compliance;
        lower = -infinite, upper = infinite;
        break;
      case ScalarKind::dry_friction: r = 1e-3L * w; break;
      case ScalarKind::actuator:
        r = 1 / (h * (h * s.stiffness + s.damping));
        v_hat = s.force / (h * s.stiffness + s.damping);
        break;
    }
  }
  Real impulse(Real c) const { return std::clamp((v_hat - c) / r, lower, upper); }
};

/// One dof of this mass at the free velocity v.
ContactProblem one_dof(double mass, double h, double v, std::span<const ScalarConstraint> all) {
  ContactProblem p;
  p.time_step = h;
  p.friction.sigma = 1e-3;
  p.add_tree({&mass, 1}, {&v, 1}, {&v, 1}, mass);
  const RowEntry row{0, 0, 1};
  for (const ScalarConstraint& s : all) p.add_scalar(s, {&row, 1});
  return p;
}

ContactSolution solve(const PreparedProblem& q, double tolerance = 1e-13) {
  ContactSolution x;
  static const std::unique_ptr<ContactSolver> solver = make_solver("newton");
  const SolveReport r = solver->solve(q, {.tolerance = tolerance}, x);
  EXPECT_TRUE(r.status == SolveStatus::converged) << to_string(r.status);
  return x;
}

ScalarConstraint random_constraint(std::mt19937& random, double mass, double h) {
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  const double k = mass / (h * h), f = mass / h;  // what moves this mass at 1 m/s in this step
  ScalarConstraint s;
  s.kind = static_cast<ScalarKind>(random() % 4);
  s.gap = h * uniform(-1, 1);
  s.stiffness = k * std::pow(10, uniform(-3, 4));
  s.relaxation_time = random() % 2 == 0 ? 0 : h * std::pow(10, uniform(-2, 2));
  s.damping = random() % 2 == 0 ? 0 : f * uniform(0, 3);
  s.force = f * uniform(-3, 3);
  s.lower_force = random() % 5 == 0 ? -INFINITY : -f * uniform(0, 2);
  s.upper_force = random() % 5 == 0 ? 0 : f * uniform(0, 2);
  return s;
}

/// The velocity at which m (v - v*) is what the constraints give: their sum only falls.
Real bisect(Real mass, Real v_free, const std::vector<Law>& laws) {
  const auto excess = [&](Real v) {
    Real sum = mass * (v_free - v);
    for (const Law& law : laws) sum += law.impulse(v);
    return sum;
  };
  Real low = -1e6L, high = 1e6L;
  for (int k = 0; k < 200; ++k) {
    const Real middle = (low + high) / 2;
    (excess(middle) > 0 ? low : high) = middle;
  }
  return low;
}

// one to six of them, however they work against each other, over 12 decades of mass and 5 of step
TEST(ScalarConstraints, OnOneDofBalanceItsMomentum) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 3000; ++trial) {
    const double mass = std::pow(10, static_cast<int>(random() % 13) - 6),
                 h = std::pow(10, -static_cast<int>(random() % 6));
    const double v_free = normal(random);
    std::vector<ScalarConstraint> all;
    std::vector<Law> laws;
    for (int k = trial % 6; k >= 0; --k) {
      all.push_back(random_constraint(random, mass, h));
      laws.emplace_back(all.back(), h, 1 / Real(mass));
    }
    SCOPED_TRACE(testing::Message() << "trial " << trial << ", " << mass << " kg, " << h << " s");
    const PreparedProblem q(one_dof(mass, h, v_free, all));
    const ContactSolution x = solve(q);
    const Real v = bisect(mass, v_free, laws);
    EXPECT_NEAR(x.velocity[0], static_cast<double>(v), 1e-10);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double gamma = static_cast<double>(laws[i].impulse(v));
      const double slack = 1e-10 * mass + 1e-12 / static_cast<double>(laws[i].r);
      EXPECT_NEAR(x.scalar_impulse[i], gamma, slack) << "constraint " << i;
    }
  }
}

// numbers as far apart as validate() lets them be: what counts as solved is, or it says that it is
// not
TEST(ScalarConstraints, AtTheEndsOfTheNumbersNothingWrongIsASuccess) {
  int solved = 0, failed = 0;
  const std::unique_ptr<ContactSolver> solver = make_solver("newton");
  for (const double mass : {1e-100, 1e-9, 1.0, 1e9, 1e100}) {
    for (const double h : {1e-12, 1e-3, 1e6}) {
      for (const double k : {1e-290, 1e-100, 1.0, 1e100}) {
        for (const double v_free : {0.0, -1e-100, 1.0, -1e30}) {
          for (const double size : {0.0, 1e-30, 1.0, 1e30, 1e100}) {
            for (int kind = 0; kind < 4; ++kind) {
              ScalarConstraint s{.kind = static_cast<ScalarKind>(kind),
                                 .gap = -size,
                                 .stiffness = k,
                                 .damping = 1,
                                 .force = size,
                                 .lower_force = -size,
                                 .upper_force = 2 * size};
              SCOPED_TRACE(testing::Message() << mass << " kg, " << h << " s, k " << k << ", v* "
                                              << v_free << ", " << size << ", kind " << kind);
              const ContactProblem p = one_dof(mass, h, v_free, {&s, 1});
              ASSERT_NO_THROW(validate(p));
              ContactSolution x;
              const SolveReport r = solver->solve(PreparedProblem(p), {.tolerance = 1e-9}, x);
              ++(r.status == SolveStatus::converged ? solved : failed);
              if (r.status != SolveStatus::converged) continue;
              // gamma = m (v - v*), by the line between the bounds
              const Law law(s, h, 1 / Real(mass));
              const Real alone = (law.v_hat - v_free) / (law.r + 1 / Real(mass));
              const Real gamma = std::clamp(alone, law.lower, law.upper);
              const Real v = v_free + gamma / mass, change = std::abs(gamma / mass);
              const Real least = 1e-13L / std::sqrt(Real(mass));  // at rest is below 1e-14 J^(1/2)
              EXPECT_LE(std::abs(x.velocity[0] - v), 1e-6L * std::max(change, std::abs(v)) + least);
            }
          }
        }
      }
    }
  }
  EXPECT_GT(solved, 9 * failed);
}

/// v and gap of one dof after steps of h under the force f, by what the constraint says of its gap.
struct Motion {
  double v = 0, gap = 0;
};
Motion run(Motion m, ScalarConstraint s, double mass, double h, double f, int steps) {
  for (int k = 0; k < steps; ++k) {
    if (s.kind == ScalarKind::actuator) {
      s.force = -s.stiffness * m.gap;  // a servo to zero; what damping adds is at c = 0
    } else {
      s.gap = m.gap;
    }
    ContactProblem p = one_dof(mass, h, m.v, {&s, 1});
    p.free_velocity[0] += h * f / mass;
    m.v = solve(PreparedProblem(p)).velocity[0];
    m.gap += h * m.v;
  }
  return m;
}

// a stiff equality closes its gap by tau/(h + tau) a step: at once without relaxation
TEST(ScalarConstraints, AnEqualityClosesItsGapByItsRelaxationTime) {
  for (const double h : {1e-3, 1e-1}) {
    for (const double tau : {0.0, 0.3 * h, 10 * h}) {
      for (const double gap : {-0.1, 0.2}) {
        const ScalarConstraint s{
            .kind = ScalarKind::equality, .stiffness = 1e14, .relaxation_time = tau};
        const Motion m = run({.v = 3, .gap = gap}, s, 2, h, 5, 7);
        EXPECT_NEAR(m.gap, gap * std::pow(tau / (h + tau), 7), 1e-9) << h << ", " << tau;
      }
    }
  }
}

// at rest a constraint carries the load on its spring, whatever the step and the damping
TEST(ScalarConstraints, LoadsBendTheirSprings) {
  const double k = 1e3, mass = 2;
  for (const double h : {1e-3, 1e-2}) {
    for (const double load : {-20.0, 20.0}) {
      const ScalarConstraint equality{
          .kind = ScalarKind::equality, .stiffness = k, .relaxation_time = 0.05};
      EXPECT_NEAR(run({}, equality, mass, h, load, 3000).gap, load / k, 1e-8);
      const ScalarConstraint limit{
          .kind = ScalarKind::limit, .stiffness = k, .relaxation_time = 0.05};
      const double gap = run({.gap = 1e-3}, limit, mass, h, load, 3000).gap;
      EXPECT_NEAR(std::min(gap, 1.0), load < 0 ? load / k : 1, 1e-8) << "it holds one way";
      ScalarConstraint servo{.kind = ScalarKind::actuator,
                             .stiffness = k,
                             .damping = 60,
                             .lower_force = -30,
                             .upper_force = 30};
      EXPECT_NEAR(run({}, servo, mass, h, load, 3000).gap, load / k, 1e-8);
      servo.lower_force = -10, servo.upper_force = 10;  // too weak: what is left accelerates
      const double time = 100 * h, excess = load > 0 ? 10 : -10;
      EXPECT_NEAR(run({.gap = load / k}, servo, mass, h, load, 100).v, excess * time / mass, 1e-9);
    }
  }
}

}  // namespace
}  // namespace abut
