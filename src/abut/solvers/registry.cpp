#include <array>
#include <string>

#include "abut/core/error.hpp"
#include "abut/solvers/primal/newton.hpp"

namespace abut {
namespace {

constexpr std::array<std::string_view, 3> names = {"newton", "newton-paper", "newton-armijo"};

}  // namespace

std::span<const std::string_view> solver_names() {
  return names;
}

std::unique_ptr<ContactSolver> make_solver(std::string_view name) {
  if (name == names[0]) return std::make_unique<Newton>(names[0]);
  if (name == names[1]) return std::make_unique<Newton>(names[1], NewtonOptions::paper());
  if (name == names[2]) {
    return std::make_unique<Newton>(names[2], NewtonOptions::paper(LineSearch::armijo));
  }
  std::string known;
  for (const std::string_view n : names) known.append(known.empty() ? "" : ", ").append(n);
  fail_input("solver '" + std::string(name) + "' is not known; there are " + known);
}

}  // namespace abut
