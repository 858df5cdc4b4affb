#pragma once

#include <string>

#include "abut/laws/law_kind.hpp"

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

}  // namespace abut
