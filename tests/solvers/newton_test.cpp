// The Newton solver against dense linear algebra, and the promises of its interface.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "abut/core/error.hpp"
#include "abut/core/parallel.hpp"
#include "abut/solvers/contact_solver.hpp"
#include "abut/solvers/primal/newton.hpp"
#include "support/contact_of.hpp"
#include "support/dense_newton.hpp"
#include "support/model_case.hpp"
#include "support/random_problem.hpp"

namespace abut {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Hertz's stiffness is per m^(3/2): about as stiff at a tenth of a millimeter.
RandomProblem what(const ModelCase& c, int bodies, int dense = 0) {
  RandomProblem w{.model = c.model, .law = c.law, .bodies = bodies, .dense_trees = dense};
  if (c.law == NormalLawKind::hertz) w.stiffness = 1e8;
  return w;
}

VectorXd to_vector(const std::vector<double>& v) {
  return Eigen::Map<const VectorXd>(v.data(), std::ssize(v));
}

/// Distance in the norm of A, relative to the motion.
double distance(const DenseProblem& d, const VectorXd& a, const VectorXd& b) {
  return std::sqrt((a - b).dot(d.A * (a - b)) / a.dot(d.A * a));
}

/// Each of these solvers finds what dense linear algebra finds.
void expect_minimum(ContactProblem& p, std::span<const std::string_view> solvers) {
  validate(p);
  const PreparedProblem q(p);
  const DenseProblem dense(q);
  const VectorXd exact = dense.minimize();
  for (const std::string_view solver : solvers) {
    ContactSolution x;
    const SolveReport r = make_solver(solver)->solve(q, {.tolerance = 1e-10}, x);
    EXPECT_EQ(r.status, SolveStatus::converged) << solver;
    EXPECT_LE(r.certificate.momentum_error, 1e-9) << solver;
    EXPECT_LE(r.certificate.impulse_error, 1e-8) << solver;
    EXPECT_LT(distance(dense, exact, to_vector(x.velocity)), 1e-8) << solver;
  }
}

// sparse, per island, primal-dual = dense, whole, plain
TEST(Newton, FindsTheMinimumThatDenseLinearAlgebraFinds) {
  for (const ModelCase& c : model_cases) {
    std::mt19937 random(1);
    for (int trial = 0; trial < 12; ++trial) {
      SCOPED_TRACE(testing::Message() << name(c) << ", trial " << trial);
      ContactProblem p = make_problem(random, what(c, 1 + trial, trial % 4));
      expect_minimum(p, solvers_of(p.model));
    }
  }
}

// the same with limits, dry friction and actuators on the dense trees
TEST(Newton, FindsTheMinimumWithScalarConstraints) {
  std::mt19937 random(11);
  for (const ModelCase& c : model_cases) {
    for (int trial = 0; trial < 12; ++trial) {
      SCOPED_TRACE(testing::Message() << name(c) << ", trial " << trial);
      RandomProblem w = what(c, trial, 1 + trial % 4);
      w.scalars = 1 + trial;
      ContactProblem p = make_problem(random, w);
      const std::string_view solvers[] = {"newton", "newton-paper"};
      expect_minimum(p, solvers);
    }
  }
}

TEST(Newton, FindsTheMinimumWithConstraintsBetweenTrees) {
  std::mt19937 random(12);
  for (const ModelCase& c : model_cases) {
    for (int trial = 0; trial < 12; ++trial) {
      SCOPED_TRACE(testing::Message() << name(c) << ", trial " << trial);
      RandomProblem w = what(c, 1 + trial, trial % 3);
      w.links = 1 + 2 * trial;
      if (trial % 4 == 0) w.touch = w.ground = 0;  // constraints alone
      ContactProblem p = make_problem(random, w);
      expect_minimum(p, solvers_of(p.model));
    }
  }
}

/// The same with all trees as one dense tree, whose contacts are with the world.
ContactProblem as_one_tree(const ContactProblem& p) {
  const PreparedProblem q(p);
  const DenseProblem dense(q);
  const auto row_major = [](const MatrixXd& m) {
    const MatrixXd columns = m.transpose();
    return std::vector<double>(columns.data(), columns.data() + columns.size());
  };
  double heaviest = 0;
  for (const Tree& t : p.trees) heaviest = std::max(heaviest, t.mass);
  ContactProblem one = p;
  one.clear();
  one.add_tree(row_major(dense.A), p.velocity, p.free_velocity, heaviest);
  const ContactPool& c = p.contacts;
  for (int i = 0; i < c.size(); ++i) {
    one.add_contact(world_tree, 0, contact_of(c, i), {}, row_major(dense.J.middleRows(3 * i, 3)));
  }
  const ScalarPool& s = p.scalars;
  for (int i = 0; i < s.size(); ++i) {
    std::vector<RowEntry> row;
    for (const RowEntry& e : s.row(i))
      row.push_back({0, p.trees[e.tree].first_dof + e.dof, e.value});
    one.add_scalar({s.kind[i], s.gap[i], s.stiffness[i], s.relaxation_time[i], s.damping[i],
                    s.force[i], s.lower_force[i], s.upper_force[i], s.previous_impulse[i]},
                   row);
  }
  return one;
}

// what joins trees does not care which dofs are one tree's
TEST(Newton, SolvesLinkedTreesAsOneTree) {
  std::mt19937 random(13);
  for (const ModelCase& c : model_cases) {
    for (int trial = 0; trial < 8; ++trial) {
      SCOPED_TRACE(testing::Message() << name(c) << ", trial " << trial);
      RandomProblem w = what(c, 2 + trial, trial % 3);
      w.links = 3 + trial;
      w.touch = 1;  // all are one neighbourhood, of the same heaviest body
      w.lagged_rule = LaggedRule::state;
      const ContactProblem p = make_problem(random, w);
      ContactSolution apart, together;
      const SolveOptions tight{.tolerance = 1e-11};
      EXPECT_EQ(make_solver("newton")->solve(PreparedProblem(p), tight, apart).status,
                SolveStatus::converged);
      EXPECT_EQ(
          make_solver("newton")->solve(PreparedProblem(as_one_tree(p)), tight, together).status,
          SolveStatus::converged);
      double largest = 0;
      for (const double v : apart.velocity) largest = std::max(largest, std::abs(v));
      for (std::size_t k = 0; k < apart.velocity.size(); ++k) {
        EXPECT_NEAR(apart.velocity[k], together.velocity[k], 1e-8 * largest);
      }
      for (int i = 0; i < p.scalars.size(); ++i) {
        EXPECT_NEAR(apart.scalar_impulse[i], together.scalar_impulse[i], 1e-6);
      }
    }
  }
}

// the minimum does not depend on the start
TEST(Newton, FindsTheSameAnswerFromAnyStart) {
  std::mt19937 random(2);
  std::normal_distribution<double> normal;
  for (const ModelCase& c : model_cases) {
    ContactProblem p = make_problem(random, what(c, 10));
    const PreparedProblem q(p);
    const DenseProblem dense(q);
    const auto solver = make_solver("newton");
    ContactSolution x;
    solver->solve(q, {.tolerance = 1e-10}, x);
    const VectorXd first = to_vector(x.velocity);
    for (int start = 0; start < 30; ++start) {
      const double size = std::pow(10, start % 7 - 1);  // up to 1e5 m/s
      for (double& v : x.velocity) v = size * normal(random);
      const SolveReport r = solver->solve(q, {.tolerance = 1e-10}, x);
      EXPECT_EQ(r.status, SolveStatus::converged) << name(c) << ", start " << start;
      EXPECT_LT(distance(dense, first, to_vector(x.velocity)), 1e-8) << name(c);
    }
  }
}

// Where the whole step is too long, the search goes on from what was found there: iterations are
// about as many as with an exact search, evaluations half as many. Walls shorten most steps, and
// both searches ask often there: their laws are left out.
TEST(Newton, ALooseSearchAsksSeldom) {
  std::mt19937 random(12);
  std::normal_distribution<double> normal;
  struct Work {
    int iterations = 0, evaluations = 0;
  } loose, exact;
  for (const ModelCase& c : model_cases) {
    if (traits(c.law).is_barrier) continue;
    for (int trial = 0; trial < 20; ++trial) {
      RandomProblem w = what(c, 10, trial % 3);
      w.scalars = w.links = trial % 5;
      const PreparedProblem q(make_problem(random, w));
      std::vector<double> start(q.problem().velocity.size());
      for (double& v : start) v = normal(random);
      const auto add = [&](LineSearch search, Work& work) {
        Newton solver("newton", {.line_search = search, .predictor_sweeps = 0});
        ContactSolution x;
        x.velocity = start;
        const SolveReport r = solver.solve(q, {}, x);
        EXPECT_EQ(r.status, SolveStatus::converged) << name(c) << ", trial " << trial;
        work.iterations += r.iterations, work.evaluations += r.line_evaluations;
      };
      add(LineSearch::loose, loose);
      add(LineSearch::exact, exact);
    }
  }
  EXPECT_LE(loose.iterations, 1.3 * exact.iterations);
  EXPECT_LE(loose.evaluations, 0.5 * exact.evaluations);
}

// nothing to do at the solution
TEST(Newton, StartingAtTheSolutionCostsNoIteration) {
  std::mt19937 random(3);
  for (const ModelCase& c : model_cases) {
    ContactProblem p = make_problem(random, what(c, 8, 2));
    const PreparedProblem q(p);
    const auto solver = make_solver("newton");
    ContactSolution x;
    solver->solve(q, {.tolerance = 1e-9}, x);
    const std::vector<double> before = x.velocity;
    const SolveReport r = solver->solve(q, {.tolerance = 1e-6}, x);
    EXPECT_EQ(r.iterations, 0) << name(c);
    EXPECT_EQ(r.factorizations, 0) << name(c);
    EXPECT_EQ(x.velocity, before) << name(c);
  }
}

/// A body resting on four points, everything sticking: SAP's cost is quadratic there.
ContactProblem resting_body() {
  ContactProblem p;
  p.time_step = 1e-3;
  const double v[6] = {}, free[6] = {0, 0, -9.81e-3, 0, 0, 0};
  p.add_rigid_body(2, {0, 0, 0.1}, Mat3::diagonal({0.01, 0.01, 0.01}), v, free);
  for (const double x : {-0.1, 0.1}) {
    for (const double y : {-0.1, 0.1}) {
      ContactPoint c{.point = {x, y, 0}, .normal = {0, 0, 1}, .gap = -1e-5};
      p.add_contact(world_tree, 0, c);
    }
  }
  return p;
}

TEST(Newton, QuadraticCostTakesOneWholeStep) {
  const PreparedProblem q(resting_body());
  ContactSolution x;
  const SolveReport r = make_solver("newton-paper")->solve(q, {.tolerance = 1e-12}, x);
  EXPECT_EQ(r.status, SolveStatus::converged);
  EXPECT_EQ(r.iterations, 1);
  EXPECT_EQ(r.line_evaluations, 1);  // alpha = 1 at once
}

// what touches nothing moves as v* says, bit by bit
TEST(Newton, FreeTreesTakeTheirFreeVelocityExactly) {
  std::mt19937 random(4);
  ContactProblem p = make_problem(random, {.bodies = 5, .dense_trees = 2, .touch = 0, .ground = 0});
  const PreparedProblem q(p);
  ContactSolution x;
  const SolveReport r = make_solver("newton")->solve(q, {}, x);
  EXPECT_EQ(x.velocity, p.free_velocity);
  EXPECT_EQ(r.iterations, 0);
  EXPECT_EQ(r.certificate.momentum_error, 0);
}

// two problems in one are each as alone, bit by bit
TEST(Newton, SeparateIslandsDoNotSeeEachOther) {
  std::mt19937 random(5);
  for (const ModelCase& c : model_cases) {
    std::vector<std::vector<double>> alone;
    ContactProblem both;
    for (int part = 0; part < 2; ++part) {
      ContactProblem p = make_problem(random, what(c, 5));
      if (part == 0) {
        both.time_step = p.time_step;
        both.model = p.model;
        both.law = p.law;
        both.friction = p.friction;
      }
      const int first = static_cast<int>(both.trees.size());
      for (const Tree& t : p.trees) {
        const std::span<double> v(p.velocity), f(p.free_velocity);
        both.add_rigid_body(t.mass, t.center, t.inertia, v.subspan(t.first_dof).first<6>(),
                            f.subspan(t.first_dof).first<6>());
      }
      for (const Patch& patch : p.patches) {
        for (int i = patch.begin; i < patch.end; ++i) {
          const ContactPool& k = p.contacts;
          both.add_contact(patch.tree_a < 0 ? -1 : patch.tree_a + first, patch.tree_b + first,
                           contact_of(k, i));
        }
      }
      const PreparedProblem q(p);
      ContactSolution x;
      make_solver("newton")->solve(q, {}, x);
      alone.push_back(x.velocity);
    }
    validate(both);
    ContactSolution x;
    make_solver("newton")->solve(PreparedProblem(both), {}, x);
    std::vector<double> expected = alone[0];
    expected.insert(expected.end(), alone[1].begin(), alone[1].end());
    EXPECT_EQ(x.velocity, expected) << name(c);
  }
}

TEST(Newton, GivesTheSameBitsForAnyNumberOfThreads) {
  std::mt19937 random(6);
  for (const ModelCase& c : model_cases) {
    RandomProblem w = what(c, 60, 5);
    w.touch = 0.02;
    ContactProblem p = make_problem(random, w);
    const PreparedProblem q(p);
    ASSERT_GT(q.islands().size(), 3) << "the test needs several islands";
    ContactSolution one;
    make_solver("newton")->solve(q, {}, one);
    for (const int threads : {2, 4}) {
      ThreadPool pool(threads);
      ContactSolution many;
      make_solver("newton")->solve(q, {.pool = &pool}, many);
      EXPECT_EQ(one.velocity, many.velocity) << name(c) << ", " << threads << " threads";
      for (std::size_t i = 0; i < one.impulse.size(); ++i) {
        EXPECT_EQ(one.impulse[i], many.impulse[i]);
      }
    }
  }
}

// all threads at one island
TEST(Newton, GivesTheSameBitsWhereThreadsShareAnIsland) {
  std::mt19937 random(16);
  for (const ModelCase& c : model_cases) {
    ContactProblem p = make_problem(random, what(c, 60, 5));
    const PreparedProblem q(p);
    ASSERT_EQ(q.islands().size(), 1);
    ASSERT_GE(p.patches.size(), 100u) << "too few for a team";
    ContactSolution one;
    const SolveReport report = make_solver("newton")->solve(q, {}, one);
    ASSERT_GT(report.factor_flops, 2e6 * report.factorizations) << "too few to be shared";
    for (const int threads : {2, 3}) {
      ThreadPool pool(threads);
      ContactSolution many;
      make_solver("newton")->solve(q, {.pool = &pool}, many);
      EXPECT_EQ(one.velocity, many.velocity) << name(c) << ", " << threads << " threads";
    }
  }
}

// the order in which contacts and trees come does not matter
TEST(Newton, AnswerDoesNotDependOnOrder) {
  std::mt19937 random(7);
  for (const ModelCase& c : model_cases) {
    ContactProblem p = make_problem(random, what(c, 7));
    ContactProblem reversed;
    reversed.time_step = p.time_step;
    reversed.model = p.model;
    reversed.law = p.law;
    reversed.friction = p.friction;
    const int n = static_cast<int>(p.trees.size());
    const std::span<double> v(p.velocity), f(p.free_velocity);
    for (int t = n - 1; t >= 0; --t) {
      const Tree& tree = p.trees[t];
      reversed.add_rigid_body(tree.mass, tree.center, tree.inertia,
                              v.subspan(tree.first_dof).first<6>(),
                              f.subspan(tree.first_dof).first<6>());
    }
    for (auto patch = p.patches.rbegin(); patch != p.patches.rend(); ++patch) {
      const bool world = patch->tree_a < 0;
      for (int i = patch->end - 1; i >= patch->begin; --i) {
        const ContactPool& k = p.contacts;
        const double sign = world ? 1 : -1;  // A and B change places
        ContactPoint contact = contact_of(k, i);
        for (Vec3* x :
             {&contact.normal, &contact.bias, &contact.previous_impulse, &contact.anchor}) {
          *x = sign * *x;
        }
        reversed.add_contact(world ? -1 : n - 1 - patch->tree_b,
                             n - 1 - (world ? patch->tree_b : patch->tree_a), contact);
      }
    }
    const PreparedProblem q(p);
    ContactSolution x, y;
    make_solver("newton")->solve(q, {.tolerance = 1e-12}, x);
    make_solver("newton")->solve(PreparedProblem(reversed), {.tolerance = 1e-12}, y);
    for (int t = 0; t < n; ++t) {
      for (int k = 0; k < 6; ++k) {
        EXPECT_NEAR(x.velocity[6 * t + k], y.velocity[6 * (n - 1 - t) + k], 1e-9) << name(c);
      }
    }
  }
}

// what the solver reports is what the certifier finds, and below the tolerance
TEST(Newton, ReportsTheErrorThatTheCertifierFinds) {
  std::mt19937 random(8);
  for (const ModelCase& c : model_cases) {
    for (int trial = 0; trial < 20; ++trial) {
      RandomProblem w = what(c, 12);
      w.touch = 0.1;
      ContactProblem p = make_problem(random, w);
      const PreparedProblem q(p);
      ContactSolution x;
      const SolveReport r = make_solver("newton")->solve(q, {.tolerance = 1e-5}, x);
      EXPECT_EQ(r.status, SolveStatus::converged);
      EXPECT_LE(r.certificate.momentum_error, 1e-5) << name(c) << ", trial " << trial;
    }
  }
}

// starts around a coarse tolerance, on bodies of one island that hardly push each other
TEST(Newton, NoPartOfAnIslandHidesBehindTheOthers) {
  std::normal_distribution<double> normal;
  constexpr double tolerance = 1e-3;
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    ContactProblem p = make_problem(random, {.model = static_cast<ContactModel>(seed % 3),
                                             .bodies = 20,
                                             .touch = 0.1,
                                             .ground = 0.8,
                                             .mass_spread = 0.3});
    // pairs of bodies awake and mostly apart, all on the ground
    for (double& gap : p.contacts.gap) gap += 2e-4;
    for (const Patch& patch : p.patches) {
      if (patch.tree_a != world_tree) continue;
      for (int i = patch.begin; i < patch.end; ++i) p.contacts.gap[i] -= 3e-4;
    }
    const PreparedProblem q(p);
    const auto solver = make_solver("newton");
    ContactSolution x;
    solver->solve(q, {.tolerance = 1e-10}, x);
    const std::vector<double> exact = x.velocity;
    for (int k = 0; k < 10; ++k) {
      x.velocity = exact;
      for (double& v : x.velocity) v *= 1 + std::pow(10, -7 + 0.3 * k) * normal(random);
      const SolveReport r = solver->solve(q, {.tolerance = tolerance}, x);
      EXPECT_EQ(r.status, SolveStatus::converged) << "seed " << seed << ", start " << k;
      EXPECT_LE(r.certificate.momentum_error, tolerance) << "seed " << seed << ", start " << k;
    }
  }
}

