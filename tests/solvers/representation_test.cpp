// A rigid body may be written as a dense tree of six dofs, or as a sparse one whose two nodes are
// its linear and its angular velocity; a sparse tree whose nodes are not coupled as a dense one. It
// is the same problem: what follows from it, its answer and what the certificate says of it.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "abut/solvers/contact_solver.hpp"
#include "abut/solvers/hessian_factor.hpp"
#include "support/model_case.hpp"
#include "support/random_problem.hpp"

namespace abut {
namespace {

using Numbers = std::vector<double>;

/// A problem with some trees written in another way; contacts, constraints and dofs are the same.
class Rewriter {
 public:
  Rewriter(const ContactProblem& p, std::mt19937& random, bool nodes_are_coupled)
      : p_(p), q_(p), random_(random), nodes_are_coupled_(nodes_are_coupled) {}

  ContactProblem rewrite() {
    q_.trees.clear(), q_.matrices.clear(), q_.sparse_matrices.clear();
    q_.velocity.clear(), q_.free_velocity.clear();
    body_of_.assign(p_.trees.size(), -1);
    for (std::size_t t = 0; t < p_.trees.size(); ++t) add(static_cast<int>(t));
    for (Patch& patch : q_.patches) {
      for (const auto& [tree, body] :
           {std::pair(patch.tree_a, &patch.body_a), {patch.tree_b, &patch.body_b}}) {
        if (tree != world_tree && body_of_[tree] >= 0) *body = body_of_[tree];
      }
    }
    return q_;
  }

 private:
  std::span<const double> part(const Numbers& v, const Tree& t) const {
    return std::span(v).subspan(t.first_dof, t.size);
  }

  void add(int index) {
    const Tree& t = p_.trees[index];
    const auto v = part(p_.velocity, t), f = part(p_.free_velocity, t);
    switch (t.kind) {
      case TreeKind::rigid_body: return add_rigid(index, v, f);
      case TreeKind::dense:
        q_.add_tree(std::span(p_.matrices).subspan(t.first_element, t.size * t.size), v, f, t.mass);
        return;
      case TreeKind::sparse: break;
    }
    if (!nodes_are_coupled_ && random_() % 2 == 0) return add_sparse_as_dense(index, v, f);
    std::vector<std::int64_t> row_end;
    std::vector<std::int32_t> columns;
    Numbers elements;
    int last = 0;
    p_.sparse_matrices.for_each_block(t, [&](int row, int column, const double* a) {
      if (row != last) row_end.push_back(std::ssize(columns));
      last = row;
      columns.push_back(column);
      elements.insert(elements.end(), a, a + 9);
    });
    row_end.push_back(std::ssize(columns));
    q_.add_sparse_tree(row_end, columns, elements, v, f, t.mass);
  }

  void add_rigid(int index, std::span<const double> v, std::span<const double> f) {
    const Tree& t = p_.trees[index];
    Numbers one(36, 0.0), a(36, 0.0), blocks(18, 0.0);
    for (int k = 0; k < 6; ++k) one[7 * k] = 1;
    for (int r = 0; r < 3; ++r) {
      a[7 * r] = blocks[4 * r] = t.mass;
      for (int c = 0; c < 3; ++c) a[6 * (3 + r) + 3 + c] = blocks[9 + 3 * r + c] = t.inertia(r, c);
    }
    switch (random_() % 3) {
      case 0: q_.add_rigid_body(t.mass, t.center, t.inertia, v.first<6>(), f.first<6>()); break;
      case 1:
        q_.add_tree(a, v, f, t.mass);
        body_of_[index] = q_.add_body(index, t.center, one);
        break;
      default:
        q_.add_sparse_tree(std::vector<std::int64_t>{1, 2}, std::vector{0, 1}, blocks, v, f,
                           t.mass);
        body_of_[index] = q_.add_point(index, t.center, std::vector{0, 1}, Numbers{0, 0});
        std::copy(one.begin(), one.end(), q_.jacobians.end() - 36);
    }
  }

  void add_sparse_as_dense(int index, std::span<const double> v, std::span<const double> f) {
    const Tree& t = p_.trees[index];
    const int n = t.size;
    Numbers a(n * n, 0.0);
    p_.sparse_matrices.for_each_block(t, [&](int row, int column, const double* block) {
      for (int k = 0; k < 9; ++k) {
        const int r = 3 * row + k / 3, c = 3 * column + k % 3;
        a[r * n + c] = a[c * n + r] = block[k];
      }
    });
    q_.add_tree(a, v, f, t.mass);
    for (ContactBody& body : q_.bodies) {
      if (body.tree != index) continue;
      Numbers j(6 * n, 0.0);
      p_.for_each_run(body, [&](int dof, int column, int count) {
        for (int k = 0; k < 6 * count; ++k) {
          const int r = k / count, c = k % count;
          j[r * n + dof + c] += p_.jacobians[body.first_element + r * body.columns + column + c];
        }
      });
      body = {.tree = index,
              .runs = 1,
              .first_run = std::ssize(q_.body_runs),
              .columns = n,
              .first_element = std::ssize(q_.jacobians),
              .center = body.center};
      q_.body_runs.push_back({0, n});
      q_.jacobians.insert(q_.jacobians.end(), j.begin(), j.end());
    }
  }

