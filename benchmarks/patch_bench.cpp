// What a contact point costs in a patch of 4 to 5000 points between two links of a mechanism of 30
// dofs, and between two free bodies.

#include <chrono>
#include <cmath>
#include <cstdio>
#include <random>

#include "abut/solvers/contact_solver.hpp"

namespace {

using namespace abut;

constexpr int dofs = 30;

/// A disk of points, pressed together.
void add_points(ContactProblem& p, int count, int tree_a, int tree_b, int body_a, int body_b) {
  const double golden = 2.399963229728653;
  for (int i = 0; i < count; ++i) {
    const double r = 0.1 * std::sqrt((i + 0.5) / count), turn = golden * i;
    p.add_contact(tree_a, tree_b,
                  {.point = {r * std::cos(turn), r * std::sin(turn), 0},
                   .normal = {0, 0, 1},
                   .gap = -1e-5,
                   .weight = 1.0 / count,
                   .stiffness = 1e6,
                   .friction = 0.5},
                  body_a, body_b);
  }
}

ContactProblem linked(int count) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal(0, 0.3);
  ContactProblem p;
  p.time_step = 1e-3;
  std::vector<double> root(dofs * dofs), a(dofs * dofs), v(dofs);
  for (double& x : root) x = normal(random);
  for (int r = 0; r < dofs; ++r) {
    for (int c = 0; c < dofs; ++c) {
      for (int k = 0; k < dofs; ++k) a[r * dofs + c] += root[r * dofs + k] * root[c * dofs + k];
    }
    a[r * dofs + r] += 0.2;
  }
  for (double& x : v) x = 0.1 * normal(random);
  const int tree = p.add_tree(a, v, v, 1);
  int body[2];
  for (int& b : body) {
    std::vector<double> jacobian(6 * dofs);
    for (double& x : jacobian) x = normal(random);
    b = p.add_body(tree, {}, jacobian);
  }
  add_points(p, count, tree, tree, body[0], body[1]);
  return p;
}

ContactProblem free_bodies(int count) {
  ContactProblem p;
  p.time_step = 1e-3;
  const double v[6] = {0.1, 0, -0.1, 0, 0, 0.5}, still[6] = {};
  const int a = p.add_rigid_body(1, {0, 0, -0.1}, 1e-2 * Mat3::identity(), still, still);
  const int b = p.add_rigid_body(1, {0, 0, 0.1}, 1e-2 * Mat3::identity(), v, v);
  add_points(p, count, a, b, -1, -1);
  return p;
}

/// Seconds of preparation, and of the solve by iteration: the least of some.
void measure(const char* name, const ContactProblem& p) {
  using Clock = std::chrono::steady_clock;
  const auto solver = make_solver("newton");
  double prepare = HUGE_VAL, iteration = HUGE_VAL;
  PreparedProblem q;
  for (int k = 0; k < 30; ++k) {
    q.edit() = p;
    const auto begin = Clock::now();
    q.prepare();
    const std::chrono::duration<double> seconds = Clock::now() - begin;
    ContactSolution x;
    const SolveReport r = solver->solve(q, {}, x);
    if (r.status != SolveStatus::converged) std::printf("did not converge\n");
    prepare = std::min(prepare, seconds.count());
    iteration = std::min(iteration, r.seconds / std::max(1, r.iterations));
  }
  const double points = p.contacts.size();
  std::printf(
      "%-14s %6.0f points  prepare %8.1f us, %6.1f ns a point   iteration %8.1f us, %6.1f "
      "ns a point\n",
      name, points, 1e6 * prepare, 1e9 * prepare / points, 1e6 * iteration,
      1e9 * iteration / points);
}

}  // namespace

int main() {
  for (const int count : {4, 40, 400, 1000, 2000, 5000}) measure("two links", linked(count));
  for (const int count : {4, 40, 400, 1000, 2000, 5000}) measure("free bodies", free_bodies(count));
}
