// Robots from URDF against MuJoCo's own reader and dynamics: masses, poses, mass matrix, bias
// forces.

#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include <Eigen/Dense>
#include <random>
#include <sstream>

#include "abut/io/urdf.hpp"
#include "abut/sim/world.hpp"

namespace abut {
namespace {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Writes a random robot: links in a tree, by joints of four types, those fixed too.
class RandomRobot {
 public:
  explicit RandomRobot(unsigned seed) : random_(seed) { out_.precision(17); }

  std::string write(int links) {
    out_ << "<robot name='r'>"
            "<mujoco><compiler balanceinertia='false' fusestatic='false'/></mujoco>";
    link(0);
    for (int i = 1; i < links; ++i) {
      link(i);
      joint(i, static_cast<int>(random_() % static_cast<unsigned>(i)), i + 1 == links);
    }
    out_ << "</robot>";
    return out_.str();
  }

 private:
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  std::string vector(double size) {
    std::ostringstream text;
    text.precision(17);
    text << uniform(-size, size) << ' ' << uniform(-size, size) << ' ' << uniform(-size, size);
    return text.str();
  }

  void link(int i) {
    Matrix3d random;  // of a cloud of points
    for (double& x : random.reshaped()) x = uniform(-0.2, 0.2);
    const Matrix3d spread = random * random.transpose() + 0.001 * Matrix3d::Identity();
    const double mass = uniform(0.1, 3);
    const Matrix3d I = mass * (spread.trace() * Matrix3d::Identity() - spread);
    out_ << "<link name='l" << i << "'><inertial><origin xyz='" << vector(0.2) << "' rpy='"
         << vector(3) << "'/><mass value='" << mass << "'/><inertia ixx='" << I(0, 0) << "' ixy='"
         << I(0, 1) << "' ixz='" << I(0, 2) << "' iyy='" << I(1, 1) << "' iyz='" << I(1, 2)
         << "' izz='" << I(2, 2) << "'/></inertial></link>";
  }

  void joint(int child, int parent, bool moves) {
    const char* types[] = {"fixed", "revolute", "continuous", "prismatic"};
    const auto type = moves ? 1 + random_() % 3 : random_() % 4;
    out_ << "<joint name='j" << child << "' type='" << types[type] << "'><parent link='l" << parent
         << "'/><child link='l" << child << "'/><origin xyz='" << vector(0.5) << "' rpy='"
         << vector(3) << "'/><axis xyz='" << vector(1)
         << "'/><limit lower='-9' upper='9' effort='1' velocity='1'/></joint>";
  }

  std::mt19937 random_;
  std::ostringstream out_;
};

using Model = std::unique_ptr<mjModel, decltype(&mj_deleteModel)>;
using Data = std::unique_ptr<mjData, decltype(&mj_deleteData)>;

Model read_by_mujoco(const std::string& text) {
  mjVFS files;
  mj_defaultVFS(&files);
  mj_addBufferVFS(&files, "r.urdf", text.data(), static_cast<int>(text.size()));
  char error[300] = "";
  Model model(mj_loadXML("r.urdf", &files, error, sizeof error), mj_deleteModel);
  mj_deleteVFS(&files);
  EXPECT_NE(model, nullptr) << error;
  return model;
}

/// One random state in both; gives the places in MuJoCo of our velocities.
std::vector<int> set_states(World& world, const mjModel& model, mjData& data,
                            std::mt19937& random) {
  std::uniform_real_distribution<double> any(-1, 1);
  std::vector<int> map(static_cast<std::size_t>(world.dofs()));
  for (int b = 0; b < std::ssize(world.scene().bodies); ++b) {
    const SceneBody& body = world.scene().bodies[b];
    if (body.kind != BodyKind::linked) continue;
    const double q = any(random), v = any(random);
    world.set_joint_state(b, {{q}, {v}});
    const int id = mj_name2id(&model, mjOBJ_JOINT, body.joints[0].name.c_str());
    data.qpos[model.jnt_qposadr[id]] = q;
    data.qvel[model.jnt_dofadr[id]] = v;
    const JointPlace& at = world.joint_place(b);
    map[world.articulated_trees().first_velocity(at.tree) + at.velocity] = model.jnt_dofadr[id];
  }
  return map;
}

TEST(Urdf, HasTheDynamicsThatMujocoReads) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const std::string text = RandomRobot(seed).write(2 + static_cast<int>(seed) % 9);
    const Model model = read_by_mujoco(text);
    ASSERT_NE(model, nullptr);
    Scene scene = load_urdf_text(text, "r.urdf", {.base = RobotBase::fixed});
    World world(std::move(scene));
    const auto nv = static_cast<int>(model->nv);
    ASSERT_EQ(world.dofs(), nv);
    const Data data(mj_makeData(model.get()), mj_deleteData);
    std::mt19937 random(seed);
    const std::vector<int> theirs = set_states(world, *model, *data, random);
    mj_forward(model.get(), data.get());
    RowMatrix full(nv, nv);
    mj_fullM(model.get(), data.get(), full.data());

    MatrixXd M = MatrixXd::Zero(nv, nv), expected(nv, nv);
    VectorXd bias(nv), expected_bias(nv);
    for (int t = 0; t < world.articulated_trees().size(); ++t) {
      const ArticulatedTree& tree = world.articulated_trees().tree(t);
      const int n = tree.velocities(), at = world.articulated_trees().first_velocity(t);
      M.block(at, at, n, n) = Eigen::Map<const RowMatrix>(tree.mass_matrix().data(), n, n);
      bias.segment(at, n) = Eigen::Map<const VectorXd>(tree.bias_forces().data(), n);
    }
    for (int r = 0; r < nv; ++r) {
      expected_bias[r] = data->qfrc_bias[theirs[r]];
      for (int c = 0; c < nv; ++c) expected(r, c) = full(theirs[r], theirs[c]);
    }
    EXPECT_LE((M - expected).norm(), 1e-12 * expected.norm());
    EXPECT_LE((bias - expected_bias).norm(), 1e-11 * expected_bias.norm());

    for (std::size_t b = 0; b < world.scene().bodies.size(); ++b) {
      const SceneBody& body = world.scene().bodies[b];
      if (body.kind != BodyKind::linked) continue;
      const int id = mj_name2id(model.get(), mjOBJ_BODY, body.name.c_str());
      const BodyState state = world.body_state(static_cast<int>(b));
      const mjtNum* p = data->xpos + std::ptrdiff_t{3} * id;
      EXPECT_LE(norm(state.position - Vec3{p[0], p[1], p[2]}), 1e-13);
    }
  }
}

}  // namespace
}  // namespace abut
