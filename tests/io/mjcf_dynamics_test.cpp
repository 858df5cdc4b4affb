// Articulated trees from MJCF against MuJoCo's own dynamics: mass matrix, bias forces, springs and
// dampers, kinematics. The joints are ours, the algorithms Pinocchio's.

#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include <Eigen/Dense>
#include <memory>
#include <random>
#include <span>

#include "abut/io/mjcf.hpp"
#include "abut/sim/world.hpp"
#include "support/random_mechanism.hpp"

namespace abut {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Mujoco {
  explicit Mujoco(const std::string& text) {
    mjVFS vfs;
    mj_defaultVFS(&vfs);
    mj_addBufferVFS(&vfs, "m.xml", text.data(), static_cast<int>(text.size()));
    char error[1000] = "";
    model = mj_loadXML("m.xml", &vfs, error, sizeof error);
    mj_deleteVFS(&vfs);
    if (model == nullptr) throw std::runtime_error(error);
    data = mj_makeData(model);
  }
  ~Mujoco() {
    mj_deleteData(data);
    mj_deleteModel(model);
  }
  Mujoco(const Mujoco&) = delete;
  Mujoco& operator=(const Mujoco&) = delete;

  mjModel* model;
  mjData* data;
};

void copy_state(const Mujoco& m, World& world) {
  const mjtNum *q = m.data->qpos, *v = m.data->qvel;
  for (const int b : linked_bodies(world.scene())) {
    const int nq = joint_positions(world.scene().bodies[b]);
    const int nv = joint_velocities(world.scene().bodies[b]);
    world.set_joint_state(b, {{q, q + nq}, {v, v + nv}});
    q += nq, v += nv;
  }
  ASSERT_EQ(q - m.data->qpos, m.model->nq);
}

void take_random_state(std::mt19937& random, Mujoco& m, World& world) {
  std::normal_distribution<double> normal;
  for (int i = 0; i < m.model->nq; ++i) m.data->qpos[i] += 0.5 * normal(random);
  mj_normalizeQuat(m.model, m.data->qpos);
  for (int i = 0; i < m.model->nv; ++i) m.data->qvel[i] = normal(random);
  mj_forward(m.model, m.data);
  copy_state(m, world);
}

/// T with our velocities = T MuJoCo's, and dT/dt times MuJoCo's: they differ for a free joint,
/// whose linear velocity is in world axes there.
void transform(const Mujoco& m, MatrixXd& T, VectorXd& drift) {
  const auto nv = static_cast<int>(m.model->nv);
  T = MatrixXd::Identity(nv, nv);
  drift = VectorXd::Zero(nv);
  if (m.model->jnt_type[0] != mjJNT_FREE) return;
  const mjtNum* q = m.data->qpos + 3;
  const Eigen::Matrix3d R = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).toRotationMatrix();
  T.topLeftCorner<3, 3>() = R.transpose();
  const Eigen::Map<const VectorXd> v(m.data->qvel, nv);
  const Eigen::Vector3d w = v.segment<3>(3), linear = R.transpose() * v.head<3>();
  drift.head<3>() = -w.cross(linear);
}

double relative(const MatrixXd& a, const MatrixXd& b) {
  return (a - b).norm() / (1 + b.norm());
}

