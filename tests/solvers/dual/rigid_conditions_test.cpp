// Every solver's answers under every model that it solves, judged by the models' conditions as they
// are written out here; the LCP's also by enumeration.

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>

#include "abut/solvers/dual/friction_solver.hpp"
#include "support/random_friction.hpp"

namespace abut {
namespace {

using enum RigidModel;

std::vector<Vec3> velocities(const FrictionProblem& p, const std::vector<Vec3>& impulse) {
  std::vector<Vec3> v(impulse.size());
  p.delassus.multiply(impulse, v);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] += p.velocity[i];
  return v;
}

/// By how much a contact breaks a model's conditions. W is its own block; impulses in units of 1 /
/// w, velocities in those of the problem's.
double broken(RigidModel model, const Mat3& w, double mu, Vec3 gamma, const Vec3& sigma) {
  gamma = (w(0, 0) + w(1, 1) + w(2, 2)) / 3 * gamma;
  const double slip = std::hypot(sigma.x, sigma.y), pull = std::hypot(gamma.x, gamma.y);
  std::vector<double> off{-gamma.z};
  const auto either = [&](double a, double b) {  // one of both is 0
    off.push_back(std::min(std::abs(a), std::abs(b)));
  };
  if (model == lcp) {
    for (int k = 0; k < 2; ++k) {
      const double left = mu * gamma.z - std::abs(gamma[k]);
      off.push_back(-left);
      either(left, sigma[k]);                                         // sticks below the bound
      if (mu > 0) either(sigma[k] * gamma[k] > 0 ? 1 : 0, sigma[k]);  // or slides against it
    }
  } else {
    off.push_back(pull - mu * gamma.z);
    if (model == raisim && gamma.z > 0) {
      const double x = gamma.x + mu * mu * gamma.z * w(2, 0) / w(2, 2),
                   y = gamma.y + mu * mu * gamma.z * w(2, 1) / w(2, 2), size = std::hypot(x, y);
      // slip along (x, y), backwards: [CB 24]
      if (size > 1e-6)
        either(std::hypot(slip * x / size + sigma.x, slip * y / size + sigma.y), gamma.z);
    } else {
      either(std::hypot(slip * gamma.x + pull * sigma.x, slip * gamma.y + pull * sigma.y), gamma.z);
    }
    either(mu * gamma.z - pull, slip);  // slides at the cone's boundary
  }
  const double rises = model == ccp ? sigma.z - mu * slip : sigma.z;
  off.push_back(-rises);
  either(gamma.z, rises);
  return *std::max_element(off.begin(), off.end());
}

/// Contacts in chains and heaps that sweeps solve, some moving, some at rest.
FrictionProblem some_problem(std::mt19937& random, int trial) {
  return make_friction_problem(
      random, {.most_bodies = 1 + trial % 6, .most_contacts = 20, .rests = trial % 3 == 0});
}

TEST(RigidConditions, HoldOfAllThatCountsAsSolved) {
  std::mt19937 random(21);
  std::map<std::string, int> solved;
  constexpr int trials = 60;
  for (int trial = 0; trial < trials; ++trial) {
    const FrictionProblem p = some_problem(random, trial);
    double fastest = 0;
    for (const Vec3& g : p.velocity) fastest = std::max(fastest, norm(g));
    for (const std::string_view name : friction_solver_names()) {
      for (const RigidModel model : rigid_models) {
        const auto solver = make_friction_solver(name);
        if (!solver->supports(model)) continue;
        std::vector<Vec3> x;
        const FrictionReport r =
            solver->solve(p, {.model = model, .tolerance = 1e-10, .iteration_limit = 1000}, x);
        if (r.status != SolveStatus::converged) continue;
        const std::string label = std::string(name) + " " + std::string(to_string(model));
        ++solved[label];
        const std::vector<Vec3> v = velocities(p, x);
        for (int i = 0; i < p.contacts(); ++i) {
          const Mat3& w = p.delassus.block[p.delassus.find(i, i)];
          // 100 times the tolerance: its unit is the norm of all velocities, in many units of W
          ASSERT_LE(broken(model, w, p.friction[i], x[i], v[i]), 1e-8 * fastest)
              << label << ", problem " << trial << ", contact " << i;
        }
      }
    }
  }
  for (const auto& [label, count] : solved) EXPECT_GT(count, 0.7 * trials) << label;
  EXPECT_GE(solved.size(), 8U);
}

/// All velocities that solve the LCP of few contacts: of each contact that parts or bears, and each
/// axis that sticks or slides either way, the equations are solved and the inequalities looked at.
std::vector<Eigen::VectorXd> enumerate(const Eigen::MatrixXd& w, const Eigen::VectorXd& g,
                                       const std::vector<double>& mu) {
  constexpr double slack = 1e-9;
  const int count = static_cast<int>(mu.size());
  int sets = 1;
  for (int i = 0; i < count; ++i) sets *= 10;
  std::vector<Eigen::VectorXd> found;
  for (int set = 0; set < sets; ++set) {
    Eigen::MatrixXd a = w;
    Eigen::VectorXd b = -g;
    const auto mode = [&](int i) { return set / static_cast<int>(std::pow(10, i)) % 10; };
    const auto side = [&](int i, int k) { return (k == 0 ? mode(i) % 3 : mode(i) / 3) - 1; };
    for (int i = 0; i < count; ++i) {
      for (int k = 0; k < 3; ++k) {
        const int row = 3 * i + k;
        const bool parts = mode(i) == 9;
        if (!parts && (k == 2 || side(i, k) == 0)) continue;  // sigma = 0
        a.row(row).setZero();
        a(row, row) = 1;
        b(row) = 0;
        if (!parts) a(row, 3 * i + 2) = -side(i, k) * mu[i];
      }
    }
    const Eigen::VectorXd x = a.fullPivLu().solve(b);
    if (!((a * x - b).norm() < slack)) continue;
    const Eigen::VectorXd v = w * x + g;
    bool holds = true;
    for (int i = 0; i < count; ++i) {
      holds = holds && v(3 * i + 2) > -slack && x(3 * i + 2) > -slack;
      for (int k = 0; k < 2; ++k) {
        const int row = 3 * i + k;
        holds = holds && std::abs(x(row)) < mu[i] * x(3 * i + 2) + slack;
        holds = holds && (mode(i) == 9 || side(i, k) * v(row) < slack);
      }
    }
    const auto is_same = [&](const Eigen::VectorXd& u) { return (u - v).norm() < 1e-6; };
    if (holds && std::none_of(found.begin(), found.end(), is_same)) found.push_back(v);
  }
  return found;
}

TEST(RigidConditions, TheLcpIsSolvedAsEnumerationSays) {
  std::mt19937 random(22);
  std::normal_distribution<double> normal;
  const char* const solvers[] = {"gauss-seidel", "projected-gauss-seidel"};
  for (const int count : {1, 2}) {
    int solved = 0, unique = 0;
    constexpr int trials = 200;
    for (int trial = 0; trial < trials; ++trial) {
      const Eigen::MatrixXd root =
          Eigen::MatrixXd::NullaryExpr(3 * count, 3 * count, [&] { return normal(random); });
      const Eigen::MatrixXd w =
          root * root.transpose() + Eigen::MatrixXd::Identity(3 * count, 3 * count);
      const Eigen::VectorXd g =
          Eigen::VectorXd::NullaryExpr(3 * count, [&] { return normal(random); });
      FrictionProblem p;
      for (int i = 0; i < count; ++i) {
        p.velocity.push_back({g(3 * i), g(3 * i + 1), g(3 * i + 2)});
        p.friction.push_back(std::uniform_real_distribution<double>(0.1, 1)(random));
        for (int j = 0; j < count; ++j) {
          Mat3 block;
          for (int r = 0; r < 3; ++r) {
            for (int c = 0; c < 3; ++c) block(r, c) = w(3 * i + r, 3 * j + c);
          }
          p.delassus.column.push_back(j);
          p.delassus.block.push_back(block);
        }
        p.delassus.start.push_back(std::ssize(p.delassus.column));
      }
      const std::vector<Eigen::VectorXd> all = enumerate(w, g, p.friction);
      ASSERT_FALSE(all.empty()) << trial;
      unique += all.size() == 1;
      for (const char* name : solvers) {
        std::vector<Vec3> x;
        const FrictionReport r = make_friction_solver(name)->solve(
            p, {.model = lcp, .tolerance = 1e-10, .iteration_limit = 1000}, x);
        solved += r.status == SolveStatus::converged;
        if (r.status != SolveStatus::converged) continue;
        const std::vector<Vec3> v = velocities(p, x);
        double nearest = INFINITY;
        for (const Eigen::VectorXd& u : all) {
          nearest =
              std::min(nearest, (u - Eigen::Map<const Eigen::VectorXd>(&v[0].x, 3 * count)).norm());
        }
        ASSERT_LT(nearest, 1e-6) << name << " " << trial;
      }
    }
    EXPECT_GT(solved, 1.9 * trials) << count;
    EXPECT_GT(unique, 0.9 * trials) << count;
  }
}

TEST(RigidConditions, OrderAndTangentAxesDoNotMatter) {
  std::mt19937 random(23);
  std::map<RigidModel, int> alike;
  int turned_lcp = 0;
  for (int trial = 0; trial < 40; ++trial) {
    const FrictionProblem p = some_problem(random, trial);
    std::vector<int> order(p.friction.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    std::vector<double> angle;
    for (std::size_t i = 0; i < order.size(); ++i) {
      angle.push_back(std::uniform_real_distribution<double>(-3, 3)(random));
    }
    const std::vector<double> none(order.size(), 0);
    for (const RigidModel model : rigid_models) {
      const auto difference = [&](const std::vector<double>& turn) {
        const FrictionProblem q = turned(p, order, turn);
        std::vector<Vec3> x, y;
        for (auto [problem, impulse] : {std::pair{&p, &x}, {&q, &y}}) {
          const FrictionReport r =
              make_friction_solver("gauss-seidel")
                  ->solve(*problem, {.model = model, .tolerance = 1e-12}, *impulse);
          if (r.status != SolveStatus::converged) return -1.0;
        }
        const std::vector<Vec3> u = velocities(p, x), v = velocities(q, y);
        double most = 0;
        for (std::size_t i = 0; i < order.size(); ++i) {
          const double c = std::cos(turn[order[i]]), s = std::sin(turn[order[i]]);
          const Vec3 back{c * v[i].x - s * v[i].y, s * v[i].x + c * v[i].y, v[i].z};
          most = std::max(most, norm(back - u[order[i]]));
        }
        return most;
      };
      const double most = difference(model == lcp ? none : angle);
      // of the CCP the velocity is unique; of the others nearly always
      if (model == ccp) {
        ASSERT_LT(most, 1e-6) << trial;
      }
      alike[model] += most >= 0 && most < 1e-8;
      if (model == lcp) turned_lcp += difference(angle) > 1e-3;
    }
  }
  for (const auto& [model, count] : alike) EXPECT_GE(count, 32) << to_string(model);
  EXPECT_GE(turned_lcp, 10);
}

}  // namespace
}  // namespace abut
