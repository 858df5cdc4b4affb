#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "abut/core/traits_table.hpp"

namespace abut {

/// The contact and friction conditions of a step: of compliant bodies, which make its problem
/// convex, or of rigid ones [CB 2-3].
enum class ContactModel : std::uint8_t { sap, lagged, similar, anchored, ncp, ccp, lcp, raisim };

/// The normal force of Lagged, Similar and Anchored; SAP has its own linear one, rigid models none.
enum class NormalLawKind : std::uint8_t {
  kelvin_voigt,
  hunt_crossley,
  hertz,
  tabulated,
  log_barrier,
  ipc_barrier
};

/// All of them, in the order of their numbers; files and the command line know those listed here.
inline constexpr std::array contact_models = {
    ContactModel::sap, ContactModel::lagged, ContactModel::similar, ContactModel::anchored,
    ContactModel::ncp, ContactModel::ccp,    ContactModel::lcp,     ContactModel::raisim};
inline constexpr std::array convex_models = {ContactModel::sap, ContactModel::lagged,
                                             ContactModel::similar, ContactModel::anchored};
inline constexpr std::array normal_laws = {
    NormalLawKind::kelvin_voigt, NormalLawKind::hunt_crossley, NormalLawKind::hertz,
    NormalLawKind::tabulated,    NormalLawKind::log_barrier,   NormalLawKind::ipc_barrier};

/// How a model is called, and what sets it apart. Code that has to know more of a model switches
/// over all of them, which does not compile when one is missing.
struct ModelTraits {
  std::string_view name, description;
  bool has_own_law = false;    ///< Kelvin-Voigt's, whatever normal law is asked for
  bool is_near_rigid = false;  ///< contacts that a step cannot resolve are softened
  bool lags_friction = false;  ///< friction multiplies a normal impulse that is to be found
  bool is_anchored = false;    ///< contacts keep the tangential force of a spring
  bool is_rigid = false;       ///< solved in impulses; stiffness and dissipation have no part in it
};
constexpr ModelTraits make_traits(ContactModel model) {
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
    case ContactModel::anchored:
      return {.name = "anchored",
              .description =
                  "lagged, with a tangential spring that keeps its force: what sticks does "
                  "not creep",
              .lags_friction = true,
              .is_anchored = true};
    case ContactModel::ncp:
      return {.name = "ncp",
              .description =
                  "rigid: Signorini's condition and Coulomb's law, nothing relaxed; what sticks "
                  "does not creep",
              .is_rigid = true};
    case ContactModel::ccp:
      return {.name = "ccp",
              .description = "rigid: the convex relative of the NCP; bodies that slide lift off",
              .is_rigid = true};
    case ContactModel::lcp:
      return {.name = "lcp",
              .description =
                  "rigid: the NCP with pyramids for cones; friction depends on the tangent axes",
              .is_rigid = true};
    case ContactModel::raisim:
      return {
          .name = "raisim",
          .description = "rigid: Signorini's condition, and friction not quite against the slip",
          .is_rigid = true};
  }
  return {};
}

struct LawTraits {
  std::string_view name, description;
  bool relaxes = false;       ///< tau_d damps it: what closes fast is pushed back before it touches
  bool is_pointwise = false;  ///< evaluated contact by contact, not in packs
  bool is_barrier = false;    ///< its force begins at the thickness of a layer before touch
};
constexpr LawTraits make_traits(NormalLawKind law) {
  switch (law) {
    case NormalLawKind::kelvin_voigt: return {"kelvin-voigt", "k (x + tau_d xdot)", true};
    case NormalLawKind::hunt_crossley: return {"hunt-crossley", "k x (1 + d xdot)"};
    case NormalLawKind::hertz: return {"hertz", "k x^(3/2) (1 + d xdot), stiffness in N/m^(3/2)"};
    case NormalLawKind::tabulated:
      return {.name = "tabulated",
              .description = "F(x) (1 + d xdot), F by the points of a force_table",
              .is_pointwise = true};
    case NormalLawKind::log_barrier:
      return {.name = "log-barrier",
              .description = "k x/(1 - x/thickness) (1 + d xdot), x within a layer before touch",
              .is_pointwise = true,
              .is_barrier = true};
    case NormalLawKind::ipc_barrier:
      return {
          .name = "ipc-barrier",
          .description =
              "that of incremental potential contact, times (1 + d xdot), within a layer before "
              "touch; begins smoothly",
          .is_pointwise = true,
          .is_barrier = true};
  }
  return {};
}

inline constexpr TraitsTable model_traits(contact_models);
inline constexpr TraitsTable law_traits(normal_laws);
constexpr const ModelTraits& traits(ContactModel model) {
  return model_traits[model];
}
constexpr const LawTraits& traits(NormalLawKind law) {
  return law_traits[law];
}

constexpr std::string_view to_string(ContactModel model) {
  return traits(model).name;
}
constexpr std::string_view to_string(NormalLawKind law) {
  return traits(law).name;
}

/// The normal law that contacts of the model have where `law` is asked for. In rigid models none
/// has a part: there it is one that acts from touch on.
constexpr NormalLawKind effective_law(ContactModel model, NormalLawKind law) {
  if (traits(model).is_rigid) return NormalLawKind::hunt_crossley;
  return traits(model).has_own_law ? NormalLawKind::kelvin_voigt : law;
}

/// Whether the normal law that is asked for counts: SAP has its own, rigid models none.
constexpr bool takes_law(ContactModel model) {
  return !traits(model).has_own_law && !traits(model).is_rigid;
}

}  // namespace abut
