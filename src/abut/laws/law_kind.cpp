#include "abut/laws/law_kind.hpp"

namespace abut {

ModelTraits traits(ContactModel model) {
  switch (model) {
    case ContactModel::sap:
      return {.name = "sap",
              .description =
                  "compliant contact, friction by projection on the cone; robust, creeps "
                  "and glides with the step",
              .has_own_law = true,
              .is_near_rigid = true};
    case ContactModel::lagged:
      return {.name = "lagged",
              .description =
                  "friction on the normal impulse that came out, by rounds; consistent, "
                  "does not glide",
              .lags_friction = true};
    case ContactModel::similar:
      return {.name = "similar", .description = "strongly coupled friction; glides by h mu |v_t|"};
  }
  return {};
}

LawTraits traits(NormalLawKind law) {
  switch (law) {
    case NormalLawKind::kelvin_voigt: return {"kelvin-voigt", "k (x + tau_d xdot)"};
    case NormalLawKind::hunt_crossley: return {"hunt-crossley", "k x (1 + d xdot)"};
    case NormalLawKind::hertz: return {"hertz", "k x^(3/2) (1 + d xdot), stiffness in N/m^(3/2)"};
  }
  return {};
}

NormalLawKind effective_law(ContactModel model, NormalLawKind law) {
  return traits(model).has_own_law ? NormalLawKind::kelvin_voigt : law;
}

}  // namespace abut
