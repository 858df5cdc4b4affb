// Bodies kept apart by barriers: how near they come, at rest and in impact, and that they never
// touch.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "abut/io/record.hpp"
#include "abut/sim/world.hpp"
#include "support/model_case.hpp"
#include "support/scenes.hpp"

namespace abut {
namespace {

constexpr double g = 9.81, layer = 1e-3;
constexpr NormalLawKind barriers[] = {NormalLawKind::log_barrier, NormalLawKind::ipc_barrier};
constexpr ContactModel with_laws[] = {ContactModel::lagged, ContactModel::similar,
                                      ContactModel::anchored};

WorldOptions options(ContactModel model, NormalLawKind law, double time_step, double stiffness) {
  WorldOptions o;
  o.model = model;
  o.law = law;
  o.time_step = time_step;
  o.tolerance = 1e-9;
  o.pair.stiffness = stiffness;
  return o;
}

/// What a barrier bears with the share s of its layer used up, and has stored, over k d and k d^2.
double force_of(NormalLawKind law, double s) {
  return law == NormalLawKind::log_barrier ? s / (1 - s)
                                           : s * s / (1 - s) - 2 * s * std::log(1 - s);
}
double energy_of(NormalLawKind law, double s) {
  return law == NormalLawKind::log_barrier ? -std::log(1 - s) - s : -s * s * std::log(1 - s);
}
template <class F>
double root_of(const F& rising, double value) {
  double low = 0, high = 1;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (rising(middle) < value ? low : high) = middle;
  }
  return low;
}

// four corners bear m g/4 each
TEST(Barrier, KeepsTheGapThatBearsTheWeight) {
  for (const ContactModel model : with_laws) {
    for (const NormalLawKind law : barriers) {
      for (const double mass : {0.01, 1.0, 300.0}) {
        SCOPED_TRACE(testing::Message()
                     << to_string(model) << ", " << to_string(law) << ", " << mass);
        Scene s;
        add_plane(s);
        add_box(s, mass, {0.1, 0.1, 0.05}, {0, 0, 0.0507});
        World w(s, options(model, law, 1e-3, 1e4));
        for (int i = 0; i < 4000; ++i) {
          const StepReport& r = w.step();
          ASSERT_EQ(r.solve.status, SolveStatus::converged) << i;
          ASSERT_EQ(r.penetration, 0);
        }
        const double used =
            root_of([&](double x) { return force_of(law, x); }, mass * g / 4 / (1e4 * layer));
        EXPECT_NEAR(w.body_state(0).position.z - 0.05, (1 - used) * layer, 1e-6 * layer);
        std::vector<RecordedContact> contacts;
        record_contacts(w, contacts);
        ASSERT_EQ(contacts.size(), 4u);
        EXPECT_NEAR(contacts[0].gap, (1 - used) * layer, 1e-6 * layer)
            << "of the surfaces, not of the layer";
      }
    }
  }
}

// m v^2/2 is what the barrier has stored where the ball is nearest, and comes back
TEST(Barrier, ThrowsBackWithTheEnergyThatItStored) {
  const double k = 1e5, v = 1;
  for (const NormalLawKind law : barriers) {
    for (const double used : {0.3, 0.9, 0.99}) {
      const double mass = 2 * k * layer * layer * energy_of(law, used) / (v * v);
      const auto bounce = [&](double h) {
        Scene s;
        s.gravity = {};
        add_plane(s);
        add_sphere(s, mass, 0.1, {0, 0, 0.1 + 1.5 * layer});
        s.bodies[0].linear_velocity = {0, 0, -v};
        s.geoms[0].material.dissipation = s.geoms[1].material.dissipation = 0;
        World w(s, options(ContactModel::lagged, law, h, k));
        double nearest = 1;
        while (w.body_state(0).linear_velocity.z <= 0 ||
               w.body_state(0).position.z < 0.1 + 1.2 * layer) {
          EXPECT_EQ(w.step().solve.status, SolveStatus::converged);
          nearest = std::min(nearest, w.body_state(0).position.z - 0.1);
        }
        return std::pair(nearest, w.body_state(0).linear_velocity.z);
      };
      const double scale = (1 - used) * layer / v;  // of time, where it turns
      const auto [nearest, speed] = bounce(0.01 * scale);
      const auto [nearer, faster] = bounce(0.005 * scale);
      EXPECT_NEAR(2 * nearer - nearest, (1 - used) * layer, 2e-3 * (1 - used) * layer)
          << to_string(law);
      EXPECT_NEAR(2 * faster - speed, v, 2e-3 * v) << to_string(law) << ", of first order";
      EXPECT_LT(std::abs(faster - v), 0.6 * std::abs(speed - v));
    }
  }
}

// fast, heavy, in large steps: there always is a gap
TEST(Barrier, IsNeverPassed) {
  for (const ContactModel model : with_laws) {
    for (const NormalLawKind law : barriers) {
      for (const double h : {1e-3, 1e-2}) {
        SCOPED_TRACE(testing::Message() << to_string(model) << ", " << to_string(law) << ", " << h);
        Scene s;
        add_plane(s);
        add_sphere(s, 0.01, 0.1, {0, 0, 0.3});
        add_sphere(s, 10, 0.1, {0.001, 0, 0.7});  // on the light one
        add_box(s, 1, {0.1, 0.1, 0.1}, {1, 0, 0.5});
        s.bodies[1].linear_velocity = {0, 0, -8};
        s.bodies[2].linear_velocity = {3, 0, -8};
        s.bodies[2].angular_velocity = {1, 5, 2};
        World w(s, options(model, law, h, 1e4));
        for (int i = 0; i < std::lround(1 / h); ++i) {
          const StepReport& r = w.step();
          ASSERT_EQ(r.solve.status, SolveStatus::converged) << i;
          ASSERT_EQ(r.penetration, 0) << i;
        }
        EXPECT_TRUE(w.warnings().empty()) << describe(s, w.warnings().front());
      }
    }
  }
}

TEST(Barrier, PushesOutWhatBeginsInOverlap) {
  for (const NormalLawKind law : barriers) {
    Scene s;
    add_plane(s);
    add_box(s, 1, {0.1, 0.1, 0.05}, {0, 0, 0.049});
    World w(s, options(ContactModel::lagged, law, 1e-3, 1e5));
    double fastest = 0;
    for (int i = 0; i < 3000; ++i) {
      EXPECT_EQ(w.step().solve.status, SolveStatus::converged);
      fastest = std::max(fastest, w.body_state(0).linear_velocity.z);
    }
    EXPECT_GT(w.body_state(0).position.z, 0.05);
    EXPECT_LT(fastest, 0.5) << "not thrown out";
  }
}

TEST(Barrier, AHeapConvergesWithoutOverlap) {
  for (const ContactModel model : with_laws) {
    for (const NormalLawKind law : barriers) {
      SCOPED_TRACE(testing::Message() << to_string(model) << ", " << to_string(law));
      const Scene s = clutter(20);
      World w(s, options(model, law, 2e-3, 1e5));
      int failed = 0;
      double deepest = 0;
      for (int i = 0; i < 600; ++i) {
        const StepReport& r = w.step();
        failed += r.solve.status != SolveStatus::converged;
        deepest = std::max(deepest, r.penetration);
      }
      EXPECT_EQ(failed, 0);
      EXPECT_EQ(deepest, 0);
      EXPECT_TRUE(w.warnings().empty()) << describe(s, w.warnings().front());
    }
  }
}

// the layers of both surfaces; a pair's own; that of every pair; none under SAP
TEST(Barrier, ThicknessIsThatOfThePair) {
  const auto contacts_at = [](double gap, const auto& change, ContactModel model) {
    Scene s;
    add_plane(s);
    add_sphere(s, 1, 0.01, {0, 0, 0.01 + gap});
    WorldOptions o = options(model, NormalLawKind::log_barrier, 1e-5, 1e5);
    o.margin = 0;
    s.gravity = {};
    change(s, o);
    World w(s, o);
    w.step();
    return norm(w.body_state(0).linear_velocity) > 0;
  };
  const auto surfaces = [](Scene& s, WorldOptions&) {
    s.geoms[0].material.thickness = 2e-3, s.geoms[1].material.thickness = 3e-3;
  };
  const auto pair = [&](Scene& s, WorldOptions& o) {
    surfaces(s, o);
    ScenePair p;
    p.geom_a = 1, p.geom_b = 0;
    p.material.thickness = 7e-3;
    s.pairs.push_back(p);
  };
  const auto every = [&](Scene& s, WorldOptions& o) {
    pair(s, o);
    o.pair.thickness = 9e-3;
  };
  EXPECT_TRUE(contacts_at(
      0.9e-3, [](Scene&, WorldOptions&) {}, ContactModel::lagged));
  EXPECT_FALSE(contacts_at(
      1.1e-3, [](Scene&, WorldOptions&) {}, ContactModel::lagged));
  EXPECT_TRUE(contacts_at(4.9e-3, surfaces, ContactModel::lagged));
  EXPECT_FALSE(contacts_at(5.1e-3, surfaces, ContactModel::lagged));
  EXPECT_TRUE(contacts_at(6.9e-3, pair, ContactModel::lagged));
  EXPECT_FALSE(contacts_at(7.1e-3, pair, ContactModel::lagged));
  EXPECT_TRUE(contacts_at(8.9e-3, every, ContactModel::lagged));
  EXPECT_FALSE(contacts_at(9.1e-3, every, ContactModel::lagged));
  EXPECT_FALSE(contacts_at(0.1e-3, every, ContactModel::sap));
}

}  // namespace
}  // namespace abut