  const ContactProblem& p_;
  ContactProblem q_;
  std::mt19937& random_;
  bool nodes_are_coupled_;
  std::vector<int> body_of_;  ///< by tree: that of a rewritten rigid body
};

void expect_near(const Numbers& a, const Numbers& b, double relative, const char* what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  double largest = 0, difference = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (a[k] == b[k]) continue;  // infinite bounds too
    difference = std::max(difference, std::abs(a[k] - b[k]));
    largest = std::max(largest, std::abs(a[k]));
  }
  EXPECT_LE(difference, relative * largest) << what;
}

void expect_same_terms(const PreparedProblem& a, const PreparedProblem& b) {
  const ContactTerms &x = a.contacts(), &y = b.contacts();
  expect_near(x.mobility, y.mobility, 1e-10, "w");
  expect_near(x.normal_mobility, y.normal_mobility, 1e-10, "W_n");
  expect_near(x.tangential_mobility, y.tangential_mobility, 1e-10, "W_t");
  expect_near(x.normal_regularization, y.normal_regularization, 1e-10, "R_n");
  expect_near(x.tangential_regularization, y.tangential_regularization, 1e-10, "R_t");
  expect_near(x.lagged_impulse, y.lagged_impulse, 1e-8, "gamma_n0");
  expect_near(x.slip_tolerance, y.slip_tolerance, 1e-8, "eps");
  const ScalarTerms &s = a.scalars(), &t = b.scalars();
  expect_near(s.mobility, t.mobility, 1e-10, "w of scalars");
  expect_near(s.regularization, t.regularization, 1e-10, "R of scalars");
  expect_near(s.target, t.target, 1e-10, "v_hat");
  expect_near(s.lower, t.lower, 1e-10, "lower");
  expect_near(s.upper, t.upper, 1e-10, "upper");
  EXPECT_EQ(a.islands().trees, b.islands().trees);
  EXPECT_EQ(a.islands().patches, b.islands().patches);
  EXPECT_EQ(a.islands().dormant, b.islands().dormant);
}

/// By every model, law and rule of lagging.
template <class F>
void for_each_problem(unsigned seed, const F& f) {
  std::mt19937 random(seed);
  for (const ModelCase& c : model_cases) {
    for (int trial = 0; trial < 9; ++trial) {
      SCOPED_TRACE(testing::Message() << name(c) << ", trial " << trial);
      ContactProblem p =
          make_problem(random, {.model = c.model,
                                .law = c.law,
                                .bodies = 3 + trial,
                                .dense_trees = trial % 2,
                                .branches = trial % 4 == 1,
                                .sparse_trees = trial % 3,
                                .scalars = trial % 3,
                                .links = 2 * (trial % 4),
                                .stiffness = c.law == NormalLawKind::hertz ? 1e8 : 1e6,
                                .lagged_rule = static_cast<LaggedRule>(trial % 3)});
      const bool coupled = trial % 2 == 0;
      if (!coupled) {
        for (const Tree& t : p.trees) {
          if (t.kind != TreeKind::sparse) continue;
          p.sparse_matrices.for_each_block(t, [&](int row, int column, const double* a) {
            const auto at = a - p.sparse_matrices.elements.data();
            if (row != column) std::fill_n(p.sparse_matrices.elements.begin() + at, 9, 0.0);
          });
        }
      }
      ContactProblem q = Rewriter(p, random, coupled).rewrite();
      validate(q);
      f(PreparedProblem(std::move(p)), PreparedProblem(std::move(q)));
    }
  }
}

TEST(Representation, OfATreeDoesNotChangeWhatFollows) {
  for_each_problem(
      1, [](const PreparedProblem& a, const PreparedProblem& b) { expect_same_terms(a, b); });
}

// each answer is also that of the other problem
TEST(Representation, OfATreeDoesNotChangeTheAnswer) {
  for_each_problem(2, [](const PreparedProblem& a, const PreparedProblem& b) {
    ContactSolution x, y;
    const SolveOptions tight{.tolerance = 1e-11};
    ASSERT_EQ(make_solver("newton")->solve(a, tight, x).status, SolveStatus::converged);
    ASSERT_EQ(make_solver("newton")->solve(b, tight, y).status, SolveStatus::converged);
    // the fixed point is one up to the lag's tolerance
    if (!traits(a.problem().model).lags_friction ||
        a.problem().friction.lagged_rule != LaggedRule::fixed_point) {
      expect_near(x.velocity, y.velocity, 1e-8, "v");
      expect_near(x.scalar_impulse, y.scalar_impulse, 1e-7, "gamma of scalars");
    }
    for (const auto& [problem, answer] : {std::pair(&a, &y), {&b, &x}}) {
      const Certificate c = certify(*problem, answer->answer());
      EXPECT_LT(c.step_error, 1e-8);
      EXPECT_LT(c.impulse_error, 1e-8);
    }
  });
}

TEST(Representation, OfATreeDoesNotChangeTheHessian) {
  std::mt19937 random(4);
  std::normal_distribution<double> normal;
  for_each_problem(3, [&](const PreparedProblem& a, const PreparedProblem& b) {
    ContactSolution x, y;
    make_solver("newton")->solve(a, {.tolerance = 1e-11}, x);
    y = x;  // the same point for both, and the same islands
    HessianFactor of_a, of_b;
    ASSERT_TRUE(of_a.compute(a, x));
    ASSERT_TRUE(of_b.compute(b, y));
    Numbers u(x.velocity.size());
    for (double& e : u) e = normal(random);
    Numbers w = u;
    of_a.solve(u), of_b.solve(w);
    expect_near(u, w, 1e-8, "H^-1 u");
  });
}

}  // namespace
}  // namespace abut
