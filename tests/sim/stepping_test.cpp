// Stepping schemes against closed forms: what each makes of a spring, of rolling, of impacts.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "abut/sim/world.hpp"
#include "support/every_kind.hpp"
#include "support/scenes.hpp"

namespace abut {
namespace {

using enum SteppingScheme;

constexpr double mass = 0.5, stiffness = 100, start = 0.1;  // [kg, N/m, m]

WorldOptions options(SteppingScheme scheme, double dt) {
  WorldOptions o;
  o.scheme = scheme;
  o.time_step = dt;
  return o;
}

/// What holds a mass on a slide: its joint's spring, a servo, a tendon along the joint, or a motor
/// whose control is set to -k x at the start of each step.
enum class Holder { joint, servo, tendon, motor };
constexpr Holder springs[] = {Holder::joint, Holder::servo, Holder::tendon};

Scene oscillator(Holder holder, double damping = 0) {
  Scene s;
  s.gravity = {};
  const int cart = add_cart_with_motor(s);  // 1 kg
  SceneBody& body = s.bodies[cart];
  body.mass = mass;
  body.joint_positions = {start}, body.joint_velocities = {0};
  SceneJoint& slide = body.joints[0];
  switch (holder) {
    case Holder::joint:
      slide.stiffness = stiffness, slide.damping = damping;
      s.actuators.clear();
      break;
    case Holder::servo:
      s.actuators[0].bias[1] = -stiffness, s.actuators[0].bias[2] = -damping;
      break;
    case Holder::tendon: {
      SceneTendon t;
      t.joints = {{cart, 0, 1}};
      t.stiffness = stiffness, t.damping = damping;
      s.tendons = {t};
      s.actuators.clear();
      break;
    }
    case Holder::motor: break;
  }
  return s;
}

double position(const World& w) {
  return w.joint_position(0, 0);
}
double velocity(const World& w) {
  return w.joint_velocity(0, 0);
}
double energy(const World& w) {
  return 0.5 * (mass * velocity(w) * velocity(w) + stiffness * position(w) * position(w));
}

// with an explicit force v <- v - h k x/m, x <- x + h v keeps E - h k x v/2, so that E stays in a
// band of 2 a/(1 - a^2), a = w h/2
TEST(Stepping, SymplecticEulerKeepsTheEnergyOfAnExplicitSpringInItsBand) {
  const double h = 0.02, a = std::sqrt(stiffness / mass) * h / 2;
  World w(oscillator(Holder::motor), options(symplectic_euler, h));
  const double start_energy = energy(w);
  double most = 0, least = 1e9;
  const auto run = [&](int steps) {
    for (int i = 0; i < steps; ++i) {
      w.set_control(0, -stiffness * position(w));
      w.step();
      most = std::max(most, energy(w)), least = std::min(least, energy(w));
    }
  };
  run(10000);
  EXPECT_NEAR((most - least) / start_energy, 2 * a / (1 - a * a), 1e-6);
  const double most_at_first = most, least_at_first = least;
  run(100000);
  EXPECT_LT(most - most_at_first, 1e-7 * start_energy);
  EXPECT_LT(least_at_first - least, 1e-7 * start_energy);
}

TEST(Stepping, MidpointKeepsTheEnergyOfASpring) {
  for (const Holder holder : springs) {
    for (const double h : {1e-4, 0.02, 0.5}) {
      World w(oscillator(holder), options(midpoint, h));
      const double start_energy = energy(w);
      double off = 0;
      for (int i = 0; i < 10000; ++i) {
        ASSERT_EQ(w.step().solve.status, SolveStatus::converged);
        off = std::max(off, std::abs(energy(w) - start_energy));
      }
      EXPECT_LE(off, 1e-12 * start_energy) << static_cast<int>(holder) << ", " << h << " s";
    }
  }
}

// q' = q/(1 + h^2 K/m), however stiff: a joint's spring never throws what it holds
TEST(Stepping, ASpringOfAnyStiffnessDoesNotGrow) {
  for (const double k : {1e2, 1e7, 1e12}) {
    for (const double h : {1e-4, 0.1}) {
      Scene s = oscillator(Holder::joint);
      s.bodies[0].joints[0].stiffness = k;
      World w(s, options(symplectic_euler, h));
      const double ratio = 1 / (1 + h * h * k / mass);
      w.step();
      EXPECT_NEAR(position(w), start * ratio, 1e-12 * start + 1e-9 * start * ratio)
          << k << " " << h;
      double last = energy(w) * k / stiffness;
      for (int i = 0; i < 1000; ++i) {
        w.step();
        const double now = 0.5 * (mass * velocity(w) * velocity(w) + k * position(w) * position(w));
        if (i > 0) {
          EXPECT_LE(now, last * (1 + 1e-12) + 1e-300) << k << " " << h;
        }
        last = now;
      }
    }
  }
}

// E falls by 1 + w^2 h^2 in a step of implicit Euler and grows by as much in one of explicit Euler
TEST(Stepping, EulersLoseAndGainTheEnergyOfASpring) {
  for (const Holder holder : springs) {
    for (const double h : {1e-3, 0.02}) {
      const double ratio = 1 + stiffness / mass * h * h;
      World loses(oscillator(holder), options(implicit_euler, h)),
          gains(oscillator(holder), options(explicit_euler, h));
      for (int i = 0; i < 200; ++i) {
        const double lost = energy(loses), gained = energy(gains);
        loses.step(), gains.step();
        EXPECT_NEAR(energy(loses) / lost * ratio, 1, 1e-12) << static_cast<int>(holder);
        EXPECT_NEAR(energy(gains) / gained / ratio, 1, 1e-12) << static_cast<int>(holder);
      }
    }
  }
}

// x, v of m xdd = -k x - d xd, one step by hand: v = v0 + h f(x_t, v_t)/m, x = x0 + h v_q
TEST(Stepping, ADampedSpringByHand) {
  const double damping = 3, h = 0.03;
  for (const Holder holder : springs) {
    for (const SteppingScheme scheme : velocity_schemes) {
      World w(oscillator(holder, damping), options(scheme, h));
      const SchemeTraits t = traits(scheme);
      const double theta = t.spring_theta, vq = t.theta_vq;
      double x = start, v = 0;
      for (int i = 0; i < 20; ++i) {
        // m (v1 - v) = -h k (x + theta h ((1 - vq) v + vq v1)) - h d ((1 - theta) v + theta v1)
        const double left = mass + h * theta * (h * vq * stiffness + damping);
        const double right = mass * v - h * stiffness * (x + theta * h * (1 - vq) * v) -
                             h * damping * (1 - theta) * v;
        const double v1 = right / left;
        x += h * ((1 - vq) * v + vq * v1);
        v = v1;
        w.step();
        EXPECT_NEAR(position(w), x, 1e-14) << to_string(scheme) << ", " << static_cast<int>(holder);
        EXPECT_NEAR(velocity(w), v, 1e-13) << to_string(scheme) << ", " << static_cast<int>(holder);
      }
    }
  }
}

// what a servo puts in is what its force does along the way
TEST(Stepping, AServoWithinItsBoundsIsASpringWhateverTheScheme) {
  for (const SteppingScheme scheme : velocity_schemes) {
    Scene s = oscillator(Holder::servo, 2);
    s.actuators[0].lower_force = -4, s.actuators[0].upper_force = 4;
    World bounded(s, options(scheme, 1e-2));
    bounded.step();
    EXPECT_NEAR(bounded.actuator_state(0).force, -4, 1e-12) << to_string(scheme);
    EXPECT_NEAR(velocity(bounded), -4 * 1e-2 / mass, 1e-13) << to_string(scheme);
  }
}

// --- a cylinder that rolls on a plane, held by a spring [SAP VI-B] ---

constexpr double radius = 0.05;

/// On slides along x and z and a hinge, with a spring along x; or free, for who pushes it.
Scene rolling_cylinder(bool is_linked, double height) {
  Scene s;
  add_plane(s);
  const double I = 0.5 * mass * radius * radius;
  add_body(s, Shape::cylinder(radius, 0.05), mass, {I, I, I}, {0, 0, height});
  s.geoms[1].pose.R = to_matrix(exp_rotation({std::numbers::pi / 2, 0, 0}));  // its axis along y
  for (SceneGeom& geom : s.geoms) {
    geom.material = {.stiffness = 2e4, .dissipation = {}, .relaxation_time = 0.02, .friction = 1};
  }
  if (!is_linked) return s;
  s.bodies[0].kind = BodyKind::linked;
  for (const Vec3& axis : {Vec3{1, 0, 0}, Vec3{0, 0, 1}, Vec3{0, 1, 0}}) {
    SceneJoint j;
    j.kind = axis.y == 1 ? JointKind::hinge : JointKind::slide;
    j.axis = axis;
    if (axis.x == 1) j.stiffness = stiffness;
    s.bodies[0].joints.push_back(j);
  }
  return s;
}

WorldOptions rolling_options(SteppingScheme scheme, double h, double sigma) {
  WorldOptions o = options(scheme, h);
  o.tolerance = 1e-10;
  o.friction.sigma = sigma;
  o.friction.beta = 0;
  return o;
}

/// Where it stands still, and what the spring moves when it rolls: m + I/r^2 with the arm r from
/// the axis to the contact.
struct Standing {
  double height, rolling_mass;
};
Standing stand(bool is_linked, const WorldOptions& o) {
  World w(rolling_cylinder(is_linked, radius), o);
  while (w.time() < 2) w.step();
  const double height = w.body_state(0).position.z;
  const double arm = height - w.problem().contacts.point[0].z;
  return {height, mass + 0.5 * mass * radius * radius / (arm * arm)};
}

struct Rolling {
  double error;        ///< of x, the largest [m]
  double fluctuation;  ///< of the energy, largest less smallest [-]
};

/// Against x0 cos(w t), w^2 = k/(m + I/r^2). Where the spring is explicit the cylinder is free and
/// pushed by -k x, taken at the step's start.
Rolling roll(SteppingScheme scheme, double h, double time) {
  const bool is_linked = scheme != symplectic_euler;
  const WorldOptions o = rolling_options(scheme, h, 1e-4);
  const auto [height, rolling_mass] = stand(is_linked, o);
  World w(rolling_cylinder(is_linked, height), o);
  if (is_linked) {
    w.set_joint_state(0, {{start, 0, 0}, {0, 0, 0}});
  } else {
    w.set_body_state(0, {{start, 0, height}, {}, {}, {}});
  }
  const double rate = std::sqrt(stiffness / rolling_mass);
  Rolling r{};
  double most = 0, least = 1e9;
  for (int i = 0; i < std::lround(time / h); ++i) {
    if (!is_linked) w.set_load(0, {-stiffness * w.body_state(0).position.x, 0, 0}, {});
    EXPECT_EQ(w.step().solve.status, SolveStatus::converged);
    const double x = w.body_state(0).position.x, v = w.body_state(0).linear_velocity.x;
    r.error = std::max(r.error, std::abs(x - start * std::cos(rate * w.time())));
    const double e = 0.5 * (rolling_mass * v * v + stiffness * x * x);
    most = std::max(most, e), least = std::min(least, e);
  }
  r.fluctuation = (most - least) / (0.5 * stiffness * start * start);
  return r;
}

// so fast that the free motion is done in parts: it neither hovers nor digs in
TEST(Stepping, AFastWheelOnALinkRollsAsHighAsItStands) {
  for (const SteppingScheme scheme : velocity_schemes) {
    for (const double speed : {0.05, 1.0, 4.0}) {  // [m/s]
      Scene s = rolling_cylinder(true, radius);
      s.bodies[0].joints[0].stiffness = 0;
      World w(s, options(scheme, 0.01));
      while (w.time() < 1) w.step();
      const double height = w.body_state(0).position.z;
      w.set_joint_state(0, {{0, height - radius, 0}, {speed, 0, speed / radius}});
      double off = 0;
      while (w.time() < 2) {
        EXPECT_EQ(w.step().solve.status, SolveStatus::converged);
        off = std::max(off, std::abs(w.body_state(0).position.z - height));
      }
      EXPECT_LT(off, 1e-6) << to_string(scheme) << ", " << speed << " m/s";
      EXPECT_NEAR(w.joint_velocity(0, 0), speed, 1e-3 * speed) << to_string(scheme);
    }
  }
}

TEST(Stepping, MidpointHardlyChangesTheEnergyOfRolling) {
  EXPECT_LE(roll(midpoint, 0.02, 2).fluctuation, 2e-3);
  EXPECT_GT(roll(symplectic_euler, 0.02, 2).fluctuation, 0.1);
  EXPECT_GT(roll(implicit_euler, 0.02, 2).fluctuation, 0.5);
}

TEST(Stepping, RollingIsOfOrderTwoByMidpointAndOfOrderOneByEuler) {
  const auto orders = [](SteppingScheme scheme) {
    std::vector<double> errors, list;
    for (const double h : {0.02, 0.01, 0.005, 0.0025}) {
      errors.push_back(roll(scheme, h, 5).error);
    }
    for (int i = 0; i < 3; ++i) list.push_back(std::log2(errors[i] / errors[i + 1]));
    return list;
  };
  for (const double order : orders(midpoint)) EXPECT_GE(order, 1.95);
  const auto symplectic = orders(symplectic_euler);
  for (int i = 0; i < 3; ++i) EXPECT_GT(symplectic[i], 1) << i;
  EXPECT_LT(symplectic[2], 1.2);
  const auto implicit = orders(implicit_euler);
  for (int i = 0; i < 3; ++i) EXPECT_LT(implicit[i], 1) << i;
  EXPECT_GT(implicit[2], implicit[0]);
}

/// How far it comes in 2 s from where a constraint would roll it, both under midpoint:
/// (m + I/r^2) xdd = -k x.
double distance_from_the_constraint(double sigma, double h) {
  const WorldOptions o = rolling_options(midpoint, h, sigma);
  const auto [height, rolling_mass] = stand(true, o);
  World w(rolling_cylinder(true, height), o);
  w.set_joint_state(0, {{start, 0, 0}, {0, 0, 0}});
  const double a = stiffness / rolling_mass * h * h / 4;
  double x = start, v = 0, most = 0;
  for (int i = 0; i < std::lround(2 / h); ++i) {
    // v' = v - w^2 h (x + x')/2, x' = x + h (v + v')/2
    const double next = ((1 - a) * v - 4 * a / h * x) / (1 + a);
    x += h * (v + next) / 2;
    v = next;
    EXPECT_EQ(w.step().solve.status, SolveStatus::converged);
    most = std::max(most, std::abs(w.body_state(0).position.x - x));
  }
  return most;
}

// R_t = sigma w is all that lets it slip
TEST(Stepping, StictionIsTheRollingConstraintToTheOrderOfItsRegularization) {
  for (const double h : {0.02, 0.005}) {
    double last = 0;
    for (const double sigma : {1e-3, 5e-4, 2.5e-4, 1.25e-4, 6.25e-5, 3.125e-5}) {
      const double distance = distance_from_the_constraint(sigma, h);
      if (last > 0) {
        EXPECT_NEAR(last / distance, 2, 1e-3) << sigma << ", " << h << " s";
      }
      last = distance;
    }
    EXPECT_GT(last, 1e-7) << "above what the solver's tolerance leaves, " << h << " s";
  }
}

// --- what nothing else acts on ---

TEST(Stepping, WithoutContactTheStepIsItsFreeMotion) {
  for (const SteppingScheme scheme : velocity_schemes) {
    Scene s = scene_of_every_kind();
    s.geoms.clear(), s.pairs.clear(), s.excluded_geoms.clear();
    s.equalities.clear(), s.tendons.clear(), s.actuators.clear();
    s.fluid_density = s.fluid_viscosity = 0;
    for (SceneBody& b : s.bodies) {
      for (SceneJoint& j : b.joints) j.limited = false, j.dry_friction = 0;
    }
    World w(s, options(scheme, 2e-3));
    for (int i = 0; i < 50; ++i) {
      const StepReport& r = w.step();
      EXPECT_EQ(r.solve.iterations, 0) << to_string(scheme);
      EXPECT_EQ(r.solve.status, SolveStatus::converged) << to_string(scheme);
      EXPECT_EQ(w.solution().velocity, w.problem().free_velocity) << to_string(scheme);
    }
  }
}

// --- each scheme with each kind of tree, with contact and without, at small and large steps ---

enum class Kind { free_body, hinge_chain, ball_joint, free_joint };
constexpr Kind kinds[] = {Kind::free_body, Kind::hinge_chain, Kind::ball_joint, Kind::free_joint};

/// Bars that hang, or fall, a little above the ground if there is one.
Scene scene_of(Kind kind, bool has_ground) {
  Scene s;
  const Vec3 half{0.2, 0.03, 0.04};
  const int links = kind == Kind::hinge_chain ? 3 : 1;
  for (int i = 0; i < links; ++i) {
    const Quaternion tilted = exp_rotation({0.1, 0.3, 0.2});
    const double height = kind == Kind::hinge_chain ? 0.7 : 0.3;
    add_box(s, 1, half, {0, 0, height}, i == 0 ? tilted : Quaternion{});
    SceneBody& b = s.bodies[i];
    if (kind == Kind::free_body) {
      b.angular_velocity = {1, 3, -2};
      continue;
    }
    b.kind = BodyKind::linked;
    SceneJoint j;
    j.damping = kind == Kind::free_joint ? 0 : 0.01;
    j.axis = {0, 0.8, 0.6}, j.anchor = {-0.2, 0, 0};
    j.kind = kind == Kind::hinge_chain  ? JointKind::hinge
             : kind == Kind::ball_joint ? JointKind::ball
                                        : JointKind::free;
    b.joints = {j};
    if (i > 0) b.parent = i - 1, b.position = {0.4, 0, 0};
    if (kind == Kind::free_joint) {
      b.joint_positions = {0, 0, 0.3, tilted.w, tilted.x, tilted.y, tilted.z};
      b.joint_velocities = {0.1, 0, 0, 1, 3, -2};
    }
  }
  if (has_ground) add_plane(s);
  return s;
}

/// What a scheme may add of the energy that there is to lose, at a step of 10 ms.
double largest_gain(SteppingScheme scheme) {
  switch (scheme) {
    case symplectic_euler: return 0.05;
    case implicit_euler: return 1e-3;
    case midpoint: return 0.02;
    case explicit_euler: return 1;
    case SteppingScheme::accelerations: break;  // of rigid models alone
  }
  return 0;
}

TEST(SteppingCrossings, EachSchemeWithEachTreeConvergesWithSaneEnergy) {
  for (const SteppingScheme scheme : velocity_schemes) {
    for (const Kind kind : kinds) {
      for (const bool has_ground : {false, true}) {
        for (const double h : {1e-4, 1e-2}) {
          SCOPED_TRACE(testing::Message()
                       << to_string(scheme) << ", kind " << static_cast<int>(kind) << ", ground "
                       << has_ground << ", " << h << " s");
          World w(scene_of(kind, has_ground), options(scheme, h));
          const auto total = [&] { return w.kinetic_energy() + w.potential_energy(); };
          const double before = total(), time = 0.6;
          int contacts = 0;
          double most = before;
          while (w.time() < time - h / 2) {
            const StepReport& r = w.step();
            ASSERT_EQ(r.solve.status, SolveStatus::converged) << w.time() << " s";
            contacts += r.contacts;
            most = std::max(most, total());
          }
          EXPECT_EQ(contacts > 0, has_ground);
          const double swing = 0.3 * 9.81 * w.moving_bodies();  // [J]
          EXPECT_LT(most - before, largest_gain(scheme) * swing * std::max(h / 1e-2, 0.1));
        }
      }
    }
  }
}

// --- a state decides, with the step, what follows ---

TEST(SteppingState, AttemptsAndSnapshotsGiveTheSameBitsAtChangingSteps) {
  const double steps[] = {2e-3, 5e-4, 3e-3, 3e-3, 1e-3};
  for (const SteppingScheme scheme : velocity_schemes) {
    WorldOptions o = options(scheme, 2e-3);
    World w(scene_of_every_kind(), o), other(scene_of_every_kind(), o);
    const auto drive = [](World& x, int i) {
      for (int a = 0; a < x.actuators(); ++a) x.set_control(a, 0.3 * std::sin(0.1 * i + a));
    };
    for (int i = 0; i < 60; ++i) {
      drive(w, i);
      w.step(steps[i % 5]);
    }
    const Snapshot middle = w.snapshot();
    for (int i = 60; i < 120; ++i) {
      drive(w, i);
      w.attempt(4e-3);  // left
      w.attempt(steps[i % 5]);
      w.accept();
    }
    other.restore(middle);
    for (int i = 60; i < 120; ++i) {
      drive(other, i);
      other.step(steps[i % 5]);
    }
    EXPECT_EQ(w.state_hash(), other.state_hash()) << to_string(scheme);
    EXPECT_EQ(w.clone()->state_hash(), w.state_hash()) << to_string(scheme);
  }
}

// the numbers of threads do not matter
TEST(SteppingState, ThreadsChangeNoBit) {
  for (const SteppingScheme scheme : velocity_schemes) {
    WorldOptions o = options(scheme, 2e-3);
    World one(clutter(20), o);
    o.threads = 2;
    o.share_all = true;
    World two(clutter(20), o);
    for (int i = 0; i < 150; ++i) one.step(), two.step();
    EXPECT_EQ(one.state_hash(), two.state_hash()) << to_string(scheme);
  }
}

// a step for which no v* is found says so, and the world goes on
TEST(SteppingState, AStepWhoseFreeMotionIsNotFoundIsStalled) {
  Scene s;
  s.gravity = {};
  for (int i = 0; i < 20; ++i) {
    add_box(s, 1, {0.01, 0.1, 0.2}, {10.0 * i, 0, 0});
    s.bodies[i].angular_velocity = {1e3, 3e3 - 300.0 * i, 200.0 * i};
  }
  World w(s, options(implicit_euler, 1e-2));
  while (w.steps() < 50 && w.step().free_motion.converged) {
  }
  EXPECT_FALSE(w.report().free_motion.converged);
  EXPECT_EQ(w.report().solve.status, SolveStatus::stalled);
  EXPECT_TRUE(std::isfinite(w.kinetic_energy()));
}

}  // namespace
}  // namespace abut
