// Symmetries of the contact problem, with trees and constraints of all kinds: seen in a mirror, in
// other units, and from where everything moves otherwise.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "abut/solvers/contact_solver.hpp"
#include "support/dense_newton.hpp"
#include "support/model_case.hpp"
#include "support/random_problem.hpp"

namespace abut {
namespace {

using Numbers = std::vector<double>;

/// Bodies alone, and with mechanisms, deformable bodies, constraints of each and between them.
std::vector<ContactProblem> problems(std::mt19937& random, const ModelCase& c) {
  std::vector<ContactProblem> all;
  for (int mixture = 0; mixture < 6; ++mixture) {
    all.push_back(make_problem(
        random, {.model = c.model,
                 .law = c.law,
                 .bodies = 6 - mixture,
                 .dense_trees = mixture % 3,
                 .branches = mixture == 2 || mixture == 4,
                 .sparse_trees = mixture % 2,
                 .scalars = mixture % 4,
                 .links = mixture,
                 .stiffness = c.law == NormalLawKind::hertz ? 1e8 : 1e6,
                 .lagged_rule = mixture % 2 == 0 ? LaggedRule::state : LaggedRule::prediction}));
  }
  return all;
}

struct Solved {
  PreparedProblem q;
  ContactSolution x;
  SolveReport report;
};

Solved solve(ContactProblem p, std::string_view solver = "newton", double tolerance = 1e-12) {
  validate(p);
  Solved s;
  s.q = PreparedProblem(std::move(p));
  s.report = make_solver(solver)->solve(s.q, {.tolerance = tolerance}, s.x);
  EXPECT_TRUE(s.report.status == SolveStatus::converged);
  return s;
}

double largest(const Numbers& v) {
  double most = 0;
  for (const double x : v) most = std::max(most, std::abs(x));
  return most;
}

void expect_near(const Numbers& a, const Numbers& b, double tolerance, const char* what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  const double least = tolerance * largest(a);
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], least) << what << " " << k;
}

// --- in a mirror: x is -x. Angular velocities and moments are axial.

/// Whether a dof changes its sign.
bool is_mirrored(const ContactProblem& p, int tree, int dof) {
  switch (p.trees[tree].kind) {
    case TreeKind::rigid_body: return dof == 0 || dof == 4 || dof == 5;
    case TreeKind::dense: return false;
    case TreeKind::sparse: break;
  }
  return dof % 3 == 0;
}

void mirror(const ContactProblem& p, Numbers& v) {
  for (std::size_t t = 0; t < p.trees.size(); ++t) {
    for (int k = 0; k < p.trees[t].size; ++k) {
      if (is_mirrored(p, static_cast<int>(t), k)) v[p.trees[t].first_dof + k] *= -1;
    }
  }
}

ContactProblem mirrored(ContactProblem p) {
  mirror(p, p.velocity);
  mirror(p, p.free_velocity);
  for (Tree& t : p.trees) {
    t.center.x *= -1;
    for (const int k : {1, 2}) t.inertia(0, k) *= -1, t.inertia(k, 0) *= -1;
  }
  for (std::size_t k = 0; k < p.sparse_matrices.elements.size(); ++k) {
    if ((k % 9 / 3 == 0) != (k % 3 == 0)) p.sparse_matrices.elements[k] *= -1;
  }
  for (ContactBody& b : p.bodies) {
    b.center.x *= -1;
    const int n = b.columns;
    const bool by_node = p.trees[b.tree].kind == TreeKind::sparse;
    for (int r = 0; r < 6; ++r) {
      for (int c = 0; c < n; ++c) {
        const bool row = r == 0 || r == 4 || r == 5, column = by_node && c % 3 == 0;
        if (row != column) p.jacobians[b.first_element + r * n + c] *= -1;
      }
    }
  }
  ContactPool& c = p.contacts;
  for (auto* v : {&c.point, &c.normal, &c.bias, &c.previous_impulse, &c.anchor}) {
    for (Vec3& x : *v) x.x *= -1;
  }
  for (RowEntry& e : p.scalars.entries) {
    if (is_mirrored(p, e.tree, e.dof)) e.value *= -1;
  }
  return p;
}

