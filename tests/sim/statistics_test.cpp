// What a run's statistics say of its steps: sums, largest numbers and the first failure, whatever
// the order in which steps come.

#include "abut/sim/statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace abut {
namespace {

StepReport random_report(std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(0, 1);
  StepReport r;
  r.solve.status = static_cast<SolveStatus>(random() % std::size(Statistics{}.by_status));
  r.solve.iterations = static_cast<int>(random() % 50);
  r.solve.weighted_iterations = r.solve.iterations * uniform(random);
  r.solve.factorizations = static_cast<int>(random() % 50);
  r.solve.lagging_islands = static_cast<int>(random() % 3);
  r.contacts = static_cast<int>(random() % 1000);
  r.penetration = uniform(random);
  r.equality.size = uniform(random);
  r.equality.index = static_cast<int>(random() % 100);
  r.limit.size = uniform(random);
  r.solve.certificate.step_error = uniform(random);
  r.solve.certificate.momentum_error = uniform(random);
  r.time.solve = uniform(random);
  return r;
}

TEST(Statistics, DoNotDependOnTheOrderOfSteps) {
  std::mt19937 random(6);
  std::vector<StepReport> reports;
  for (int i = 0; i < 200; ++i) reports.push_back(random_report(random));
  Statistics forward, shuffled;
  for (const StepReport& r : reports) forward.add(r, 1);
  std::shuffle(reports.begin(), reports.end(), random);
  for (const StepReport& r : reports) shuffled.add(r, 1);
  EXPECT_EQ(forward.steps, 200u);
  EXPECT_EQ(forward.by_status, shuffled.by_status);
  EXPECT_EQ(forward.contacts, shuffled.contacts);
  EXPECT_EQ(forward.contacts_max, shuffled.contacts_max);
  EXPECT_NEAR(forward.iterations, shuffled.iterations, 1e-9 * forward.iterations);
  EXPECT_EQ(forward.factorizations, shuffled.factorizations);
  EXPECT_EQ(forward.certificate_max, shuffled.certificate_max);
  EXPECT_EQ(forward.momentum_error_max, shuffled.momentum_error_max);
  EXPECT_EQ(forward.penetration_max, shuffled.penetration_max);
  EXPECT_EQ(forward.equality_max.index, shuffled.equality_max.index);
  EXPECT_EQ(forward.limit_max.size, shuffled.limit_max.size);
  EXPECT_EQ(forward.lagging_steps, shuffled.lagging_steps);
  EXPECT_NEAR(forward.time.solve, shuffled.time.solve, 1e-9);
  double most = 0;
  for (const StepReport& r : reports) most = std::max(most, r.solve.certificate.step_error);
  EXPECT_EQ(forward.certificate_max, most);
}

TEST(Statistics, KeepAnErrorThatIsNoNumber) {
  for (const int at : {0, 3, 9}) {
    Statistics s;
    for (int i = 0; i < 10; ++i) {
      StepReport r;
      r.solve.certificate.step_error = i == at ? NAN : 0.1 * i;
      s.add(r, static_cast<std::uint64_t>(i));
    }
    EXPECT_TRUE(std::isnan(s.certificate_max)) << at;
  }
}

TEST(Statistics, NameTheFirstStepThatFailed) {
  Statistics s;
  EXPECT_FALSE(s.first_failure.has_value());
  for (std::uint64_t step = 1; step < 10; ++step) {
    StepReport r;
    r.solve.status = step % 4 == 3 ? SolveStatus::iteration_limit : SolveStatus::converged;
    s.add(r, step);
    EXPECT_EQ(s.first_failure.has_value(), step >= 3);
  }
  EXPECT_EQ(*s.first_failure, 3u);
}

}  // namespace
}  // namespace abut
