// Errors planted in what solvers read of sparse trees and of constraints between trees: the
// certificate of the true problem sees each of them.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "abut/solvers/contact_solver.hpp"
#include "support/model_case.hpp"
#include "support/prepared_parts.hpp"
#include "support/random_problem.hpp"

namespace abut {
namespace {

using Change = std::function<void(ContactProblem&)>;

/// The first constraint that names several trees.
int first_link(const ContactProblem& p) {
  int i = 0;
  while (p.scalars.row(i).front().tree == p.scalars.row(i).back().tree) ++i;
  return i;
}

RowEntry& last_entry(ContactProblem& p, int i) {
  return p.scalars.entries[p.scalars.entry_end[i] - 1];
}

/// In preparation nothing is derived again: what is planted is what kinematics and momentum read.
const std::pair<const char*, Change> planted[] = {
    {"a link's entry", [](auto& p) { last_entry(p, first_link(p)).value *= 1.02; }},
    {"a link's sign", [](auto& p) { last_entry(p, first_link(p)).value *= -1; }},
    {"a link's dof",
     [](auto& p) {
       RowEntry& e = last_entry(p, first_link(p));
       e.dof = (e.dof + 1) % p.trees[e.tree].size;
     }},
    {"weights of a point's nodes",
     [](auto& p) {
       for (double& j : p.jacobians) j *= 1.01;
     }},
    {"nodes of points",
     [](auto& p) {
       for (const ContactBody& b : p.bodies) {
         if (p.trees[b.tree].kind != TreeKind::sparse) continue;
         for (int k = 0; k < b.runs; ++k) {
           IndexRun& run = p.body_runs[b.first_run + k];
           run.begin = (run.begin + 3) % p.trees[b.tree].size;
           run.end = run.begin + 3;
         }
       }
     }},
    {"v* of nodes",
     [](auto& p) {
       for (const Tree& t : p.trees) {
         for (int k = 0; t.kind == TreeKind::sparse && k < t.size; ++k) {
           p.free_velocity[t.first_dof + k] += 1e-3;
         }
       }
     }},
    {"coupling of nodes",
     [](auto& p) {
       for (const Tree& t : p.trees) {
         if (t.kind != TreeKind::sparse) continue;
         p.sparse_matrices.for_each_block(t, [&](int row, int column, const double* a) {
           const auto at = a - p.sparse_matrices.elements.data();
           for (int k = 0; row != column && k < 9; ++k) p.sparse_matrices.elements[at + k] *= 0.99;
         });
       }
     }},
    {"nodes' mass",
     [](auto& p) {
       for (double& a : p.sparse_matrices.elements) a *= 1.01;
     }},
};

TEST(CertificateSees, ErrorsInSparseTreesAndLinks) {
  for (const auto& [what, plant] : planted) {
    for (const ModelCase& c : model_cases) {
      double without = 0, with = 0;
      for (unsigned seed = 0; seed < 4; ++seed) {
        std::mt19937 random(seed);
        ContactProblem p =
            make_problem(random, {.model = c.model,
                                  .law = c.law,
                                  .bodies = 3,
                                  .sparse_trees = 2,
                                  .links = 6,
                                  .touch = 0.8,
                                  .ground = 1,
                                  .stiffness = c.law == NormalLawKind::hertz ? 1e8 : 1e6});
        for (ScalarKind& kind : p.scalars.kind) kind = ScalarKind::equality;  // all of them act
        const PreparedProblem truth(std::move(p));
        PreparedProblem wrong = truth;
        plant(PreparedParts::problem(wrong));
        for (const auto& [problem, error] :
             {std::pair(&truth, &without), std::pair(&std::as_const(wrong), &with)}) {
          ContactSolution x;
          make_solver("newton")->solve(*problem, {.tolerance = 1e-9}, x);
          const Certificate judged = certify(truth, x.answer());
          *error = std::max({*error, judged.step_error, judged.impulse_error});
        }
      }
      EXPECT_GT(with, 1e-5) << what << ", " << name(c);
      EXPECT_LT(without, 1e-7) << "without it, " << name(c);
    }
  }
}

}  // namespace
}  // namespace abut
