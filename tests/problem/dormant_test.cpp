// Which contacts solvers leave out at first.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "abut/core/parallel.hpp"
#include "abut/problem/prepared_problem.hpp"
#include "support/random_problem.hpp"

namespace abut {
namespace {

int add_sphere(ContactProblem& p, const Vec3& center, const Vec3& velocity = {}) {
  const double v[6] = {velocity.x, velocity.y, velocity.z, 0, 0, 0};
  const double free[6] = {velocity.x, velocity.y, velocity.z - 9.81 * p.time_step, 0, 0, 0};
  return p.add_rigid_body(1, center, Mat3::diagonal({4e-3, 4e-3, 4e-3}), v, free);
}

TEST(Dormant, PairsThatStayApartLinkNothing) {
  for (const ContactModel model :
       {ContactModel::sap, ContactModel::lagged, ContactModel::similar}) {
    ContactProblem p;
    p.time_step = 1e-3;
    p.model = model;
    add_sphere(p, {0, 0, 0.1});
    p.add_contact(world_tree, 0, {.point = {0, 0, 0}, .normal = {0, 0, 1}, .gap = 1.5e-3});
    const PreparedProblem q(p);
    EXPECT_TRUE(q.islands().dormant[0]);
    EXPECT_EQ(q.islands().size(), 0);
    for (const auto& change : std::initializer_list<std::function<void(ContactProblem&)>>{
             [](ContactProblem& x) { x.contacts.gap[0] = 0.5e-3; },  // close
             [](ContactProblem& x) { x.contacts.gap[0] = -1e-9; },   // touching
             [](ContactProblem& x) { x.free_velocity[2] = -1; },     // about to
             [](ContactProblem& x) { x.velocity[2] = -1; },
             [](ContactProblem& x) {
               x.contacts.previous_impulse[0] = {0, 0, 1e-3};
             }}) {
      PreparedProblem changed(p);
      change(changed.edit());
      changed.prepare();
      EXPECT_FALSE(changed.islands().dormant[0]) << to_string(model);
      EXPECT_EQ(changed.islands().size(), 1) << to_string(model);
    }
  }
}

/// Spheres in a row, these gaps [mm] between them, of which the first one meets the second; given
/// to the problem from the first on or from the last.
ContactProblem row_of_spheres(const std::vector<double>& gaps, double speed, bool from_last,
                              double relaxation_time = 0) {
  ContactProblem p;
  p.time_step = 1e-3;
  p.wake_gap = 1e-6;
  const int last = static_cast<int>(gaps.size());
  for (int k = 0; k <= last; ++k) {
    const int at = from_last ? last - k : k;
    add_sphere(p, {0.2 * at, 0, 0}, {at == 0 ? speed : 0, 0, 0});
  }
  for (int k = 0; k < last; ++k) {
    const int at = from_last ? last - 1 - k : k;  // the one nearer to the first
    p.add_contact(k, k + 1,
                  {.point = {0.2 * at + 0.1, 0, 0},
                   .normal = {from_last ? -1.0 : 1.0, 0, 0},
                   .gap = 1e-3 * gaps[at],
                   .relaxation_time = relaxation_time});
  }
  return p;
}

/// By gap: whether the contact sleeps.
std::vector<char> sleepers(const std::vector<double>& gaps, double speed, bool from_last) {
  std::vector<char> dormant =
      PreparedProblem(row_of_spheres(gaps, speed, from_last)).islands().dormant;
  if (from_last) std::reverse(dormant.begin(), dormant.end());
  return dormant;
}

// 1 mm of way in the step, of which 0.8 mm are too much: the second sphere has a reach of as much,
// those behind it of 0.7, 0.49 and 0.343 of it
TEST(Dormant, NothingSleepsWithinReachOfAMeeting) {
  using Row = std::vector<double>;
  using Sleep = std::vector<char>;
  for (const bool from_last : {false, true}) {
    EXPECT_EQ(sleepers(Row{0.2, 0.79, 0.55, 0.38, 0.26, 0.1}, 1, from_last),
              (Sleep{0, 0, 0, 0, 0, 1}));
    EXPECT_EQ(sleepers(Row{0.2, 0.81, 0.57, 0.40, 0.28, 0.1}, 1, from_last),
              (Sleep{0, 1, 1, 1, 1, 1}));
    EXPECT_EQ(sleepers(Row{0.2, 0.81, 0.1}, 1, from_last), (Sleep{0, 1, 1}));  // handed on to none
    EXPECT_EQ(sleepers(Row{0.2, 0.1, 0.1, 0.1, 0.1, 0.1}, 0.1, from_last),
              (Sleep{1, 1, 1, 1, 1, 1}));  // 0.1 mm: they do not meet
  }
}

// spheres that press each other already have the same reach
TEST(Dormant, ThoseInTouchMoveOthersOn) {
  ContactProblem p = row_of_spheres({0, 0.5, 0.5}, 1, false);
  p.contacts.previous_impulse[0] = {1, 0, 0};
  EXPECT_EQ(PreparedProblem(p).islands().dormant, (std::vector<char>{0, 0, 0}));
  p.velocity[0] = p.free_velocity[0] = 0;
  EXPECT_EQ(PreparedProblem(p).islands().dormant, (std::vector<char>{0, 1, 1}));
}

// impulses of laws that relax answer to the gap after h + tau_d
TEST(Dormant, ReachIsAsFarAsTheLawLooks) {
  const PreparedProblem q(row_of_spheres({0.2, 0.85}, 1, false, 1e-4));
  EXPECT_EQ(q.islands().dormant, (std::vector<char>{0, 0}));
}

TEST(Dormant, AWakeGapOfZeroOrOfInfinityIsOne) {
  for (const double wake_gap : {0.0, HUGE_VAL}) {
    ContactProblem p = row_of_spheres({0.2, 0.1}, 0.1, false);
    p.wake_gap = wake_gap;
    const char sleeps = wake_gap == 0;
    EXPECT_EQ(PreparedProblem(p).islands().dormant, (std::vector<char>{sleeps, sleeps}));
  }
}

// a lever of one dof, which a ball strikes, beside a wall
TEST(Dormant, MechanismsAreMovedOn) {
  ContactProblem p;
  p.time_step = 1e-3;
  p.wake_gap = 1e-6;
  add_sphere(p, {0, 0, 0}, {1, 0, 0});
  const double one[1] = {1}, zero[1] = {0};
  const int lever = p.add_tree(one, zero, zero, 1);
  const double jacobian[6] = {1, 0, 0, 0, 0, 0};
  const int body = p.add_body(lever, {0.2, 0, 0}, jacobian);
  const ContactPoint wall{
      .point = {0.3, 0, 0}, .normal = {-1, 0, 0}, .gap = 0.5e-3, .relaxation_time = 0};
  p.add_contact(world_tree, lever, wall, -1, body);
  p.add_contact(0, lever,
                {.point = {0.1, 0, 0}, .normal = {1, 0, 0}, .gap = 0.2e-3, .relaxation_time = 0},
                -1, body);
  EXPECT_EQ(PreparedProblem(p).islands().dormant, (std::vector<char>{0, 0}));
  p.velocity[0] = p.free_velocity[0] = 0.1;  // does not get there
  EXPECT_EQ(PreparedProblem(p).islands().dormant, (std::vector<char>{1, 1}));
}

TEST(Dormant, TheSameForAnyNumberOfThreads) {
  std::mt19937 random(2);
  ThreadPool pool(4);
  int met = 0;
  for (int trial = 0; trial < 5; ++trial) {
    ContactProblem p = make_problem(
        random, {.bodies = 120, .dense_trees = 3, .touch = 0.03, .ground = 0.5, .speed = 1});
    for (double& gap : p.contacts.gap) gap += 1e-3 * static_cast<double>(random() % 9);
    p.wake_gap = 1e-5;
    PreparedProblem one, four;
    one.edit() = four.edit() = p;
    one.prepare();
    four.prepare(&pool);
    const std::vector<char>& dormant = one.islands().dormant;
    EXPECT_EQ(dormant, four.islands().dormant);
    const auto asleep = std::count(dormant.begin(), dormant.end(), 1);
    met += p.patches.size() > 128 && asleep > 10 && asleep < std::ssize(dormant) - 10;
  }
  EXPECT_EQ(met, 5);
}

}  // namespace
}  // namespace abut