// by continuation in it; judged by code that the solver does not share
TEST(Newton, ConvergesAtAnyStiffness) {
  constexpr double tolerance = 1e-5;
  std::mt19937 random(11);
  for (const ContactModel model : convex_models) {
    for (const double k : {1e9, 1e11, 1e13}) {
      for (int trial = 0; trial < 10; ++trial) {
        SCOPED_TRACE(testing::Message() << to_string(model) << ", " << k << " N/m, " << trial);
        const PreparedProblem q(make_problem(random, {.model = model,
                                                      .bodies = 30,
                                                      .touch = 0.1,
                                                      .stiffness = k,
                                                      .speed = 1,
                                                      .time_step = 5e-3}));
        ContactSolution x;
        const SolveReport r = make_solver("newton")->solve(q, {.tolerance = tolerance}, x);
        EXPECT_EQ(r.status, SolveStatus::converged);
        if (!r.at_round_off) {
          EXPECT_LE(r.certificate.step_error, 10 * tolerance);
        }
      }
    }
  }
}

TEST(Newton, SaysWhenTheIterationLimitEndsIt) {
  std::mt19937 random(9);
  ContactProblem p = make_problem(random, {.bodies = 12, .touch = 0.5});
  const PreparedProblem q(p);
  NewtonOptions options;
  options.max_iterations = 4;
  options.restarts = false;
  Newton newton("short", options);
  ContactSolution x;
  const SolveReport r = newton.solve(q, {}, x);
  EXPECT_EQ(r.status, SolveStatus::iteration_limit);
  EXPECT_GT(r.certificate.momentum_error, 1e-6);
  for (const double v : x.velocity) EXPECT_TRUE(std::isfinite(v));
  // the best iterate is kept: better than the start
  const std::vector<Vec3> none(p.contacts.size());
  EXPECT_LT(r.certificate.momentum_error,
            certify(q, {p.velocity, none, std::vector<double>(p.scalars.size())}).momentum_error);
}

