// Actuators, tendons and equality constraints of random models against MuJoCo's: lengths, rates,
// forces, and what is put into each joint.

#include <gtest/gtest.h>
#include <mujoco/mujoco.h>

#include <Eigen/Dense>
#include <cmath>
#include <map>
#include <random>
#include <sstream>
#include <utility>
#include <vector>

#include "abut/io/mjcf.hpp"
#include "abut/sim/world.hpp"

namespace abut {
namespace {

using Eigen::VectorXd;

/// Two chains of hinges and slides, with defaults, classes and angles in degrees or radians.
class RandomModel {
 public:
  explicit RandomModel(int seed) : random_(seed) {}

  std::string write() {
    out_ << "<mujoco><compiler angle='" << (below(2) ? "radian" : "degree") << "'/>"
         << "<option gravity='1 -2 -9'/><default><joint damping='" << uniform(0, 1) << "'/>"
         << "<default class='soft'><joint stiffness='" << uniform(0, 5) << "' springref='"
         << uniform(-1, 1) << "'/><motor gear='" << uniform(-3, 3) << "'/>"
         << "<position kp='" << uniform(1, 9) << "'/><tendon stiffness='" << uniform(0, 30)
         << "'/></default></default><worldbody><site name='s0' pos='" << numbers(3) << "'/>";
    for (int chain = 0; chain < 2; ++chain) {
      for (int k = 0; k < 3; ++k) body();
      out_ << "</body></body></body>";
    }
    out_ << "</worldbody><tendon>";
    for (int t = 0; t < 4; ++t) tendon(t);
    out_ << "</tendon><equality>";
    for (int e = 0; e < 4; ++e) equality(e);
    out_ << "</equality><actuator>";
    for (int a = 0; a < 8; ++a) actuator();
    out_ << "</actuator></mujoco>";
    return out_.str();
  }

  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

 private:
  std::string numbers(int count) {
    std::ostringstream text;
    for (int i = 0; i < count; ++i) text << (i ? " " : "") << uniform(-1, 1);
    return text.str();
  }
  const char* maybe_soft() { return below(2) ? " class='soft'" : ""; }
  std::string range(const char* name) {
    std::ostringstream text;
    if (below(2)) text << ' ' << name << "='" << uniform(-1, 0) << ' ' << uniform(0, 1) << "'";
    return text.str();
  }

  void body() {
    out_ << "<body pos='" << numbers(3) << "'><inertial pos='" << numbers(3) << "' mass='"
         << uniform(0.5, 2) << "' diaginertia='1 1.2 1.4'/>";
    for (int n = 1 + below(2); n > 0; --n) {
      out_ << "<joint name='j" << joints_++ << "' type='" << (below(2) ? "hinge" : "slide")
           << "' axis='" << numbers(3) << "' ref='" << uniform(-1, 1) << "'" << maybe_soft()
           << "/>";
    }
    out_ << "<site name='s" << ++sites_ << "' pos='" << numbers(3) << "'/>";
  }

  void tendon(int t) {
    const bool fixed = t < 2;
    out_ << (fixed ? "<fixed" : "<spatial") << " name='t" << t << "'" << maybe_soft();
    if (below(2)) out_ << " damping='" << uniform(0, 3) << "'";
    if (below(2)) out_ << " springlength='" << uniform(0, 1) << ' ' << uniform(1, 2) << "'";
    if (below(2)) out_ << " range='" << uniform(0, 1) << ' ' << uniform(1, 3) << "'";
    out_ << '>';
    const int first = below(joints_), from = below(sites_ + 1);
    for (int k = 0; k < 3; ++k) {
      if (fixed) {
        out_ << "<joint joint='j" << (first + k) % joints_ << "' coef='" << uniform(-2, 2) << "'/>";
      } else {
        out_ << "<site site='s" << (from + 2 * k) % (sites_ + 1) << "'/>";
      }
    }
    out_ << (fixed ? "</fixed>" : "</spatial>");
  }

