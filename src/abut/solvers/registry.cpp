#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "abut/core/text.hpp"
#include "abut/solvers/dual/rigid_solver.hpp"
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

/// Of the convex models: files, the command line, Python and the tests know those listed here, and
/// the solvers of friction problems, which solve steps under rigid models.
constexpr std::array convex_solvers = {
    Entry{"newton", make_newton},
    Entry{"newton-paper", make_paper},
    Entry{"newton-armijo", make_armijo},
};

const std::vector<std::string_view>& names() {
  static const auto all = [] {
    std::vector<std::string_view> list;
    for (const Entry& e : convex_solvers) list.push_back(e.name);
    const auto rigid = friction_solver_names();
    list.insert(list.end(), rigid.begin(), rigid.end());
    return list;
  }();
  return all;
}

}  // namespace

std::span<const std::string_view> solver_names() {
  return names();
}

std::unique_ptr<ContactSolver> make_solver(std::string_view name) {
  for (const Entry& e : convex_solvers) {
    if (e.name == name) return e.make(e.name);
  }
  if (std::ranges::find(names(), name) == names().end()) {
    fail_input("solver " + quote(name) + " is not known: must be one of " + list_names(names()));
  }
  return std::make_unique<RigidSolver>(name);
}

std::string_view default_solver(ContactModel model) {
  if (!traits(model).is_rigid) return convex_solvers.front().name;
  for (const std::string_view name : friction_solver_names()) {
    if (make_friction_solver(name)->supports(*rigid_model(model))) return name;
  }
  return {};
}

}  // namespace abut
