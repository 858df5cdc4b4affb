// The exact line search along convex functions of one variable and along Newton steps of real
// problems: where it looks, and where it ends.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "abut/core/aligned_buffer.hpp"
#include "abut/solvers/primal/island_system.hpp"
#include "abut/solvers/primal/line_search.hpp"
#include "support/dense_newton.hpp"
#include "support/model_case.hpp"
#include "support/random_problem.hpp"

namespace abut {
namespace {

constexpr double longest = 1.5, accept = 1e-12;

/// A convex function of alpha, with its derivatives.
struct Curve {
  std::string name;
  std::function<ContactSums(double)> at;  ///< potential; minus the slope; curvature
};

/// What the kernels below pass on to, and all that they were asked for.
struct Spy {
  std::function<ContactSums(const ContactArrays&, double)> evaluate, line;
  std::function<double(double, const ContactSums&)> slope;
  std::vector<double> asked, slopes;

  ContactSums answer(double alpha, const ContactSums& sums) {
    asked.push_back(alpha);
    slopes.push_back(slope(alpha, sums));
    return sums;
  }
};
Spy spy;

/// Kernels that remember each alpha.
ModelKernels spying() {
  ModelKernels k{};
  k.evaluate = [](const ContactArrays& c, double alpha) {
    return spy.answer(alpha, spy.evaluate(c, alpha));
  };
  k.line = [](const ContactArrays& c, double alpha) {
    return spy.answer(alpha, spy.line(c, alpha));
  };
  return k;
}

/// All that was asked lies in (0, 1.5], and strictly between where it was downhill and uphill
/// before, but for the end, which is asked for twice: its impulses stay. The end is the minimum.
void expect_search(const ContactArrays& contacts, IslandScalars& scalars, const StepSums& sums,
                   double potential, double energy) {
  spy.slope = [&](double alpha, const ContactSums& c) {
    return sums.linear + alpha * sums.quadratic -
           (c + std::as_const(scalars).line(alpha)).impulse_work;
  };
  spy.asked.clear(), spy.slopes.clear();
  const ModelKernels kernels = spying();
  CostAlongStep search(kernels, contacts, scalars, sums, potential, energy);
  const double alpha = search.search(LineSearch::exact);
  ASSERT_FALSE(spy.asked.empty());
  EXPECT_EQ(std::ssize(spy.asked), search.evaluations());
  EXPECT_EQ(spy.asked.back(), alpha);
  std::size_t count = spy.asked.size();
  if (count > 1 && spy.asked[count - 2] == alpha) --count;
  double low = 0, high = std::nextafter(longest, 2);
  for (std::size_t i = 0; i < count; ++i) {
    EXPECT_GT(spy.asked[i], low) << "evaluation " << i;
    EXPECT_LT(spy.asked[i], high) << "evaluation " << i;
    (spy.slopes[i] < 0 ? low : high) = spy.asked[i];
  }
  const double end = spy.slopes[count - 1];
  const bool no_number_is_left = std::nextafter(low, high) == high;
  EXPECT_TRUE(std::abs(end) <= -accept * sums.slope || no_number_is_left ||
              (alpha == longest && end < 0))
      << "slope " << end << " of " << sums.slope << " at " << alpha << " after " << count;
}

double squared(double x) {
  return x * x;
}

/// s (alpha - a) from a on.
Curve kink(double a, double s) {
  return {"kink at " + std::to_string(a) + " of " + std::to_string(s), [a, s](double x) {
            return x > a ? ContactSums{s * (x - a), -s, 0} : ContactSums{};
          }};
}

/// k (alpha - a)^2/2 from a on: what a contact that closes gives.
Curve touch(double a, double k) {
  return {"touch at " + std::to_string(a) + " of " + std::to_string(k), [a, k](double x) {
            const double d = std::max(x - a, 0.0);
            return ContactSums{k * d * d / 2, -k * d, x > a ? k : 0};
          }};
}

/// -s log(1 - alpha/a), by its tangent parabola from a share 1 - e of the way on.
Curve barrier(double a, double s, double e) {
  return {"barrier at " + std::to_string(a), [a, s, e](double x) {
            const double y = std::min(x / a, 1 - e), over = x / a - y;
            const double f = s / (a * (1 - y)), k = s / squared(a * (1 - y));
            return ContactSums{-s * std::log1p(-y) + a * over * (f + k * a * over / 2),
                               -f - k * a * over, k};
          }};
}

/// s (alpha - a)^n/n on both sides, n even: hardly curved about a.
Curve flat(double a, double s, int n) {
  return {"power " + std::to_string(n) + " about " + std::to_string(a), [a, s, n](double x) {
            return ContactSums{s * std::pow(x - a, n) / n, -s * std::pow(x - a, n - 1),
                               s * (n - 1) * std::pow(x - a, n - 2)};
          }};
}

/// exp(c (alpha - a))/c: the steeper the farther.
Curve exponential(double a, double c) {
  return {"exponential of " + std::to_string(c) + " about " + std::to_string(a), [a, c](double x) {
            const double f = std::exp(c * (x - a));
            return ContactSums{f / c, -f, c * f};
          }};
}

/// s sqrt(e^2 + (alpha - a)^2): friction that turns round at a.
Curve turn(double a, double s, double e) {
  return {"turn at " + std::to_string(a), [a, s, e](double x) {
            const double r = std::hypot(x - a, e);
            return ContactSums{s * r, -s * (x - a) / r, s * squared(e / r) / r};
          }};
}

std::vector<Curve> curves() {
  std::vector<Curve> all = {{"nothing", [](double) { return ContactSums{}; }}};
  for (const double a : {1e-9, 1e-3, 0.3, 0.5, 0.999, 1.0, 1.0 + 1e-12, 1.2, 1.4999, 3.0}) {
    for (const double s : {0.5, 1e3, 1e12}) {
      all.push_back(kink(a, s)), all.push_back(touch(a, s));
    }
    for (const double e : {1e-3, 1e-9}) {
      for (const double s : {1e-6, 1e-2, 1.0}) all.push_back(barrier(a, s, e));
      for (const double s : {1.0, 1e6}) all.push_back(turn(a, s, e));
    }
    for (const int n : {4, 8, 20}) all.push_back(flat(a, 1, n)), all.push_back(flat(a, 1e6, n));
    for (const double c : {1.0, 30.0, 400.0}) all.push_back(exponential(a, c));
  }
  return all;
}

// along sums of convex functions, with a quadratic part that has its minimum at 1, at 5, or none
TEST(ExactSearch, NeverLooksOutsideItsBracket) {
  IslandScalars none;
  none.clear();
  const std::vector<Curve> all = curves();
  std::mt19937 random(1);
  int searches = 0;
  for (const Curve& curve : all) {
    for (const double quadratic : {1.0, 0.2, 0.0}) {
      const Curve& other = all[random() % all.size()];
      for (const bool is_sum : {false, true}) {
        const auto at = [&](double alpha) {
          return is_sum ? curve.at(alpha) + other.at(alpha) : curve.at(alpha);
        };
        const ContactSums start = at(0);
        const double linear = -std::max(1.0, 2 * std::abs(start.impulse_work));  // downhill at 0
        if (!std::isfinite(at(1).impulse_work)) continue;
        SCOPED_TRACE(testing::Message()
                     << curve.name << (is_sum ? " + " + other.name : "") << ", " << quadratic);
        spy.evaluate = spy.line = [&](const ContactArrays&, double alpha) { return at(alpha); };
        expect_search(
            {}, none,
            {.slope = linear - start.impulse_work, .linear = linear, .quadratic = quadratic},
            start.potential, 0);
        ++searches;
      }
    }
  }
  EXPECT_GT(searches, 1000);
}

using Eigen::VectorXd;

// along Newton's steps, from starts near and far
TEST(ExactSearch, NeverLooksOutsideItsBracketOfAProblem) {
  std::mt19937 random(2);
  std::normal_distribution<double> normal;
  for (const ModelCase& c : model_cases) {
    int searches = 0;
    for (int trial = 0; trial < 20; ++trial) {
      ContactProblem p = make_problem(random, {.model = c.model,
                                               .law = c.law,
                                               .bodies = 4,
                                               .dense_trees = trial % 2,
                                               .scalars = 4,
                                               .links = 3,
                                               .touch = 0.6,
                                               .ground = 1,
                                               .mixed_laws = trial % 4 == 3});
      p.wake_gap = 1e9;
      const PreparedProblem q(std::move(p));
      const DenseProblem d(q);
      const double speed = std::pow(10, trial % 5 - 3);  // [m/s]
      const VectorXd v =
          d.v_star + VectorXd::NullaryExpr(d.v_star.size(), [&] { return speed * normal(random); });
      const VectorXd dv = -d.hessian(v).llt().solve(d.gradient(v));
      if (!dv.allFinite()) continue;
      for (int island = 0; island < q.islands().size(); ++island) {
        IslandSystem system;
        system.build(q, q.islands(), island);
        AlignedBuffer<double> at, step, momentum, gradient, impulse;
        for (auto* b : {&at, &step, &momentum, &gradient, &impulse})
          b->resize(system.vector_size());
        system.gather({v.data(), static_cast<std::size_t>(v.size())}, at.data());
        system.gather({dv.data(), static_cast<std::size_t>(dv.size())}, step.data());
        system.velocities(at.data(), ContactField::velocity_x, true);
        system.velocities(step.data(), ContactField::direction_x, false);
        system.scalars().velocities(at.data(), false);
        system.scalars().velocities(step.data(), true);
        const ModelKernels& model = contact_kernels().model(c.model, system.laws());
        const double potential =
            model.evaluate(system.contacts(), 0).potential + system.scalars().evaluate(0).potential;
        system.impulses(impulse.data());
        const BodySums s =
            system.residual(at.data(), impulse.data(), momentum.data(), gradient.data());
        const StepSums sums = system.step_terms(step.data(), momentum.data(), gradient.data());
        if (!(sums.slope < 0)) continue;
        SCOPED_TRACE(testing::Message() << name(c) << ", trial " << trial << ", island " << island);
        spy.evaluate = model.evaluate, spy.line = model.line;
        expect_search(system.contacts(), system.scalars(), sums, potential, s.energy);
        ++searches;
      }
    }
    EXPECT_GE(searches, 20) << name(c);
  }
}

}  // namespace
}  // namespace abut
