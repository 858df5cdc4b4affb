// One contact without friction at numbers as far apart as validate() lets them be: what counts as
// solved is the root of the momentum balance, found by bisection.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "abut/solvers/primal/newton.hpp"
#include "support/model_case.hpp"

namespace abut {
namespace {

using Real = long double;

/// gamma_n(v_n) as docs/laws defines it, of a point whose mobility is 1/m in every direction.
Real impulse(const ModelCase& c, const ContactPoint& contact, Real mass, Real h, Real v) {
  const Real k = contact.stiffness, gap = contact.gap, zero = 0;
  if (c.model == ContactModel::sap) {
    const Real horizon = h + contact.relaxation_time, pi = std::numbers::pi_v<Real>;
    const Real w = 1 / (std::sqrt(Real(3)) * mass);  // |1/m I| / 3
    const Real rn = std::max(w / (4 * pi * pi), 1 / (h * horizon * k));
    return std::max(zero, (-gap / horizon - v) / rn);
  }
  const Real x = -gap - h * v, damping = std::max(zero, 1 - contact.dissipation * v);
  switch (c.law) {
    case NormalLawKind::kelvin_voigt:
      return h * k * std::max(zero, x - contact.relaxation_time * v);
    case NormalLawKind::tabulated:  // a line
    case NormalLawKind::hunt_crossley: return h * k * std::max(zero, x) * damping;
    case NormalLawKind::log_barrier:
    case NormalLawKind::ipc_barrier: {
      const Real d = contact.thickness, s = std::max(zero, x / d),
                 at = std::min(s, 1 - Real(0x1p-12)), r = 1 - at, logarithm = std::log(r);
      const bool is_log = c.law == NormalLawKind::log_barrier;
      const Real force = is_log ? at / r : at * at / r - 2 * at * logarithm;
      const Real slope = is_log ? 1 / (r * r) : at * at / (r * r) + 4 * at / r - 2 * logarithm;
      return h * k * d * (force + (s - at) * slope) * damping;
    }
    case NormalLawKind::hertz: break;
  }
  return x > 0 ? h * k * x * std::sqrt(x) * damping : zero;
}

/// The v at which m (v - v*) is that impulse, which only falls with v.
Real bisect(const ModelCase& c, const ContactPoint& contact, Real mass, Real h, Real v_free) {
  const Real gap = contact.gap, horizon = h + contact.relaxation_time;
  Real low = v_free, high = std::max({v_free, -gap / h, -gap / horizon});
  for (int k = 0; k < 900; ++k) {
    const Real middle = low + (high - low) / 2;
    (impulse(c, contact, mass, h, middle) > mass * (middle - v_free) ? low : high) = middle;
  }
  return low;
}

TEST(OneContact, AtTheEndsOfTheNumbersNothingWrongIsASuccess) {
  NewtonOptions options;
  options.max_iterations = 60;  // what is not solved soon is not at all
  options.restarts = false;
  Newton solver("test", options);
  for (const ModelCase& c : model_cases) {
    int solved = 0, failed = 0;
    for (const double mass : {1e-100, 1.0, 1e100}) {
      for (const double h : {1e-12, 1e-3, 1e6}) {
        for (const double k : {1e-100, 1e6, 1e100}) {
          for (const double gap : {0.0, -1e-30, 1e-30, -1e-3, 1.0, -1e100}) {
            for (const double d : {0.0, 10.0, 1e50}) {
              for (const double v_free : {0.0, -1e-100, -1.0, 1.0, -1e30}) {
                const ContactPoint contact{.gap = gap,
                                           .stiffness = k,
                                           .dissipation = d,
                                           .relaxation_time = 1e-5 * d,
                                           .friction = 0};
                ContactProblem p;
                p.time_step = h, p.model = c.model, p.law = c.law;
                const double a[9] = {mass, 0, 0, 0, mass, 0, 0, 0, mass}, v[3] = {0, 0, v_free},
                             j[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
                p.add_tree(a, v, v, mass);
                p.add_contact(world_tree, 0, contact, {}, j);
                SCOPED_TRACE(testing::Message()
                             << name(c) << ", " << mass << " kg, " << h << " s, k " << k << ", gap "
                             << gap << ", d " << d << ", v* " << v_free);
                ASSERT_NO_THROW(validate(p));
                ContactSolution x;
                const SolveReport r = solver.solve(PreparedProblem(p), {.tolerance = 1e-9}, x);
                ++(r.status == SolveStatus::converged ? solved : failed);
                if (r.status != SolveStatus::converged) continue;
                const Real exact = bisect(c, contact, mass, h, v_free);
                const Real size = std::max(std::abs(exact), std::abs(exact - v_free));
                const Real least =
                    1e-13L / std::sqrt(Real(mass));  // nothing is below 1e-14 J^(1/2)
                const Real tolerance = r.at_round_off ? 1e-2L : 1e-6L;
                EXPECT_LE(std::abs(x.velocity[2] - exact), tolerance * size + least);
              }
            }
          }
        }
      }
    }
    EXPECT_GT(solved, 4 * failed) << name(c) << ": " << solved << ", " << failed;
  }
}

}  // namespace
}  // namespace abut