TEST(ArticulatedDynamics, EqualsMujocos) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 100; ++trial) {
    SCOPED_TRACE(trial);
    const std::string text = random_mechanism(trial);
    Mujoco m(text);
    World world(load_mjcf_text(text, "m.xml"));
    const auto nv = static_cast<int>(m.model->nv);
    ASSERT_EQ(world.dofs(), nv);
    take_random_state(random, m, world);

    // both trees, one behind the other
    MatrixXd M = MatrixXd::Zero(nv, nv);
    VectorXd bias(nv);
    Eigen::Index at = 0;
    for (int t = 0; t < world.articulated_trees().size(); ++t) {
      const ArticulatedTree& tree = world.articulated_trees().tree(t);
      const int n = tree.velocities();
      M.block(at, at, n, n) = Eigen::Map<const RowMatrix>(tree.mass_matrix().data(), n, n);
      bias.segment(at, n) = Eigen::Map<const VectorXd>(tree.bias_forces().data(), n);
      at += n;
    }
    ASSERT_EQ(at, nv);
    RowMatrix full(nv, nv);
    mj_fullM(m.model, m.data, full.data());
    const MatrixXd theirs = full;
    MatrixXd T;
    VectorXd drift;
    transform(m, T, drift);
    EXPECT_LE(relative(T.transpose() * M * T, theirs), 1e-12);
    const VectorXd their_bias = Eigen::Map<VectorXd>(m.data->qfrc_bias, nv);
    EXPECT_LE(relative(T.transpose() * (bias + M * drift), their_bias), 1e-11);

    // a step's free velocity: springs and dampers implicit, drag explicit
    const double h = world.time_step();
    VectorXd D(nv), K = VectorXd::Zero(nv);
    for (int i = 0; i < nv; ++i) D[i] = m.model->dof_damping[i];
    for (int j = 0; j < m.model->njnt; ++j) K[m.model->jnt_dofadr[j]] = m.model->jnt_stiffness[j];
    const VectorXd v = T * Eigen::Map<VectorXd>(m.data->qvel, nv);
    const VectorXd passive = Eigen::Map<VectorXd>(m.data->qfrc_passive, nv);
    MatrixXd A = M;
    A.diagonal() += h * D + h * h * K;
    const VectorXd free = v + h * A.llt().solve(T * passive - bias - h * K.cwiseProduct(v));
    world.step();
    const VectorXd found = Eigen::Map<const VectorXd>(world.problem().free_velocity.data(), nv);
    EXPECT_LE(relative(found, free), 1e-11);
  }
}

// poses and velocities of the bodies, also of those welded to others
TEST(ArticulatedKinematics, EqualsMujocos) {
  std::mt19937 random(8);
  for (int trial = 0; trial < 100; ++trial) {
    SCOPED_TRACE(trial);
    const std::string text = random_mechanism(trial);
    Mujoco m(text);
    World world(load_mjcf_text(text, "m.xml"));
    take_random_state(random, m, world);
    int id = 0;
    for (const int b : linked_bodies(world.scene())) {
      while (m.model->body_dofnum[++id] == 0) {
      }
      const BodyState s = world.body_state(b);
      const Mat3 R = to_matrix(s.orientation);
      for (int i = 0; i < 3; ++i) {
        EXPECT_NEAR(s.position[i], m.data->xpos[3 * id + i], 1e-12);
        for (int j = 0; j < 3; ++j) EXPECT_NEAR(R(i, j), m.data->xmat[9 * id + 3 * i + j], 1e-12);
      }
      mjtNum velocity[6];  // angular, linear at the origin of B
      mj_objectVelocity(m.model, m.data, mjOBJ_XBODY, id, velocity, 0);
      const Vec3 w{velocity[0], velocity[1], velocity[2]},
          origin{velocity[3], velocity[4], velocity[5]};
      const Vec3 center = origin + cross(w, R * world.scene().bodies[b].center_of_mass);
      EXPECT_LE(norm(s.angular_velocity - w), 1e-11);
      EXPECT_LE(norm(s.linear_velocity - center), 1e-11);
    }
    mj_energyPos(m.model, m.data);
    mj_energyVel(m.model, m.data);
    EXPECT_NEAR(world.potential_energy(), m.data->energy[0], 1e-10);
    EXPECT_NEAR(world.kinetic_energy(), m.data->energy[1], 1e-10);
  }
}

// --- energy

double normal(std::mt19937& random) {
  return std::normal_distribution<double>()(random);
}

