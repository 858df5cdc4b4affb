// One contact against its closed forms: rest, creep, gliding, restitution, Hertz.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "physics/point_on_belt.hpp"

namespace abut {
namespace {

constexpr double pi = 3.14159265358979323846, g = 9.81;
constexpr auto models = convex_models;

// at rest: phi = -m g/k for any step, with and without friction
TEST(Rest, DepthIsWeightOverStiffness) {
  for (const ContactModel model : models) {
    for (const double dt : {1e-5, 1e-4, 1e-3}) {
      for (const double mu : {0.0, 0.7}) {
        PointOnBelt b{.model = model,
                      .mass = 2,
                      .dt = dt,
                      .stiffness = 1e5,
                      .dissipation = 20,
                      .relaxation_time = 0.05,
                      .mu = mu};
        b.z = -0.9 * 2 * g / 1e5;
        b.run(std::max(2.0, 400 * dt) * (dt < 5e-5 ? 0.5 : 1));
        EXPECT_NEAR(b.z, -2 * g / 1e5, 1e-9 * 2 * g / 1e5)
            << to_string(model) << ", dt " << dt << ", mu " << mu;
      }
    }
  }
}

// near-rigid: phi = -(w_n m)(1 + tau/dt)/(4 pi^2) g dt^2, whatever the mass
TEST(Rest, NearRigidDepthIsThatOfTheStep) {
  for (const double mass : {1e-6, 1.0, 1e6}) {
    for (const double dt : {1e-3, 1e-2}) {
      PointOnBelt b{.model = ContactModel::sap,
                    .mass = mass,
                    .dt = dt,
                    .stiffness = 1e20,
                    .relaxation_time = dt / pi};
      b.run(200 * dt);
      // two dofs: W = diag(1, 0, 1)/m, w = sqrt(2)/(3 m)
      const double w = std::sqrt(2) / (3 * mass);
      EXPECT_NEAR(b.mobility, w, 1e-12 * w);
      const double depth = w * mass * (1 + 1 / pi) / (4 * pi * pi) * g * dt * dt;
      EXPECT_NEAR(b.z, -depth, 1e-9 * depth) << "mass " << mass << ", dt " << dt;
    }
  }
}

// SAP creeps at s mu sigma (w m) g dt under the fraction s of the friction limit
TEST(Creep, SapIsProportionalToTheStep) {
  for (const double dt : {1e-3, 1e-2}) {
    for (const double s : {0.1, 0.5, 0.9}) {
      PointOnBelt b{.model = ContactModel::sap, .mass = 2, .dt = dt, .mu = 1};
      b.push = s * 2 * g;
      b.run(300 * dt);
      const double creep = s * 1e-3 * std::sqrt(2) / 3 * g * dt;
      EXPECT_NEAR(b.vx, creep, 1e-9 * creep) << "dt " << dt << ", s " << s;
    }
  }
}

// Lagged and Similar creep at v_s s/sqrt(1 - s^2), whatever the step
TEST(Creep, RegularizedFrictionDoesNotDependOnTheStep) {
  for (const ContactModel model : {ContactModel::lagged, ContactModel::similar}) {
    for (const double dt : {1e-4, 1e-3, 1e-2}) {
      for (const double s : {0.1, 0.5, 0.9}) {
        PointOnBelt b{.model = model, .mass = 2, .dt = dt, .dissipation = 1, .mu = 1};
        b.z = -2 * g / 1e7;
        b.impulse = {0, 0, 2 * g * dt};
        b.push = s * 2 * g;
        b.run(600 * std::max(dt, 1e-3));
        const double creep = 1e-4 * s / std::sqrt(1 - s * s);
        const double eps = std::max(1e-4, b.rt * 1 * 2 * g * dt);  // strong only at 10 ms
        EXPECT_NEAR(b.vx, creep * eps / 1e-4, 2e-9 * creep * eps / 1e-4)
            << to_string(model) << ", dt " << dt << ", s " << s;
      }
    }
  }
}

// on a belt of slip V, SAP: phi = mu (dt + tau) V - (1 + mu~^2) m g/k
TEST(Gliding, Sap) {
  PointOnBelt b{.model = ContactModel::sap, .dt = 1e-3, .belt_speed = 1, .held = true};
  b.run(1);
  const double mu2 = 0.49 * b.rt / b.rn;
  EXPECT_NEAR(b.z, 0.7 * 1.1e-3 * 1 - (1 + mu2) * g / 1e7, 1e-13);
  EXPECT_NEAR(b.z, 7.690e-4, 1e-7);
}

// Lagged does not glide; Similar: phi = mu dt s - m g/(k (1 + mu d s))
TEST(Gliding, LaggedAndSimilar) {
  PointOnBelt lagged{
      .model = ContactModel::lagged, .dissipation = 500, .belt_speed = 1, .held = true};
  lagged.run(1);
  EXPECT_NEAR(lagged.z, -9.81e-7, 1e-10 * 9.81e-7 + 1e-17);
  for (const double dt : {1e-3, 1e-2}) {
    for (const double speed : {0.1, 1.0}) {
      PointOnBelt b{.model = ContactModel::similar,
                    .dt = dt,
                    .dissipation = 500,
                    .belt_speed = speed,
                    .held = true};
      b.run(1000 * dt);
      const double eps = std::max(1e-4, b.rt * 0.7 * g * dt);
      const double s = std::sqrt(speed * speed + eps * eps) - eps;
      const double phi = 0.7 * dt * s - g / (1e7 * (1 + 0.7 * 500 * s));
      EXPECT_NEAR(b.z, phi, 1e-9 * std::abs(phi)) << "dt " << dt << ", slip " << speed;
    }
  }
}

// the stiffness felt while sliding is k/(1 + mu~^2)
TEST(Gliding, SapSoftensWhileSliding) {
  const auto depth = [](double gravity) {
    PointOnBelt b{.model = ContactModel::sap,
                  .gravity = gravity,
                  .stiffness = 1e6,
                  .belt_speed = 1,
                  .held = true};
    b.run(1);
    return std::pair{b.z, 1e6 / (1 + 0.49 * b.rt / b.rn)};
  };
  const auto [z1, k] = depth(9);
  const auto [z2, same] = depth(10);
  EXPECT_NEAR(1 / (z1 - z2), k, 1e-6 * k);
}

// [ICFT IX-A]: on a belt at 0.2 m sin(2 pi t) a point sticks and slips; by integration of Coulomb's
// law it slips from 0.167849 s to 0.41662 s of each half of its period, by at most 0.11217 m/s
TEST(Conveyor, SticksAndSlipsUnderLagged) {
  constexpr double omega = 2 * 3.14159265358979323846;
  for (const double dt : {1e-3, 1e-4}) {
    PointOnBelt b{.dt = dt};
    b.z = -g / 1e7;
    b.impulse = {0, 0, g * dt};
    double most = 0, start = -1, end = -1;
    bool slips = true;
    for (int i = 1; i <= std::lround(2.5 / dt); ++i) {
      const double t = i * dt;
      b.belt_speed = 0.2 * omega * std::cos(omega * t);
      b.step();
      if (t < 2) continue;
      const double slip = std::abs(b.vx - b.belt_speed);
      most = std::max(most, slip);
      const bool now = slip > 1e-3;
      if (now && !slips) start = t - 2;
      if (!now && slips && t > 2.1) end = t - 2;
      slips = now;
      EXPECT_LE(std::abs(b.vz), 1e-9);
    }
    EXPECT_NEAR(most, 0.11217, 20 * dt) << dt;
    EXPECT_NEAR(start, 0.167849, 0.01) << dt;  // the slip grows from nothing
    EXPECT_NEAR(end, 0.41662, 3 * dt) << dt;
  }
}

/// Speed after the bounce of a point that hits at 1 m/s without gravity.
double rebound(NormalLawKind law, double d, double dt, double* depth = nullptr,
               double* duration = nullptr) {
  PointOnBelt b{.law = law, .gravity = 0, .dt = dt, .stiffness = 1e5, .dissipation = d, .mu = 0};
  b.z = 1e-9;
  b.vz = -1;
  double deepest = 0, first = -1, last = 0, t = 0;
  while (b.z <= 1e-9 || b.vz < 0) {
    b.step();
    t += dt;
    if (b.impulse.z > 0) {
      if (first < 0) first = t - dt;
      last = t;
    }
    deepest = std::min(deepest, b.z);
  }
  if (depth) *depth = -deepest;
  if (duration) *duration = last - first;
  return b.vz;
}

// restitution of Hunt & Crossley, d (vi + vo) = ln[(1 + d vi)/(1 - d vo)]
TEST(Restitution, OfHuntAndCrossley) {
  const std::pair<double, double> exact[] = {
      {0.1, 0.9374756}, {0.5, 0.7484349}, {1, 0.5936243}, {2, 0.4107197}, {10, 0.0999816}};
  for (const auto& [d, e] : exact) {
    const double coarse = std::abs(rebound(NormalLawKind::hunt_crossley, d, 4e-5) - e);
    const double fine = std::abs(rebound(NormalLawKind::hunt_crossley, d, 1e-5) - e);
    EXPECT_LT(fine, 5e-3) << "d = " << d;
    if (d < 5) {  // the error is of first order
      EXPECT_NEAR(coarse / fine, 4, 0.6) << "d = " << d;
    }
  }
  double depth = 0;
  rebound(NormalLawKind::hunt_crossley, 1, 2e-6, &depth);
  EXPECT_NEAR(depth, 2.477308e-3, 5e-6);
}

// Hertz's impact: x_max = (5 m v^2/(4 k))^(2/5), duration 2.9432752 x_max/v
TEST(Hertz, DepthAndDurationOfAnImpact) {
  double depth = 0, duration = 0;
  const double speed = rebound(NormalLawKind::hertz, 0, 2e-6, &depth, &duration);
  const double exact = std::pow(1.25 / 1e5, 0.4);
  EXPECT_NEAR(speed, 1, 1e-3);
  EXPECT_NEAR(depth, exact, 1e-3 * exact);
  EXPECT_NEAR(duration, 2.9432752 * exact, 2e-3 * 2.9432752 * exact);
}

// the spheres of [ICFT IX]: 0.5 kg, R = 25 mm, E* = 2e11 Pa rests at 2.38305e-7 m; 0.3 kg, 5 mm
// at 2.89884e-7 m
TEST(Hertz, StaticDepthOfSteel) {
  for (const auto& [mass, radius, exact] :
       {std::tuple{0.5, 0.025, 2.38305e-7}, std::tuple{0.3, 0.005, 2.89884e-7}}) {
    PointOnBelt b{.law = NormalLawKind::hertz,
                  .mass = mass,
                  .dt = 1e-3,
                  .stiffness = 4.0 / 3 * 2e11 * std::sqrt(radius),
                  .dissipation = 0,
                  .mu = 0};
    b.z = -exact;
    b.run(0.5);
    EXPECT_NEAR(b.z, -exact, 2e-6 * exact);
  }
}

/// 20 N/mm to 1 mm, at rest to 2 mm, then 80 N/mm.
const auto bumper =
    std::make_shared<const ForceTable>(ForceTable{{0, 1e-3, 2e-3, 3e-3}, {0, 20, 20, 100}});

// at rest the table bears the weight: m g = 9.81 N at 0.4905 mm, 58.86 N at 2 mm + 38.86/80 mm, and
// beyond its last point 196.2 N at 3 mm + 96.2/80 mm
TEST(Tabulated, RestIsTheInverseOfTheTable) {
  for (const ContactModel model :
       {ContactModel::lagged, ContactModel::similar, ContactModel::anchored}) {
    for (const auto& [mass, depth] :
         {std::pair(1.0, 0.4905e-3), {6.0, 2.48575e-3}, {20.0, 4.2025e-3}}) {
      for (const double dt : {1e-4, 1e-3}) {
        PointOnBelt b{.model = model,
                      .law = NormalLawKind::tabulated,
                      .mass = mass,
                      .dt = dt,
                      .dissipation = 50,
                      .mu = 0.5,
                      .table = bumper};
        b.run(3);  // it sinks the last bit as exp(-t/0.12 s) under 20 kg
        EXPECT_NEAR(b.z, -depth, 1e-9 * depth) << to_string(model) << ", " << mass << " kg";
        EXPECT_EQ(b.report.status, SolveStatus::converged);
      }
    }
  }
}

// without dissipation m v^2/2 is the area under the table at the deepest point, and comes back:
// 22 mJ are 10 mJ to 1 mm and 12 mJ at 20 N; 60 mJ are 30 mJ to 2 mm and 20 x + 40 x^2 = 30 in mm
TEST(Tabulated, StoresTheAreaUnderTheTable) {
  const double beyond = 1e-3 * (std::sqrt(400.0 + 4 * 40 * 30) - 20) / 80;
  for (const auto& [energy, depth] : {std::pair(22e-3, 1.6e-3), {60e-3, 2e-3 + beyond}}) {
    const double speed = std::sqrt(2 * energy / 0.1);
    const auto bounce = [&](double dt) {
      PointOnBelt b{.law = NormalLawKind::tabulated,
                    .mass = 0.1,
                    .gravity = 0,
                    .dt = dt,
                    .held = true,
                    .table = bumper};
      b.vz = -speed;
      double deepest = 0;
      while (b.z <= 0 || b.vz < 0) {
        b.step();
        deepest = std::min(deepest, b.z);
        EXPECT_LE(std::abs(b.vz), speed * (1 + 1e-9)) << "implicit steps only lose energy";
      }
      return std::pair(-deepest, b.vz);
    };
    const auto [coarse, slower] = bounce(2e-6);
    const auto [fine, faster] = bounce(1e-6);
    EXPECT_NEAR(2 * fine - coarse, depth, 1e-5 * depth);  // of first order
    EXPECT_NEAR(2 * faster - slower, speed, 1e-5 * speed);
    EXPECT_NEAR(fine, depth, 1e-3 * depth);
    EXPECT_NEAR(faster, speed, 1e-3 * speed);
  }
}

// while it slides, Similar stiffens to k (1 + mu d V): small vertical oscillations
TEST(Gliding, SimilarStiffensWhileSliding) {
  const auto period = [](ContactModel model, double speed) {
    PointOnBelt b{.model = model,
                  .dt = 1e-6,
                  .stiffness = 1e4,
                  .dissipation = 1,
                  .mu = 0.7,
                  .belt_speed = speed,
                  .held = true};
    const double k = model == ContactModel::similar ? 1e4 * (1 + 0.7 * speed) : 1e4;
    b.z = -1.02 * g / k;
    double crossings[4], t = 0;
    int found = 0;
    double last = b.vz;
    while (found < 4) {
      b.step();
      t += b.dt;
      if (last * b.vz < 0) crossings[found++] = t;
      last = b.vz;
    }
    return 2 * (crossings[3] - crossings[1]) / 2;
  };
  const double still = 2 * pi / std::sqrt(1e4);
  EXPECT_NEAR(period(ContactModel::lagged, 1), still, 0.01 * still);
  EXPECT_NEAR(still / period(ContactModel::similar, 1), std::sqrt(1 + 0.7), 0.013);
}

// every step of the above is certified
TEST(OneContact, EveryStepIsCertified) {
  for (const ContactModel model : models) {
    PointOnBelt b{.model = model, .dissipation = 10, .belt_speed = 0.5, .tolerance = 1e-9};
    b.z = 0.01;
    for (int i = 0; i < 500; ++i) {
      b.step();
      ASSERT_EQ(b.report.status, SolveStatus::converged) << to_string(model) << ", step " << i;
      ASSERT_LE(b.report.certificate.momentum_error, 1e-8);
      ASSERT_LE(b.report.certificate.complementarity_error, 1e-15);
    }
    EXPECT_NEAR(b.vx, 0.5, 1e-3) << "it has been carried away by the belt";
  }
}

}  // namespace
}  // namespace abut
