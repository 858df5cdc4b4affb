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

/// All of them. SAP has a law of its own.
inline const ModelCase model_cases[] = {{ContactModel::sap, NormalLawKind::hunt_crossley},
                                        {ContactModel::lagged, NormalLawKind::kelvin_voigt},
                                        {ContactModel::lagged, NormalLawKind::hunt_crossley},
                                        {ContactModel::lagged, NormalLawKind::hertz},
                                        {ContactModel::similar, NormalLawKind::kelvin_voigt},
                                        {ContactModel::similar, NormalLawKind::hunt_crossley},
                                        {ContactModel::similar, NormalLawKind::hertz}};

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
