// A problem file is refused with a message, or every solver ends, and succeeds only with numbers.

#include <cmath>

#include "abut/core/error.hpp"
#include "abut/io/problem_file.hpp"
#include "abut/problem/prepared_problem.hpp"
#include "abut/solvers/contact_solver.hpp"
#include "fuzz/fuzz_target.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace abut;
  const std::string path = write_input("problem.npz", data, size);
  try {
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
  } catch (const InputError& e) {
    must(e.what()[0] != '\0', "an empty message");
  } catch (const FileError& e) {
    must(e.what()[0] != '\0', "an empty message");
  }
  return 0;
}