TEST(Newton, NeverCallsNonsenseASuccess) {
  const double bad_numbers[] = {std::numeric_limits<double>::quiet_NaN(),
                                std::numeric_limits<double>::infinity(), 1e300};
  std::mt19937 random(10);
  for (const ModelCase& c : model_cases) {
    for (const double bad : bad_numbers) {
      for (int where = 0; where < 5; ++where) {
        ContactProblem p = make_problem(random, what(c, 4));
        if (p.contacts.size() == 0) continue;
        switch (where) {
          case 0: p.free_velocity[1] = bad; break;
          case 1: p.contacts.gap[0] = -bad; break;
          case 2: p.contacts.normal[0].x = bad; break;
          case 3: p.contacts.bias[0].y = bad; break;
          default: p.trees[p.patches[0].tree_b].inertia(1, 1) = bad; break;
        }
        const PreparedProblem q(p);
        ContactSolution x;
        const SolveReport r = make_solver("newton")->solve(q, {}, x);
        const bool honest =
            r.status != SolveStatus::converged || r.certificate.momentum_error <= 1e-6;
        EXPECT_TRUE(honest) << name(c) << ", " << bad << " in place " << where;
      }
    }
  }
}

// which contacts are guessed dormant costs time and changes nothing
TEST(Newton, WakesWhatTheAnswerCloses) {
  std::mt19937 random(21);
  int woken = 0;
  for (const ModelCase& c : model_cases) {
    for (int i = 0; i < 30; ++i) {
      RandomProblem w = what(c, 8);
      const bool hard = c.model == ContactModel::similar;  // see docs/laws/similar.md
      w.mass_spread = hard ? 1 : 3;
      w.time_step = hard ? 2e-3 : 1e-2;
      ContactProblem p = make_problem(random, w);
      for (double& gap : p.contacts.gap) gap += 4e-3;
      ContactSolution x[2];
      for (const bool guess : {false, true}) {
        p.wake_gap = guess ? 0 : 1e9;
        const PreparedProblem q(p);
        const SolveReport r = make_solver("newton")->solve(q, {.tolerance = 1e-11}, x[guess]);
        woken += r.rounds - 1;
        ASSERT_EQ(r.status, SolveStatus::converged)
            << name(c) << ": " << r.certificate.momentum_error << ", impulses "
            << r.certificate.impulse_error;
      }
      double scale = 0, worst = 0;
      for (std::size_t k = 0; k < x[0].velocity.size(); ++k) {
        scale = std::max(scale, std::abs(x[0].velocity[k]));
        worst = std::max(worst, std::abs(x[0].velocity[k] - x[1].velocity[k]));
      }
      EXPECT_LE(worst, 1e-7 * scale) << name(c);
    }
  }
  EXPECT_GT(woken, 5) << "the case was met";
}

