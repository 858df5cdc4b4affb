#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace abut {

/// The contact and friction conditions of the convex problem.
enum class ContactModel : std::uint8_t { sap, lagged, similar };

/// The normal force of Lagged and Similar; SAP has its own linear one.
enum class NormalLawKind : std::uint8_t { kelvin_voigt, hunt_crossley, hertz };

/// All of them, in the order of their numbers; files and the command line know those listed here.
inline constexpr std::array contact_models = {ContactModel::sap, ContactModel::lagged,
                                              ContactModel::similar};
inline constexpr std::array normal_laws = {NormalLawKind::kelvin_voigt,
                                           NormalLawKind::hunt_crossley, NormalLawKind::hertz};

std::string_view to_string(ContactModel model);
std::string_view to_string(NormalLawKind law);

}  // namespace abut
