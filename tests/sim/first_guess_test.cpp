// Guesses of the next velocities: against the motions that they are to be exact for, in steps of
// any size, and in worlds, where they save iterations.

#include "abut/sim/first_guess.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "abut/core/error.hpp"
#include "abut/sim/world.hpp"
#include "support/scenes.hpp"

namespace abut {
namespace {

/// Trees that are followed, all of them in one island with a contact.
class Followed {
 public:
  explicit Followed(const std::vector<std::int32_t>& dofs) : guess_(dofs) {
    for (const std::int32_t n : dofs) {
      Tree tree;
      tree.kind = TreeKind::dense, tree.first_dof = count_, tree.size = n;
      problem_.trees.push_back(tree);
      count_ += n;
    }
    const auto trees = static_cast<std::int32_t>(dofs.size());
    for (std::int32_t t = 0; t < trees; ++t) {
      patches_.push_back({.tree_a = t - 1, .tree_b = t, .begin = t, .end = t + 1});
    }
    problem_.velocity.assign(count_, 0);
    courses_.resize(guess_.courses());
    touch(true);
  }

  void touch(bool touches) {
    solution_.partition.find(static_cast<int>(problem_.trees.size()),
                             touches ? std::span<const Patch>(patches_) : std::span<const Patch>{},
                             problem_.scalars);
    solution_.islands.assign(solution_.partition.size(), {.contacts = 1});
  }

  std::vector<double> guess(double dt) const {
    std::vector<double> v(problem_.velocity.size(), NAN);
    guess_.put(courses_, dt, problem_.velocity, v, nullptr);
    return v;
  }

  void step(double dt, const std::vector<double>& v, bool iterated = true) {
    problem_.time_step = dt;
    solution_.velocity = v;
    for (IslandReport& i : solution_.islands) i.iterations = iterated;
    guess_.extend(problem_, solution_, courses_, nullptr);
    problem_.velocity = v;
  }

  const std::vector<Course>& courses() const { return courses_; }
  void forget(int tree) { guess_.forget(tree, courses_); }