TEST(Newton, RefusesAProblemThatIsNotPrepared) {
  PreparedProblem q(resting_body());
  const ContactProblem& p = q.problem();
  q.edit().add_contact(world_tree, 0, {});
  ContactSolution x;
  const auto refuses = [&] {
    EXPECT_THROW(make_solver("newton")->solve(q, {}, x), InputError);
    EXPECT_THROW(certify(q, {p.velocity, std::vector<Vec3>(p.contacts.gap.size())}), InputError);
  };
  refuses();
  q.weigh();
  refuses();
  q.complete();
  EXPECT_THROW(make_solver("newton")->solve(q, {.tolerance = 0}, x), InputError);
  EXPECT_THROW(certify(q, {p.velocity, {}}), InputError) << "no impulses";
}

TEST(Newton, AGuessThatIsNoNumberDoesNotMatter) {
  std::mt19937 random(22);
  for (const ModelCase& c : model_cases) {
    ContactProblem p = make_problem(random, what(c, 6));
    const PreparedProblem q(p);
    ContactSolution good, bad;
    make_solver("newton")->solve(q, {.tolerance = 1e-10}, good);
    bad.velocity.assign(p.velocity.size(), std::nan(""));
    const SolveReport r = make_solver("newton")->solve(q, {.tolerance = 1e-10}, bad);
    EXPECT_EQ(r.status, SolveStatus::converged) << name(c);
    for (std::size_t k = 0; k < good.velocity.size(); ++k) {
      EXPECT_NEAR(good.velocity[k], bad.velocity[k], 1e-6) << name(c);
    }
  }
}

