// A state is a value, a step an attempt until it is taken, its size an argument.

#include "abut/sim/state.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "abut/io/mjcf.hpp"
#include "abut/io/snapshot_bytes.hpp"
#include "abut/sim/world.hpp"
#include "support/scenes.hpp"

namespace abut {
namespace {

// all that a state holds: free bodies and mechanisms in contact, an overlap and a limit that are
// let go of, a connection that is off, activations, spinning links, drag
const char* const everything = R"(<mujoco>
  <option density="1.2" wind="1 0 0"/>
  <worldbody>
    <geom type="plane" size="2 2 .1"/>
    <body name="low" pos="0 0 .08"><freejoint/><geom type="box" size=".1 .1 .1" mass="1"/></body>
    <body name="high" pos=".02 0 .32"><freejoint/><geom size=".1" mass="2"/></body>
    <body name="arm" pos="1 0 .4">
      <joint name="shoulder" axis="0 1 0" range="10 90" limited="true" damping=".1"/>
      <geom type="capsule" fromto="0 0 0 .4 0 0" size=".05" mass="1"/>
      <body pos=".4 0 0">
        <joint name="elbow" axis="0 0 1" frictionloss=".2" stiffness="1"/>
        <geom type="capsule" fromto="0 0 0 .3 0 0" size=".05" mass=".5"/>
        <body pos=".3 0 0"><joint name="wheel" axis="1 0 0" ref="0"/>
          <geom type="box" size=".02 .1 .03" mass=".2"/></body>
      </body>
    </body>
    <body name="hung" pos="0 1 1"><freejoint/><geom type="box" size=".1 .05 .05" mass="1"/></body>
  </worldbody>
  <equality><connect body1="hung" anchor=".1 0 0"/></equality>
  <actuator>
    <general joint="elbow" dyntype="filter" dynprm=".1" gainprm="2"/>
    <motor joint="wheel" gear=".3"/>
    <position joint="shoulder" kp="5"/>
  </actuator>
</mujoco>)";

World world_of_everything(ContactModel model) {
  WorldOptions o;
  o.model = model;
  o.time_step = 2e-3;
  World w(load_mjcf_text(everything, "everything.xml"), o);
  for (int a = 0; a < w.actuators(); ++a) w.set_control(a, 0.5);
  w.set_load(0, {0.5, 0, 0}, {0, 0, 0.1});
  BodyState hung = w.body_state(5);
  hung.position.x += 0.02;  // off its anchor
  w.set_body_state(5, hung);
  return w;
}

TEST(State, IsNotChangedByAnAttempt) {
  for (const ContactModel model : convex_models) {
    World w = world_of_everything(model), other = world_of_everything(model);
    std::mt19937 random(1);
    std::uniform_real_distribution<double> exponent(-4, -2);
    for (int i = 0; i < 200; ++i) {
      const std::string before = encode(w.snapshot());
      for (int k = 0; k < 3; ++k) w.attempt(std::pow(10, exponent(random)));
      EXPECT_TRUE(encode(w.snapshot()) == before) << to_string(model) << ", step " << i;
      w.step(), other.step();
      ASSERT_TRUE(encode(w.snapshot()) == encode(other.snapshot()))
          << to_string(model) << ", step " << i;
    }
    EXPECT_GT(w.report().contacts, 4);
    EXPECT_TRUE(w.warnings().empty() == other.warnings().empty());
  }
}

TEST(State, OfAnAttemptIsTaken) {
  World w = world_of_everything(ContactModel::lagged), other(w.scene(), w.options());
  other.restore(w.snapshot());
  for (int i = 0; i < 100; ++i) {
    const StepReport& report = w.attempt(2e-3);
    EXPECT_EQ(static_cast<int>(w.contact_sources().size()), report.contacts);
    w.accept();
    other.step();
    ASSERT_EQ(w.state_hash(), other.state_hash()) << i;
    EXPECT_EQ(static_cast<int>(w.contact_sources().size()), w.problem().contacts.size());
  }
}

TEST(State, IsOnlyTakenOfAnAttemptThatHolds) {
  World w = world_of_everything(ContactModel::sap);
  EXPECT_THROW(w.accept(), InputError) << "there was none";
  w.attempt(1e-3);
  w.set_control(0, 1);
  EXPECT_THROW(w.accept(), InputError) << "it was made with other controls";
  w.attempt(1e-3);
  w.set_body_state(0, w.body_state(0));
  EXPECT_THROW(w.accept(), InputError);
  w.attempt(1e-3);
  w.restore(w.snapshot());
  EXPECT_THROW(w.accept(), InputError);
  EXPECT_EQ(w.problem().contacts.size(), 0) << "there is no last step";
  EXPECT_TRUE(w.contact_sources().empty());
  w.attempt(1e-3);
  w.accept();
  EXPECT_THROW(w.accept(), InputError) << "it was taken";
  EXPECT_EQ(w.steps(), 1u);
  for (const double dt : {0.0, -1e-3, 2.0, std::nan("")}) {
    EXPECT_THROW(w.step(dt), InputError) << dt;
  }
}

// two snapshots of the same state, by different ways, are the same bytes
TEST(State, IsAllThatDecides) {
  for (const ContactModel model : convex_models) {
    World w = world_of_everything(model);
    for (int i = 0; i < 100; ++i) w.step();
    World other(w.scene(), w.options());
    other.restore(decode_snapshot(encode(w.snapshot())));
    for (int i = 0; i < 100; ++i) {
      const double dt = i % 3 == 0 ? 1e-3 : 2e-3;
      w.step(dt), other.step(dt);
    }
    EXPECT_TRUE(encode(w.snapshot()) == encode(other.snapshot())) << to_string(model);
  }
}

TEST(StepSize, TimeDoesNotDrift) {
  Scene s;
  add_sphere(s, 1, 0.1, {0, 0, 0});
  WorldOptions o;
  o.time_step = 1e-3;
  World w(s, o);
  for (int i = 0; i < 1000; ++i) w.step();
  EXPECT_EQ(w.time(), 1000 * 1e-3);
  for (int i = 0; i < 300; ++i) w.step(1e-4);
  EXPECT_EQ(w.time(), 1000 * 1e-3 + 300 * 1e-4);
  EXPECT_EQ(w.steps(), 1300u);
}

// symplectic Euler in free fall: v = -g t, z = z_0 - g sum_k h_k t_k
TEST(StepSize, FallsByEachStep) {
  Scene s;
  add_sphere(s, 1, 0.1, {0, 0, 5});
  World w(s);
  std::mt19937 random(2);
  std::uniform_real_distribution<double> size(1e-4, 1e-2);
  double v = 0, z = 5;
  for (int i = 0; i < 100; ++i) {
    const double h = size(random);
    w.step(h);
    v += h * s.gravity.z;
    z += h * v;
  }
  EXPECT_NEAR(w.body_state(0).linear_velocity.z, v, 1e-12);
  EXPECT_NEAR(w.body_state(0).position.z, z, 1e-12);
}

// what rests goes on resting however its steps change: impulses are remembered as forces
TEST(StepSize, OfRestingBodiesMayChange) {
  for (const ContactModel model : convex_models) {
    Scene s;
    s.gravity = {1, 0, -9.81};  // held by friction
    add_plane(s);
    add_box(s, 2, {0.1, 0.1, 0.1}, {0, 0, 0.1});
    // a smaller one: of equal boxes rounding says whose corners and edges a contact is of
    add_box(s, 1, {0.08, 0.09, 0.1}, {0, 0, 0.3});
    WorldOptions o;
    o.model = model;
    o.tolerance = 1e-10;
    World w(s, o);
    for (int i = 0; i < 1000; ++i) w.step(1e-3);
    std::mt19937 random(3);
    std::uniform_real_distribution<double> exponent(-3.5, -2.5);
    for (int i = 0; i < 100; ++i) {
      const double h = std::pow(10, exponent(random)), last_h = w.problem().time_step;
      const std::vector<Vec3> last = w.solution().impulse;
      ASSERT_EQ(w.step(h).solve.status, SolveStatus::converged);
      ASSERT_EQ(w.problem().contacts.size(), std::ssize(last));
      for (std::size_t k = 0; k < last.size(); ++k) {
        const Vec3& kept = w.problem().contacts.previous_impulse[k];
        EXPECT_NEAR(norm(kept / h - last[k] / last_h), 0, 1e-9);
      }
      Vec3 ground;
      for (int k = 0; k < w.problem().contacts.size(); ++k) {
        if (w.contact_sources()[k].geom_a == 0) ground += w.solution().impulse[k] / h;
      }
      EXPECT_NEAR(ground.z, 3 * 9.81, 0.03 * 3 * 9.81) << to_string(model) << ", " << h << " s";
      EXPECT_NEAR(ground.x, -3, 0.3) << to_string(model) << ", " << h << " s";
    }
    EXPECT_NEAR(w.body_state(0).position.x, 0, 2e-3) << to_string(model);
  }
}

// a loop closed by rows of all kinds keeps its force too
TEST(StepSize, OfWhatHangsMayChange) {
  World w(load_mjcf_text(
      "<mujoco><worldbody><body name='a' pos='0 0 1'><freejoint/><geom size='.1' mass='2'/></body>"
      "</worldbody><equality><connect body1='a' anchor='0 0 0'/></equality></mujoco>",
      "hung.xml"));
  for (int i = 0; i < 500; ++i) w.step(2e-3);
  for (const double h : {1e-3, 1e-2, 1e-4, 3e-3}) {
    const double last_h = w.problem().time_step;
    const std::vector<double> last = w.solution().scalar_impulse;
    w.step(h);
    for (std::size_t k = 0; k < last.size(); ++k) {
      EXPECT_NEAR(w.problem().scalars.previous_impulse[k] / h, last[k] / last_h, 1e-9);
    }
    double force = 0;
    for (const double gamma : w.solution().scalar_impulse) force += std::abs(gamma) / h;
    EXPECT_NEAR(force, 2 * 9.81, 1e-4) << h << " s";
    EXPECT_LE(w.report().solve.iterations, 1) << h << " s";
  }
}

}  // namespace
}  // namespace abut
