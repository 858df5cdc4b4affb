// Every normal law against finite differences, quadruple precision and arithmetic by hand.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "abut/laws/barrier_force.hpp"
#include "abut/laws/force_table.hpp"
#include "abut/laws/law_list.hpp"

namespace abut {
namespace {

using Quad = __float128;

template <class Law>
constexpr bool is_barrier = std::is_same_v<Law, LogBarrier> || std::is_same_v<Law, IpcBarrier>;

/// h f(x, xdot) as the law's force is defined, in quadruple precision.
template <class Law>
Quad impulse(const PointMaterial& m, Quad dt, Quad gap, Quad vn);

template <>
Quad impulse<KelvinVoigt>(const PointMaterial& m, Quad dt, Quad gap, Quad vn) {
  const Quad f = -gap - dt * vn - Quad(m.relaxation_time) * vn;
  return f > 0 ? dt * Quad(m.stiffness) * f : 0;
}
template <>
Quad impulse<HuntCrossley>(const PointMaterial& m, Quad dt, Quad gap, Quad vn) {
  const Quad x = -gap - dt * vn, damping = 1 - Quad(m.dissipation) * vn;
  return x > 0 && damping > 0 ? dt * Quad(m.stiffness) * x * damping : 0;
}
template <>
Quad impulse<Hertz>(const PointMaterial& m, Quad dt, Quad gap, Quad vn) {
  const Quad x = -gap - dt * vn, damping = 1 - Quad(m.dissipation) * vn;
  if (!(x > 0 && damping > 0)) return 0;
  Quad root = std::sqrt(static_cast<double>(x));  // two Newton steps of the square root
  root = (root + x / root) / 2;
  root = (root + x / root) / 2;
  return dt * Quad(m.stiffness) * x * root * damping;
}

template <>
Quad impulse<Tabulated>(const PointMaterial& m, Quad dt, Quad gap, Quad vn) {
  const Quad x = -gap - dt * vn, damping = 1 - Quad(m.dissipation) * vn;
  if (!(x > 0 && damping > 0)) return 0;
  if (m.table == nullptr) return dt * Quad(m.stiffness) * x * damping;
  const std::vector<double>&depth = m.table->depth, &force = m.table->force;
  std::size_t k = 1;
  while (k + 1 < depth.size() && x > depth[k]) ++k;
  const Quad part = (x - depth[k - 1]) / (Quad(depth[k]) - depth[k - 1]);
  return dt * Quad(m.weight) * (force[k - 1] + part * (Quad(force[k]) - force[k - 1])) * damping;
}

/// Natural logarithm by roots, until the series of atanh takes few terms.
Quad log(Quad x) {
  int roots = 0;
  for (; x < Quad(0.999); ++roots) {
    Quad root = std::sqrt(static_cast<double>(x));
    for (int k = 0; k < 3; ++k) root = (root + x / root) / 2;
    x = root;
  }
  const Quad t = (x - 1) / (x + 1);
  Quad sum = 0, power = t;
  for (int k = 1; k < 24; k += 2, power *= t * t) sum += power / k;
  for (; roots > 0; --roots) sum *= 2;
  return 2 * sum;
}

/// By the derivatives of -d^2 s^2 ln(1 - s) and -d^2 (ln(1 - s) + s).
template <NormalLawKind kind>
Quad barrier_impulse(const PointMaterial& m, Quad dt, Quad gap, Quad vn) {
  const Quad x = -gap - dt * vn, damping = 1 - Quad(m.dissipation) * vn;
  if (!(x > 0 && damping > 0)) return 0;
  const Quad s = x / Quad(m.thickness), wall = 1 - Quad(0x1p-12), at = s < wall ? s : wall;
  const Quad r = 1 - at, logarithm = log(r);
  const bool is_log = kind == NormalLawKind::log_barrier;
  const Quad force = is_log ? at / r : at * at / r - 2 * at * logarithm;
  const Quad slope = is_log ? 1 / (r * r) : at * at / (r * r) + 4 * at / r - 2 * logarithm;
  return dt * Quad(m.stiffness) * Quad(m.thickness) * (force + (s - at) * slope) * damping;
}
template <>
Quad impulse<LogBarrier>(const PointMaterial& m, Quad dt, Quad gap, Quad vn) {
  return barrier_impulse<NormalLawKind::log_barrier>(m, dt, gap, vn);
}
template <>
Quad impulse<IpcBarrier>(const PointMaterial& m, Quad dt, Quad gap, Quad vn) {
  return barrier_impulse<NormalLawKind::ipc_barrier>(m, dt, gap, vn);
}

/// Integral of the impulse over a stretch below v_hat where it has no kink, by Gauss-Legendre on
/// cells graded towards its upper end, where Hertz's law has no Taylor series.
template <class Law>
Quad smooth_potential(const PointMaterial& m, double dt, double gap, Quad vn, Quad v_hat,
                      int cells) {
  constexpr double node[5] = {-0.90617984593866399, -0.53846931010568309, 0, 0.53846931010568309,
                              0.90617984593866399};
  constexpr double weight[5] = {0.23692688505618909, 0.47862867049936647, 0.56888888888888889,
                                0.47862867049936647, 0.23692688505618909};
  Quad sum = 0, far = v_hat - vn;
  for (int cell = 0; cell < cells; ++cell) {
    const Quad near = cell == cells - 1 ? Quad(0) : far * Quad(0.75);
    for (int k = 0; k < 5; ++k) {
      const Quad y = (far + near) / 2 + (far - near) / 2 * Quad(node[k]);
      sum += Quad(weight[k]) * (far - near) / 2 * impulse<Law>(m, dt, gap, v_hat - y);
    }
    far = near;
  }
  return sum;
}

/// The depths at which the impulse has kinks, rising.
template <class Law>
std::vector<Quad> kink_depths(const PointMaterial& m) {
  if (m.table == nullptr) return {};
  return {m.table->depth.begin(), m.table->depth.end()};
}
template <>
std::vector<Quad> kink_depths<LogBarrier>(const PointMaterial& m) {
  return {(1 - Quad(0x1p-12)) * m.thickness};
}
template <>
std::vector<Quad> kink_depths<IpcBarrier>(const PointMaterial& m) {
  return kink_depths<LogBarrier>(m);
}

/// Depths between which Gauss' rule has enough points: kinks, and for barriers those where what is
/// left of the layer is halved.
template <class Law>
std::vector<Quad> piece_depths(const PointMaterial& m) {
  std::vector<Quad> x;
  if constexpr (is_barrier<Law>) {
    for (int k = 1; k < 12; ++k) x.push_back((1 - std::ldexp(1.0, -k)) * Quad(m.thickness));
  }
  for (const Quad& kink : kink_depths<Law>(m)) x.push_back(kink);
  return x;
}

/// Velocities below v_hat, falling, at which depths, rising, are reached.
std::vector<Quad> velocities(const std::vector<Quad>& depths, double dt, double gap, Quad v_hat) {
  std::vector<Quad> v;
  for (const Quad& x : depths) {
    if (const Quad at = (-Quad(gap) - x) / dt; at < v_hat) v.push_back(at);
  }
  return v;
}

template <class Law>
Quad potential(const PointMaterial& m, double dt, double gap, double vn, Quad v_hat) {
  Quad sum = 0, high = v_hat;
  const int cells = is_barrier<Law> ? 30 : 120;  // the others' last is as small as it can be
  for (const Quad& low : velocities(piece_depths<Law>(m), dt, gap, v_hat)) {
    if (low <= vn) break;
    sum += smooth_potential<Law>(m, dt, gap, low, high, cells);
    high = low;
  }
  return sum + smooth_potential<Law>(m, dt, gap, vn, high, cells);
}

/// With lines that rise, rise less, rest, and rise steeply.
const ForceTable bent{{0, 4e-4, 1e-3, 6e-3, 7e-3, 12e-3}, {0, 3, 5, 60, 60, 300}};

class NormalLawContract : public testing::TestWithParam<NormalLawKind> {};
INSTANTIATE_TEST_SUITE_P(All, NormalLawContract, testing::ValuesIn(normal_laws),
                         [](const auto& test) {
                           std::string name(to_string(test.param));
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

/// Calls f.operator()<Law>(material, dt, gap) for the law of `kind`.
template <class F>
void for_each_case(NormalLawKind kind, const F& f) {
  for (const double dt : {1e-2, 1e-3}) {
    for (const double d : {0.0, 0.7, 40.0}) {
      for (const double gap : {-5e-3, -1e-5, 0.0, 2e-3}) {
        PointMaterial m{
            .stiffness = 1e4, .dissipation = d, .relaxation_time = 3e-3 * d, .thickness = 0.0271};
        const auto call = [&] {
          dispatch_law(kind, [&]<class Law>() { f.template operator()<Law>(m, dt, gap); });
        };
        call();
        if (kind != NormalLawKind::tabulated) continue;
        m.table = &bent, m.weight = 0.25;
        call();
      }
    }
  }
}

// impulse = -dl/dv_n and slope = dn/dv_n, off the kinks
TEST_P(NormalLawContract, DerivativesMatchFiniteDifferences) {
  for_each_case(GetParam(), []<class Law>(const PointMaterial& m, double dt, double gap) {
    const auto step = Law::discretize(m, dt, gap);
    for (double vn = -2.03; vn < 2; vn += 0.07) {
      if (std::abs(vn - step.v_hat) < 1e-4) continue;
      bool at_kink = false;
      for (const Quad& v : velocities(kink_depths<Law>(m), dt, gap, step.v_hat)) {
        at_kink = at_kink || std::abs(vn - static_cast<double>(v)) < 1e-4;
      }
      if (at_kink) continue;
      SCOPED_TRACE(testing::Message() << "gap " << gap << " m, v_n " << vn << " m/s, d "
                                      << m.dissipation << " s/m, dt " << dt);
      const double h = 1e-6;
      const auto lo = Law::evaluate(step, vn - h), at = Law::evaluate(step, vn),
                 hi = Law::evaluate(step, vn + h);
      const double scale = 1 + std::abs(at.impulse) + std::abs(at.slope);
      EXPECT_NEAR(at.impulse, (lo.potential - hi.potential) / (2 * h), 1e-7 * scale);
      EXPECT_NEAR(at.slope, (hi.impulse - lo.impulse) / (2 * h), 2e-5 * scale);
      EXPECT_GE(at.potential, 0);
      EXPECT_GE(at.impulse, 0);
      EXPECT_LE(at.slope, 0) << "the potential would not be convex";
    }
  });
}

// every number to 13 digits, and to 1e-10 of itself next to v_hat where it almost vanishes
TEST_P(NormalLawContract, IsAccurateFromTouchToDeepOverlap) {
  for_each_case(GetParam(), []<class Law>(const PointMaterial& m, double dt, double gap) {
    const auto step = Law::discretize(m, dt, gap);
    for (const double y : {1e-9, 1e-6, 1e-3, 0.1, 3.0, 100.0}) {
      const double vn = step.v_hat - y;
      const auto at = Law::evaluate(step, vn);
      const Quad exact = impulse<Law>(m, dt, gap, vn);
      const double rounding = 1e-13 + 4e-16 * (std::abs(step.v_hat) + std::abs(gap) / dt) / y;
      EXPECT_NEAR(at.impulse, static_cast<double>(exact), 2 * rounding * static_cast<double>(exact))
          << "gap " << gap << ", y " << y << ", d " << m.dissipation << ", dt " << dt;
      const Quad energy = potential<Law>(m, dt, gap, vn, step.v_hat);
      EXPECT_NEAR(at.potential, static_cast<double>(energy),
                  (1e-11 + 4 * rounding) * static_cast<double>(energy))
          << "gap " << gap << ", y " << y << ", d " << m.dissipation << ", dt " << dt;
    }
  });
}

TEST_P(NormalLawContract, IsFiniteForTinyAndHugeArguments) {
  for (const double k : {1e-3, 1e13}) {
    for (const double gap : {-1.0, -1e-300, 0.0, 1e-300, 1.0}) {
      for (const double vn : {-1e8, -1e-300, 0.0, 1e-300, 1e8}) {
        const auto e = dispatch_law(GetParam(), [&]<class Law>() {
          return Law::evaluate(Law::discretize({.stiffness = k}, 1e-3, gap), vn);
        });
        EXPECT_TRUE(std::isfinite(e.potential) && std::isfinite(e.impulse) &&
                    std::isfinite(e.slope))
            << "k " << k << ", gap " << gap << ", v_n " << vn;
      }
    }
  }
}

// n = n(v_free + w n), also for an immovable (w = 0) and a nearly free point
TEST_P(NormalLawContract, SettlesALonePoint) {
  for_each_case(GetParam(), []<class Law>(const PointMaterial& m, double dt, double gap) {
    const auto step = Law::discretize(m, dt, gap);
    for (const double w : {0.0, 1e-6, 1.0, 1e4}) {
      for (const double v_free : {-3.0, -0.01, 0.02, 5.0}) {
        const double n = Law::solve_alone(step, w, v_free);
        EXPECT_NEAR(n, Law::evaluate(step, v_free + w * n).impulse,
                    1e-9 * n * (1 + w * 1e2) + 1e-300)
            << "w " << w << ", v_free " << v_free << ", gap " << gap;
        if (v_free >= step.v_hat) {
          EXPECT_EQ(n, 0);
        }
      }
    }
  });
}

double log_uniform(std::mt19937& random, double low, double high) {
  return std::exp(std::uniform_real_distribution<double>(std::log(low), std::log(high))(random));
}

/// Of up to eight points, some of whose lines rest.
ForceTable random_table(std::mt19937& random) {
  ForceTable t{{0}, {0}};
  const auto points = 1 + random() % 8;
  for (std::size_t k = 0; k < points; ++k) {
    t.depth.push_back(t.depth.back() + log_uniform(random, 1e-7, 1e-2));
    const bool rests = k + 1 < points && random() % 4 == 0;
    t.force.push_back(t.force.back() + (rests ? 0 : log_uniform(random, 1e-3, 1e6)));
  }
  return t;
}

// dn/dv_n <= 0 makes the potential convex: n never rises with v_n, and lies between the chords of
// l, from a nanometre and a mm/s to half a metre and 100 m/s
TEST_P(NormalLawContract, IsConvexOverManyDecades) {
  std::mt19937 random(11);
  int pressed = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    const ForceTable table = random_table(random);
    const bool damped = random() % 4 > 0;
    const PointMaterial m{.stiffness = log_uniform(random, 1, 1e12),
                          .dissipation = damped ? log_uniform(random, 1e-3, 1e3) : 0,
                          .relaxation_time = damped ? log_uniform(random, 1e-7, 1) : 0,
                          .thickness = log_uniform(random, 1e-5, 1),
                          .weight = log_uniform(random, 0.1, 10),
                          .table = random() % 8 > 0 ? &table : nullptr};
    const double dt = log_uniform(random, 1e-6, 0.1);
    const double gap = (random() % 2 > 0 ? 1 : -1) * log_uniform(random, 1e-9, 0.5);
    dispatch_law(GetParam(), [&]<class Law>() {
      const NormalStep<double> step = Law::discretize(m, dt, gap);
      const double reach = log_uniform(random, 1e-3, 100);
      const double v0 =
          step.v_hat - reach * (std::uniform_real_distribution<double>(-0.2, 1)(random));
      const double v1 = v0 + reach * log_uniform(random, 1e-4, 1);
      const auto a = Law::evaluate(step, v0), b = Law::evaluate(step, v1);
      SCOPED_TRACE(testing::Message() << "trial " << trial << ", v_n " << v0 << " and " << v1);
      for (const auto& e : {a, b}) {
        EXPECT_GE(e.potential, 0);
        EXPECT_GE(e.impulse, 0);
        EXPECT_LE(e.slope, 0);
      }
      EXPECT_GE(a.impulse, b.impulse * (1 - 1e-12));
      const double fall = a.potential - b.potential, way = v1 - v0;
      const double rounding = 1e-12 * (a.potential + a.impulse * (way + 1e-3 * std::abs(v0)));
      EXPECT_LE(fall, a.impulse * way + rounding);
      EXPECT_GE(fall, b.impulse * way - rounding);
      pressed += a.impulse > 0;
    });
  }
  EXPECT_GT(pressed, 10000);
}

// k = 1e4 N/m, d_hat = 4 mm, dt = 10 ms: at x = 1 and 3 mm, s = 1/4 and 3/4
TEST(Barrier, ImpulseByHand) {
  const PointMaterial m{.stiffness = 1e4, .dissipation = 0.5, .thickness = 4e-3};
  const auto log_step = LogBarrier::discretize(m, 0.01, -1e-3),
             ipc_step = IpcBarrier::discretize(m, 0.01, -1e-3);
  EXPECT_NEAR(LogBarrier::evaluate(log_step, 0).impulse, 0.4 / 3, 1e-15);
  EXPECT_NEAR(LogBarrier::evaluate(log_step, -0.2).impulse, 0.4 * 3 * 1.1, 1e-14);
  EXPECT_NEAR(IpcBarrier::evaluate(ipc_step, 0).impulse, 0.4 * (1.0 / 12 - 0.5 * std::log(0.75)),
              1e-15);
  EXPECT_NEAR(IpcBarrier::evaluate(ipc_step, -0.2).impulse,
              0.4 * (2.25 - 1.5 * std::log(0.25)) * 1.1, 1e-14);
  EXPECT_EQ(LogBarrier::evaluate(log_step, 0.11).impulse, 0);
}

// -ln(1 - s) - s and -s^2 ln(1 - s) are what a barrier has stored, the first moment by Gauss' rule
TEST(Barrier, WorkAndMomentAreIntegralsOfTheForce) {
  for (const NormalLawKind kind : {NormalLawKind::log_barrier, NormalLawKind::ipc_barrier}) {
    const BarrierForce force(kind);
    const auto integrate = [&](double from, double way, bool moment) {
      constexpr double node = 0.57735026918962576;
      constexpr int cells = 20000;
      double sum = 0;
      for (int k = 0; k < cells; ++k) {
        const double half = 0.5 * way / cells, middle = (2 * k + 1) * half;
        for (const double t : {middle - node * half, middle + node * half}) {
          sum += half * force.at(from + t) * (moment ? t : 1);
        }
      }
      return sum;
    };
    for (const double s : {0.0, 1e-7, 0.01, 0.3, 0.6, 0.95}) {
      EXPECT_NEAR(force.integral(s), integrate(0, s, false), 1e-10 * force.integral(s));
      for (const double u : {1e-9, 1e-4, 0.02, 0.045}) {
        const double moment = force.moment(s, u);
        EXPECT_NEAR(moment, integrate(s, u, true), 1e-8 * moment) << s << " " << u;
      }
      EXPECT_NEAR(force.inverse(force.at(s)), s, 1e-14 + 1e-13 * s);
    }
    EXPECT_NEAR(force.inverse(force.at(1.5)), 1.5, 1e-12) << "on the straight line";
  }
}

// h F(x) (1 + d xdot) at x = 0.75 + 0.25 mm, on the line from (0.4 mm, 3 N) to (1 mm, 5 N), and
// beyond the last point, where the line goes on with 48 N/mm
TEST(Tabulated, ImpulseByHand) {
  const auto step =
      Tabulated::discretize({.dissipation = 0.5, .weight = 2, .table = &bent}, 0.01, -0.5e-3);
  EXPECT_NEAR(Tabulated::evaluate(step, -0.02).impulse, 0.01 * 2 * (3 + 1.0) * 1.01, 1e-14);
  EXPECT_NEAR(Tabulated::evaluate(step, -1.35).impulse, 0.01 * 2 * (300 + 96) * 1.675, 1e-12);
  EXPECT_EQ(Tabulated::evaluate(step, 0.051).impulse, 0);
}

// a line of slope k is Hunt & Crossley's law of stiffness k, in however many pieces it is given
TEST(Tabulated, ALineIsHuntAndCrossley) {
  const ForceTable line{{0, 1e-4, 5e-4, 2e-3}, {0, 300, 1500, 6000}};
  for (const double d : {0.0, 1.0, 30.0}) {
    for (const double gap : {-8e-4, 0.0, 3e-4}) {
      const PointMaterial m{.stiffness = 3e6, .dissipation = d, .table = &line};
      const auto a = Tabulated::discretize(m, 2e-3, gap),
                 b = HuntCrossley::discretize(m, 2e-3, gap);
      for (double v = -2; v < 1; v += 0.013) {
        const auto x = Tabulated::evaluate(a, v), y = HuntCrossley::evaluate(b, v);
        EXPECT_NEAR(x.impulse, y.impulse, 1e-13 * (1 + y.impulse));
        EXPECT_NEAR(x.potential, y.potential, 1e-13 * (1 + y.potential));
        EXPECT_NEAR(x.slope, y.slope, 1e-12 * (1 - y.slope));
        EXPECT_NEAR(Tabulated::solve_alone(a, 0.3, v), HuntCrossley::solve_alone(b, 0.3, v),
                    1e-13 * (1 + y.impulse));
      }
    }
  }
}

// k = 1e4 N/m, dt = 10 ms, x0 = 2 mm, d = 0.5 s/m: v_hat = 2e-3/0.01 = 0.2 m/s
TEST(HuntCrossley, ImpulseByHand) {
  const auto step = HuntCrossley::discretize({.stiffness = 1e4, .dissipation = 0.5}, 0.01, -2e-3);
  const auto n = [&](double vn) { return HuntCrossley::evaluate(step, vn).impulse; };
  EXPECT_NEAR(n(-0.1), 0.01 * 1e4 * 3e-3 * 1.05, 1e-15);
  EXPECT_NEAR(n(0.199), 0.01 * 1e4 * 1e-5 * 0.9005, 1e-15);  // about to part
  EXPECT_EQ(n(0.201), 0);
}

// with d = 10 s/m the damper lets go first, at 0.1 m/s, while the surfaces still overlap
TEST(HuntCrossley, LetsGoInOverlapWhenItPartsFast) {
  const auto step = HuntCrossley::discretize({.stiffness = 1e4, .dissipation = 10}, 0.01, -2e-3);
  EXPECT_DOUBLE_EQ(step.v_hat, 0.1);
  EXPECT_NEAR(HuntCrossley::evaluate(step, 0.09).impulse, 0.01 * 1e4 * 1.1e-3 * 0.1, 1e-15);
  EXPECT_EQ(HuntCrossley::evaluate(step, 0.15).impulse, 0);
}

// without dissipation all linear laws are one
TEST(HuntCrossley, IsKelvinVoigtWithoutDissipation) {
  const PointMaterial m{.stiffness = 3e6, .dissipation = 0, .relaxation_time = 0};
  const auto a = HuntCrossley::discretize(m, 2e-3, -1e-4);
  const auto b = KelvinVoigt::discretize(m, 2e-3, -1e-4);
  for (double vn = -1; vn < 1; vn += 0.01) {
    EXPECT_NEAR(HuntCrossley::evaluate(a, vn).impulse, KelvinVoigt::evaluate(b, vn).impulse, 1e-14);
  }
}

// f = k (x + tau xdot): x0 = 1 mm, tau = 5 ms, dt = 10 ms, v_n = 0.02: x + tau xdot = 0.7 mm
TEST(KelvinVoigt, ImpulseByHand) {
  const auto step =
      KelvinVoigt::discretize({.stiffness = 2e5, .relaxation_time = 5e-3}, 0.01, -1e-3);
  EXPECT_NEAR(KelvinVoigt::evaluate(step, 0.02).impulse, 0.01 * 2e5 * 0.7e-3, 1e-15);
  EXPECT_NEAR(step.v_hat, 1e-3 / 0.015, 1e-17);
}

// f = k x^(3/2), x = 4 mm: 1e6 * 2.53e-4
TEST(Hertz, ImpulseByHand) {
  const auto step = Hertz::discretize({.stiffness = 1e6, .dissipation = 0}, 0.01, -3e-3);
  EXPECT_NEAR(Hertz::evaluate(step, -0.1).impulse, 0.01 * 1e6 * std::pow(4e-3, 1.5), 1e-12);
}

TEST(PointMaterial, RefusesNonsense) {
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               inf = std::numeric_limits<double>::infinity();
  for (const double k : {0.0, -1.0, nan, inf}) {
    EXPECT_THROW(PointMaterial{.stiffness = k}.validate(), InputError) << k;
  }
  for (const double d : {-1.0, nan, inf}) {
    EXPECT_THROW(PointMaterial{.dissipation = d}.validate(), InputError) << d;
    EXPECT_THROW(PointMaterial{.relaxation_time = d}.validate(), InputError) << d;
  }
  EXPECT_NO_THROW(PointMaterial{}.validate());
}

}  // namespace
}  // namespace abut