TEST(Newton, RefusesAGuessOfTheWrongSize) {
  const PreparedProblem q(resting_body());
  ContactSolution x;
  x.velocity = {1, 2, 3};
  EXPECT_THROW(make_solver("newton")->solve(q, {}, x), InputError);
}

/// Random problems of small friction, whose lag has a fixed point close by.
ContactProblem slippery(std::mt19937& random, const ModelCase& c, int trial) {
  RandomProblem w = what(c, 1 + trial, trial % 4);
  w.lagged_rule = LaggedRule::fixed_point;
  ContactProblem p = make_problem(random, w);
  for (double& mu : p.contacts.friction) mu *= 0.3;
  p.friction.lag_tolerance = 1e-4;
  return p;
}

// Coulomb: friction of Lagged is at most mu times the normal impulse of the same step
TEST(Newton, LaggedFrictionIsGivenTheNormalImpulseThatComesOut) {
  std::mt19937 random(31);
  int met = 0, moved = 0;
  for (const ModelCase& c : model_cases) {
    if (!traits(c.model).lags_friction) continue;
    for (int trial = 0; trial < 20; ++trial) {
      SCOPED_TRACE(testing::Message() << name(c) << ", trial " << trial);
      ContactProblem p = slippery(random, c, trial);
      const PreparedProblem q(p);
      ContactSolution x;
      const SolveReport r = make_solver("newton")->solve(q, {.tolerance = 1e-9}, x);
      EXPECT_EQ(r.status, SolveStatus::converged);
      EXPECT_EQ(r.lagging_islands > 0, r.certificate.lag_error > p.friction.lag_tolerance)
          << r.certificate.lag_error;
      moved += r.lag_rounds > 0;
      if (r.lagging_islands > 0) continue;
      ++met;
      double most = 0;
      for (int i = 0; i < p.contacts.size(); ++i) {
        most = std::max(most, p.contacts.friction[i] * norm(x.impulse[i]));
      }
      for (int i = 0; i < p.contacts.size(); ++i) {
        const Vec3& n = p.contacts.normal[i];
        const double normal = dot(n, x.impulse[i]), mu = p.contacts.friction[i];
        EXPECT_LE(norm(x.impulse[i] - normal * n), mu * normal + 2e-4 * most + 1e-14 * normal)
            << "contact " << i;
      }
    }
  }
  EXPECT_GE(met, 50) << "of 60";
  EXPECT_GE(moved, 30) << "the case was met";
}