TEST(Symmetry, AMirroredProblemHasTheMirroredAnswer) {
  std::mt19937 random(1);
  for (const ModelCase& c : model_cases) {
    int mixture = 0;
    for (const ContactProblem& p : problems(random, c)) {
      SCOPED_TRACE(testing::Message() << name(c) << ", mixture " << mixture++);
      Solved a = solve(p);
      const Solved b = solve(mirrored(p));
      mirror(p, a.x.velocity);
      expect_near(a.x.velocity, b.x.velocity, 1e-8, "v");
      expect_near(a.x.scalar_impulse, b.x.scalar_impulse, 1e-7, "gamma of scalars");
      expect_near(a.q.contacts().lagged_impulse, b.q.contacts().lagged_impulse, 1e-9, "gamma_n0");
      for (std::size_t i = 0; i < a.x.impulse.size(); ++i) {
        Vec3 gamma = a.x.impulse[i];
        gamma.x *= -1;
        EXPECT_LT(norm(gamma - b.x.impulse[i]), 1e-8) << "contact " << i;
      }
    }
  }
}

// --- with another motion added: any, as contacts and constraints see only J v + b

/// v0 and v* moved by `change`; b, the gaps of limits and the forces of actuators make up for it.
ContactProblem in_motion(ContactProblem p, const Numbers& change) {
  const PreparedProblem q(p);
  const DenseProblem dense(q);
  const Eigen::Map<const Eigen::VectorXd> u(change.data(), std::ssize(change));
  const Eigen::VectorXd moved = dense.J * u, c = dense.scalar_J * u;
  for (int i = 0; i < p.contacts.size(); ++i) {
    p.contacts.bias[i] -= Vec3{moved[3 * i], moved[3 * i + 1], moved[3 * i + 2]};
  }
  ScalarPool& s = p.scalars;
  const double h = p.time_step;
  for (int i = 0; i < s.size(); ++i) {
    if (s.kind[i] == ScalarKind::actuator) {
      s.force[i] += (h * s.stiffness[i] + s.damping[i]) * c[i];
    } else {
      s.gap[i] -= (h + s.relaxation_time[i]) * c[i];
    }
  }
  for (std::size_t k = 0; k < change.size(); ++k) {
    p.velocity[k] += change[k];
    p.free_velocity[k] += change[k];
  }
  return p;
}

TEST(Symmetry, OnlyWhatMovesAgainstTheOtherCounts) {
  std::mt19937 random(2);
  std::normal_distribution<double> normal;
  for (const ModelCase& c : model_cases) {
    int mixture = 0;
    for (ContactProblem& p : problems(random, c)) {
      SCOPED_TRACE(testing::Message() << name(c) << ", mixture " << mixture++);
      for (ScalarKind& kind : p.scalars.kind) {  // whose law has no zero of its own
        if (kind == ScalarKind::dry_friction) kind = ScalarKind::equality;
      }
      Numbers change(p.dofs());
      for (double& x : change) x = normal(random);
      const Solved a = solve(p), b = solve(in_motion(p, change));
      Numbers back = b.x.velocity;
      for (std::size_t k = 0; k < back.size(); ++k) back[k] -= change[k];
      expect_near(a.x.velocity, back, 1e-7, "v");
      expect_near(a.x.scalar_impulse, b.x.scalar_impulse, 1e-7, "gamma of scalars");
      expect_near(a.q.contacts().lagged_impulse, b.q.contacts().lagged_impulse, 1e-8, "gamma_n0");
      EXPECT_EQ(a.q.islands().dormant, b.q.islands().dormant);
    }
  }
}

// --- in other units: by powers of four, of which roots are exact too, so that the bits are the
// same

struct Units {
  double length, time, mass;
};

