// The convex problem as a whole and how Newton's method descends on it, judged by dense linear
// algebra: derivatives, monotone cost, exact search, quadratic end.

#include <gtest/gtest.h>

#include <cmath>

#include "abut/linalg/block_cholesky.hpp"
#include "abut/solvers/primal/island_system.hpp"
#include "abut/solvers/primal/newton.hpp"
#include "support/dense_newton.hpp"
#include "support/model_case.hpp"
#include "support/pile_problem.hpp"
#include "support/random_problem.hpp"

namespace abut {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// All in one island and nothing dormant. Kind 0: bodies alone; 1: with dense trees; 2: a
/// pile.
PreparedProblem make_any_case(std::mt19937& random, const ModelCase& c, int kind) {
  const bool hertz = c.law == NormalLawKind::hertz;
  ContactProblem p;
  if (kind == 2) {
    p = make_pile(random, {.model = c.model, .law = c.law, .stiffness = hertz ? 1e9 : 1e7});
  } else {
    p = make_problem(random, {.model = c.model,
                              .law = c.law,
                              .bodies = 5,
                              .dense_trees = kind,
                              .scalars = 4,
                              .links = 3,
                              .touch = 0.6,
                              .ground = 1,
                              .stiffness = hertz ? 1e8 : 1e6});
  }
  p.wake_gap = 1e9;
  return PreparedProblem(std::move(p));
}

PreparedProblem make_case(std::mt19937& random, const ModelCase& c, int kind) {
  for (;;) {
    PreparedProblem q = make_any_case(random, c, kind);
    const Islands& islands = q.islands();
    if (islands.size() == 1 && std::ssize(islands.trees) == std::ssize(q.problem().trees)) return q;
  }
}

VectorXd to_vector(const std::vector<double>& v) {
  return Eigen::Map<const VectorXd>(v.data(), std::ssize(v));
}
std::vector<double> to_std(const VectorXd& v) {
  return {v.begin(), v.end()};
}

VectorXd random_vector(std::mt19937& random, Eigen::Index size, double scale) {
  std::normal_distribution<double> normal;
  return VectorXd::NullaryExpr(size, [&] { return scale * normal(random); });
}

/// The solver's answer after at most so many iterations from `start`.
SolveReport iterate(const PreparedProblem& q, const NewtonOptions& preset, int iterations,
                    const VectorXd& start, ContactSolution& x, double tolerance = 1e-13) {
  NewtonOptions options = preset;
  options.max_iterations = iterations;
  options.restarts = false;
  x.velocity = to_std(start);
  return Newton("test", options).solve(q, {.tolerance = tolerance}, x);
}

/// Momentum's gradient with the impulses that the solver's kernels find at v.
VectorXd gradient_by_solver(const PreparedProblem& q, const DenseProblem& d, const VectorXd& v) {
  const ContactProblem& p = q.problem();
  ContactSolution x;
  iterate(q, NewtonOptions::paper(), 0, v, x);
  VectorXd gamma(d.J.rows());
  for (int i = 0; i < p.contacts.size(); ++i) {
    for (int k = 0; k < 3; ++k) gamma[3 * i + k] = x.impulse[i][k];
  }
  const VectorXd scalar = to_vector(x.scalar_impulse);
  return d.A * (v - d.v_star) - d.J.transpose() * gamma - d.scalar_J.transpose() * scalar;
}

/// H at v as the solver assembles it, for a problem of one island.
MatrixXd hessian_by_solver(const PreparedProblem& q, const VectorXd& v) {
  const ContactProblem& p = q.problem();
  IslandSystem system;
  system.build(q, q.islands(), 0);
  std::vector<double> padded(system.vector_size());
  system.gather(to_std(v), padded.data());
  system.velocities(padded.data(), ContactField::velocity_x, true);
  system.scalars().velocities(padded.data(), false);
  contact_kernels().model(p.model, system.laws()).hessian(system.contacts(), {});
  BlockSymbolic symbolic;
  SymbolicAnalysis().analyze(system.pattern(), symbolic);
  BlockCholesky matrix;
  matrix.reset(symbolic);
  system.place_blocks(symbolic);
  system.assemble(matrix);

  const BlockPattern& pattern = system.pattern();
  MatrixXd h = MatrixXd::Zero(p.dofs(), p.dofs());
  std::vector<double> place(system.vector_size(), -1);  // of each entry in the problem
  std::vector<double> count(p.dofs());
  for (int i = 0; i < p.dofs(); ++i) count[i] = i;
  system.gather(count, place.data());
  const auto at = [&](int node, int row) {
    return static_cast<int>(place[symbolic.vector_offset[node] + row]);
  };
  for (int n = 0; n < pattern.nodes(); ++n) {
    const BlockSlot& s = symbolic.diagonal[n];
    for (int c = 0; c < pattern.sizes[n]; ++c) {
      for (int r = c; r < pattern.sizes[n]; ++r) {
        h(at(n, r), at(n, c)) = h(at(n, c), at(n, r)) =
            matrix.values()[s.offset + r + std::int64_t{c} * s.leading];
      }
    }
  }
  for (std::size_t e = 0; e < pattern.edges.size(); ++e) {
    const auto [a, b] = pattern.edges[e];
    const BlockSlot& s = symbolic.off_diagonal[e];
    for (int r = 0; r < pattern.sizes[a]; ++r) {
      for (int c = 0; c < pattern.sizes[b]; ++c) {
        const std::int64_t row = s.transposed ? c : r, column = s.transposed ? r : c;
        h(at(a, r), at(b, c)) = h(at(b, c), at(a, r)) =
            matrix.values()[s.offset + row + column * s.leading];
      }
    }
  }
  return h;
}

// the error of central differences falls to round-off
TEST(ConvexProblem, MomentumIsTheGradientOfTheTotalCost) {
  std::mt19937 random(1);
  for (const ModelCase& c : model_cases) {
    for (int kind = 0; kind < 3; ++kind) {
      const PreparedProblem q = make_case(random, c, kind);
      const ContactProblem& p = q.problem();
      const DenseProblem d(q);
      for (int trial = 0; trial < 5; ++trial) {
        const VectorXd v = d.v_star + random_vector(random, p.dofs(), 0.1);
        const VectorXd u = random_vector(random, p.dofs(), 1);
        const VectorXd g = gradient_by_solver(q, d, v);
        double least = 1;
        for (double h = 1e-2; h > 1e-9; h *= 0.25) {
          const double slope = (d.cost(v + h * u) - d.cost(v - h * u)) / (2 * h);
          least = std::min(least, std::abs(slope - g.dot(u)) / (g.norm() * u.norm()));
        }
        EXPECT_LT(least, 1e-9) << name(c) << ", kind " << kind << ", trial " << trial;
      }
    }
  }
}

// H against differences of the gradient where no region border lies between them, and
// H - A positive semidefinite
TEST(ConvexProblem, AssembledHessianIsTheGradientsDerivative) {
  std::mt19937 random(2);
  for (const ModelCase& c : model_cases) {
    int compared = 0;
    for (int kind = 0; kind < 3; ++kind) {
      const PreparedProblem q = make_case(random, c, kind);
      const ContactProblem& p = q.problem();
      ASSERT_EQ(q.islands().size(), 1);
      const DenseProblem d(q);
      for (int trial = 0; trial < 5; ++trial) {
        SCOPED_TRACE(testing::Message() << name(c) << ", kind " << kind << ", trial " << trial);
        const VectorXd v = d.v_star + random_vector(random, p.dofs(), 0.1);
        const MatrixXd h = hessian_by_solver(q, v);
        const double size = h.norm();
        EXPECT_LT((h - d.hessian(v)).norm(), 1e-12 * size);
        const VectorXd least = Eigen::SelfAdjointEigenSolver<MatrixXd>(h - d.A).eigenvalues();
        EXPECT_GE(least[0], -1e-12 * size);
        for (int direction = 0; direction < 20; ++direction) {
          const VectorXd u = random_vector(random, p.dofs(), 1).normalized();
          const double step = 1e-6;
          const VectorXd up = gradient_by_solver(q, d, v + step * u),
                         down = gradient_by_solver(q, d, v - step * u),
                         middle = gradient_by_solver(q, d, v);
          const double bend = (up - 2 * middle + down).norm() / (2 * step);
          if (bend > 1e-4 * size) continue;  // a border, or strong curvature, between them
          ++compared;
          EXPECT_LT(((up - down) / (2 * step) - h * u).norm(), 1e-6 * size);
        }
      }
    }
    EXPECT_GT(compared, 150) << name(c);
  }
}

// strong convexity: l(u) >= l(v) + grad l(v) . (u - v) + |u - v|_A^2 / 2
TEST(ConvexProblem, CostIsStronglyConvex) {
  std::mt19937 random(3);
  for (const ModelCase& c : model_cases) {
    for (int kind = 0; kind < 3; ++kind) {
      const PreparedProblem q = make_case(random, c, kind);
      const ContactProblem& p = q.problem();
      const DenseProblem d(q);
      for (int pair = 0; pair < 700; ++pair) {
        const double scale = std::pow(10, pair % 5 - 4);
        const VectorXd v = d.v_star + random_vector(random, p.dofs(), scale);
        const VectorXd u = v + random_vector(random, p.dofs(), scale);
        const double there = d.cost(u), here = d.cost(v), slope = d.gradient(v).dot(u - v);
        const double gap = there - here - slope - 0.5 * (u - v).dot(d.A * (u - v));
        EXPECT_GE(gap, -1e-13 * (there + here + std::abs(slope))) << name(c) << ", kind " << kind;
      }
    }
  }
}

struct Preset {
  const char* name;
  NewtonOptions options;
};
const Preset paper_presets[] = {{"exact", NewtonOptions::paper()},
                                {"armijo", NewtonOptions::paper(LineSearch::armijo)}};

// every iterate that the solver shows costs less than the one before
TEST(PaperNewton, CostFallsInEveryIteration) {
  std::mt19937 random(4);
  for (const ModelCase& c : model_cases) {
    for (int kind = 0; kind < 3; ++kind) {
      const PreparedProblem q = make_case(random, c, kind);
      const ContactProblem& p = q.problem();
      const DenseProblem d(q);
      for (const Preset& preset : paper_presets) {
        const VectorXd start = to_vector(p.velocity);
        VectorXd last = start;
        double cost = d.cost(start);
        int falls = 0, iterations = 0;
        for (; iterations < 200; ++iterations) {
          ContactSolution x;
          const SolveReport r = iterate(q, preset.options, iterations + 1, start, x, 1e-10);
          const VectorXd v = to_vector(x.velocity);
          const double next = d.cost(v);
          if (v != last) {
            ++falls;
            // of iterates whose errors all are 1 any may be shown
            if (r.certificate.step_error < 0.9) {
              EXPECT_LT(next, cost + 1e-14 * cost) << name(c) << ", kind " << kind << ", "
                                                   << preset.name << ", iteration " << iterations;
            }
          }
          last = v;
          cost = next;
          if (r.status != SolveStatus::iteration_limit) break;
        }
        // iterates with a larger residual than an earlier one are not shown
        EXPECT_GE(6 * falls, iterations) << name(c) << ", " << preset.name;
        EXPECT_LT(iterations, 200) << name(c) << ", " << preset.name;
      }
    }
  }
}

// the default's loose search too: a slope that has halved may lie beyond a kink, higher than before
TEST(LooseNewton, CostNeverRises) {
  for (const ContactModel model :
       {ContactModel::sap, ContactModel::lagged, ContactModel::similar}) {
    for (const unsigned seed : {1u, 2u, 174u}) {
      std::mt19937 random(seed);
      ContactProblem p = make_pile(random, {.model = model});
      p.wake_gap = 1e9;
      const PreparedProblem q(p);
      const DenseProblem d(q);
      double cost = d.cost(to_vector(p.velocity));
      for (int iterations = 1; iterations < 60; ++iterations) {
        ContactSolution x;
        const SolveReport r = iterate(q, {}, iterations, to_vector(p.velocity), x, 1e-9);
        const double next = d.cost(to_vector(x.velocity));
        EXPECT_LE(next, cost + 1e-12 * cost)
            << to_string(model) << ", seed " << seed << ", iteration " << iterations;
        cost = next;
        if (r.status != SolveStatus::iteration_limit) break;
      }
    }
  }
}

// the step is alpha dv, alpha in (0, 1.5], with no slope left there or alpha = 1.5
TEST(PaperNewton, ExactSearchFindsTheMinimumAlongTheStep) {
  std::mt19937 random(5);
  for (const ModelCase& c : model_cases) {
    int found = 0, longest = 0;
    for (int kind = 0; kind < 3; ++kind) {
      for (int trial = 0; trial < 20; ++trial) {
        const PreparedProblem q = make_case(random, c, kind);
        const ContactProblem& p = q.problem();
        const DenseProblem d(q);
        // starts near and far: the whole step too long, too short, and absurd
        const double scale = std::pow(10, trial % 5 - 3) * (traits(c.law).is_barrier ? 1e-2 : 1);
        const VectorXd v = d.v_star + random_vector(random, p.dofs(), scale);
        ContactSolution x;
        iterate(q, NewtonOptions::paper(), 1, v, x);
        const VectorXd step = to_vector(x.velocity) - v;
        if (step.isZero()) continue;  // a larger residual: not shown
        const VectorXd g = d.gradient(v), there = d.gradient(to_vector(x.velocity));
        const MatrixXd h = d.hessian(v);
        if (h.norm() > 1e10 * d.A.norm()) continue;  // beyond a barrier: no step is exact
        const VectorXd dv = -h.llt().solve(g);
        const double alpha = step.dot(h * dv) / dv.dot(h * dv);
        SCOPED_TRACE(testing::Message()
                     << name(c) << ", kind " << kind << ", trial " << trial << ", alpha " << alpha);
        EXPECT_GT(alpha, 0);
        EXPECT_LE(alpha, 1.5 * (1 + 1e-9));
        const VectorXd off = step - alpha * dv;
        EXPECT_LE(off.dot(h * off), 1e-16 * dv.dot(h * dv));
        // along the solver's own step: its linear solve rounds too
        const double first = g.dot(dv), slope = there.dot(step) / alpha;
        // what the rounding of v alone changes
        const double rounding =
            1e-15 * dv.cwiseAbs().dot(d.hessian(to_vector(x.velocity)).cwiseAbs() *
                                      to_vector(x.velocity).cwiseAbs());
        if (alpha > 1.499999) {
          ++longest;
          EXPECT_LE(slope, rounding);
        } else {
          ++found;
          EXPECT_LE(std::abs(slope), -1e-12 * first + rounding);
        }
      }
    }
    EXPECT_GT(found, 0) << name(c);
    EXPECT_GT(found + longest, 20) << name(c);
  }
}

/// The lines of the contacts' force tables on which they are with the velocities v.
std::vector<int> lines(const PreparedProblem& q, const DenseProblem& d, const VectorXd& v) {
  const ContactProblem& p = q.problem();
  const VectorXd at = d.J * v;
  std::vector<int> lines;
  for (int i = 0; i < p.contacts.size(); ++i) {
    if (p.contacts.table(i) == nullptr) continue;
    const Vec3 vc = Vec3{at[3 * i], at[3 * i + 1], at[3 * i + 2]} + p.contacts.bias[i];
    const double vn = dot(p.contacts.normal[i], vc), eps = q.contacts().slip_tolerance[i];
    const Vec3 vt = vc - vn * p.contacts.normal[i];
    const double lift = p.model == ContactModel::similar
                            ? p.contacts.friction[i] * (std::sqrt(dot(vt, vt) + eps * eps) - eps)
                            : 0;
    const double x = -p.contacts.gap[i] - p.time_step * (vn - lift);
    lines.push_back(x > 0 ? p.contacts.table(i)->line_of(x) : -1);
  }
  return lines;
}

// near the minimum each iteration squares the error, but where a slope jumps
TEST(PaperNewton, ConvergesQuadratically) {
  std::mt19937 random(6);
  for (const ModelCase& c : model_cases) {
    int judged = 0;
    for (int kind = 0; kind < 3; ++kind) {
      for (int trial = 0; trial < 4; ++trial) {
        const PreparedProblem q = make_case(random, c, kind);
        const ContactProblem& p = q.problem();
        const DenseProblem d(q);
        const VectorXd exact = d.minimize();
        const double scale = std::sqrt(exact.dot(d.A * exact));
        const auto error = [&](const VectorXd& v) {
          return std::sqrt((v - exact).dot(d.A * (v - exact))) / scale;
        };
        // from near the minimum, where its Hessian holds
        for (const double size : {1e-6, 1e-7, 1e-8}) {
          const VectorXd start = exact + size * scale *
                                             d.A.diagonal().cwiseSqrt().cwiseInverse().cwiseProduct(
                                                 random_vector(random, p.dofs(), 1).normalized());
          const double bent = (d.hessian(start) - d.hessian(exact)).norm();
          if (lines(q, d, start) != lines(q, d, exact) || bent > 0.5 * d.hessian(exact).norm()) {
            continue;  // a scalar constraint reaches its bound between them
          }
          ContactSolution x;
          iterate(q, NewtonOptions::paper(), 1, start, x);
          const double before = error(start), after = error(to_vector(x.velocity));
          ++judged;
          EXPECT_LT(after, 3e5 * before * before + 1e-12)
              << name(c) << ", kind " << kind << ", trial " << trial << ", from " << before;
        }
      }
    }
    EXPECT_GE(judged, c.law == NormalLawKind::tabulated ? 30 : 36) << name(c);
  }
}

}  // namespace
}  // namespace abut
