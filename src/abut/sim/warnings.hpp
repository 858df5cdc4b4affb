#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "abut/problem/contact_problem.hpp"
#include "abut/sim/contact_query.hpp"
#include "abut/sim/scene.hpp"
#include "abut/trees/moving_bodies.hpp"

namespace abut {

/// What a simulation may warn of: numbers that are computed as asked and mean something else than
/// the user thinks (docs/warnings.md).
enum class WarningKind : std::uint8_t {
  size,        ///< of the scene: bodies as large as houses, under the earth's gravity
  density,     ///< of the scene: heavier or lighter than any material
  mass_ratio,  ///< of the scene: bodies of which one is out of all proportion to another
  depth,       ///< of a step: shapes deep in each other, against their thickness
  turn,        ///< of a step: a body turned by more than contact is looked for
  energy,      ///< of a step: more than there was, and than anything put in
};
inline constexpr WarningKind warning_kinds[] = {WarningKind::size,       WarningKind::density,
                                                WarningKind::mass_ratio, WarningKind::depth,
                                                WarningKind::turn,       WarningKind::energy};

constexpr const char* to_string(WarningKind kind) {
  switch (kind) {
    case WarningKind::size: return "size";
    case WarningKind::density: return "density";
    case WarningKind::mass_ratio: return "mass_ratio";
    case WarningKind::depth: return "depth";
    case WarningKind::turn: return "turn";
    case WarningKind::energy: return "energy";
  }
  return "";
}

/// The first of its kind.
struct Warning {
  WarningKind kind = WarningKind::size;
  std::uint64_t step = 0;          ///< the first that shows it; 0: the scene does
  double time = 0;                 ///< at its end [s]; depth: at its start
  int body = world_body;           ///< of the scene
  int other = world_body;          ///< mass_ratio, depth
  int geom = -1, other_geom = -1;  ///< depth: their shapes
  double value = 0;  ///< diameter [m], density [kg/m^3], ratio, depth [m], angle [rad],
                     ///< energy [J]
  double bound = 0;  ///< up to which nothing is said, in the same unit
};

/// The name of a geom's body; in the world its own, or "the world".
std::string owner_name(const Scene& scene, int geom);

const char* unit_of(WarningKind kind);  ///< of value and bound

/// One sentence, without a full stop.
std::string describe(const Scene& scene, const Warning& warning);

/// What can be said of a scene before its first step.
std::vector<Warning> check_proportions(const Scene& scene);

/// Looks at each step of a world and keeps the first of each kind. Allocates nothing after its
/// construction, but for pairs that begin in each other.
class Watch {
 public:
  Watch() = default;
  explicit Watch(const Scene& scene, const std::vector<std::int32_t>& moving);

  /// What a step says: its problem and solution, and the world at its end.
  struct Step {
    std::uint64_t number = 0;
    double time = 0, dt = 0;  ///< at its end, and its length [s]
    const PreparedProblem& problem;
    const ContactQuery& query;
    std::span<const ContactPair> pairs;  ///< those that touch
    const MovingBodies& bodies;
    std::span<const Load> loads, drag;  ///< by moving body; drag may be empty
    double energy_before = 0;           ///< at its start [J]
    double kinetic = 0, potential = 0;  ///< at its end [J]
    double drive_work = 0;              ///< of actuators and of surfaces that move [J]
    bool gives_way = false;  ///< something is let go of slowly that began where it may not be
  };
  void look(const Step& step);

  /// The state was changed from outside: energy is counted anew.
  void forget() { is_new_ = true; }

  const std::vector<Warning>& warnings() const { return warnings_; }

  /// A pair of shapes that began in each other.
  struct Overlap {
    std::int32_t geom_a = 0, geom_b = 0;
    double time = 0;   ///< at the start of the first step that found it [s]
    double depth = 0;  ///< then [m]
  };
  /// All that were seen so far, in the order in which they were.
  const std::vector<Overlap>& overlaps() const { return overlaps_; }

 private:
  bool has(WarningKind kind) const;
  void look_at_turns(const Step& step);
  void look_at_energy(const Step& step);
  void look_at_overlaps(const Step& step);
  int fastest(const Step& step) const;

  const Scene* scene_ = nullptr;
  std::vector<int> body_;      ///< of the scene, by moving body
  std::vector<char> is_ball_;  ///< by moving body: it may turn as it likes
  std::vector<Warning> warnings_;
  std::vector<Overlap> overlaps_;
  std::vector<std::uint64_t> known_overlaps_;  ///< the same pairs, sorted
  double little_ = 0;                          ///< energy that is next to nothing [J]
  // since the state was last changed from outside:
  bool is_new_ = true, gave_way_ = false;
  double budget_ = 0;                ///< more energy than this there cannot be [J]
  double most_motion_ = 0;           ///< kinetic energy [J]
  double lowest_ = 0, highest_ = 0;  ///< potential energy [J]
};

}  // namespace abut
