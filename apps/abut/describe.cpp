#include "describe.hpp"

#include "format.hpp"

namespace abut::cli {

std::string describe_trees(const Scene& scene) {
  int free = 0, links = 0, mechanisms = 0, dofs = 0;
  for (const SceneBody& b : scene.bodies) {
    free += b.kind == BodyKind::free;
    links += b.kind == BodyKind::linked;
    mechanisms += b.kind == BodyKind::linked && b.parent == world_body;
    dofs += joint_velocities(b);
  }
  dofs += 6 * free;
  std::string text;
  if (free > 0 || mechanisms == 0)
    text += format("%d free %s, ", free, free == 1 ? "body" : "bodies");
  if (mechanisms > 0) {
    text += format("%d %s of %d %s, ", mechanisms, mechanisms == 1 ? "mechanism" : "mechanisms",
                   links, links == 1 ? "link" : "links");
  }
  return text + format("%d %s", dofs, dofs == 1 ? "dof" : "dofs");
}

std::string describe_joint(const SceneJoint& joint) {
  switch (joint.kind) {
    case JointKind::free: return "free";
    case JointKind::ball: return "ball";
    case JointKind::slide: return "slide";
    case JointKind::hinge: return "hinge";
  }
  return "";
}

const char* describe_kind(BodyKind kind) {
  switch (kind) {
    case BodyKind::fixed: return "fixed";
    case BodyKind::free: return "free";
    case BodyKind::linked: return "linked";
  }
  return "";
}

const char* describe_kind(EqualityKind kind) {
  switch (kind) {
    case EqualityKind::connect: return "connect";
    case EqualityKind::weld: return "weld";
    case EqualityKind::joint: return "joint";
    case EqualityKind::tendon: return "tendon";
  }
  return "";
}

const char* describe_kind(ControllerKind kind) {
  switch (kind) {
    case ControllerKind::pd: return "pd";
    case ControllerKind::effort: return "effort";
    case ControllerKind::control: return "control";
  }
  return "";
}

const char* describe_signal(const Signal& signal) {
  constexpr const char* names[] = {"constant", "sine", "trajectory", "random"};
  return names[signal.index()];
}

ContactSettings contact_settings(const Scene& scene, const WorldOptions& o) {
  return {o.model, o.law, o.friction, o.time_step.value_or(scene.time_step), norm(scene.gravity)};
}

}  // namespace abut::cli