 private:
  FirstGuess guess_;
  ContactProblem problem_;
  ContactSolution solution_;
  std::vector<Patch> patches_;
  std::vector<Course> courses_;
  std::int32_t count_ = 0;
};

using Place = std::function<double(double)>;

/// Mean velocity of x from t to t + dt: what brings a step to the right place.
double velocity(const Place& x, double t, double dt) {
  return (x(t + dt) - x(t)) / dt;
}

// of degree 4, by the places at the ends of four steps and at the start of the first
TEST(FirstGuess, IsExactForPolynomialsInStepsOfAnySize) {
  const Place places[] = {
      [](double) { return 3.0; },
      [](double t) { return 1 - 2 * t; },
      [](double t) { return 2 * t + 0.7 * t * t; },
      [](double t) { return 2 * t + 0.7 * t * t + 0.2 * t * t * t; },
      [](double t) { return 2 * t + 0.7 * t * t - 0.2 * t * t * t + 0.05 * t * t * t * t; },
      [](double t) { return -(2 * t + 0.7 * t * t - 0.2 * t * t * t + 0.05 * t * t * t * t); }};
  const double steps[] = {0.01, 0.02, 0.013, 0.01, 0.005, 0.01, 0.011};
  for (const Place& x : places) {
    Followed f({1});
    double t = 0.3;
    int n = 0;
    for (const double dt : steps) {
      if (n++ >= 5) {
        EXPECT_NEAR(f.guess(dt)[0], velocity(x, t, dt), 1e-10) << n;
      }
      f.step(dt, {velocity(x, t, dt)});
      t += dt;
    }
  }
}

// what dies away by half a step, or less, leads straight on to where it is next
TEST(FirstGuess, IsExactForWhatDiesAway) {
  for (const double ratio : {0.1, 0.3, 0.5}) {
    Followed f({1});
    double v = 1;
    for (int i = 0; i < 6; ++i, v *= ratio) f.step(0.01, {v});
    EXPECT_NEAR(f.guess(0.01)[0], v, 1e-12) << ratio;
  }
  // and of a slow decay little is missing
  Followed f({1});
  const auto x = [](double t) { return -std::exp(-t); };
  for (int i = 0; i < 6; ++i) f.step(0.01, {velocity(x, 0.01 * i, 0.01)});
  EXPECT_NEAR(f.guess(0.01)[0], velocity(x, 0.06, 0.01), 1e-8);
}

// a step that was not iterated for ends beside the smooth course; the next one has to lead back
TEST(FirstGuess, LeadsBackToTheCourse) {
  constexpr double h = 0.01, speed = 0.5, error = 1e-6;
  Followed f({1});
  for (int i = 0; i < 6; ++i) f.step(h, {speed});
  f.step(h, {speed + error}, false);
  EXPECT_NEAR(f.guess(h)[0], speed - error, 1e-14);
  f.step(h, {speed + error}, false);
  EXPECT_NEAR(f.guess(h)[0], speed - 2 * error, 1e-14);
  f.step(h, {speed - 2 * error});  // iterated for: exact
  EXPECT_NEAR(f.guess(h)[0], speed, 1e-14);
}

TEST(FirstGuess, DoesNotTurnBack) {
  Followed f({1});
  for (const double v : {0.5, 0.4, 0.3, 0.2, 0.1, 0.02}) f.step(0.01, {v});
  EXPECT_EQ(f.guess(0.01)[0], 0);
}

// a jump, a velocity that is no number: guesses stay of the size of what was, or are no number
TEST(FirstGuess, StaysOfTheSizeOfWhatWas) {
  Followed f({1});
  for (const double v : {0.0, 0.0, 1.0, -1.0, 1.0, 0.0, 3.0, 3.0, -3.0, 1e-9, 1.0}) {
    f.step(0.01, {v});
    EXPECT_LT(std::abs(f.guess(0.01)[0]), 20) << v;
  }
  f.step(0.01, {NAN});
  EXPECT_TRUE(std::isnan(f.guess(0.01)[0]));
}

// mirrored, other dofs beside it, in several trees and in more than one course of a tree
TEST(FirstGuess, IsByDof) {
  const Place x = [](double t) { return std::sin(3 * t) + t; };
  Followed one({1}), many({6, 11, 0, 3});
  constexpr double h = 0.02;
  for (int i = 0; i < 12; ++i) {
    const double v = velocity(x, h * i, h);
    std::vector<double> all(20);
    for (int k = 0; k < 20; ++k) all[k] = k % 2 == 0 ? v : -v;
    const bool iterated = i % 3 != 1;
    one.step(h, {v}, iterated);
    many.step(h, all, iterated);
    const double g = one.guess(h)[0];
    const std::vector<double> guess = many.guess(h);
    ASSERT_EQ(guess.size(), 20u);
    for (int k = 0; k < 20; ++k) EXPECT_EQ(guess[k], k % 2 == 0 ? g : -g) << i << ", " << k;
  }
}

TEST(FirstGuess, IsTheLastVelocityWhereNothingIsKnown) {
  Followed f({6, 11, 3});
  const auto row = [](double x) { return std::vector<double>(20, x); };
  for (int i = 0; i < 6; ++i) f.step(0.01, row(1 + i));
  EXPECT_NEAR(f.guess(0.01)[0], 7, 1e-12);
  f.forget(1);
  const std::vector<double> v = f.guess(0.01);
  for (int k = 0; k < 20; ++k) EXPECT_NEAR(v[k], k < 6 || k >= 17 ? 7 : 6, 1e-12) << k;
  f.touch(false);
  f.step(0.01, row(7));
  for (const Course& c : f.courses()) {
    EXPECT_EQ(c.is_known, 0);
    EXPECT_EQ(c.since, 0);
    EXPECT_EQ(c.mean[0], 0);
  }
  EXPECT_EQ(f.guess(0.01), row(7));
}

/// On a slope: boxes at rest, one on another, and a ball that rolls down, faster and faster.
Scene rest_and_roll() {
  Scene s;
  s.gravity = {1, 0, -9.8};
  add_plane(s);
  add_body(s, Shape::box({0.1, 0.1, 0.05}), 1, {0.01, 0.01, 0.01}, {0, 0, 0.05});
  add_body(s, Shape::box({0.05, 0.05, 0.05}), 0.5, {1e-3, 1e-3, 1e-3}, {0.01, 0, 0.15});
  add_body(s, Shape::sphere(0.1), 1, {4e-3, 4e-3, 4e-3}, {1, 0, 0.1});
  s.bodies.back().linear_velocity = {0.5, 0.1, 0};
  s.bodies.back().angular_velocity = {-1, 5, 0};
  return s;
}

struct Effort {
  double from_guess = 0, from_v0 = 0;  ///< iterations
};

/// The same problems solved from both.
Effort compare(World& world, int steps) {
  Effort sum;
  const auto solver = make_solver(world.options().solver);
  for (int i = 0; i < steps; ++i) {
    const SolveReport& report = world.step().solve;
    EXPECT_EQ(report.status, SolveStatus::converged);
    sum.from_guess += report.weighted_iterations;
    ContactSolution x;
    x.velocity = world.problem().velocity;
    sum.from_v0 += solver->solve(world.prepared(), {}, x).weighted_iterations;
  }
  return sum;
}

// Bodies at rest need no iterations, with guesses or, once these have found rest, without; nor does
// what speeds up evenly, but from v0 it does. In a world without guesses both sums are above 250.
TEST(FirstGuess, SavesIterations) {
  for (const ContactModel model :
       {ContactModel::sap, ContactModel::lagged, ContactModel::similar}) {
    WorldOptions o;
    o.model = model;
    o.time_step = 2e-3;
    World world(rest_and_roll(), o);
    for (int i = 0; i < 200; ++i) world.step();
    const Effort e = compare(world, 500);
    EXPECT_LT(e.from_guess, 5) << to_string(model);
    EXPECT_GT(e.from_v0, 40) << to_string(model);
  }
}

// the papers' method begins at v0
TEST(FirstGuess, IsNotThatOfThePapers) {
  WorldOptions o;
  o.solver = "newton-paper";
  World world(rest_and_roll(), o);
  for (int i = 0; i < 200; ++i) world.step();
  const Effort e = compare(world, 100);
  EXPECT_EQ(e.from_guess, e.from_v0);
}

// where v alone does not move the places, and where solvers do not go on from guesses
TEST(FirstGuess, IsOfConvexModelsAndEulersSchemes) {
  const auto guesses = [](ContactModel model, SteppingScheme scheme) {
    WorldOptions o;
    o.model = model;
    o.scheme = scheme;
    World world(rest_and_roll(), o);
    for (int i = 0; i < 5; ++i) world.step();
    const std::vector<Course>& all = world.state().courses;
    const bool is_known = std::ranges::any_of(all, [](const Course& c) { return c.is_known != 0; });
    EXPECT_EQ(world.problem().first_guess.empty(), !is_known);
    return is_known;
  };
  using Scheme = SteppingScheme;
  EXPECT_TRUE(guesses(ContactModel::sap, Scheme::symplectic_euler));
  EXPECT_TRUE(guesses(ContactModel::lagged, Scheme::implicit_euler));
  EXPECT_FALSE(guesses(ContactModel::sap, Scheme::midpoint));
  EXPECT_FALSE(guesses(ContactModel::sap, Scheme::explicit_euler));
  EXPECT_FALSE(guesses(ContactModel::ncp, Scheme::symplectic_euler));
  EXPECT_FALSE(guesses(ContactModel::ncp, Scheme::accelerations));
}

// set as it was it goes on, set otherwise it begins anew
TEST(FirstGuess, ForgetsWhatIsSet) {
  World world(rest_and_roll());
  for (int i = 0; i < 20; ++i) world.step();
  ASSERT_EQ(world.state().courses.size(), 3u);
  for (const Course& c : world.state().courses) EXPECT_EQ(c.is_known, 1);
  const auto is_known = [&](int tree) { return world.state().courses[tree].is_known != 0; };
  world.set_body_state(0, world.body_state(0));
  EXPECT_TRUE(is_known(0));
  BodyState s = world.body_state(1);
  s.linear_velocity.x += 1e-3;
  world.set_body_state(1, s);
  EXPECT_FALSE(is_known(1));
  s = world.body_state(2);
  s.position.x += 1e-3;
  world.set_body_state(2, s);
  EXPECT_FALSE(is_known(2));
  EXPECT_TRUE(is_known(0));
  // and so of joints
  Scene swings = rest_and_roll();
  SceneBody& b = swings.bodies[2];
  b.kind = BodyKind::linked;
  b.joints.emplace_back();
  b.joints[0].kind = JointKind::hinge;
  b.joints[0].axis = {0, 1, 0};
  b.linear_velocity = b.angular_velocity = {};
  World other(swings);
  for (int i = 0; i < 20; ++i) other.step();
  ASSERT_EQ(other.state().courses.size(), 3u);
  EXPECT_EQ(other.state().courses[2].is_known, 1);
  JointState j = other.joint_state(2);
  other.set_joint_state(2, j);
  EXPECT_EQ(other.state().courses[2].is_known, 1);
  j.velocities[0] += 1e-3;
  other.set_joint_state(2, j);
  EXPECT_EQ(other.state().courses[2].is_known, 0);
  EXPECT_EQ(other.state().courses[1].is_known, 1);
}

TEST(FirstGuess, IsNotRestoredFromAnotherWorld) {
  World world(rest_and_roll());
  world.step();
  Snapshot s = world.snapshot();
  world.restore(s);
  s.state.courses.pop_back();
  EXPECT_THROW(world.restore(s), InputError);
}

}  // namespace
}  // namespace abut