// rounds of lag that follow a guess without an iteration begin with the problem's own duals, not
// with what the solver's buffers have of another problem
TEST(Newton, RoundsAfterAGoodGuessDoNotDependOnWhatWasSolvedBefore) {
  std::mt19937 random(33);
  int met = 0;
  for (const ModelCase& c : model_cases) {
    if (!traits(c.model).lags_friction) continue;
    for (int trial = 0; trial < 10; ++trial) {
      SCOPED_TRACE(testing::Message() << name(c) << ", trial " << trial);
      ContactProblem p = slippery(random, c, trial);
      const PreparedProblem other(slippery(random, c, trial + 1));
      const PreparedProblem q(p);
      p.friction.lagged_rule = LaggedRule::prediction;
      const PreparedProblem predicted(p);
      ContactSolution guess;
      make_solver("newton")->solve(predicted, {.tolerance = 1e-9}, guess);
      const auto used = make_solver("newton");
      ContactSolution before, a, b;
      used->solve(other, {.tolerance = 1e-9}, before);
      a.velocity = b.velocity = guess.velocity;
      const SolveReport r = used->solve(q, {}, a);
      make_solver("newton")->solve(q, {}, b);
      EXPECT_EQ(a.velocity, b.velocity);
      EXPECT_EQ(a.impulse, b.impulse);
      met += r.lag_rounds > 0;
    }
  }
  EXPECT_GE(met, 10) << "the case was met";
}