  void equality(int e) {
    const char *kind = e < 2 ? "joint" : "tendon", *letter = e < 2 ? "j" : "t";
    out_ << '<' << kind << ' ' << kind << "1='" << letter << e << "'";
    if (below(4)) out_ << ' ' << kind << "2='" << letter << e + 2 - (e < 2 ? 0 : 3) << "'";
    out_ << " polycoef='" << numbers(5) << "'/>";
  }

  void actuator() {
    const char* kinds[] = {"motor",   "position", "velocity", "damper",
                           "general", "general",  "cylinder", "intvelocity"};
    const std::string kind = kinds[below(8)];
    out_ << '<' << kind;
    if (kind == "motor" || kind == "position") out_ << maybe_soft();
    if (below(3)) {
      out_ << " joint='j" << below(joints_) << "'";
    } else {
      out_ << " tendon='t" << below(2) << "'";
    }
    if (below(2)) out_ << " gear='" << uniform(-3, 3) << "'";
    if (kind == "damper") {
      out_ << " kv='" << uniform(0, 2) << "' ctrlrange='0 " << uniform(0.5, 2) << "'";
    } else {
      out_ << range("ctrlrange");
    }
    if (below(2)) out_ << " forcerange='" << -uniform(0, 9) << ' ' << uniform(0, 9) << "'";
    if (kind == "position") {
      out_ << (below(2) ? " kv='" : " dampratio='") << uniform(0, 2) << "'";
    } else if (kind == "velocity") {
      out_ << " kv='" << uniform(0, 2) << "'";
    } else if (kind == "cylinder") {
      out_ << " area='" << uniform(0, 2) << "' timeconst='" << uniform(0.1, 2) << "' bias='"
           << numbers(3) << "'";
    } else if (kind == "intvelocity") {
      out_ << " kp='" << uniform(0, 9) << "' actrange='-1 1'";
    } else if (kind == "general") {
      const char* types[] = {"none", "integrator", "filter", "filterexact"};
      out_ << " dyntype='" << types[below(4)] << "' dynprm='" << uniform(0.1, 1) << "' gaintype='"
           << (below(2) ? "fixed" : "affine") << "' gainprm='" << numbers(3) << "' biastype='"
           << (below(2) ? "none" : "affine") << "' biasprm='" << numbers(3) << "'";
    }
    out_ << "/>";
  }

