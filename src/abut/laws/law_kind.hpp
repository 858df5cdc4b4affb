#pragma once

#include <cstdint>
#include <string_view>

namespace abut {

/// The contact and friction conditions of the convex problem.
enum class ContactModel : std::uint8_t { sap, lagged, similar };

/// The normal force of Lagged and Similar; SAP has its own linear one.
enum class NormalLawKind : std::uint8_t { kelvin_voigt, hunt_crossley, hertz };

std::string_view to_string(ContactModel model);
std::string_view to_string(NormalLawKind law);

}  // namespace abut
