#include "abut/laws/law_kind.hpp"

namespace abut {

std::string_view to_string(ContactModel model) {
  switch (model) {
    case ContactModel::sap: return "sap";
    case ContactModel::lagged: return "lagged";
    case ContactModel::similar: return "similar";
  }
  return "";
}

std::string_view to_string(NormalLawKind law) {
  switch (law) {
    case NormalLawKind::kelvin_voigt: return "kelvin-voigt";
    case NormalLawKind::hunt_crossley: return "hunt-crossley";
    case NormalLawKind::hertz: return "hertz";
  }
  return "";
}

}  // namespace abut