  std::mt19937 random_;
  std::ostringstream out_;
  int joints_ = 0, sites_ = 0;
};

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

/// A random state, controls and activations in both.
void take_random_state(RandomModel& random, Mujoco& m, World& world) {
  for (int i = 0; i < m.model->nq; ++i) m.data->qpos[i] += random.uniform(-1, 1);
  for (int i = 0; i < m.model->nv; ++i) m.data->qvel[i] = random.uniform(-1, 1);
  const mjtNum *q = m.data->qpos, *v = m.data->qvel;
  for (int b = 0; b < std::ssize(world.scene().bodies); ++b) {
    const int n = joint_positions(world.scene().bodies[b]);
    world.set_joint_state(b, {{q, q + n}, {v, v + n}});
    q += n, v += n;
  }
  ASSERT_EQ(world.actuators(), m.model->nu);
  for (int a = 0; a < world.actuators(); ++a) {
    m.data->ctrl[a] = random.uniform(-2, 2);
    world.set_control(a, m.data->ctrl[a]);
  }
  Snapshot snapshot = world.snapshot();
  for (int a = 0; a < world.actuators(); ++a) {
    if (m.model->actuator_actnum[a] == 0) continue;
    const double activation = random.uniform(-0.9, 0.9);
    m.data->act[m.model->actuator_actadr[a]] = snapshot.state.activations[a] = activation;
  }
  world.restore(snapshot);
  mj_forward(m.model, m.data);
}

constexpr int trials = 200;
constexpr double h = 1e-8;  // what is implicit changes by little

TEST(MjcfForces, OfActuatorsAreMujocos) {
  for (int trial = 0; trial < trials; ++trial) {
    RandomModel random(trial);
    const std::string text = random.write();
    SCOPED_TRACE(testing::Message() << trial << ": " << text);
    Mujoco m(text);
    WorldOptions options;
    options.tolerance = 1e-12;
    Scene scene = load_mjcf_text(text, "m.xml");
    scene.equalities.clear();  // they change motion at once, and so do limits
    for (SceneTendon& t : scene.tendons) t.limited = false;
    World world(scene, options);
    take_random_state(random, m, world);
    world.step(h);
    for (int a = 0; a < world.actuators(); ++a) {
      const ActuatorState& state = world.actuator_state(a);
      ASSERT_NEAR(state.length, m.data->actuator_length[a], 1e-12) << a;
      ASSERT_NEAR(state.velocity, m.data->actuator_velocity[a], 1e-4) << a;
      ASSERT_NEAR(state.force, m.data->actuator_force[a], 1e-4) << a;
    }
  }
}

// of springs of joints and tendons, by their energy
TEST(MjcfForces, OfSpringsHaveMujocosEnergy) {
  for (int trial = 0; trial < trials; ++trial) {
    RandomModel random(trial);
    const std::string text = random.write();
    SCOPED_TRACE(testing::Message() << trial << ": " << text);
    Mujoco m(text);
    World world(load_mjcf_text(text, "m.xml"));
    take_random_state(random, m, world);
    mj_energyPos(m.model, m.data);
    ASSERT_NEAR(world.potential_energy(), m.data->energy[0], 1e-10);
  }
}

// by how much, and how fast that changes
TEST(MjcfForces, OfEqualitiesAndTendonLimitsHaveMujocosGaps) {
  int limits = 0;
  for (int trial = 0; trial < trials; ++trial) {
    RandomModel random(trial);
    const std::string text = random.write();
    SCOPED_TRACE(testing::Message() << trial << ": " << text);
    Mujoco m(text);
    World world(load_mjcf_text(text, "m.xml"));
    take_random_state(random, m, world);
    const VectorXd v = Eigen::Map<const VectorXd>(m.data->qvel, m.model->nv);
    world.step(h);
    const ScalarPool& rows = world.problem().scalars;
    std::vector<double> equality_rates, rates;
    for (int i = 0; i < rows.size(); ++i) {
      double rate = 0;
      for (const RowEntry& e : rows.row(i)) {
        rate += e.value * v[world.problem().trees[e.tree].first_dof + e.dof];
      }
      if (rows.kind[i] == ScalarKind::equality) equality_rates.push_back(rate);
    }
    std::map<std::pair<ConstraintKind, int>, double> sizes;
    for (const Violation& x : world.violations()) sizes[{x.kind, x.index}] = x.size;
    for (int i = 0; i < m.data->nefc; ++i) {
      const int id = m.data->efc_id[i];
      const double gap = m.data->efc_pos[i];
      if (m.data->efc_type[i] == mjCNSTR_EQUALITY) {
        ASSERT_NEAR((sizes[{ConstraintKind::equality, id}]), std::abs(gap), 1e-12) << id;
        rates.push_back(m.data->efc_vel[i]);
      } else if (m.data->efc_type[i] == mjCNSTR_LIMIT_TENDON) {
        const std::string name = mj_id2name(m.model, mjOBJ_TENDON, id);
        int place = 0;
        while (world.scene().tendons[place].name != name) ++place;
        ASSERT_NEAR((sizes[{ConstraintKind::tendon_limit, place}]), -gap, 1e-12) << name;
        ++limits;
      }
    }
    ASSERT_EQ(rates.size(), equality_rates.size());
    for (std::size_t i = 0; i < rates.size(); ++i) {
      ASSERT_NEAR(equality_rates[i], rates[i], 1e-11) << i;
    }
  }
  EXPECT_GT(limits, trials);
}

}  // namespace
}  // namespace abut
