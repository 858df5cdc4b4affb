// What is put into the pools of contacts and scalar constraints comes out of them.

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

#include "abut/constraints/contact_pool.hpp"
#include "abut/constraints/scalar_pool.hpp"

namespace abut {
namespace {

/// In turn none and each of them.
std::optional<NormalLawKind> law_of(int k) {
  const std::size_t turn = k % (normal_laws.size() + 1);
  return turn == 0 ? std::nullopt : std::optional(normal_laws[turn - 1]);
}

/// No two numbers of two contacts are equal.
ContactPoint contact_of(double k) {
  return {.point = {k + 0.01, k + 0.02, k + 0.03},
          .normal = {k + 0.04, k + 0.05, k + 0.06},
          .gap = k + 0.07,
          .weight = k + 0.08,
          .stiffness = k + 0.09,
          .dissipation = k + 0.10,
          .relaxation_time = k + 0.11,
          .friction = k + 0.12,
          .bias = {k + 0.13, k + 0.14, k + 0.15},
          .previous_impulse = {k + 0.16, k + 0.17, k + 0.18},
          .anchor = {k + 0.19, k + 0.20, k + 0.21},
          .law = law_of(static_cast<int>(k)),
          .anisotropy = k + 0.23,
          .friction_axis = {k + 0.24, k + 0.25, k + 0.26},
          .table = std::make_shared<ForceTable>(ForceTable{{0, 1}, {0, k + 0.22}}),
          .thickness = k + 0.27};
}

void expect_contact(const ContactPool& c, int i, const ContactPoint& expected) {
  EXPECT_EQ(c.point[i], expected.point);
  EXPECT_EQ(c.normal[i], expected.normal);
  EXPECT_EQ(c.gap[i], expected.gap);
  EXPECT_EQ(c.weight[i], expected.weight);
  EXPECT_EQ(c.stiffness[i], expected.stiffness);
  EXPECT_EQ(c.dissipation[i], expected.dissipation);
  EXPECT_EQ(c.relaxation_time[i], expected.relaxation_time);
  EXPECT_EQ(c.friction[i], expected.friction);
  EXPECT_EQ(c.bias[i], expected.bias);
  EXPECT_EQ(c.previous_impulse[i], expected.previous_impulse);
  EXPECT_EQ(c.anchor[i], expected.anchor);
  EXPECT_EQ(c.law[i], expected.law);
  EXPECT_EQ(*c.table(i), *expected.table);
  EXPECT_EQ(c.anisotropy(i), expected.anisotropy);
  EXPECT_EQ(c.friction_axis(i), expected.friction_axis);
  EXPECT_EQ(c.thickness(i), expected.thickness);
}

TEST(ContactPool, KeepsEachNumberOfEachContact) {
  ContactPool pool;
  for (const int count : {0, 1, 50, 3}) {  // again after clear(), with and without room
    pool.clear();
    EXPECT_EQ(pool.size(), 0);
    if (count == 50) pool.reserve(20);
    for (int i = 0; i < count; ++i) pool.push_back(contact_of(i));
    ASSERT_EQ(pool.size(), count);
    for (int i = 0; i < count; ++i) expect_contact(pool, i, contact_of(i));
    for (const auto* v :
         {&pool.point, &pool.normal, &pool.bias, &pool.previous_impulse, &pool.anchor}) {
      EXPECT_EQ(std::ssize(*v), count);
    }
    for (const auto* v : {&pool.gap, &pool.weight, &pool.stiffness, &pool.dissipation,
                          &pool.relaxation_time, &pool.friction}) {
      EXPECT_EQ(std::ssize(*v), count);
    }
    EXPECT_EQ(std::ssize(pool.law), count);
  }
}

TEST(ContactPool, ReservingLosesNothing) {
  ContactPool pool;
  pool.push_back(contact_of(7));
  pool.reserve(1000);
  ASSERT_EQ(pool.size(), 1);
  expect_contact(pool, 0, contact_of(7));
  const double* gaps = pool.gap.data();
  for (int i = 0; i < 999; ++i) pool.push_back(contact_of(i));
  EXPECT_EQ(pool.gap.data(), gaps) << "there was room";
}

// rows of one to nine entries, one after another in one array
TEST(ScalarPool, KeepsEachConstraintWithItsRow) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  ScalarPool pool;
  for (const int count : {0, 1, 40, 5}) {
    std::vector<ScalarConstraint> constraints;
    std::vector<std::vector<RowEntry>> rows;
    pool.clear();
    for (int i = 0; i < count; ++i) {
      constraints.push_back({.kind = static_cast<ScalarKind>(random() % 4),
                             .gap = normal(random),
                             .stiffness = normal(random),
                             .relaxation_time = normal(random),
                             .damping = normal(random),
                             .force = normal(random),
                             .lower_force = normal(random),
                             .upper_force = normal(random),
                             .previous_impulse = normal(random),
                             .name = static_cast<std::int32_t>(random() % 1000)});
      std::set<int> trees;
      for (int k = static_cast<int>(random() % 9); k >= 0; --k)
        trees.insert(static_cast<int>(random() % 30));
      rows.emplace_back();
      for (const int tree : trees) {
        rows.back().push_back({tree, static_cast<std::int32_t>(random() % 6), normal(random)});
      }
      pool.push_back(constraints.back(), rows.back());
    }
    ASSERT_EQ(pool.size(), count);
    for (int i = 0; i < count; ++i) {
      const ScalarConstraint& c = constraints[i];
      EXPECT_EQ(pool.kind[i], c.kind);
      EXPECT_EQ(pool.name[i], c.name);
      EXPECT_EQ(pool.gap[i], c.gap);
      EXPECT_EQ(pool.stiffness[i], c.stiffness);
      EXPECT_EQ(pool.relaxation_time[i], c.relaxation_time);
      EXPECT_EQ(pool.damping[i], c.damping);
      EXPECT_EQ(pool.force[i], c.force);
      EXPECT_EQ(pool.lower_force[i], c.lower_force);
      EXPECT_EQ(pool.upper_force[i], c.upper_force);
      EXPECT_EQ(pool.previous_impulse[i], c.previous_impulse);
      EXPECT_EQ(pool.first_tree(i), rows[i].front().tree);
      ASSERT_EQ(pool.row(i).size(), rows[i].size());
      for (std::size_t k = 0; k < rows[i].size(); ++k) {
        EXPECT_EQ(pool.row(i)[k].tree, rows[i][k].tree);
        EXPECT_EQ(pool.row(i)[k].dof, rows[i][k].dof);
        EXPECT_EQ(pool.row(i)[k].value, rows[i][k].value);
      }
    }
  }
}

}  // namespace
}  // namespace abut
