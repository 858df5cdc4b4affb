#include "support/random_mechanism.hpp"

#include <sstream>

namespace abut {
namespace {

class RandomTrees {
 public:
  explicit RandomTrees(int seed) : random_(seed) {}

  std::string write(bool floating) {
    out_ << "<mujoco><compiler angle='radian'/><option gravity='1 -2 -9' ";
    if (below(2)) out_ << "density='" << uniform(0, 1000) << "' wind='" << numbers(3) << "' ";
    if (below(2)) out_ << "viscosity='" << uniform(0, 2) << "'";
    out_ << "/><worldbody>";
    body(0, floating);
    if (!floating) body(0, false);  // a second tree
    out_ << "</worldbody></mujoco>";
    return out_.str();
  }

 private:
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  std::string numbers(int count) {
    std::ostringstream text;
    text.precision(17);
    for (int i = 0; i < count; ++i) text << (i ? " " : "") << uniform(-1, 1);
    return text.str();
  }

  /// True if another may follow: no turn after a ball joint.
  bool joint() {
    const char* types[] = {"hinge", "hinge", "slide", "ball"};
    const std::string type = types[below(4)];
    out_ << "<joint type='" << type << "' pos='" << numbers(3) << "' axis='" << numbers(3) << "'";
    if (below(2)) out_ << " armature='" << uniform(0, 0.1) << "'";
    if (below(2)) out_ << " damping='" << uniform(0, 1) << "'";
    if (type != "ball" && below(2)) {
      out_ << " ref='" << uniform(-1, 1) << "' stiffness='" << uniform(0, 20) << "' springref='"
           << uniform(-1, 1) << "'";
    }
    out_ << "/>";
    return type != "ball";
  }

  void body(int depth, bool floating) {
    out_ << "<body pos='" << numbers(3) << "' quat='" << numbers(4) << "'>";
    out_ << "<inertial pos='" << numbers(3) << "' quat='" << numbers(4) << "' mass='"
         << uniform(0.1, 2) << "' diaginertia='" << uniform(1, 1.5) << " " << uniform(1, 1.5) << " "
         << uniform(1, 1.5) << "'/>";
    if (floating) {
      out_ << "<freejoint/>";
    } else if (depth == 0 || below(5) > 0) {  // else welded
      for (int n = 1 + below(3); n > 0 && joint(); --n) {
      }
    }
    for (int n = depth == 0 ? 2 : below(3); n > 0 && depth < 4; --n) body(depth + 1, false);
    out_ << "</body>";
  }

  std::mt19937 random_;
  std::ostringstream out_;
};

double normal(std::mt19937& random) {
  return std::normal_distribution<double>()(random);
}

}  // namespace

std::string random_mechanism(int seed) {
  return RandomTrees(seed).write(seed % 2 == 1);
}

std::vector<int> linked_bodies(const Scene& scene) {
  std::vector<int> list;
  for (int b = 0; b < std::ssize(scene.bodies); ++b) {
    if (scene.bodies[b].kind == BodyKind::linked) list.push_back(b);
  }
  return list;
}

Vec3 random_vector(std::mt19937& random) {
  return {normal(random), normal(random), normal(random)};
}

JointState random_state(std::mt19937& random, const SceneBody& body) {
  JointState s;
  for (const SceneJoint& j : body.joints) {
    const bool turns = j.kind == JointKind::ball || j.kind == JointKind::free;
    for (int k = turns ? 4 : 0; k < position_count(j.kind); ++k) {
      s.positions.push_back(normal(random));
    }
    if (turns) {
      const Quaternion q = exp_rotation(random_vector(random));
      s.positions.insert(s.positions.end(), {q.w, q.x, q.y, q.z});
    }
    for (int k = 0; k < velocity_count(j.kind); ++k) s.velocities.push_back(2 * normal(random));
  }
  return s;
}

}  // namespace abut