/// The same in units of which one holds so many of the old.
ContactProblem in_units(ContactProblem p, const Units& u) {
  const auto scale = [](auto& v, double factor) {
    for (double& x : v) x *= factor;
  };
  const double L = u.length, T = u.time, M = u.mass, speed = L / T, impulse = M * speed;
  p.time_step *= T, p.wake_gap *= L, p.friction.stiction_tolerance *= speed;
  for (Numbers* v : {&p.velocity, &p.free_velocity}) {
    scale(*v, speed);
    for (const Tree& t : p.trees) {
      for (int k = 3; t.kind == TreeKind::rigid_body && k < 6; ++k) (*v)[t.first_dof + k] /= L;
    }
  }
  for (Tree& t : p.trees) t.mass *= M, t.center *= L, t.inertia = (M * L * L) * t.inertia;
  scale(p.matrices, M);
  scale(p.sparse_matrices.elements, M);
  for (ContactBody& b : p.bodies) {
    b.center *= L;
    const int n = 3 * b.columns;
    for (int k = n; k < 2 * n; ++k) p.jacobians[b.first_element + k] /= L;
  }
  ContactPool& c = p.contacts;
  const auto scale_vectors = [](std::vector<Vec3>& v, double factor) {
    for (Vec3& x : v) x *= factor;
  };
  scale_vectors(c.point, L), scale_vectors(c.bias, speed);
  scale_vectors(c.previous_impulse, impulse), scale_vectors(c.anchor, impulse / T);
  const bool hertz = p.law == NormalLawKind::hertz && p.model != ContactModel::sap;
  scale(c.gap, L), scale(c.stiffness, M / (T * T) / (hertz ? std::sqrt(L) : 1));
  scale(c.dissipation, 1 / speed), scale(c.relaxation_time, T);
  for (int i = 0; i < c.size(); ++i) {
    ContactExtras& extras = c.own_extras(i);
    extras.thickness *= L;
    if (extras.table == nullptr) continue;
    ForceTable scaled = *extras.table;
    scale(scaled.depth, L), scale(scaled.force, impulse / T);
    extras.table = std::make_shared<const ForceTable>(scaled);
  }
  ScalarPool& s = p.scalars;
  for (RowEntry& e : s.entries) {
    if (p.is_rigid_body(e.tree) && e.dof >= 3) e.value *= L;
  }
  scale(s.gap, L), scale(s.stiffness, M / (T * T)), scale(s.relaxation_time, T);
  scale(s.damping, M / T), scale(s.previous_impulse, impulse);
  for (Numbers* f : {&s.force, &s.lower_force, &s.upper_force}) scale(*f, impulse / T);
  return p;
}

void expect_scaled(const Numbers& a, const Numbers& b, double factor, const char* what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_EQ(factor * a[k], b[k]) << what << " " << k;
}

TEST(Symmetry, UnitsDoNotMatter) {
  std::mt19937 random(3);
  for (const ModelCase& c : model_cases) {
    int mixture = 0;
    for (const ContactProblem& p : problems(random, c)) {
      for (const Units& u :
           {Units{4, 1, 1}, Units{1, 16, 1}, Units{1, 1, 64}, Units{1.0 / 16, 4, 0.25}}) {
        SCOPED_TRACE(testing::Message() << name(c) << ", mixture " << mixture << ", " << u.length
                                        << " m, " << u.time << " s, " << u.mass << " kg");
        const Solved a = solve(p), b = solve(in_units(p, u));
        const ContactTerms &x = a.q.contacts(), &y = b.q.contacts();
        expect_scaled(x.mobility, y.mobility, 1 / u.mass, "w");
        expect_scaled(x.normal_regularization, y.normal_regularization, 1 / u.mass, "R_n");
        expect_scaled(x.tangential_regularization, y.tangential_regularization, 1 / u.mass, "R_t");
        const double speed = u.length / u.time, impulse = u.mass * speed;
        expect_scaled(x.lagged_impulse, y.lagged_impulse, impulse, "gamma_n0");
        expect_scaled(x.slip_tolerance, y.slip_tolerance, speed, "eps");
        const ScalarTerms &s = a.q.scalars(), &t = b.q.scalars();
        expect_scaled(s.regularization, t.regularization, 1 / u.mass, "R of scalars");
        expect_scaled(s.target, t.target, speed, "v_hat");
        expect_scaled(s.upper, t.upper, impulse, "upper bounds");
        EXPECT_EQ(a.q.islands().dormant, b.q.islands().dormant);
        Numbers v = b.x.velocity;
        for (const Tree& tree : p.trees) {
          for (int k = 3; tree.kind == TreeKind::rigid_body && k < 6; ++k) {
            v[tree.first_dof + k] *= u.length;
          }
        }
        for (double& e : v) e /= speed;
        EXPECT_EQ(a.x.velocity, v);
        expect_scaled(a.x.scalar_impulse, b.x.scalar_impulse, impulse, "gamma of scalars");
        EXPECT_EQ(a.report.iterations, b.report.iterations);
      }
      ++mixture;
    }
  }
}

