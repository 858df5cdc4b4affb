#include "describe.hpp"

#include "abut/core/text.hpp"
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

std::string describe_size(double size, bool is_angle) {
  const bool is_small = size < 0.1;
  return format("%.3g ", is_small ? 1e3 * size : size) + (is_small ? "m" : "") +
         (is_angle ? "rad" : "m");
}

std::string joint_name(const Scene& scene, int body, int joint) {
  const std::string& name = scene.bodies[body].joints[joint].name;
  return name.empty() ? format("joint %d of ", joint) + display_name(scene, body) : name;
}

std::string tendon_name(const Scene& scene, int tendon) {
  const std::string& name = scene.tendons[tendon].name;
  return name.empty() ? format("tendon%d", tendon) : name;
}

namespace {

std::string describe_equality(const Scene& scene, const SceneEquality& e) {
  if (!e.name.empty()) return "equality " + quote(e.name);
  std::string kind = describe_kind(e.kind);
  const auto body = [&](int b) { return b == world_body ? "the world" : display_name(scene, b); };
  switch (e.kind) {
    case EqualityKind::connect:
    case EqualityKind::weld: return kind + " of " + body(e.body_a) + " and " + body(e.body_b);
    case EqualityKind::joint:
      return "equality of joint " + quote(joint_name(scene, e.body_a, e.joint_a));
    case EqualityKind::tendon: return "equality of tendon " + quote(tendon_name(scene, e.tendon_a));
  }
  return kind;
}

}  // namespace

std::string describe_constraint(const Scene& scene, const Violation& v) {
  const Origin* at = nullptr;
  std::string text;
  switch (v.kind) {
    case ConstraintKind::equality:
      text = describe_equality(scene, scene.equalities[v.index]);
      at = &scene.equalities[v.index].origin;
      break;
    case ConstraintKind::joint_limit:
      text = "limit of joint " + quote(joint_name(scene, v.index, v.joint));
      at = &scene.bodies[v.index].joints[v.joint].origin;
      break;
    case ConstraintKind::tendon_limit:
      text = "limit of tendon " + quote(tendon_name(scene, v.index));
      at = &scene.tendons[v.index].origin;
      break;
  }
  if (at->file.empty()) return text;
  text += " (" + at->file;
  if (at->line > 0) text += format(":%d", at->line);
  return text + ")";
}

std::string describe_violation(const Scene& scene, const Violation& v) {
  return describe_constraint(scene, v) +
         (v.kind == ConstraintKind::equality ? " is off by " : " is exceeded by ") +
         describe_size(v.size, v.is_angle);
}

}  // namespace abut::cli
