#include "abut/sim/contact_budget.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "abut/laws/elasticity.hpp"
#include "support/prepared_parts.hpp"

namespace abut {
namespace {

constexpr double k = 1e5, h = 1e-3;  // N/m, s
constexpr BudgetScale scale = {.speed = 0.1, .energy = 0.5, .way = 0};

/// Points of a body of 1 kg on the world, gaps as given; weighed.
PreparedProblem points(std::initializer_list<std::pair<double, double>> gaps_and_weights,
                       ContactModel model = ContactModel::lagged,
                       NormalLawKind law = NormalLawKind::hunt_crossley) {
  PreparedProblem q;
  ContactProblem& p = q.edit();
  p.time_step = h, p.model = model, p.law = law;
  const double at_rest[6] = {};
  p.add_rigid_body(1, {}, Mat3::identity(), at_rest, at_rest);
  for (const auto& [gap, weight] : gaps_and_weights) {
    p.add_contact(world_tree, 0,
                  {.gap = gap, .weight = weight, .stiffness = k, .relaxation_time = 0});
  }
  q.weigh();
  return q;
}

/// Over k, at rest.
double energy_of(NormalLawKind law, double x, double thickness) {
  const double s = x / thickness, square = thickness * thickness;
  switch (law) {
    case NormalLawKind::hertz: return 0.4 * std::pow(x, 2.5);
    case NormalLawKind::log_barrier: return s < 1 ? square * (-std::log(1 - s) - s) : HUGE_VAL;
    case NormalLawKind::ipc_barrier: return s < 1 ? -square * s * s * std::log(1 - s) : HUGE_VAL;
    case NormalLawKind::kelvin_voigt:
    case NormalLawKind::hunt_crossley:
    case NormalLawKind::tabulated: break;  // without a table: a line
  }
  return 0.5 * x * x;
}

double stored(const PreparedProblem& q, NormalLawKind law = NormalLawKind::kelvin_voigt) {
  const ContactPool& c = q.problem().contacts;
  double sum = 0;
  for (int i = 0; i < c.size(); ++i) {
    sum += c.weight[i] * k * energy_of(law, std::max(0.0, -c.gap[i]), c.thickness(i));
  }
  return sum;
}

ContactBudget spend_all(const ContactBudget& b, PreparedProblem& p, const BudgetScale& s = scale) {
  const auto stored_now = [&] {
    const std::vector<double>& gap = p.problem().contacts.gap;
    double sum = 0;
    for (int i = 0; i < std::ssize(gap); ++i) {
      if (gap[i] < 0) sum += spring_of(p, i).energy(-gap[i]);
    }
    return sum;
  };
  const double before = stored_now();
  if (!BudgetSpender::needs_scale(b)) {
    PreparedProblem same(p.problem());
    const SpentBudget spent = BudgetSpender(same).spend(b, {}, 0, p.problem().contacts.size());
    PreparedProblem other(p.problem());
    EXPECT_EQ(spent.budget,
              BudgetSpender(other).spend(b, s, 0, p.problem().contacts.size()).budget);
  }
  const SpentBudget spent = BudgetSpender(p).spend(b, s, 0, p.problem().contacts.size());
  const double after = stored_now(),
               rounding = std::isfinite(before) ? 1e-8 * before : 1e-8 * after;
  EXPECT_NEAR(spent.stored, after, rounding);
  return spent.budget;
}

constexpr auto motion = ContactBudget::Origin::motion, start = ContactBudget::Origin::start;

TEST(ContactBudget, LeavesWhatMotionCompressed) {
  PreparedProblem p = points({{-1e-3, 1}, {-2e-3, 1}, {1e-3, 2}});
  const double energy = 0.5 * k * 5e-6;
  const ContactBudget b = spend_all({energy, 0, motion}, p);
  EXPECT_EQ(b.allowed, 0);
  EXPECT_EQ(p.problem().contacts.gap, (std::vector{-1e-3, -2e-3, 1e-3}));
  EXPECT_DOUBLE_EQ(b.energy, energy);
  PreparedProblem q = points({{-1e-3, 1}, {-2e-3, 1}, {1e-3, 2}});
  EXPECT_NEAR(spend_all({100 * energy, 0, motion}, q).energy, energy, 0.2 * energy)
      << "what was dissipated is lost";
}

// whatever jumps: depths, weights, points
TEST(ContactBudget, GivesBackNoMoreThanWasPutIn) {
  const double energy = 0.5 * k * 1e-6;  // of one point 1 mm deep
  for (const double x : {1.1e-3, 5e-3, 0.05}) {
    for (const double w : {1.0, 4.0}) {
      for (const NormalLawKind law : normal_laws) {
        PreparedProblem p =
            points({{-x, w}, {-0.5 * x, 2 * w}, {-0.9 * x, 1e-3}}, ContactModel::similar, law);
        const ContactBudget b = spend_all({energy, 0, motion}, p);
        if (stored(points({{-x, w}, {-0.5 * x, 2 * w}, {-0.9 * x, 1e-3}}), law) <= energy) {
          EXPECT_EQ(b.allowed, 0);
          continue;
        }
        EXPECT_GT(b.allowed, 0);
        EXPECT_NEAR(stored(p, law), energy, 1e-8 * energy)
            << to_string(law) << " " << x << " " << w;
      }
    }
  }
}

// SAP's near-rigid contact stores less than its material would
TEST(ContactBudget, CountsWithSapsOwnStiffness) {
  PreparedProblem p = points({{-1e-2, 1}}, ContactModel::sap);
  PreparedParts::contacts(p).normal_regularization[0] = 10 / (h * h * k);
  const double energy = 0.05 * k * 1e-6;
  spend_all({energy, 0, motion}, p);
  EXPECT_NEAR(p.problem().contacts.gap[0], -1e-3, 1e-9);
}

TEST(ContactBudget, WhatBeginsInEachOtherPartsSlowly) {
  PreparedProblem p = points({{-0.05, 1}});
  ContactBudget b = spend_all({}, p);
  EXPECT_EQ(b.origin, start);
  EXPECT_DOUBLE_EQ(b.allowed, 0.05);
  EXPECT_EQ(b.energy, 0);
  double deepest = 0.05;  // held there: its springs hold scale.energy, and no more
  for (int i = 0; i < 2000; ++i) {
    p = points({{-0.05, 1}});
    b = spend_all(b, p);
    EXPECT_LE(deepest - b.allowed, 1.001 * h * scale.speed);
    deepest = b.allowed;
  }
  EXPECT_NEAR(stored(p), scale.energy, 0.02 * scale.energy);
  p = points({{-1e-5, 1}});  // let go: the rest is less than a step's way
  b = spend_all(b, p);
  EXPECT_EQ(b.allowed, 0);
  EXPECT_EQ(b.origin, motion);
}

TEST(ContactBudget, WhatBeginsSlightlyInEachOtherOrMovedThereIsNoOverlap) {
  PreparedProblem p = points({{-1e-3, 1}});
  ContactBudget b = spend_all({}, p);
  EXPECT_EQ(b.allowed, 0);
  EXPECT_DOUBLE_EQ(b.energy, 0.5 * k * 1e-6);
  EXPECT_EQ(b.origin, motion);
  // a fast body that was nowhere near: stopped where it is, but its spring holds nothing yet
  p = points({{-0.05, 1}});
  b = spend_all({}, p, {.speed = 0.1, .energy = 0.5, .way = 0.04});
  EXPECT_DOUBLE_EQ(b.allowed, 0.05);
  EXPECT_EQ(b.origin, motion);
}

TEST(ContactBudget, EndsWhenThePairIsApart) {
  PreparedProblem p = points({{1e-3, 1}});
  const ContactBudget b = spend_all({1, 0.01, start}, p);
  EXPECT_EQ(b.energy, 0);
  EXPECT_EQ(b.allowed, 0);
  EXPECT_EQ(b.origin, motion) << "in contact soon: an overlap next step was not there at first";
}

}  // namespace
}  // namespace abut
