#pragma once

#include <string_view>

#include "abut/core/error.hpp"
#include "abut/laws/law_kind.hpp"

namespace abut {

/// A contact model by its name on the command line.
inline ContactModel model_argument(std::string_view name) {
  for (const ContactModel m : contact_models) {
    if (name == to_string(m)) return m;
  }
  fail_input("model '" + std::string(name) + "' is none of sap, lagged, similar");
}

}  // namespace abut
