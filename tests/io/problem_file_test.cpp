#include "abut/io/problem_file.hpp"

#include <cstring>
#include <random>

#include "abut/io/npz.hpp"
#include "abut/solvers/contact_solver.hpp"
#include "io/files_testing.hpp"
#include "support/random_problem.hpp"

namespace abut {
namespace {

template <class Numbers>
bool same_bits(const Numbers& a, const Numbers& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(a[0])) == 0);
}

ContactSolution solve(ContactProblem p) {
  const PreparedProblem q(std::move(p));
  ContactSolution x;
  make_solver("newton")->solve(q, {}, x);
  return x;
}

void expect_same_inputs(const ContactProblem& a, const ContactProblem& b) {
  EXPECT_EQ(a.time_step, b.time_step);
  EXPECT_EQ(a.model, b.model);
  EXPECT_EQ(a.law, b.law);
  EXPECT_EQ(a.wake_gap, b.wake_gap);
  EXPECT_EQ(a.friction.stiction_tolerance, b.friction.stiction_tolerance);
  EXPECT_EQ(a.friction.sigma, b.friction.sigma);
  EXPECT_EQ(a.friction.beta, b.friction.beta);
  EXPECT_EQ(a.friction.lagged_rule, b.friction.lagged_rule);
  EXPECT_EQ(a.friction.lag_tolerance, b.friction.lag_tolerance);
  ASSERT_EQ(a.trees.size(), b.trees.size());
  for (std::size_t t = 0; t < a.trees.size(); ++t) {
    const Tree &x = a.trees[t], &y = b.trees[t];
    EXPECT_EQ(x.kind, y.kind);
    EXPECT_EQ(x.first_dof, y.first_dof);
    EXPECT_EQ(x.size, y.size);
    EXPECT_EQ(x.mass, y.mass);
    EXPECT_EQ(x.center, y.center);
    EXPECT_EQ(x.inertia, y.inertia);
    EXPECT_EQ(x.first_element, y.first_element);
  }
  EXPECT_TRUE(same_bits(a.matrices, b.matrices));
  EXPECT_TRUE(same_bits(a.velocity, b.velocity));
  EXPECT_TRUE(same_bits(a.free_velocity, b.free_velocity));
  EXPECT_TRUE(same_bits(a.first_guess, b.first_guess));
  EXPECT_TRUE(same_bits(a.jacobians, b.jacobians));
  EXPECT_TRUE(same_bits(a.patches, b.patches));
  const ContactPool &c = a.contacts, &d = b.contacts;
  for (const auto v : {&ContactPool::point, &ContactPool::normal, &ContactPool::bias,
                       &ContactPool::previous_impulse, &ContactPool::anchor}) {
    EXPECT_TRUE(same_bits(c.*v, d.*v));
  }
  for (const auto v :
       {&ContactPool::gap, &ContactPool::weight, &ContactPool::stiffness, &ContactPool::dissipation,
        &ContactPool::relaxation_time, &ContactPool::friction}) {
    EXPECT_TRUE(same_bits(c.*v, d.*v));
  }
  EXPECT_EQ(c.law, d.law);
  ASSERT_EQ(c.size(), d.size());
  for (int i = 0; i < c.size(); ++i) {
    EXPECT_EQ(c.anisotropy(i), d.anisotropy(i));
    EXPECT_EQ(c.friction_axis(i), d.friction_axis(i));
    EXPECT_EQ(c.thickness(i), d.thickness(i));
    ASSERT_EQ(c.table(i) == nullptr, d.table(i) == nullptr);
    if (c.table(i) != nullptr) {
      EXPECT_EQ(*c.table(i), *d.table(i));
    }
  }
  ASSERT_EQ(a.bodies.size(), b.bodies.size());
  for (std::size_t k = 0; k < a.bodies.size(); ++k) {
    EXPECT_EQ(a.bodies[k].tree, b.bodies[k].tree);
    EXPECT_EQ(a.bodies[k].center, b.bodies[k].center);
    EXPECT_EQ(a.bodies[k].first_element, b.bodies[k].first_element);
    EXPECT_EQ(a.bodies[k].first_run, b.bodies[k].first_run);
    EXPECT_EQ(a.bodies[k].runs, b.bodies[k].runs);
    EXPECT_EQ(a.bodies[k].columns, b.bodies[k].columns);
  }
  EXPECT_EQ(a.body_runs, b.body_runs);
  EXPECT_EQ(a.sparse_matrices.row_end, b.sparse_matrices.row_end);
  EXPECT_EQ(a.sparse_matrices.column, b.sparse_matrices.column);
  EXPECT_TRUE(same_bits(a.sparse_matrices.elements, b.sparse_matrices.elements));
}

TEST(ProblemFile, LoadsWhatWasSaved) {
  const TemporaryFolder folder;
  std::mt19937 random(3);
  for (const int dense : {0, 3}) {
    ContactProblem p = make_problem(random, {.model = ContactModel::lagged,
                                             .law = NormalLawKind::hertz,
                                             .dense_trees = dense,
                                             .branches = true,
                                             .sparse_trees = dense,
                                             .mixed_laws = dense > 0});
    p.wake_gap = 0.1;
    p.friction = {.stiction_tolerance = 0.3,
                  .sigma = 0.2,
                  .beta = 0.7,
                  .lagged_rule = LaggedRule::state,
                  .lag_tolerance = 0.01};
    ASSERT_GT(p.contacts.size(), 2);
    const auto table = std::make_shared<ForceTable>(ForceTable{{0, 1, 2}, {0, 3, 5}});
    p.contacts.own_extras(0).table = table;
    p.contacts.own_extras(1) = {.anisotropy = 0.3,
                                .friction_axis = any_perpendicular(p.contacts.normal[1]),
                                .table = std::make_shared<ForceTable>(ForceTable{{0, 2}, {0, 7}}),
                                .thickness = 0.02};
    p.contacts.own_extras(2).table = table;
    p.contacts.bias[0] = {1, 2, 3};
    p.first_guess.assign(p.dofs(), 0.7);
    p.contacts.anchor[0] = {7, 8, 9};
    p.contacts.previous_impulse[0] = {4, 5, 6};
    save_problem(folder / "p.npz", p);
    expect_same_inputs(load_problem(folder / "p.npz"), p);
  }
}

