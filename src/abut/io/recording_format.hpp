#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "abut/linalg/rotation.hpp"
#include "abut/linalg/vec3.hpp"
#include "abut/problem/contact_problem.hpp"
#include "abut/sim/contact_material.hpp"
#include "abut/sim/scene.hpp"
#include "abut/sim/world.hpp"
#include "abut/solvers/contact_solver.hpp"

namespace abut {

// What a recording holds: docs/formats/recording.md. A file is recording_magic, the version and a
// zero (16 bytes), then frames: FrameHead and payload. The first frame is the scene; the last one,
// of a recording that was closed, the end.

inline constexpr std::string_view recording_magic = "ABUTREC\n";
inline constexpr std::uint32_t recording_version = 1;
inline constexpr std::size_t recording_head_size = 16;

enum class FrameType : std::uint32_t { scene = 1, step = 2, state = 3, end = 4 };

constexpr std::uint32_t code(FrameType type) {
  return static_cast<std::uint32_t>(type);
}

struct FrameHead {
  std::uint32_t type = 0;
  std::uint32_t size = 0;      ///< of the payload, bytes
  std::uint32_t checksum = 0;  ///< CRC-32 of type, size and payload
  std::uint32_t zero = 0;
};
static_assert(sizeof(FrameHead) == 16);

struct RecordedBody {
  std::string name;  ///< display_name()
  BodyKind kind = BodyKind::free;
  double mass = 0;  ///< [kg]
  BodyState start;  ///< at the recording's start; fixed bodies stay there
};

/// What holds for a whole recording.
struct RecordedScene {
  std::string abut_version;
  std::string file;       ///< the scene's, as the user named it; empty when code built it
  double time_step = 0;   ///< [s]
  double frame_rate = 0;  ///< states per simulated second, 0 for every step
  double tolerance = 0;   ///< of each island's momentum error
  Vec3 gravity;           ///< [m/s^2]
  std::string solver;
  ContactModel model = ContactModel::sap;
  NormalLawKind law = NormalLawKind::kelvin_voigt;  ///< SAP's own is Kelvin-Voigt
  PairOverride pair;                                ///< absent numbers are NaN in the file
  FrictionParameters friction;
  std::vector<RecordedBody> bodies;  ///< as in Scene::bodies
};

/// One step, for every step.
struct RecordedStep {
  std::uint64_t step = 0;  ///< from 1
  double time = 0;         ///< at its end [s]
  SolveStatus status = SolveStatus::converged;
  bool at_round_off = false;
  std::int32_t iterations = 0;      ///< most of any island
  std::int32_t factorizations = 0;  ///< of all islands
  std::int32_t rounds = 0;
  std::int32_t contacts = 0;
  Certificate certificate;      ///< its trees are the free bodies, in order
  double penetration = 0;       ///< deepest, at the step's start [m]
  double kinetic_energy = 0;    ///< at its end [J]
  double potential_energy = 0;  ///< at its end [J]
};

/// A contact of the step that led to a state: where it was at that step's start, and what it
/// transmitted.
struct RecordedContact {
  std::int32_t body_a = world_body, body_b = 0;  ///< indices of bodies, or world_body
  std::uint64_t id = 0;                          ///< the same as long as the contact persists
  Vec3 point;                                    ///< world [m]
  Vec3 normal;                                   ///< from A into B, world
  double gap = 0;                                ///< negative in overlap [m]
  Vec3 impulse;                                  ///< on B, world [N s]; force = impulse / time step
};
static_assert(sizeof(RecordedContact) == 96);

/// Where the free bodies are after a step.
struct RecordedState {
  std::uint64_t step = 0;         ///< 0: the start
  double time = 0;                ///< [s]
  std::uint64_t state_hash = 0;   ///< World::state_hash()
  std::vector<BodyState> bodies;  ///< of the free bodies, in order
  std::vector<RecordedContact> contacts;
};
static_assert(sizeof(BodyState) == 13 * sizeof(double));

/// Appends payloads to `to`.
void encode(const RecordedScene& scene, std::vector<char>& to);
void encode(const RecordedStep& step, std::vector<char>& to);
void encode(const RecordedState& state, std::vector<char>& to);

/// Read payloads that may hold anything: false if they are not exactly one such record.
bool decode(std::string_view payload, RecordedScene& scene);
bool decode(std::string_view payload, RecordedStep& step);
bool decode(std::string_view payload, const RecordedScene& scene, RecordedState& state);

/// CRC-32 of a frame, over its type, its size and its payload.
std::uint32_t frame_checksum(const FrameHead& head, std::string_view payload);

}  // namespace abut
