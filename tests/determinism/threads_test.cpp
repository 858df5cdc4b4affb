// The same bits for any number of threads, run after run.

#include <gtest/gtest.h>

#include <memory>

#include "abut/core/hash.hpp"
#include "abut/core/parallel.hpp"
#include "abut/io/mjcf.hpp"
#include "abut/sim/world.hpp"
#include "abut/solvers/contact_solver.hpp"
#include "support/scenes.hpp"

namespace abut {
namespace {

/// Of all that a run says.
std::uint64_t run(Scene scene, const WorldOptions& options, int steps) {
  World w(std::move(scene), options);
  StateHash history;
  for (int i = 0; i < steps; ++i) {
    const StepReport& r = w.step();
    EXPECT_EQ(r.solve.status, SolveStatus::converged);
    const Certificate& c = r.solve.certificate;
    history.add(w.state_hash());
    for (const double x : {c.step_error, c.impulse_error, c.momentum_error, c.rounding,
                           c.ncp_primal, c.ncp_dual, c.ncp_complementarity, r.penetration}) {
      history.add(x);
    }
    for (const Vec3& g : w.solution().impulse) history.add(g.x), history.add(g.y), history.add(g.z);
  }
  return history.value();
}

std::uint64_t run(ContactModel model, int threads, int steps) {
  WorldOptions o;
  o.model = model;
  o.time_step = 5e-3;
  o.threads = threads;
  return run(clutter(40), o, steps);
}

TEST(Determinism, SameBitsForOneTwoAndFourThreads) {
  for (const ContactModel model :
       {ContactModel::sap, ContactModel::lagged, ContactModel::similar}) {
    const std::uint64_t one = run(model, 1, 200);
    EXPECT_EQ(run(model, 1, 200), one) << to_string(model) << ": a second run differs";
    EXPECT_EQ(run(model, 2, 200), one) << to_string(model) << ": two threads differ";
    EXPECT_EQ(run(model, 4, 200), one) << to_string(model) << ": four threads differ";
  }
}

// so many bodies, pairs and patches that each loop is shared out
TEST(Determinism, SameBitsOfAHeapWhoseLoopsAreSharedOut) {
  for (const SteppingScheme scheme : {SteppingScheme::symplectic_euler, SteppingScheme::midpoint}) {
    WorldOptions o;
    o.time_step = 4e-3;
    o.scheme = scheme;
    const std::uint64_t one = run(clutter(400), o, 150);
    for (const int threads : {2, 3}) {
      o.threads = threads;
      o.share_all = true;
      EXPECT_EQ(run(clutter(400), o, 150), one) << threads << " threads";
    }
  }
}

// contacts come to their places in rounds of so many pairs
TEST(Determinism, SameBitsOfThousandsOfPairs) {
  Scene s;
  s.gravity = {};
  constexpr int side = 14;
  for (int i = 0; i < side * side * side; ++i) {
    const Vec3 at{1.0 * (i % side), 1.0 * (i / side % side), 1.0 * (i / side / side)};
    add_sphere(s, 1, 0.05, (0.1 + 1e-4) * at);
  }
  WorldOptions o;
  World alone(s, o);
  for (const int threads : {2, 3}) {
    o.threads = threads;
    o.share_all = true;
    World w(s, o);
    for (int i = 0; i < 2; ++i) w.step();
    while (alone.steps() < w.steps()) alone.step();
    EXPECT_EQ(w.problem().contacts.size(), 3 * side * side * (side - 1));
    EXPECT_EQ(w.problem().contacts.gap, alone.problem().contacts.gap);
    EXPECT_EQ(w.state_hash(), alone.state_hash()) << threads << " threads";
  }
}

// what few contacts have: ellipses, layers, forces by tables, belts, static friction
TEST(Determinism, SameBitsOfUnlikeContactsOnThreads) {
  Scene s = clutter(200);
  const auto table =
      std::make_shared<const ForceTable>(ForceTable{.depth = {0, 1e-3}, .force = {0, 1e3}});
  for (std::size_t g = 0; g < s.geoms.size(); ++g) {
    Material& m = s.geoms[g].material;
    if (g % 3 == 0) {
      m.cross_friction = 0.3;
    } else if (g % 4 == 1) {
      m.static_friction = 1.2;
    }
    if (g % 5 == 0) m.thickness = 1e-3;
    if (g % 7 == 0) m.table = table;
    if (g % 11 == 0) s.geoms[g].surface_velocity = {0.1, 0, 0};
  }
  const auto check = [&](ContactModel model, NormalLawKind law) {
    WorldOptions o;
    o.model = model;
    o.law = law;
    o.time_step = 4e-3;
    const std::uint64_t one = run(s, o, 100);
    for (const int threads : {2, 3}) {
      o.threads = threads;
      o.share_all = true;
      EXPECT_EQ(run(s, o, 100), one)
          << to_string(model) << ", " << to_string(law) << ": " << threads << " threads";
    }
  };
  for (const NormalLawKind law :
       {NormalLawKind::hunt_crossley, NormalLawKind::tabulated, NormalLawKind::log_barrier}) {
    check(ContactModel::anchored, law);
  }
  check(ContactModel::sap, NormalLawKind::kelvin_voigt);
  check(ContactModel::similar, NormalLawKind::hunt_crossley);
}

/// Arms that fall over each other.
Scene arms(int count) {
  std::string bodies;
  for (int i = 0; i < count; ++i) {
    const std::string at = std::to_string(0.15 * (i % 4)) + " " + std::to_string(0.2 * (i / 4));
    bodies += "<body pos='" + at + R"( 0.9' euler='0 0.3 0'>
        <joint axis='0 1 0' damping='0.01'/>
        <geom type='capsule' fromto='0 0 0 0.3 0 0' size='0.04'/>
        <body pos='0.3 0 0'>
          <joint name='elbow)" +
              std::to_string(i) + R"(' axis='0 1 0' range='-2 2' limited='true'/>
          <joint axis='1 0 0' stiffness='1'/>
          <geom type='box' pos='0.15 0 0' size='0.15 0.03 0.03'/>
          <body pos='0.3 0 0'>
            <joint type='ball'/>
            <geom type='sphere' pos='0.1 0 0' size='0.07'/>
          </body>
        </body>
      </body>)";
  }
  return load_mjcf_text(
      "<mujoco><compiler angle='radian'/><worldbody>"
      "<geom type='plane' size='5 5 1'/>" +
          bodies + "</worldbody></mujoco>",
      "arms.xml");
}

TEST(Determinism, SameBitsOfMechanismsOnThreads) {
  for (const ContactModel model : {ContactModel::sap, ContactModel::anchored, ContactModel::ncp}) {
    WorldOptions o;
    o.model = model;
    o.time_step = 4e-3;
    const std::uint64_t one = run(arms(16), o, 100);
    for (const int threads : {2, 4}) {
      o.threads = threads;
      o.share_all = threads == 4;  // by two, what is faster: all ways are tried in so many steps
      EXPECT_EQ(run(arms(16), o, 100), one) << to_string(model) << ": " << threads << " threads";
    }
  }
}

// of a problem that a file holds, which no world prepares
TEST(Determinism, SameBitsOfPreparationOnThreads) {
  WorldOptions o;
  o.time_step = 4e-3;
  World w(clutter(400), o);
  for (int i = 0; i < 100; ++i) w.step();
  const auto solve = [&](ThreadPool* pool) {
    PreparedProblem q;
    q.edit() = w.problem();
    q.prepare(pool);
    ContactSolution x;
    make_solver("newton")->solve(q, {.pool = pool}, x);
    StateHash hash;
    for (const double v : x.velocity) hash.add(v);
    const Certificate c = Certifier().certify(q, x.answer(), 1e-6, pool);
    hash.add(c.step_error), hash.add(c.ncp_complementarity);
    return hash.value();
  };
  ThreadPool two(2), three(3);
  const std::uint64_t alone = solve(nullptr);
  EXPECT_EQ(solve(&two), alone);
  EXPECT_EQ(solve(&three), alone);
}

TEST(Determinism, TheLimitOfContactsHoldsOnThreads) {
  WorldOptions o;
  o.threads = 2;
  o.contact_limit = 300;
  World w(clutter(400), o);
  EXPECT_THROW(
      {
        for (int i = 0; i < 400; ++i) w.step();
      },
      InputError);
}

TEST(Determinism, WorldsOfDifferentThreadsAreIndependent) {
  const std::uint64_t alone = run(ContactModel::sap, 1, 60);
  std::uint64_t hash[2] = {};
  ThreadPool pool(2);
  pool.for_each(2, [&](int i, int) { hash[i] = run(ContactModel::sap, 1, 60); });
  EXPECT_EQ(hash[0], alone);
  EXPECT_EQ(hash[1], alone);
}

}  // namespace
}  // namespace abut