TEST(ProblemFile, AnEmptyProblem) {
  const TemporaryFolder folder;
  ContactProblem p;
  p.time_step = 1e-3;
  save_problem(folder / "p.npz", p);
  expect_same_inputs(load_problem(folder / "p.npz"), p);
}

TEST(ProblemFile, SolvesToTheSameBits) {
  const TemporaryFolder folder;
  for (const ContactModel model :
       {ContactModel::sap, ContactModel::lagged, ContactModel::similar}) {
    WorldOptions options;
    options.model = model;
    World world = touching_world(options);
    for (int i = 0; i < 20; ++i) world.step();  // by now guesses are no longer v0
    ASSERT_GT(world.problem().contacts.size(), 0);
    ASSERT_NE(world.problem().first_guess, world.problem().velocity);
    save_problem(folder / "p.npz", world.problem());
    const ContactSolution x = solve(load_problem(folder / "p.npz"));
    EXPECT_TRUE(same_bits(x.impulse, world.solution().impulse)) << to_string(model);
    EXPECT_TRUE(same_bits(x.velocity, world.solution().velocity)) << to_string(model);
  }
}

/// What loading says after a change of a problem that could be loaded.
std::string error_after(const std::function<void(ContactProblem&)>& change) {
  const TemporaryFolder folder;
  World world = touching_world();
  ContactProblem p = world.problem();
  change(p);
  save_problem(folder / "p.npz", p);
  return folder.relative(failure_of([&] { load_problem(folder / "p.npz"); }));
}

TEST(ProblemFile, NamesWhatIsWrong) {
  EXPECT_EQ(error_after([](ContactProblem&) {}), "");
  EXPECT_EQ(error_after([](ContactProblem& p) { p.trees[1].mass = -2; }),
            "p.npz: tree 1: mass = -2 kg, must be positive and finite");
  EXPECT_EQ(error_after([](ContactProblem& p) { p.contacts.gap[0] = NAN; }),
            "p.npz: array 'gap': number 0 is NaN, must be finite");
  EXPECT_EQ(error_after([](ContactProblem& p) { p.first_guess[1] = INFINITY; }),
            "p.npz: array 'first_guess': number 1 is infinite, must be finite");
  EXPECT_NE(error_after([](ContactProblem& p) { p.first_guess.pop_back(); }).find("first_guess"),
            std::string::npos);
  EXPECT_EQ(error_after([](ContactProblem& p) { p.contacts.friction[2] = -1; }),
            "p.npz: contact 2: friction = -1, must not be negative");
  EXPECT_EQ(error_after([](ContactProblem& p) { p.patches[0].tree_b = 99; }),
            "p.npz: array 'patch_trees': patch 0 is between trees -1 and 99, must be -1 (the "
            "world) <= a <= b < 6");
  EXPECT_EQ(error_after([](ContactProblem& p) { p.model = static_cast<ContactModel>(9); }),
            "p.npz: array 'model': holds 9, must be at most 7");
}

/// Some arrays of a valid file replaced by others of the same type and shape.
TEST(ProblemFile, SurvivesExtremeNumbers) {
  const TemporaryFolder folder;
  std::mt19937 random(11);
  const World world = touching_world();
  const double extremes[] = {0, -1, 1, 1e-300, 1e300, -1e300, 5e-324, 1e16, 1e-16};
  int loaded = 0;
  for (int trial = 0; trial < 60; ++trial) {
    ContactProblem p = world.problem();
    ContactPool& c = p.contacts;
    const auto pick = [&](std::vector<double>& v) {
      if (!v.empty()) v[random() % v.size()] = extremes[random() % std::size(extremes)];
    };
    for (int n = 0; n < 2; ++n) {
      std::vector<double>* const columns[] = {&c.gap,         &c.weight,        &c.stiffness,
                                              &c.dissipation, &c.friction,      &c.relaxation_time,
                                              &p.velocity,    &p.free_velocity, &p.first_guess};
      pick(*columns[random() % std::size(columns)]);
    }
    p.model = static_cast<ContactModel>(trial % 3);
    if (trial % 7 == 0) p.trees[0].mass = extremes[random() % std::size(extremes)];
    if (trial % 5 == 0) p.time_step = extremes[random() % std::size(extremes)];
    save_problem(folder / "p.npz", p);
    EXPECT_EQ(failure_of([&] {
                try {
                  ContactProblem read = load_problem(folder / "p.npz");
                  ++loaded;
                  solve(std::move(read));
                } catch (const InputError&) {
                }
              }),
              "");
  }
  EXPECT_GT(loaded, 5);
}

TEST(ProblemFile, CannotBeWritten) {
  EXPECT_EQ(failure_of([] { save_problem("/dev/full", ContactProblem{}); }),
            "FileError: cannot write '/dev/full': No space left on device");
}

}  // namespace
}  // namespace abut