// --- in another unit of one coordinate, as a joint in mm among some in m

/// The velocity of one dof of a dense tree, so many times as large.
ContactProblem in_unit(ContactProblem p, int tree, int dof, double factor) {
  const Tree& t = p.trees[tree];
  const int n = t.size;
  p.velocity[t.first_dof + dof] *= factor;
  p.free_velocity[t.first_dof + dof] *= factor;
  double* A = p.matrices.data() + t.first_element;
  for (int k = 0; k < n; ++k) {
    A[n * dof + k] /= factor;
    A[n * k + dof] /= factor;
  }
  for (const ContactBody& b : p.bodies) {
    if (b.tree != tree) continue;
    p.for_each_run(b, [&](int first, int column, int count) {
      if (dof < first || dof >= first + count) return;
      double* j = p.jacobians.data() + b.first_element + column + (dof - first);
      for (int r = 0; r < 6; ++r) j[r * b.columns] /= factor;
    });
  }
  for (RowEntry& e : p.scalars.entries) {
    if (e.tree == tree && e.dof == dof) e.value /= factor;
  }
  return p;
}

// By a power of two to the bit. Another factor changes the rounding, which under other models than
// SAP makes an iteration more or less now and then.
TEST(Symmetry, TheUnitOfOneJointDoesNotMatter) {
  std::mt19937 random(4);
  for (const ModelCase& c : model_cases) {
    for (const std::string_view solver : {"newton", "newton-paper"}) {
      int mixture = 0, iterations = 0;
      for (const ContactProblem& p : problems(random, c)) {
        ++mixture;
        for (int tree = 0; tree < std::ssize(p.trees); ++tree) {
          if (p.trees[tree].kind != TreeKind::dense) continue;
          const int dof = static_cast<int>(random() % p.trees[tree].size);
          const Solved a = solve(p, solver, 1e-10);
          iterations += a.report.iterations;
          for (const double factor : {1024.0, 1.0 / 1024, 1.0 / 8, 1e3, 1e-3}) {
            SCOPED_TRACE(testing::Message()
                         << name(c) << ", " << solver << ", mixture " << mixture << ", tree "
                         << tree << ", dof " << dof << ", factor " << factor);
            const Solved b = solve(in_unit(p, tree, dof, factor), solver, 1e-10);
            Numbers v = b.x.velocity;
            v[p.trees[tree].first_dof + dof] /= factor;
            const bool is_exact = std::exp2(std::round(std::log2(factor))) == factor;
            if (is_exact || c.model == ContactModel::sap) {
              EXPECT_EQ(a.report.iterations, b.report.iterations);
              EXPECT_EQ(a.report.factorizations, b.report.factorizations);
            }
            if (is_exact) {
              EXPECT_EQ(a.report.line_evaluations, b.report.line_evaluations);
              EXPECT_EQ(a.x.velocity, v);
              EXPECT_EQ(a.x.scalar_impulse, b.x.scalar_impulse);
            } else {
              expect_near(a.x.velocity, v, 1e-8, "v");
              expect_near(a.x.scalar_impulse, b.x.scalar_impulse, 1e-7, "gamma of scalars");
            }
          }
        }
      }
      EXPECT_GT(iterations, 20) << name(c) << ", " << solver;
    }
  }
}

}  // namespace
}  // namespace abut
