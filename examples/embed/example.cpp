// Two boxes stacked on the ground, the upper one pushed; one step through abut's core alone: build
// the contact problem from blocks, solve it, read impulses and the certificate.
// docs/embedding.md has the command.

#include <cstdio>
#include <string_view>

#include "abut/core/error.hpp"
#include "abut/problem/contact_problem.hpp"
#include "abut/solvers/contact_solver.hpp"

constexpr double time_step = 0.01;  // s
constexpr double gravity = 9.81;    // m/s^2
constexpr double side = 0.2;        // m

/// A cube at rest that without contact would fall, and follow a push [N] along x. Returns its tree.
int add_box(abut::ContactProblem& problem, double mass, double height, double push) {
  const double moment = mass * side * side / 6;  // kg m^2
  const double velocity[6] = {};                 // (linear; angular), world axes
  const double free_velocity[6] = {push / mass * time_step, 0, -gravity * time_step};
  return problem.add_rigid_body(mass, {0, 0, height},
                                abut::Mat3::diagonal({moment, moment, moment}), velocity,
                                free_velocity);
}

/// The four corners of a face at `height`, just touching: the upper tree is pushed up.
void add_face(abut::ContactProblem& problem, int below, int above, double height) {
  for (const double x : {-side / 2, side / 2}) {
    for (const double y : {-side / 2, side / 2}) {
      problem.add_contact(below, above,
                          {.point = {x, y, height},
                           .normal = {0, 0, 1},
                           .gap = 0,          // m
                           .stiffness = 1e7,  // N/m
                           .friction = 0.5});
    }
  }
}

int main() try {
  abut::ContactProblem problem;
  problem.time_step = time_step;
  problem.model = abut::ContactModel::sap;

  const int lower = add_box(problem, 8, side / 2, 0);
  const int upper = add_box(problem, 2, 1.5 * side, 4);
  add_face(problem, abut::world_tree, lower, 0);
  add_face(problem, lower, upper, side);
  abut::validate(problem);
  const abut::PreparedProblem prepared(problem);

  const auto solver = abut::make_solver("newton");
  abut::ContactSolution solution;
  const abut::SolveReport report = solver->solve(prepared, {.tolerance = 1e-8}, solution);

  const std::string_view status = abut::to_string(report.status);
  std::printf("%.*s after %d iterations\n", static_cast<int>(status.size()), status.data(),
              report.iterations);
  for (int i = 0; i < problem.contacts.size(); ++i) {
    const abut::Vec3& at = problem.contacts.point[i];
    const abut::Vec3& impulse = solution.impulse[i];
    std::printf("contact %d at (%5.2f %5.2f %5.2f) m: impulse (%7.4f %7.4f %7.4f) N s\n", i, at.x,
                at.y, at.z, impulse.x, impulse.y, impulse.z);
  }
  const abut::Certificate& c = report.certificate;
  std::printf("certificate: step error %.1e, complementarity error %.1e\n", c.step_error,
              c.complementarity_error);
  return report.status == abut::SolveStatus::converged ? 0 : 1;
} catch (const abut::InputError& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
