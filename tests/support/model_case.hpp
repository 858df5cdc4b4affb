#pragma once

#include <string>
#include <vector>

#include "abut/laws/law_kind.hpp"

namespace abut {

/// A contact model with one of its normal laws.
struct ModelCase {
  ContactModel model;
  NormalLawKind law;
};

/// All that there are: each model with each law that it does not replace by its own.
inline const std::vector<ModelCase> model_cases = [] {
  std::vector<ModelCase> cases;
  for (const ContactModel model : contact_models) {
    for (const NormalLawKind law : normal_laws) {
      if (effective_law(model, law) == law) cases.push_back({model, law});
    }
  }
  return cases;
}();

inline std::string name(const ModelCase& c) {
  return std::string(to_string(c.model)) + " " + std::string(to_string(c.law));
}

}  // namespace abut
