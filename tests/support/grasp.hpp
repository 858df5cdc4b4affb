#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "abut/sim/world.hpp"

namespace abut {

/// What holds a pad against a box, with 100 N.
enum class Press : std::uint8_t {
  servo,   ///< of position, 2000 N/m and 50 N s/m
  motor,   ///< a constant force
  spring,  ///< of the pad's joint, 2000 N/m and 50 N s/m
  weld,    ///< to a carriage that a motor drives
  limit,   ///< a motor; on the other side a second pad that its joint's limit holds
};
inline constexpr Press presses[] = {Press::servo, Press::motor, Press::spring, Press::weld,
                                    Press::limit};
std::string_view to_string(Press press);

/// A box of 100 kg between two pads that press it with 100 N. After 0.3 s it is pushed along them
/// with `load` times what both can hold by friction, 2 mu 100 N.
struct Grasp {
  Press press = Press::servo;
  ContactModel model = ContactModel::lagged;
  double friction = 0.5;  ///< mu
  double load = 0.5;      ///< below 1 it holds, above it slips
  double time_step = 2e-3;
  double duration = 3;  ///< of the push [s]
};

/// What became of it.
struct GraspResult {
  /// Along the pads [m]: the way from 0.5 s of the push on, and what the creep of the models makes
  /// of it (docs/laws).
  double way = 0, creep = 0;
  /// At the end [m/s], and by the closed form of push.
  double speed = 0, exact_speed = 0;
  int not_converged = 0;
};

/// A slipping box has the speed
///
///     v = a (1 - exp(-r t))/r,   a = (F - 2 mu N)/m,  r = 2 mu K c/m
///
/// where K is the stiffness with which it is pressed and c v by how much the pads part as it glides
/// (docs/laws): 2 mu (h + tau_d) v in SAP, 2 mu h v in Similar, not at all in Lagged. m includes
/// 2 mu D c of what presses with the damping D.
GraspResult run_grasp(const Grasp& grasp);

/// It creeps as the models do: Lagged and Similar within 2 %. In SAP the faces carry unequal shares
/// where their bodies differ, and the box leans on its edges: within a factor of 1.5.
bool holds(const Grasp& grasp, const GraspResult& result);
/// Within 2 % of the closed form.
bool slips(const GraspResult& result);

/// How high the box of examples/scenes/gripper.toml is at the end, which is lifted to 0.23 m [m].
double gripper_height(const std::string& file, ContactModel model, double friction);

}  // namespace abut
