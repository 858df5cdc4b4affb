#include "abut/io/urdf/scene_builder.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "abut/core/text.hpp"
#include "abut/sim/mass_properties.hpp"

namespace abut::urdf {

namespace {

constexpr const char* root_joint = "root_joint";

bool is_possible(const MassProperties& mass) {
  try {
    mass.validate({}, true);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

/// Axes perpendicular to n and to each other; those of the frame if n is its z.
void span_plane(const Vec3& n, Vec3& x, Vec3& y) {
  const Vec3 along = std::abs(n.x) < 0.9 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
  x = along - dot(along, n) * n;
  x = (1 / norm(x)) * x;
  y = cross(n, x);
}

/// x y z w in files, w x y z here.
void read_quaternion(const double* from, double* to, const std::string& joint, const Origin& at) {
  const Quaternion q{from[3], from[0], from[1], from[2]};
  require(std::abs(norm(q) - 1) <= 1e-3, "norm of the quaternion of " + joint, norm(q), "",
          "must be 1 within 0.001", at);
  const Quaternion unit = normalized(q);
  to[0] = unit.w, to[1] = unit.x, to[2] = unit.y, to[3] = unit.z;
}

/// A joint's coordinates as SRDF has them, to the state of the body that it moves.
void read_coordinates(const std::string& name, const std::vector<double>& values,
                      const SceneBody& body, const Origin& at, Keyframe::State& to) {
  if (body.kind == BodyKind::free) {
    if (values.size() != 7) fail_input("joint " + quote(name) + " must have 7 values", at);
    double q[4];
    read_quaternion(values.data() + 3, q, name, at);
    to.position = {values[0], values[1], values[2]};
    to.orientation = {q[0], q[1], q[2], q[3]};
    return;
  }
  const SceneJoint& first = body.joints.front();
  double* q = to.joint_positions.data();
  const bool turns_freely = first.kind == JointKind::hinge && !first.limited;
  if (turns_freely && body.joints.size() == 1 && values.size() == 2) {  // cosine and sine
    const double length = std::hypot(values[0], values[1]);
    require(std::abs(length - 1) <= 1e-3, "cosine and sine of " + name, length, "",
            "must be on the unit circle", at);
    *q = std::atan2(values[1], values[0]);
    return;
  }
  if (values.size() != to.joint_positions.size()) {
    fail_input("joint " + quote(name) + " has " + std::to_string(values.size()) +
                   " values, must have " + std::to_string(to.joint_positions.size()),
               at);
  }
  const bool is_free = first.kind == JointKind::free;
  std::copy(values.begin(), values.end(), q);
  if (is_free) read_quaternion(values.data() + 3, q + 3, name, at);
  if (first.kind == JointKind::ball) read_quaternion(values.data(), q, name, at);
}

/// What a joint of the description is made of.
std::vector<SceneJoint> make_joints(const UrdfJoint& joint) {
  SceneJoint whole;
  static_cast<Joint&>(whole) = joint.properties;
  whole.name = joint.name;
  whole.origin = joint.origin;
  const auto part = [&](JointKind kind, const Vec3& axis, const char* suffix) {
    SceneJoint made = whole;
    made.kind = kind;
    made.axis = axis;
    made.name += suffix;
    return made;
  };
  switch (joint.kind) {
    case UrdfJointKind::fixed: return {};
    case UrdfJointKind::revolute: return {part(JointKind::hinge, joint.axis, "")};
    case UrdfJointKind::prismatic: return {part(JointKind::slide, joint.axis, "")};
    case UrdfJointKind::ball: return {part(JointKind::ball, {0, 0, 1}, "")};
    case UrdfJointKind::floating: return {part(JointKind::free, {0, 0, 1}, "")};
    case UrdfJointKind::universal:
      return {part(JointKind::hinge, {1, 0, 0}, "_x"), part(JointKind::hinge, {0, 1, 0}, "_y")};
    case UrdfJointKind::planar: {
      Vec3 x, y;
      span_plane(joint.axis, x, y);
      return {part(JointKind::slide, x, "_x"), part(JointKind::slide, y, "_y"),
              part(JointKind::hinge, joint.axis, "_theta")};
    }
  }
  return {};
}

}  // namespace

SceneBuilder::SceneBuilder(const UrdfRobot& robot, const UrdfOptions& options, Scene& scene,
                           NoticeList& notices)
    : robot_(robot),
      options_(options),
      scene_(scene),
      notices_(notices),
      order_(arrange_links(robot)) {}

void SceneBuilder::add_links() {
  for (const LinkPlace& place : order_) {
    const UrdfLink& link = robot_.links[place.link];
    place.joint == no_joint ? add_root(link) : add_below(link, place.joint);
  }
}

bool SceneBuilder::is_base_free(const UrdfLink& root) const {
  const bool is_world = root.name == "world";
  if (options_.base == RobotBase::free && is_world) {
    fail_input("the root is the world itself: its base cannot be free", root.origin);
  }
  if (options_.base != RobotBase::automatic) return options_.base == RobotBase::free;
  return !is_world && base_mass(root.name) > 0;
}

/// Of the root and all that fixed joints hang on it.
double SceneBuilder::base_mass(const std::string& root) const {
  std::set<std::string> base{root};
  for (const LinkPlace& place : order_) {
    if (place.joint == no_joint) continue;
    const UrdfJoint& above = robot_.joints[place.joint];
    if (above.kind == UrdfJointKind::fixed && base.contains(above.parent)) base.insert(above.child);
  }
  double mass = 0;
  for (const UrdfLink& link : robot_.links) {
    if (link.inertial && base.contains(link.name)) mass += link.inertial->mass;
  }
  return mass;
}

void SceneBuilder::add_root(const UrdfLink& root) {
  Place place;
  const bool is_free = is_base_free(root);
  if (options_.base == RobotBase::automatic && root.name != "world") {
    notices_.add(is_free ? "the robot's base is free: it has mass, and URDF does not say; --base "
                           "fixed holds it"
                         : "the robot's base is fixed: it has no mass, and URDF does not say; "
                           "--base free lets it go",
                 root.origin);
  }
  if (is_free) {
    const bool has_joints =
        std::any_of(robot_.joints.begin(), robot_.joints.end(),
                    [](const UrdfJoint& j) { return j.kind != UrdfJointKind::fixed; });
    place.body = add_body(root, has_joints ? BodyKind::linked : BodyKind::free, world_body, {});
    if (has_joints) {
      SceneJoint joint;
      joint.kind = JointKind::free;
      joint.name = root_joint;
      joint.origin = root.origin;
      scene_.bodies.back().joints.push_back(joint);
    }
  } else if (root.name != "world") {
    place.body = add_body(root, BodyKind::fixed, world_body, {});
  }
  add_parts(root, place);
}

void SceneBuilder::add_below(const UrdfLink& link, int joint) {
  const UrdfJoint& above = robot_.joints[joint];
  const Place& parent = places_.at(above.parent);
  if (above.kind != UrdfJointKind::fixed) return add_moving(link, joint, parent);
  joints_[above.name] = {};
  Place place{parent.body, parent.pose * above.pose, {}};
  if (parent.body == world_body) {  // a body of its own, so that what it carries may overlap it
    place.body = add_body(link, BodyKind::fixed, world_body, place.pose);
    place.pose = {};
  }
  add_parts(link, place);
}

void SceneBuilder::add_moving(const UrdfLink& link, int joint, const Place& parent) {
  const UrdfJoint& above = robot_.joints[joint];
  Pose pose = parent.pose * above.pose;
  int parent_body = parent.body;
  if (parent.body != world_body && scene_.bodies[parent.body].kind == BodyKind::fixed) {
    const SceneBody& base = scene_.bodies[parent.body];
    pose = Pose{base.position, to_matrix(base.orientation)} * pose;
    parent_body = world_body;
  }
  if (above.kind == UrdfJointKind::floating && parent_body != world_body) {
    fail_input("a floating joint must be on a link that does not move", above.origin);
  }
  Place place{add_body(link, BodyKind::linked, parent_body, pose), {}, {}};
  SceneBody& body = scene_.bodies.back();
  body.joints = make_joints(above);
  const SceneJoint& first = body.joints.front();
  if (first.limited && (first.lower > 0 || first.upper < 0)) {
    body.joint_positions = {std::clamp(0.0, first.lower, first.upper)};
    body.joint_velocities = {0};
    notices_.add("the joint starts at its limit: 0 is beyond it", first.origin, first.name);
  }
  joints_[above.name] = {place.body, 0};
  if (parent_body == world_body && parent.body != world_body) {
    scene_.excluded_bodies.emplace_back(parent.body, place.body);
  }
  add_parts(link, place);
}

int SceneBuilder::add_body(const UrdfLink& link, BodyKind kind, int parent, const Pose& pose) {
  SceneBody body;
  body.name = link.name;
  body.kind = kind;
  body.parent = parent;
  body.position = pose.p;
  body.orientation = to_quaternion(pose.R);
  body.any_inertia = options_.accept_inertia;
  body.origin = link.origin;
  scene_.bodies.push_back(std::move(body));
  return static_cast<int>(scene_.bodies.size()) - 1;
}

/// Mass and shapes of a link, to the body that it belongs to.
void SceneBuilder::add_parts(const UrdfLink& link, const Place& place) {
  Place& kept = places_[link.name] = place;
  if (link.inertial && place.body != world_body) {
    require(link.inertial->mass >= 0, "mass", link.inertial->mass, "kg", "must not be negative",
            link.origin);
    // a rigid body moves by the sum of its parts, which is judged in the end
    if (!is_possible(*link.inertial)) {
      notices_.add("no body has such an inertia: a moment is negative or exceeds the others' sum",
                   link.origin, link.name);
    }
    SceneBody& body = scene_.bodies[place.body];
    const MassProperties part = transformed(place.pose, *link.inertial);
    const MassProperties whole =
        body.mass > 0 ? combined({body.mass, body.center_of_mass, body.inertia}, part) : part;
    body.mass = whole.mass;
    body.center_of_mass = whole.center_of_mass;
    body.inertia = 0.5 * (whole.inertia + transpose(whole.inertia));
  }
  for (SceneGeom geom : link.collisions) {
    geom.body = place.body;
    geom.pose = place.pose * geom.pose;
    // links may call their shapes alike; the first keeps the name
    if (!geom.name.empty() && !geom_names_.insert(geom.name).second) geom.name.clear();
    kept.geoms.push_back(static_cast<int>(scene_.geoms.size()));
    scene_.geoms.push_back(std::move(geom));
  }
  for (SceneVisual visual : link.visuals) {
    visual.body = place.body;
    visual.pose = place.pose * visual.pose;
    scene_.visuals.push_back(std::move(visual));
  }
}

const SceneBuilder::JointPlace& SceneBuilder::find_joint(const std::string& name,
                                                         const Origin& at) const {
  const auto found = joints_.find(name);
  if (found == joints_.end()) fail_input("joint " + quote(name) + " does not exist", at);
  if (found->second.body == world_body) fail_input("joint " + quote(name) + " is fixed", at);
  return found->second;
}

void SceneBuilder::add_motors() {
  for (const UrdfJoint& joint : robot_.joints) {
    const bool has_one =
        joint.kind == UrdfJointKind::revolute || joint.kind == UrdfJointKind::prismatic;
    if (!has_one || joint.mimic || joint.effort == 0) continue;
    const JointPlace& place = joints_.at(joint.name);
    SceneActuator motor;
    motor.name = joint.name;
    motor.parts = {{place.body, place.joint, 1}};
    motor.lower_force = motor.lower_control = -joint.effort;
    motor.upper_force = motor.upper_control = joint.effort;
    motor.control_limited = true;
    if (joint.velocity > 0) motor.velocity_limit = joint.velocity;
    motor.origin = joint.origin;
    scene_.actuators.push_back(std::move(motor));
  }
}

/// Leaders come before those that follow them.
void SceneBuilder::add_mimics() {
  std::vector<const UrdfJoint*> open;
  for (const UrdfJoint& joint : robot_.joints) {
    if (!joint.mimic) continue;
    if (joints_.contains(joint.mimic->joint)) {
      open.push_back(&joint);
    } else {
      notices_.add("a joint that mimics one that the robot does not have moves by itself",
                   joint.origin, joint.name);
    }
  }
  while (!open.empty()) {
    const auto waits = [&](const UrdfJoint* joint) {
      return std::any_of(open.begin(), open.end(), [&](const UrdfJoint* other) {
        return other->name == joint->mimic->joint;
      });
    };
    const auto next = std::find_if_not(open.begin(), open.end(), waits);
    if (next == open.end()) {
      fail_input("it mimics itself, by way of joint " + quote(open.front()->mimic->joint),
                 open.front()->origin);
    }
    add_mimic(**next);
    open.erase(next);
  }
}

void SceneBuilder::add_mimic(const UrdfJoint& joint) {
  const JointPlace &a = find_joint(joint.name, joint.origin),
                   &b = find_joint(joint.mimic->joint, joint.origin);
  for (const int body : {a.body, b.body}) {
    if (joint_positions(scene_.bodies[body]) != 1) {
      fail_input("only revolute, continuous and prismatic joints mimic each other", joint.origin);
    }
  }
  SceneEquality equality;
  equality.name = joint.name;
  equality.kind = EqualityKind::joint;
  equality.body_a = a.body, equality.joint_a = a.joint;
  equality.body_b = b.body, equality.joint_b = b.joint;
  equality.polynomial[0] = joint.mimic->offset;
  equality.polynomial[1] = joint.mimic->multiplier;
  equality.origin = joint.origin;
  scene_.equalities.push_back(std::move(equality));
  const double leader = initial_state(scene_.bodies[b.body]).joint_positions[0];
  SceneBody& follower = scene_.bodies[a.body];
  follower.joint_positions = {joint.mimic->offset + joint.mimic->multiplier * leader};
  follower.joint_velocities = {0};
}

void SceneBuilder::exclude_self_collisions() {
  if (options_.self_collision) return;
  for (int a = 0; a < std::ssize(scene_.bodies); ++a) {
    for (int b = 0; b < a; ++b) scene_.excluded_bodies.emplace_back(b, a);
  }
}

void SceneBuilder::add_semantics(const Srdf& srdf) {
  for (const Srdf::LinkPair& pair : srdf.disabled_collisions) exclude_links(pair);
  for (const GroupState& state : srdf.states) add_keyframe(state);
}

void SceneBuilder::exclude_links(const Srdf::LinkPair& pair) {
  const auto a = places_.find(pair.a), b = places_.find(pair.b);
  if (a == places_.end() || b == places_.end()) {
    const std::string& name = a == places_.end() ? pair.a : pair.b;
    return notices_.add("collisions are disabled of a link that the robot does not have",
                        pair.origin, name);
  }
  if (a->second.body == b->second.body) return;
  for (const int i : a->second.geoms) {
    for (const int j : b->second.geoms) scene_.excluded_geoms.emplace_back(i, j);
  }
}

void SceneBuilder::add_keyframe(const GroupState& state) {
  Keyframe key;
  key.name = state.name;
  const auto is_taken = [&] {
    return std::any_of(scene_.keyframes.begin(), scene_.keyframes.end(),
                       [&](const Keyframe& k) { return k.name == key.name; });
  };
  if (is_taken()) key.name = state.group + "/" + state.name;
  if (is_taken()) {
    return notices_.add("a group state of a name that is taken is not read", state.origin,
                        state.name);
  }
  key.origin = state.origin;
  for (const SceneBody& body : scene_.bodies) key.bodies.push_back(initial_state(body));
  for (const auto& [name, values] : state.joints) {
    const bool is_root = name == root_joint && !joints_.contains(name);
    const auto found = joints_.find(name);
    if (!is_root && found == joints_.end()) {
      notices_.add("a state of a joint that the robot does not have", state.origin, name);
      continue;
    }
    const int body = is_root ? 0 : found->second.body;
    if (body == world_body || scene_.bodies.empty()) continue;  // fixed
    if (is_root && scene_.bodies[body].kind == BodyKind::fixed) continue;
    read_coordinates(name, values, scene_.bodies[body], state.origin, key.bodies[body]);
  }
  for (const SceneEquality& e : scene_.equalities) {  // those that mimic, unless they are named
    if (state.joints.contains(e.name)) continue;
    key.bodies[e.body_a].joint_positions[e.joint_a] =
        e.polynomial[0] + e.polynomial[1] * key.bodies[e.body_b].joint_positions[e.joint_b];
  }
  scene_.keyframes.push_back(std::move(key));
}

}  // namespace abut::urdf
