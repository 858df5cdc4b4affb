#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "abut/laws/law_kind.hpp"
#include "abut/solvers/contact_solver.hpp"

namespace abut {

/// A contact model with one of its normal laws.
struct ModelCase {
  ContactModel model;
  NormalLawKind law;
};

/// All that there are: each model with each law that it does not replace by its own.
inline const std::vector<ModelCase> model_cases = [] {
  std::vector<ModelCase> cases;
  for (const ContactModel model : convex_models) {
    for (const NormalLawKind law : normal_laws) {
      if (effective_law(model, law) == law) cases.push_back({model, law});
    }
  }
  return cases;
}();

inline std::string name(const ModelCase& c) {
  return std::string(to_string(c.model)) + " " + std::string(to_string(c.law));
}

/// The solvers that support the model.
inline std::vector<std::string_view> solvers_of(ContactModel model) {
  std::vector<std::string_view> names;
  for (const std::string_view n : solver_names()) {
    if (make_solver(n)->supports(model)) names.push_back(n);
  }
  return names;
}

}  // namespace abut
