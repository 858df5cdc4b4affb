// Solves a friction problem by Pinocchio's constraint solvers again and again, and prints the least
// time as one line of JSON, with the error that our certificate finds:
//     pinocchio_friction PROBLEM.npz SOLVER TOLERANCE [once]
// SOLVER is admm, anderson (ADMM with a history of 5) or pgs. The problem is scaled as ours are;
// W is made symmetric.

#include <Eigen/Dense>
#include <chrono>
#include <cstdio>
#include <pinocchio/algorithm/delassus-operator.hpp>
#include <pinocchio/algorithm/solvers/admm-solver.hpp>
#include <pinocchio/algorithm/solvers/pgs-solver.hpp>
#include <pinocchio/constraints.hpp>
#include <pinocchio/multibody.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "../bench_main.hpp"
#include "../friction_times.hpp"
#include "abut/io/friction_file.hpp"
#include "abut/solvers/dual/scaled_problem.hpp"
#include "support/number_argument.hpp"

namespace {

using namespace abut;
namespace pin = pinocchio;

using Contacts = std::vector<pin::PointContactConstraintModel>;
using ContactData = std::vector<pin::PointContactConstraintData>;

Eigen::MatrixXd dense(const BlockMatrix& w) {
  Eigen::MatrixXd m = Eigen::MatrixXd::Zero(3 * w.rows(), 3 * w.rows());
  for (int i = 0; i < w.rows(); ++i) {
    for (std::int64_t k = w.start[i]; k < w.start[i + 1]; ++k) {
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) m(3 * i + r, 3 * w.column[k] + c) = w.block[k](r, c);
      }
    }
  }
  return (m + m.transpose()) / 2;
}

template <class Settings>
Settings make_settings(double tolerance) {
  Settings s;
  s.max_iterations = 10000;
  s.absolute_feasibility_tol = s.absolute_complementarity_tol = tolerance;
  s.relative_feasibility_tol = s.relative_complementarity_tol = 0;
  return s;
}

/// One solve from zero: the time [s] and the number of iterations.
template <class Solver, class Settings, class Result>
std::pair<double, int> solve(const Eigen::MatrixXd& w, const Eigen::VectorXd& g,
                             const Contacts& contacts, const ContactData& data,
                             const Settings& settings, Solver& solver, Eigen::VectorXd& impulse) {
  pin::DelassusOperatorDense delassus(w);
  Result result;
  const auto start = std::chrono::steady_clock::now();
  solver.solve(delassus, g, contacts, data, settings, result);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  result.retrieveConstraintImpulses(impulse);
  return {time.count(), static_cast<int>(result.iterations)};
}

int bench(int argc, char** argv) {
  if (argc != 4 && (argc != 5 || std::string_view(argv[4]) != "once")) {
    std::fprintf(stderr, "usage: pinocchio_friction PROBLEM.npz SOLVER TOLERANCE [once]\n");
    return 2;
  }
  const FrictionProblem p = load_friction_file(argv[1]).problem;
  ScaledProblem scaled;
  scaled.set(p);
  const std::string_view name = argv[2];
  const double tolerance = number_argument(argv[3]);
  const Eigen::MatrixXd w = dense(scaled.scaled.delassus);
  const Eigen::VectorXd g =
      Eigen::Map<const Eigen::VectorXd>(&scaled.scaled.velocity[0].x, 3 * p.contacts());
  pin::Model model;
  Contacts contacts;
  ContactData data;
  for (int i = 0; i < p.contacts(); ++i) {
    contacts.emplace_back(model, 0, pin::SE3::Identity(), 0, pin::SE3::Identity());
    contacts.back().setFriction(p.friction[i]);
    data.push_back(contacts.back().createData());
  }
  Eigen::VectorXd impulse(3 * p.contacts());
  pin::ADMMConstraintSolver admm(static_cast<std::size_t>(3 * p.contacts()));
  pin::PGSConstraintSolver pgs(static_cast<std::size_t>(3 * p.contacts()));
  const auto once = [&] {
    if (name == "pgs") {
      using Settings = pin::PGSSolverSettingsTpl<double>;
      using Result = pin::PGSSolverResultTpl<double, 0>;
      return solve<decltype(pgs), Settings, Result>(
          w, g, contacts, data, make_settings<Settings>(tolerance), pgs, impulse);
    }
    using Settings = pin::ADMMSolverSettingsTpl<double>;
    using Result = pin::ADMMSolverResultTpl<double, 0>;
    auto settings = make_settings<Settings>(tolerance);
    settings.anderson_capacity = name == "anderson" ? 5 : 0;
    return solve<decltype(admm), Settings, Result>(w, g, contacts, data, settings, admm, impulse);
  };
  const auto judge = [&] {
    std::vector<Vec3> gamma;
    for (int i = 0; i < p.contacts(); ++i) {
      gamma.push_back(
          scaled.to_problem(i, {impulse[3 * i], impulse[3 * i + 1], impulse[3 * i + 2]}));
    }
    return certify(p, RigidModel::ncp, gamma).natural_error;
  };
  print_times(p.contacts(), time_solves(once, judge, argc == 5));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return abut::run_bench("pinocchio_friction", bench, argc, argv);
}
