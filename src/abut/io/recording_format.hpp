#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
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
inline constexpr std::uint32_t recording_version = 7;
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

/// A shape as it is drawn.
struct RecordedGeom {
  std::string name;
  std::int32_t body = world_body;  ///< index of a body, or world_body
  ShapeKind shape = ShapeKind::sphere;
  Vec3 size;               ///< [m], as Shape::size
  std::int32_t mesh = -1;  ///< of a hull or height field: index into RecordedScene::meshes
  bool visual = false;     ///< it does not collide: a SceneVisual, its mesh if it has one a `hull`
  Pose pose;               ///< in the body's frame
  /// As in SceneGeom, in the geom's frame [m/s], [rad/s].
  Vec3 surface_velocity, surface_angular_velocity;
  std::optional<Color> color;
};

/// A hinge or slide.
struct RecordedJoint {
  std::string name;  ///< "bodyname.N" with its index in the body where it has none
  std::int32_t body = 0;
  JointKind kind = JointKind::hinge;
};

/// What holds for a whole recording.
struct RecordedScene {
  std::string abut_version;
  std::string file;                ///< the scene's, as the user named it; empty when code built it
  double time_step = 0;            ///< [s]
  double frame_rate = 0;           ///< states per simulated second, 0 for every step
  double tolerance = 0;            ///< of each island's step error
  std::optional<double> accuracy;  ///< of error-controlled steps
  Vec3 gravity;                    ///< [m/s^2]
  std::string solver;
  ContactModel model = ContactModel::sap;
  NormalLawKind law = NormalLawKind::kelvin_voigt;  ///< SAP's own is Kelvin-Voigt
  SteppingScheme scheme = SteppingScheme::symplectic_euler;
  PairOverride pair;  ///< absent numbers are NaN in the file
  FrictionParameters friction;
  std::vector<RecordedBody> bodies;    ///< as in Scene::bodies
  std::vector<TriangleMesh> meshes;    ///< each once
  std::vector<RecordedGeom> geoms;     ///< as in Scene::geoms, then Scene::visuals
  std::vector<RecordedJoint> joints;   ///< hinges and slides, body by body
  std::vector<std::string> actuators;  ///< names, as in Scene::actuators; "actuatorN" for none
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
  std::int32_t lagging_islands = 0;  ///< whose lag error is above the lag tolerance
  Certificate certificate;  ///< its trees: free bodies, then mechanisms, each in the scene's order
  double penetration = 0;   ///< deepest, at the step's start [m]
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
  double gap = 0;                                ///< of the shapes, negative in overlap [m]
  double allowance = 0;                          ///< what of an overlap was let be [m]: the solver
                                                 ///< saw gap + allowance
  Vec3 impulse;                                  ///< on B, world [N s]; force = impulse / time step
  Vec3 velocity;        ///< of B's point relative to A's at the step's end [m/s]
  double friction = 0;  ///< mu along the impulse's friction [-]
};
static_assert(sizeof(RecordedContact) == 136);

/// Where a hinge or slide is [rad or m], and its rate.
struct RecordedCoordinate {
  double position = 0, velocity = 0;
};
static_assert(sizeof(RecordedCoordinate) == 16);

/// What an actuator did in the step that led to a state; zeros but the control at the start.
struct RecordedActuation {
  double control = 0;
  double force = 0;     ///< [N or N m]
  double length = 0;    ///< at the step's start [m or rad]
  double velocity = 0;  ///< of the length, at the step's end [m/s or rad/s]
};
static_assert(sizeof(RecordedActuation) == 32);

/// Where everything is after a step.
struct RecordedState {
  std::uint64_t step = 0;         ///< 0: the start
  double time = 0;                ///< [s]
  std::uint64_t state_hash = 0;   ///< World::state_hash()
  std::vector<BodyState> bodies;  ///< of the bodies that move, in order
  std::vector<RecordedContact> contacts;
  std::vector<RecordedCoordinate> joints;     ///< of RecordedScene::joints
  std::vector<RecordedActuation> actuations;  ///< of RecordedScene::actuators
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
