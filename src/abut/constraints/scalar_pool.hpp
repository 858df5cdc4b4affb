#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace abut {

/// What a scalar constraint stands for.
enum class ScalarKind : std::uint8_t {
  limit,         ///< of a joint: c must not fall below -gap per step; impulse >= 0
  dry_friction,  ///< resists motion with at most its largest force
  actuator,      ///< a force that depends on position and velocity, between its bounds
  equality,      ///< c keeps a position where it is to be: at -gap
};
inline constexpr std::array scalar_kinds = {ScalarKind::limit, ScalarKind::dry_friction,
                                            ScalarKind::actuator, ScalarKind::equality};

/// Stands for no bound on a force [N or N m].
constexpr double unlimited_force = 1e30;

/// What a caller knows of one scalar constraint on the velocities of one tree or several: c = J v,
/// J sparse. Its impulse gamma [N s or N m s] acts as J^T gamma.
struct ScalarConstraint {
  ScalarKind kind = ScalarKind::limit;
  double gap = 0;  ///< limit: how far c may still go down [m or rad], < 0 beyond; equality: how far
                   ///< the position is above what it is to be
  double stiffness = 1e7;                   ///< limit, equality: k; actuator: Kp [N/m or N m/rad]
  double relaxation_time = 0;               ///< limit, equality: tau_d [s]
  double damping = 0;                       ///< actuator: Kd [N s/m or N m s/rad]
  double force = 0;                         ///< actuator: at the step's start and c = 0 [N or N m]
  double lower_force = 0, upper_force = 0;  ///< actuator, dry friction: bounds [N or N m]
  double previous_impulse = 0;  ///< in the last step, where the constraint persists [N s or N m s]
  std::int32_t name = -1;       ///< the caller's, to find the constraint again in the next step
};

/// One entry of a constraint's row of J. Those of a row are sorted by tree.
struct RowEntry {
  std::int32_t tree = 0;
  std::int32_t dof = 0;  ///< of the tree
  double value = 0;
};

/// All scalar constraints of a problem as parallel arrays. The convex law of each, with c = J v:
///
///     y = (v_hat - c)/R,   gamma = clamp(y, lower, upper),   l = R gamma^2/2 + R gamma (y - gamma)
///
///     limit          v_hat = -gap/(h + tau_d),  R = max(beta^2 w/(4 pi^2), 1/(h (h + tau_d) k)),
///                    gamma >= 0: a contact without friction [SAP]
///     equality       v_hat likewise, R = 1/(h (h + tau_d) k), gamma of any sign: several hold one
///                    body, of which one alone says little by its w
///     dry friction   v_hat = 0,  R = sigma w,  gamma within h times the bounds
///     actuator       force f - h Kp c - Kd c at the step's end: 1/R = h (h Kp + Kd),
///                    v_hat = R h f, gamma within h times the bounds
///
/// w = J A^-1 J^T of the row alone.
struct ScalarPool {
  std::vector<std::int32_t> name;
  std::vector<ScalarKind> kind;
  std::vector<double> gap, stiffness, relaxation_time, damping, force, lower_force, upper_force,
      previous_impulse;
  std::vector<std::int32_t> entry_end;  ///< entries of constraint i: entry_end[i - 1] to [i]
  std::vector<RowEntry> entries;

  int size() const { return static_cast<int>(kind.size()); }
  std::int32_t first_tree(int i) const { return entries[i == 0 ? 0 : entry_end[i - 1]].tree; }
  std::span<const RowEntry> row(int i) const {
    const std::int32_t begin = i == 0 ? 0 : entry_end[i - 1];
    return {entries.data() + begin, entries.data() + entry_end[i]};
  }
  void clear();
  /// For so many constraints in all, with one entry each of those that are not there yet.
  void make_room(std::size_t constraints);
  void push_back(const ScalarConstraint& constraint, std::span<const RowEntry> row_entries);
};

}  // namespace abut
