// compare_robots FILE.urdf ...: a line of docs/models.md for each file: nv, mass, M and the bias
// forces at ten random states beside MuJoCo's reader, with the base fixed; or what abut says is
// wrong. MuJoCo gets links, joints and inertias alone: it refuses shapes that share a name.

#include <mujoco/mujoco.h>
#include <tinyxml2.h>

#include <Eigen/Dense>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "abut/io/urdf.hpp"
#include "abut/sim/world.hpp"

namespace {

using namespace abut;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

std::string read_text(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void delete_children(tinyxml2::XMLElement& element, const char* tag) {
  while (auto* child = element.FirstChildElement(tag)) element.DeleteChild(child);
}

/// The description without what MuJoCo would trip over, and with its repairs switched off.
std::string plain_description(const char* path) {
  tinyxml2::XMLDocument document;
  const std::string text = read_text(path);
  document.Parse(text.data(), text.size());
  tinyxml2::XMLElement* robot = document.RootElement();
  if (robot == nullptr) return "";
  for (auto* link = robot->FirstChildElement("link"); link != nullptr;
       link = link->NextSiblingElement("link")) {
    delete_children(*link, "visual");
    delete_children(*link, "collision");
  }
  for (auto* joint = robot->FirstChildElement("joint"); joint != nullptr;
       joint = joint->NextSiblingElement("joint")) {
    delete_children(*joint, "mimic");
    delete_children(*joint, "safety_controller");
    delete_children(*joint, "calibration");
  }
  for (const char* tag : {"gazebo", "transmission", "material", "ros2_control", "sensor"}) {
    delete_children(*robot, tag);
  }
  auto* extension = document.NewElement("mujoco");
  auto* compiler = document.NewElement("compiler");
  compiler->SetAttribute("balanceinertia", "false");
  compiler->SetAttribute("strippath", "false");
  extension->InsertEndChild(compiler);
  robot->InsertFirstChild(extension);
  tinyxml2::XMLPrinter printer;
  document.Print(&printer);
  return printer.CStr();
}

/// The same state in both, at zero or random; gives the places in MuJoCo of our velocities.
std::vector<int> set_states(World& world, const mjModel& model, mjData& data, bool at_zero,
                            std::mt19937& random) {
  std::uniform_real_distribution<double> any(-1, 1);
  std::vector<int> map(static_cast<std::size_t>(world.dofs()));
  for (int b = 0; b < std::ssize(world.scene().bodies); ++b) {
    const SceneBody& body = world.scene().bodies[b];
    if (body.kind != BodyKind::linked) continue;
    const JointPlace& at = world.joint_place(b);
    JointState state = world.joint_state(b);
    for (std::size_t k = 0; k < body.joints.size(); ++k) {
      const double q = at_zero ? 0 : any(random), v = at_zero ? 0 : any(random);
      state.positions[k] = q, state.velocities[k] = v;
      const int id = mj_name2id(&model, mjOBJ_JOINT, body.joints[k].name.c_str());
      data.qpos[model.jnt_qposadr[id]] = q, data.qvel[model.jnt_dofadr[id]] = v;
      map[world.articulated_trees().first_velocity(at.tree) + at.velocity + static_cast<int>(k)] =
          model.jnt_dofadr[id];
    }
    world.set_joint_state(b, state);
  }
  return map;
}

struct Differences {
  double mass_matrix = 0, bias = 0;
};

/// The largest over ten states, relative to the norm; of bias forces to the largest, since a robot
/// whose links hang plumb at zero has none there.
Differences compare_dynamics(World& world, const mjModel& model, mjData& data) {
  const int nv = world.dofs();
  std::mt19937 random(1);
  Differences most;
  double largest_bias = 0;
  for (int k = 0; k < 10; ++k) {
    const std::vector<int> theirs = set_states(world, model, data, k == 0, random);
    mj_forward(&model, &data);
    RowMatrix full(nv, nv);
    mj_fullM(&model, &data, full.data());
    MatrixXd M = MatrixXd::Zero(nv, nv), expected(nv, nv);
    VectorXd bias(nv), expected_bias(nv);
    for (int t = 0; t < world.articulated_trees().size(); ++t) {
      const ArticulatedTree& tree = world.articulated_trees().tree(t);
      const int n = tree.velocities(), first = world.articulated_trees().first_velocity(t);
      M.block(first, first, n, n) = Eigen::Map<const RowMatrix>(tree.mass_matrix().data(), n, n);
      bias.segment(first, n) = Eigen::Map<const VectorXd>(tree.bias_forces().data(), n);
    }
    for (int r = 0; r < nv; ++r) {
      expected_bias[r] = data.qfrc_bias[theirs[r]];
      for (int c = 0; c < nv; ++c) expected(r, c) = full(theirs[r], theirs[c]);
    }
    most.mass_matrix = std::max(most.mass_matrix, (M - expected).norm() / expected.norm());
    most.bias = std::max(most.bias, (bias - expected_bias).norm());
    largest_bias = std::max(largest_bias, expected_bias.norm());
  }
  if (largest_bias > 0) most.bias /= largest_bias;
  return most;
}

void compare(const char* path) {
  std::printf("| `%s` | ", path);
  UrdfOptions options;
  options.base = RobotBase::fixed;
  const char* note = "yes";
  std::optional<World> world;
  try {
    world.emplace(load_urdf(path, options));
  } catch (const std::exception& e) {
    const std::string first = e.what();
    try {
      options.accept_inertia = true;
      world.emplace(load_urdf(path, options));
      note = "with `--accept-inertia`";
    } catch (const std::exception&) {
      std::printf("| no | %s | |\n", first.substr(first.find(".urdf:") + 6).c_str());
      return;
    }
  }
  double mass = 0;
  for (const SceneBody& b : world->scene().bodies) mass += b.kind == BodyKind::fixed ? 0 : b.mass;
  std::printf("%d | %s | ", world->dofs(), note);
  const std::string text = plain_description(path);
  mjVFS files;
  mj_defaultVFS(&files);
  mj_addBufferVFS(&files, "robot.urdf", text.data(), static_cast<int>(text.size()));
  char error[200] = "";
  mjModel* model = mj_loadXML("robot.urdf", &files, error, sizeof error);
  mj_deleteVFS(&files);
  if (model == nullptr) {
    const std::string reason = error;
    std::printf("MuJoCo: %s | |\n", reason.substr(0, reason.find('\n')).c_str());
    return;
  }
  double theirs = 0;
  for (int i = 1; i < model->nbody; ++i) {
    if (model->body_treeid[i] >= 0) theirs += model->body_mass[i];
  }
  if (model->nv != world->dofs()) {
    std::printf("WRONG: MuJoCo has nv %d | |\n", static_cast<int>(model->nv));
  } else if (std::abs(mass - theirs) > 1e-9 * theirs) {
    std::printf("WRONG: mass %g kg, not %g kg | |\n", mass, theirs);
  } else if (model->nv == 0) {
    std::printf("no dofs | |\n");
  } else {
    mjData* data = mj_makeData(model);
    const Differences d = compare_dynamics(*world, *model, *data);
    std::printf("%.0e | %.0e |\n", d.mass_matrix, d.bias);
    mj_deleteData(data);
  }
  mj_deleteModel(model);
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) compare(argv[i]);
}
