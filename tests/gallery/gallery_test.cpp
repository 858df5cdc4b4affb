// The scenes of examples/scenes: every step converges, and each does what it says.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "abut/io/scene_file.hpp"

namespace abut {
namespace {

constexpr double g = 9.81, pi = std::numbers::pi;

class Gallery : public testing::Test {
 protected:
  void load(const std::string& name) {
    file_ = load_scene_file(ABUT_EXAMPLES "/" + name);
    world_ = std::make_unique<World>(file_.scene, file_.simulation.over({}));
    EXPECT_TRUE(file_.scene.notices.empty());
    EXPECT_FALSE(file_.cameras.empty());
  }
  void run_until(double time) {
    while (world_->time() < time - 0.5 * world_->time_step()) {
      update_controls(file_.controllers, *world_);
      ASSERT_EQ(world_->step().solve.status, SolveStatus::converged) << world_->time();
    }
  }
  void run() {
    run_until(file_.simulation.duration.value());
    for (const Violation& v : world_->violations()) EXPECT_FALSE(v.is_unmet()) << v.index;
    for (const Warning& w : world_->warnings()) ADD_FAILURE() << describe(file_.scene, w);
  }

  int body(const std::string& name) const {
    const auto& bodies = file_.scene.bodies;
    for (int i = 0; i < std::ssize(bodies); ++i) {
      if (bodies[i].name == name) return i;
    }
    ADD_FAILURE() << "no body " << name;
    return 0;
  }
  BodyState state(const std::string& name) const { return world_->body_state(body(name)); }
  Vec3 axis(const std::string& name) const { return to_matrix(state(name).orientation).col[2]; }
  double angle(const std::string& name) const {
    return world_->joint_state(body(name)).positions[0];
  }
  double speed(const std::string& name) const {
    return world_->joint_state(body(name)).velocities[0];
  }