/// Motors and servos on some hinges and slides, every third on two of them.
void add_actuators(std::mt19937& random, Scene& scene) {
  std::vector<ScenePart> parts;
  for (const int b : linked_bodies(scene)) {
    for (int j = 0; j < std::ssize(scene.bodies[b].joints); ++j) {
      const JointKind kind = scene.bodies[b].joints[j].kind;
      if (kind == JointKind::hinge || kind == JointKind::slide) parts.push_back({b, j, 1});
    }
  }
  for (std::size_t i = 0; i < parts.size(); i += 2) {
    SceneActuator a;
    a.parts = {parts[i]};
    if (i % 3 == 2) a.parts.push_back(parts[random() % i]);
    for (ScenePart& part : a.parts) part.gear = normal(random);
    a.gain[0] = normal(random), a.bias[0] = normal(random);
    if (random() % 2) a.bias[1] = -10, a.bias[2] = -0.3;
    scene.actuators.push_back(a);
  }
}

/// What motors, servos and loads put in and dampers take away, and what all of these and weight do,
/// each without its sign [W].
struct Power {
  double sum = 0, size = 0;
  void add(double power) { sum += power, size += std::abs(power); }
};

Power power_of(const World& w, std::span<const Load> loads) {
  Power p;
  const Scene& scene = w.scene();
  for (const int b : linked_bodies(scene)) {
    const BodyState s = w.body_state(b);
    p.add(dot(loads[b].force, s.linear_velocity));
    p.add(dot(loads[b].moment, s.angular_velocity));
    p.size += std::abs(scene.bodies[b].mass * dot(scene.gravity, s.linear_velocity));
    const std::vector<double> v = w.joint_state(b).velocities;
    int at = 0;
    for (const SceneJoint& j : scene.bodies[b].joints) {
      for (int k = velocity_count(j.kind); k > 0; --k, ++at) p.add(-j.damping * v[at] * v[at]);
    }
  }
  for (int i = 0; i < std::ssize(scene.actuators); ++i) {
    const SceneActuator& a = scene.actuators[i];
    double length = 0, rate = 0;
    for (const ScenePart& part : a.parts) {
      length += part.gear * w.joint_position(part.body, part.joint);
      rate += part.gear * w.joint_velocity(part.body, part.joint);
    }
    p.add((a.gain[0] * w.controls()[i] + a.bias[0] + a.bias[1] * length + a.bias[2] * rate) * rate);
  }
  return p;
}

// What a step adds to the energy, over the step, as it gets short: of four steps, so that errors up
// to the third order drop out.
TEST(ArticulatedDynamics, EnergyChangesByThePowerOfMotorsLoadsAndDampers) {
  std::mt19937 random(9);
  for (int trial = 0; trial < 100; ++trial) {
    Scene scene = load_mjcf_text(random_mechanism(trial), "m.xml");
    scene.fluid_density = scene.fluid_viscosity = 0;
    add_actuators(random, scene);
    WorldOptions options;
    options.scheme = velocity_schemes[trial % velocity_schemes.size()];
    options.tolerance = 1e-12;
    World start(scene, options);
    std::vector<Load> loads(scene.bodies.size());
    for (const int b : linked_bodies(scene)) {
      start.set_joint_state(b, random_state(random, scene.bodies[b]));
      loads[b] = {5 * random_vector(random), random_vector(random)};
      start.set_load(b, loads[b].force, loads[b].moment);
    }
    for (int i = 0; i < start.actuators(); ++i) start.set_control(i, normal(random));
    const double energy = start.kinetic_energy() + start.potential_energy(), h = 1e-4;  // [J, s]
    double rates[4];
    for (int k = 0; k < 4; ++k) {
      const double step = std::ldexp(h, -k);
      const std::unique_ptr<World> w = start.clone();
      EXPECT_EQ(w->step(step).solve.status, SolveStatus::converged);
      rates[k] = (w->kinetic_energy() + w->potential_energy() - energy) / step;
    }
    const Power power = power_of(start, loads);
    const double rate = (64 * rates[3] - 56 * rates[2] + 14 * rates[1] - rates[0]) / 21;
    EXPECT_NEAR(rate, power.sum, 1e-8 * power.size)
        << "trial " << trial << ", " << to_string(options.scheme);
  }
}

}  // namespace
}  // namespace abut
