#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "abut/constraints/scalar_pool.hpp"
#include "abut/core/error.hpp"
#include "abut/geometry/shape.hpp"
#include "abut/geometry/triangle_mesh.hpp"
#include "abut/laws/force_table.hpp"
#include "abut/laws/law_kind.hpp"
#include "abut/linalg/rotation.hpp"
#include "abut/trees/joint.hpp"

namespace abut {

/// Contact parameters of one surface as far as its description gives them; what is absent takes
/// default_surface_stiffness or the value of PairMaterial (sim/contact_material.hpp).
struct Material {
  std::optional<double> stiffness;         ///< k [N/m] of one contact point
  std::optional<double> dissipation;       ///< d [s/m], Hunt & Crossley
  std::optional<double> relaxation_time;   ///< tau_d [s], Kelvin-Voigt
  std::optional<double> friction;          ///< mu [-], along friction_axis
  std::optional<double> cross_friction{};  ///< mu across it [-]; absent: the same
  std::optional<double>
      static_friction{};  ///< of what holds (Anchored) [-], at least friction; absent: the same
  std::shared_ptr<const ForceTable> table{};  ///< Tabulated: instead of the stiffness
  std::optional<double> thickness{};          ///< of its layer [m], barriers
};

/// How a body moves: not at all, as a part of the world; freely; or by joints with its parent.
enum class BodyKind : std::uint8_t { fixed, free, linked };

constexpr const char* to_string(BodyKind kind) {
  switch (kind) {
    case BodyKind::fixed: return "fixed";
    case BodyKind::free: return "free";
    case BodyKind::linked: return "linked";
  }
  return "";
}

constexpr int world_body = -1;

/// A joint of a linked body.
struct SceneJoint : Joint {
  std::string name;
  Origin origin;
};

/// A rigid body. Frame B is the frame the description gives it; its center of mass may lie
/// elsewhere.
struct SceneBody {
  std::string name;  ///< empty when the description gives none
  BodyKind kind = BodyKind::free;
  int parent = world_body;   ///< linked: index of an earlier body that is linked, or the world
  Vec3 position;             ///< origin of B in the parent [m]
  Quaternion orientation;    ///< R_WB, unit; linked: R_PB at the joints' references
  Vec3 linear_velocity;      ///< free: of the center of mass, world axes [m/s]
  Vec3 angular_velocity;     ///< free: world axes [rad/s]
  double mass = 0;           ///< [kg]; > 0 for a free body
  Vec3 center_of_mass;       ///< in B [m]
  Mat3 inertia;              ///< about the center of mass, axes of B [kg m^2]
  bool any_inertia = false;  ///< it need not be one that a body can have
  std::vector<SceneJoint> joints;  ///< linked: at least one, in the order in which they act
  /// linked: where it starts, as trees/joint.hpp says; empty: at the joints' references, at rest
  std::vector<double> joint_positions, joint_velocities;
  Origin origin;
};

/// Red, green, blue and opacity, 0 to 1.
using Color = std::array<float, 4>;

/// A collision shape on a body (an index into Scene::bodies) or on the world (world_body).
struct SceneGeom {
  std::string name;
  int body = world_body;
  Shape shape;
  Pose pose;  ///< X_BG, in the body's frame
  Material material;
  Vec3 friction_axis{1, 0, 0};  ///< unit, in the geom's frame: along it friction is `friction`
  /// How its surface moves over it, in its own frame, as that of a conveyor belt or a turntable
  /// does: linear + angular x r at r. Contacts see what is across their normals.
  Vec3 surface_velocity;               ///< [m/s]
  Vec3 surface_angular_velocity;       ///< about the frame's origin [rad/s]
  int friction_priority = 0;           ///< the higher of a pair decides friction alone
  std::uint32_t contact_type = 1;      ///< MJCF contype
  std::uint32_t contact_affinity = 1;  ///< MJCF conaffinity
  /// MJCF condim 1. A pair has no friction if the geom of higher friction_priority is frictionless,
  /// at equal priority if both are.
  bool frictionless = false;
  std::optional<Color> color;  ///< as it is drawn
  Origin origin;
};

/// What a body looks like where that is not what it collides with: drawn, and nothing else.
struct SceneVisual {
  int body = world_body;
  Shape shape;                               ///< unless it has a mesh
  std::shared_ptr<const TriangleMesh> mesh;  ///< any surface
  Pose pose;                                 ///< X_BV, in the body's frame
  std::optional<Color> color;
  Origin origin;
};

/// What two geoms make together where they are not to be mixed from what each is made of.
struct ScenePair {
  std::string name;
  int geom_a = 0, geom_b = 0;        ///< indices into Scene::geoms, of different bodies
  Material material;                 ///< of the contact itself; what is absent is mixed
  std::optional<NormalLawKind> law;  ///< instead of the world's; stiffness is in its unit
  bool frictionless = false;         ///< whatever the coefficients are
  bool forced = false;  ///< they touch whatever masks, parent filter and exclusions say; else only
                        ///< the material is another
  Origin origin;
};

/// Whether its surface moves over it.
inline bool has_moving_surface(const SceneGeom& geom) {
  return !(geom.surface_velocity == Vec3{} && geom.surface_angular_velocity == Vec3{});
}

/// MJCF's filter: one's type is among what the other is open to.
template <class Geom>
constexpr bool masks_agree(const Geom& a, const Geom& b) {
  return (a.contact_type & b.contact_affinity) != 0 || (b.contact_type & a.contact_affinity) != 0;
}

/// A box on which a fluid drags (sim/fluid.hpp).
struct DragBox {
  int body = 0;
  Pose pose;   ///< X_BF of its center and axes
  Vec3 sides;  ///< [m]
};

/// A hinge or slide in a sum over joints.
struct ScenePart {
  int body = 0;     ///< a linked body
  int joint = 0;    ///< a hinge or slide of it
  double gear = 1;  ///< what its coordinate is multiplied by
};

/// What stands between a control u and the force: nothing, or a state a that takes u's place.
enum class Activation : std::uint8_t {
  none,
  integrator,  ///< da/dt = u
  filter,      ///< da/dt = (u - a)/T, exact for a u that is constant in the step
};

/// A motor or servo on joints. Its length L is the sum of gear times coordinate; its force
///
///     f = (gain_0 + gain_1 L + gain_2 dL/dt) u + bias_0 + bias_1 L + bias_2 dL/dt
///
/// between its bounds, with the control u, acts on each joint times its gear. What resists motion
/// is taken at the step's end.
struct SceneActuator {
  std::string name;
  using Part = ScenePart;
  std::vector<Part> parts;  ///< joints that it acts on, at least one
  double gain[3] = {1, 0, 0}, bias[3] = {0, 0, 0};
  double lower_force = -unlimited_force, upper_force = unlimited_force;  ///< [N or N m]
  /// A motor drives no faster: its force ends within 1 % of this speed of L [m/s or rad/s]. Only if
  /// its force does not depend on the motion otherwise.
  double velocity_limit = std::numeric_limits<double>::infinity();
  bool control_limited = false;  ///< u is clamped to [lower_control, upper_control]
  double lower_control = 0, upper_control = 0;
  Activation activation = Activation::none;
  double time_constant = 0;         ///< T of a filter [s]
  bool activation_limited = false;  ///< a is clamped to [lower_activation, upper_activation]
  double lower_activation = 0, upper_activation = 0;
  bool activation_early = false;  ///< the force sees a at the step's end
  Origin origin;
};

/// What an equality constraint keeps together.
enum class EqualityKind : std::uint8_t {
  connect,  ///< a point of A and a point of B
  weld,     ///< a frame of A and a frame of B
  joint,    ///< a coordinate of A and a function of one of B
  tendon,   ///< the length of a tendon and a function of another's
};

/// A relation between two bodies, of which one moves, or of lengths: kept by stiff springs, both
/// ways (docs/decisions/couplings.md).
struct SceneEquality {
  std::string name;
  EqualityKind kind = EqualityKind::connect;
  int body_a = world_body, body_b = world_body;  ///< joint: a linked body, and another or none
  Pose pose_a, pose_b;                           ///< connect, weld: the frames, of connect only p
  int joint_a = 0, joint_b = 0;                  ///< joint: hinges or slides of the bodies
  int tendon_a = -1, tendon_b = -1;              ///< tendon: one of the scene's, another or none
  double reference_a = 0, reference_b = 0;       ///< r, of coordinates or lengths q
  double polynomial[5] = {0, 1, 0, 0, 0};        ///< q_a - r_a = sum c_k (q_b - r_b)^k
  double stiffness = 1e7;  ///< [N/m or N m/rad]; softer where a step asks for it
  Origin origin;
};

/// A string along joints, or from point to point in straight lines. Its length L is the sum of gear
/// times coordinate, or the path's.
struct SceneTendon {
  struct Point {
    int body = world_body;
    Vec3 position;  ///< in the body's frame [m]
  };
  std::string name;
  std::vector<ScenePart> joints;
  std::vector<Point> points;  ///< instead of joints: at least two
  double stiffness = 0;       ///< beyond the lengths at rest [N/m], implicit
  double lower_rest = 0, upper_rest = 0;
  double damping = 0;       ///< [N s/m], implicit
  double dry_friction = 0;  ///< [N]
  bool limited = false;     ///< L stays in [lower, upper]
  double lower = 0, upper = 0;
  double limit_stiffness = 1e7;  ///< [N/m]; softer where a step asks for it
  Origin origin;
};

/// How the friction coefficients of two surfaces combine.
enum class FrictionRule : std::uint8_t { harmonic, maximum };  ///< 2 a b/(a + b), or max(a, b)

/// A named state: one entry per body of the scene, in order; fixed bodies keep theirs.
struct Keyframe {
  std::string name;
  double time = 0;  ///< [s]
  struct State {    ///< as in SceneBody
    Vec3 position;
    Quaternion orientation;
    Vec3 linear_velocity;
    Vec3 angular_velocity;
    std::vector<double> joint_positions;  ///< linked: as trees/joint.hpp says
    std::vector<double> joint_velocities;
  };
  std::vector<State> bodies;
  Origin origin;
};

/// Something the description says that is not simulated as said.
struct Notice {
  Origin at;
  std::string text;
};

/// Below, what a step adds to a position or a velocity is lost in rounding [s].
inline constexpr double smallest_time_step = 1e-9;

/// What the user described: bodies, shapes, materials, surroundings. Plain data, checked by
/// validate(); a World is made from it.
struct Scene {
  std::string file;           ///< empty when code built it
  Vec3 gravity{0, 0, -9.81};  ///< [m/s^2]
  double time_step = 2e-3;    ///< h [s]
  Origin settings_origin;     ///< of gravity and time step
  FrictionRule friction_rule = FrictionRule::harmonic;
  std::vector<SceneBody> bodies;
  std::vector<SceneGeom> geoms;
  std::vector<SceneVisual> visuals;
  std::vector<SceneActuator> actuators;
  std::vector<SceneEquality> equalities;
  std::vector<SceneTendon> tendons;
  double fluid_density = 0;    ///< [kg/m^3]
  double fluid_viscosity = 0;  ///< [Pa s]
  Vec3 wind;                   ///< velocity of the fluid [m/s]
  std::vector<DragBox> drag_boxes;
  bool filter_parents = true;                        ///< linked bodies do not touch their parents
  std::vector<std::pair<int, int>> excluded_bodies;  ///< body pairs that do not touch
  std::vector<std::pair<int, int>> excluded_geoms;   ///< geom pairs that do not touch
  std::vector<ScenePair> pairs;                      ///< each of other two geoms
  std::shared_ptr<const ForceTable> force_table;     ///< of pairs that have none otherwise
  std::vector<Keyframe> keyframes;
  std::vector<Notice> notices;

  /// Throws InputError at the first rule broken: finite numbers, unit quaternions (within 1e-3),
  /// positive masses and sizes, inertias that obey the triangle inequality, 1e-9 <= time_step <= 1,
  /// indices in range, names in UTF-8 that are unique among bodies, geoms or keyframes, short of
  /// 1 KiB and, for a body, not "world".
  void validate() const;
};

/// Numbers of joint coordinates and velocities of a linked body.
int joint_positions(const SceneBody& body);
int joint_velocities(const SceneBody& body);

/// Where a body starts.
Keyframe::State initial_state(const SceneBody& body);

/// The body's name, or "bodyN" with its index where it has none.
std::string display_name(const Scene& scene, int body);

}  // namespace abut