TEST(Newton, ThePredictionsLagIsReportedAsItIs) {
  std::mt19937 random(32);
  bool any = false;
  for (const LaggedRule rule : {LaggedRule::prediction, LaggedRule::state}) {
    ContactProblem p = make_problem(random, {.model = ContactModel::lagged, .lagged_rule = rule});
    const PreparedProblem q(p);
    ContactSolution x;
    const SolveReport r = make_solver("newton")->solve(q, {}, x);
    EXPECT_EQ(r.lag_rounds, 0);
    EXPECT_EQ(x.lagged_impulse, q.contacts().lagged_impulse);
    EXPECT_EQ(r.lagging_islands > 0, r.certificate.lag_error > p.friction.lag_tolerance);
    any = any || r.lagging_islands > 0;
  }
  EXPECT_TRUE(any) << "the case was met";
}

TEST(SolverRegistry, NamesTheSolversItKnows) {
  EXPECT_EQ(make_solver("newton")->name(), "newton");
  try {
    make_solver("newtn");
    FAIL();
  } catch (const InputError& e) {
    EXPECT_NE(std::string(e.what()).find("'newtn'"), std::string::npos);
    EXPECT_NE(std::string(e.what()).find("newton-paper"), std::string::npos);
  }
}

// with stiffness and masses far apart every step still ends certified
TEST(Newton, ConvergesOverSixDecadesOfMassAndStiffness) {
  for (const ModelCase& c : model_cases) {
    std::mt19937 random(11);
    for (const double stiffness : {1e3, 1e6, 1e9, 1e11}) {
      if (traits(c.law).is_barrier && stiffness > 1e9)
        continue;  // docs: 1e7 times that at the wall
      RandomProblem w = what(c, 10);
      w.stiffness = c.law == NormalLawKind::hertz ? 100 * stiffness : stiffness;
      w.mass_spread = 3;
      ContactProblem p = make_problem(random, w);
      const PreparedProblem q(p);
      ContactSolution x;
      const SolveReport r = make_solver("newton")->solve(q, {}, x);
      if (c.model == ContactModel::similar && stiffness > 1e8) continue;  // docs: use Lagged there
      EXPECT_EQ(r.status, SolveStatus::converged) << name(c) << ", k = " << stiffness;
      EXPECT_LE(r.certificate.momentum_error, r.at_round_off ? 1e-4 : 1e-6) << name(c);
    }
  }
}

}  // namespace
}  // namespace abut
