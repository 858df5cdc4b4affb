// A second of steps through abut's core alone: balls that slide until they roll, and a lift that
// lands on its buffer, a scalar constraint. Warm start, islands on two threads, certificates.
// docs/embedding.md has the command.

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <vector>

#include "abut/core/error.hpp"
#include "abut/core/parallel.hpp"
#include "abut/problem/contact_problem.hpp"
#include "abut/solvers/contact_solver.hpp"

constexpr double time_step = 1e-3;  // s
constexpr double gravity = 9.81;    // m/s^2

/// Where a ball is and how fast; its orientation is not needed.
struct Ball {
  abut::Vec3 center;
  double velocity[6] = {};  // (linear; angular), world axes
  abut::Vec3 impulse;       // of its contact in the step before [N s]
};

constexpr double radius = 0.1, ball_mass = 2;  // m, kg

/// A platform on a vertical rail: one dof.
struct Lift {
  double mass = 4, height = 0.05, velocity = 0;  // kg, m, m/s
  double lowest = 0, stiffness = 1e5;            // m, N/m
  double relaxation_time = 0.01;                 // damping over stiffness [s]
};

/// The balls are the trees 0, 1, ... and their contacts have the same numbers.
void add_ball(abut::ContactProblem& problem, const Ball& ball) {
  const double moment = 0.4 * ball_mass * radius * radius;  // kg m^2
  double free_velocity[6];
  std::copy_n(ball.velocity, 6, free_velocity);
  free_velocity[2] -= gravity * time_step;
  const int tree =
      problem.add_rigid_body(ball_mass, ball.center, abut::Mat3::diagonal({moment, moment, moment}),
                             ball.velocity, free_velocity);
  const abut::Vec3 lowest = ball.center - abut::Vec3{0, 0, radius};
  problem.add_contact(abut::world_tree, tree,
                      {.point = lowest,
                       .normal = {0, 0, 1},
                       .gap = lowest.z,
                       .friction = 0.3,
                       .previous_impulse = ball.impulse});  // zero where a contact is new
}

/// Returns its scalar constraint: the velocity c, here the lift's own, may not fall below -gap per
/// step.
int add_lift(abut::ContactProblem& problem, const Lift& lift) {
  const double a[] = {lift.mass}, velocity[] = {lift.velocity},
               free_velocity[] = {lift.velocity - gravity * time_step};
  const int tree = problem.add_tree(a, velocity, free_velocity, lift.mass);
  const abut::RowEntry row[] = {{.tree = tree, .dof = 0, .value = 1}};  // c = J v
  return problem.add_scalar({.kind = abut::ScalarKind::limit,
                             .gap = lift.height - lift.lowest,
                             .stiffness = lift.stiffness,
                             .relaxation_time = lift.relaxation_time},
                            row);
}

int main() try {
  std::vector<Ball> balls(8);
  for (std::size_t i = 0; i < balls.size(); ++i) {
    balls[i].center = {0, static_cast<double>(i), radius};
    balls[i].velocity[0] = 0.5 + 0.1 * static_cast<double>(i);
  }
  Lift lift;

  const auto solver = abut::make_solver("newton");
  abut::ThreadPool pool(2);  // the same bits for any number
  abut::PreparedProblem prepared;
  abut::ContactSolution solution;  // its velocities are the next step's first guess

  int failures = 0;
  double worst = 0;
  for (int step = 0; step < 1000; ++step) {
    abut::ContactProblem& problem = prepared.edit();
    problem.clear();  // keeps its buffers
    problem.time_step = time_step;
    problem.model = abut::ContactModel::lagged;
    problem.law = abut::NormalLawKind::hunt_crossley;
    for (const Ball& ball : balls) add_ball(problem, ball);
    const int limit = add_lift(problem, lift);
    prepared.prepare();
    const abut::SolveReport report =
        solver->solve(prepared, {.tolerance = 1e-6, .pool = &pool}, solution);
    failures += report.status != abut::SolveStatus::converged;  // its best answer is used
    worst = std::max(worst, report.certificate.momentum_error);

    for (std::size_t i = 0; i < balls.size(); ++i) {
      std::copy_n(&solution.velocity[problem.trees[i].first_dof], 6, balls[i].velocity);
      const double* v = balls[i].velocity;
      balls[i].center += time_step * abut::Vec3{v[0], v[1], v[2]};
      balls[i].impulse = solution.impulse[i];
    }
    lift.velocity = solution.velocity[problem.trees.back().first_dof];
    lift.height += time_step * lift.velocity;
    if (step == 999) {
      std::printf("the buffer bears %.2f N of %.2f N\n", solution.scalar_impulse[limit] / time_step,
                  lift.mass * gravity);
    }
  }
  for (const std::size_t i : {std::size_t{0}, balls.size() - 1}) {
    const double start = 0.5 + 0.1 * static_cast<double>(i);
    std::printf("ball %zu rolls at %.4f m/s, 5/7 of %.1f m/s is %.4f\n", i, balls[i].velocity[0],
                start, start * 5 / 7);
  }
  std::printf("%d of 1000 steps failed; momentum error at most %.0e\n", failures,
              std::max(worst, 1e-6));
  return failures == 0 ? 0 : 1;
} catch (const abut::InputError& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
