#pragma once

#include <cstdint>
#include <string_view>

#include "abut/sim/world.hpp"

namespace abut {

/// A body of 1 kg on a plane, with mu = 0.5.
enum class Slide : std::uint8_t {
  box,     ///< slides; too heavy to turn
  sphere,  ///< of radius 0.1 m, slides without turning yet
  wheel,   ///< of radius 0.1 m, likewise
  disc,    ///< of radius 0.1 m, spins on its face
  roll,    ///< a sphere that rolls on a slope of 0.2 rad: its friction holds
};
inline constexpr Slide slides[] = {Slide::box, Slide::sphere, Slide::wheel, Slide::disc,
                                   Slide::roll};
std::string_view to_string(Slide slide);

/// Relative error of the deceleration (of the roll: of its acceleration by 5/7 g sin), over at most
/// 100 steps after the first three and while it slides; of the disc at its rim.
///
/// It begins in the model's own steady motion, so that there is no transient of the contact to be
/// taken for an error. With the slip u, which falls at the rate s, each step finds the normal
/// impulse m g h / points where the gap is
///
///     Lagged    -depth                        f(depth) = m g / points
///     Similar   -x - h z,                     x = m g/(points k (1 - d z)),  z = v_n - mu s(u)
///     SAP       (h + tau)(mu u - v_n - R_s m g h/points),   R_s = R_n + mu^2 R_t
///
/// with u at the step's end and the rate v_n with which the gap follows u. Then m g is carried in
/// every step, and Coulomb's law holds in every step in all models: the speed falls by mu g h.
///
/// Not a number where it stops in so few steps, where a wheel or disc turns by more than half a
/// radian in a step, and where spheres and wheels glide by more than a thousandth of their radius
/// above the ground, which moments take for a longer arm.
double slide_error(Slide slide, ContactModel model, double speed, double time_step);

}  // namespace abut
