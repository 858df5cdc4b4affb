// A problem file is refused with a message, or every solver ends, and succeeds only with numbers:
// saved steps, and friction problems in both of their formats.

#include <cmath>

#include "abut/core/error.hpp"
#include "abut/io/friction_file.hpp"
#include "abut/io/hdf5_file.hpp"
#include "abut/io/problem_file.hpp"
#include "abut/problem/prepared_problem.hpp"
#include "abut/solvers/contact_solver.hpp"
#include "abut/solvers/dual/friction_solver.hpp"
#include "fuzz/fuzz_target.hpp"

/// The C library loses track of what it allocates for damaged files.
extern "C" const char* __lsan_default_suppressions();
const char* __lsan_default_suppressions() {
  return "leak:libhdf5";
}

namespace abut {
namespace {

void solve_step(const std::string& path) {
  ContactProblem p = load_problem(path);
  const PreparedProblem q(p);
  for (const std::string_view name : solver_names()) {
    if (!make_solver(name)->supports(p.model)) continue;
    ContactSolution x;
    const SolveReport r = make_solver(name)->solve(q, {}, x);
    if (r.status != SolveStatus::converged) continue;
    must(std::isfinite(r.certificate.momentum_error), "success with a certificate of NaN");
    for (const double v : x.velocity) {
      must(std::isfinite(v), "success with a velocity that is no number");
    }
  }
}

void solve_friction(const std::string& path) {
  const FrictionProblem p = load_friction_file(path).problem;
  for (const std::string_view name : friction_solver_names()) {
    for (const RigidModel model : rigid_models) {
      if (!make_friction_solver(name)->supports(model)) continue;
      std::vector<Vec3> impulse;
      const FrictionReport r =
          make_friction_solver(name)->solve(p, {.model = model, .iteration_limit = 50}, impulse);
      if (r.status != SolveStatus::converged) continue;
      must(r.certificate.is_finite(), "success with a certificate of NaN");
      for (const Vec3& g : impulse) must(is_finite(g), "success with an impulse that is no number");
    }
  }
}

}  // namespace
}  // namespace abut

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace abut;
  leave_hdf5_at_exit();
  const std::string path = write_input("problem.npz", data, size);
  try {
    is_friction_file(path) ? solve_friction(path) : solve_step(path);
  } catch (const InputError& e) {
    must(e.what()[0] != '\0', "an empty message");
  } catch (const FileError& e) {
    must(e.what()[0] != '\0', "an empty message");
  }
  return 0;
}
