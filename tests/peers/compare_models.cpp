// compare_models FILE.xml ...: a line of docs/models.md for each file that MuJoCo loads and that
// has dofs: nv, mass and M(q0) beside MuJoCo's, or what abut says is missing.

#include <mujoco/mujoco.h>

#include <Eigen/Dense>
#include <cstdio>
#include <exception>
#include <string>

#include "abut/io/mjcf.hpp"
#include "abut/sim/world.hpp"

namespace {

using namespace abut;
using Eigen::MatrixXd;
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// M in MuJoCo's coordinates; empty if there are free bodies, which have coordinates of their own.
MatrixXd mass_matrix(const World& world, const mjModel& model, const mjData& data) {
  const int nv = world.dofs();
  MatrixXd M = MatrixXd::Zero(nv, nv), T = MatrixXd::Identity(nv, nv);
  for (int t = 0; t < world.articulated_trees().size(); ++t) {
    const ArticulatedTree& tree = world.articulated_trees().tree(t);
    const int n = tree.velocities(), at = world.articulated_trees().first_velocity(t);
    M.block(at, at, n, n) = Eigen::Map<const RowMatrix>(tree.mass_matrix().data(), n, n);
  }
  for (int j = 0; j < model.njnt; ++j) {
    if (model.jnt_type[j] != mjJNT_FREE) continue;
    const mjtNum* q = data.qpos + model.jnt_qposadr[j] + 3;
    const int v = model.jnt_dofadr[j];
    T.block<3, 3>(v, v) = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).toRotationMatrix().transpose();
  }
  return T.transpose() * M * T;
}

void compare(const char* path, const mjModel& model, mjData& data) {
  const auto nv = static_cast<int>(model.nv);
  std::printf("| `%s` | %d | ", path, nv);
  try {
    const World world(load_mjcf(path));
    double mass = 0, theirs = 0;
    bool has_free = false;
    for (const SceneBody& b : world.scene().bodies) {
      if (b.kind != BodyKind::fixed) mass += b.mass;
      has_free = has_free || b.kind == BodyKind::free;
    }
    for (int i = 1; i < model.nbody; ++i) {
      if (model.body_treeid[i] >= 0) theirs += model.body_mass[i];  // not of mocap bodies
    }
    if (world.dofs() != nv || std::abs(mass - theirs) > 1e-9 * theirs) {
      std::printf("WRONG | nv %d, mass %g kg, not %g kg |\n", world.dofs(), mass, theirs);
    } else if (has_free) {
      std::printf("yes | free bodies: M not compared |\n");
    } else {
      mj_forward(&model, &data);
      RowMatrix full(nv, nv);
      mj_fullM(&model, &data, full.data());
      const MatrixXd difference = mass_matrix(world, model, data) - MatrixXd(full);
      std::printf("yes | %.0e |\n", difference.norm() / full.norm());
    }
  } catch (const std::exception& e) {
    const std::string text = e.what();
    std::printf("no | %s |\n", text.substr(text.find(".xml:") + 5).c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    mjModel* model = mj_loadXML(argv[i], nullptr, nullptr, 0);
    if (model == nullptr) continue;
    if (model->nv > 0) {
      mjData* data = mj_makeData(model);
      compare(argv[i], *model, *data);
      mj_deleteData(data);
    }
    mj_deleteModel(model);
  }
}