  SceneFile file_;
  std::unique_ptr<World> world_;
};

// a = g (sin - mu cos); symplectic Euler adds half a step's worth
TEST_F(Gallery, InclineHoldsBelowTheFrictionAngle) {
  load("incline.toml");
  const Vec3 held = state("holds").position, slid = state("slides").position;
  run();
  EXPECT_LT(norm(state("holds").position - held), 4e-4) << "creep";
  const double a = 20 * pi / 180, t = file_.simulation.duration.value();
  const double way = 0.5 * g * (std::sin(a) - 0.2 * std::cos(a)) * t * (t + 0.002);
  EXPECT_NEAR(norm(state("slides").position - slid), way, 1e-3 * way);
}

TEST_F(Gallery, DominoesAllFall) {
  load("dominoes.toml");
  run_until(0.05);
  for (int i = 0; i < 20; ++i) EXPECT_GT(axis("domino" + std::to_string(i)).z, 0.9999) << i;
  run();
  for (int i = 0; i < 20; ++i) EXPECT_LT(axis("domino" + std::to_string(i)).z, 0.5) << i;
}

// each interface carries what is above it on four points; at this step they are as stiff as SAP
// resolves, R_n = 1/(4 pi^2 m), not 1e7 N/m (docs/decisions/near-rigid.md)
TEST_F(Gallery, TowerStands) {
  load("tower.toml");
  run();
  const double h = world_->time_step(), stiffness = 4 * pi * pi / (h * (h + 1e-4));
  ASSERT_LT(stiffness, 1e7);
  double height = 0;
  for (int i = 0; i < 10; ++i) {
    height += (i == 0 ? 0.05 : 0.1) - g * (10 - i) / (4 * stiffness);
    const BodyState s = state("box" + std::to_string(i));
    EXPECT_NEAR(s.position.z, height, 1e-6) << i;
    EXPECT_LT(norm(s.linear_velocity), 1e-6) << i;
    EXPECT_LT(std::hypot(s.position.x, s.position.y), 1e-5) << i;
  }
}

// 1001 kg and 1000 kg on four points of 1e7 N/m
TEST_F(Gallery, HeavyStandsOnLight) {
  load("heavy_on_light.toml");
  run();
  const double below = 1001 * g / 4e7, above = 1000 * g / 4e7;
  EXPECT_NEAR(state("light").position.z, 0.05 - below, 0.03 * below);
  EXPECT_NEAR(state("heavy").position.z, 0.35 - below - above, 0.03 * (below + above));
}

// when the first ball has hit, the last one has its speed and nobody else any
TEST_F(Gallery, CradleHandsMomentumOn) {
  load("cradle.toml");
  double before = 0;
  while (angle("ball0") > 1e-3) {
    before = speed("ball0");
    run_until(world_->time() + 1e-3);
  }
  EXPECT_NEAR(std::abs(before), std::sqrt(2 * g / 0.3 * (1 - std::cos(0.6))), 0.01);
  run_until(world_->time() + 0.03);
  const double lowest =  // its speed when it set off, by its energy
      std::sqrt(std::pow(speed("ball4"), 2) + 2 * g / 0.3 * (1 - std::cos(angle("ball4"))));
  EXPECT_NEAR(lowest, std::abs(before), 0.05 * std::abs(before))
      << "each of four collisions loses one percent to the implicit step";
  for (const char* name : {"ball0", "ball1", "ball2", "ball3"}) {
    EXPECT_LT(std::abs(speed(name)), 0.02 * std::abs(before)) << name;
  }
}

// accelerations g sin/(1 + I/(m r^2)) times t (t + h)/2
TEST_F(Gallery, RaceIsWonByWhatSlides) {
  load("race.toml");
  const std::pair<const char*, double> racers[] = {
      {"box", 1}, {"ball", 5.0 / 7}, {"cylinder", 2.0 / 3}};
  Vec3 start[3];
  for (int i = 0; i < 3; ++i) start[i] = state(racers[i].first).position;
  run();
  const double t = file_.simulation.duration.value();
  for (int i = 0; i < 3; ++i) {
    const double way = racers[i].second * 0.5 * g * std::sin(10 * pi / 180) * t * (t + 1e-3);
    EXPECT_NEAR(norm(state(racers[i].first).position - start[i]), way, 1e-3 * way)
        << racers[i].first;
  }
}

// m g l/(I w) with the inertia of the file, spin about its axis kept
TEST_F(Gallery, TopPrecesses) {
  load("top.toml");
  const SceneBody& top = file_.scene.bodies[body("top")];
  const double rate =
      top.mass * g * top.center_of_mass.z / (top.inertia(2, 2) * 200);  // l from the tip's center
  const auto heading = [&] { return std::atan2(axis("top").y, axis("top").x); };
  const double start = heading();
  run_until(1);
  EXPECT_NEAR(heading() - start, rate, 0.02 * rate);
  run();
  EXPECT_NEAR(dot(axis("top"), state("top").angular_velocity), 200, 0.01);
  EXPECT_NEAR(std::acos(axis("top").z), 0.3, 0.05) << "it does not fall";
}

TEST_F(Gallery, GripperHoldsWhatItLifts) {
  load("gripper.toml");
  run_until(1);
  EXPECT_NEAR(state("box").position.z, 0.03, 1e-5) << "closed, not lifted";
  run_until(2.1);
  const double lifted = state("box").position.z;
  EXPECT_NEAR(lifted, 0.23, 1e-3);
  run();
  EXPECT_NEAR(state("box").position.z, lifted, 1e-4) << "held, but for its creep";
  EXPECT_LT(std::abs(state("box").position.x), 1e-4);
  EXPECT_GT(axis("box").z, 0.99999);
}

// the tip is 0.4 m along the lower link's x axis
TEST_F(Gallery, ArmDrawsACircle) {
  load("circle.toml");
  double worst = 0;
  const Vec3 center{0.5, 0, 0.5};
  for (double t = 0; t < 4; t += 0.02) {
    run_until(t);
    const BodyState lower = state("arm/lower");
    const Vec3 tip = lower.position + to_matrix(lower.orientation) * Vec3{0.4, 0, 0};
    const Vec3 drawn = center + 0.15 * Vec3{std::cos(pi * t), 0, std::sin(pi * t)};
    worst = std::max(worst, norm(tip - drawn));
  }
  EXPECT_LT(worst, 1e-3);
  EXPECT_GT(worst, 0);
}

TEST_F(Gallery, QuadrupedTrots) {
  load("trot.toml");
  for (int second = 1; second <= 5; ++second) {
    run_until(second);
    EXPECT_GT(state("trunk").position.z, 0.3) << "second " << second;
    EXPECT_GT(axis("trunk").z, 0.98) << "second " << second;
  }
  EXPECT_NEAR(state("trunk").position.x, 2.0, 0.2);
}

// v^2 / (2 mu g), to first order in the step, and it stays on the ground
TEST_F(Gallery, SlidingCubeStopsWhereCoulombSays) {
  load("sliding_cube.toml");
  const Vec3 start = state("cube").position;
  run();
  const Vec3 way = state("cube").position - start;
  EXPECT_NEAR(std::hypot(way.x, way.y), 1 / (2 * 0.4 * g), 0.6 * world_->time_step());
  EXPECT_NEAR(way.z, 0, 1e-6);
  EXPECT_LT(norm(state("cube").linear_velocity), 1e-6);
}

// slips at mu m g / F', then v = F' (t - t_s)^2 / (2 m)
TEST_F(Gallery, DraggedCubeSlipsAtItsLimit) {
  load("dragged_cube.toml");
  run_until(0.095);
  EXPECT_LT(norm(state("cube").linear_velocity), 1e-6);
  run();
  EXPECT_NEAR(state("cube").linear_velocity.x, 4 * g * 0.2 * 0.2 / 2, 0.6 * 4 * g * 0.2 * 0.01);
  EXPECT_NEAR(state("cube").position.z, 0.05, 1e-6);
}

}  // namespace
}  // namespace abut
