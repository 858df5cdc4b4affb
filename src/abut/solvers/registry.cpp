#include <array>
#include <string>

#include "abut/core/text.hpp"
#include "abut/solvers/primal/newton.hpp"

namespace abut {
namespace {

struct Entry {
  std::string_view name;
  std::unique_ptr<ContactSolver> (*make)(std::string_view name);
};

std::unique_ptr<ContactSolver> make_newton(std::string_view name) {
  return std::make_unique<Newton>(name);
}
std::unique_ptr<ContactSolver> make_paper(std::string_view name) {
  return std::make_unique<Newton>(name, NewtonOptions::paper());
}
std::unique_ptr<ContactSolver> make_armijo(std::string_view name) {
  return std::make_unique<Newton>(name, NewtonOptions::paper(LineSearch::armijo));
}

/// All solvers: files, the command line, Python and the tests know those listed here.
constexpr std::array solvers = {
    Entry{"newton", make_newton},
    Entry{"newton-paper", make_paper},
    Entry{"newton-armijo", make_armijo},
};

constexpr auto names = [] {
  std::array<std::string_view, solvers.size()> all;
  for (std::size_t i = 0; i < solvers.size(); ++i) all[i] = solvers[i].name;
  return all;
}();

}  // namespace

std::span<const std::string_view> solver_names() {
  return names;
}

std::unique_ptr<ContactSolver> make_solver(std::string_view name) {
  for (const Entry& e : solvers) {
    if (e.name == name) return e.make(e.name);
  }
  fail_input("solver " + quote(name) + " is not known: must be one of " + list_names(names));
}

}  // namespace abut
