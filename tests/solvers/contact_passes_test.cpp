// Passes over an island's contacts and bodies against the same one contact and one body at a time.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "abut/core/aligned_buffer.hpp"
#include "abut/linalg/vec3.hpp"
#include "abut/solvers/primal/contact_kernels.hpp"

namespace abut {
namespace {

using F = ContactField;

constexpr int contacts = 19, stride = 24;  // five are inert

/// Arrays of contacts with random numbers in all fields.
class Arrays {
 public:
  Arrays() {
    std::mt19937 random(3);
    std::normal_distribution<double> normal;
    data_.resize(static_cast<std::size_t>(F::count) * stride);
    for (double& x : data_.span()) x = normal(random);
    c = {.data = data_.data(), .stride = stride};
    for (int i = 0; i < stride; ++i) {
      const Vec3 n = get(F::normal_x, i);
      set(F::normal_x, i, n / norm(n));
      for (const F f : {F::mu, F::v_hat, F::per_speed, F::linear, F::tangential}) {
        c[f][i] = std::abs(c[f][i]);
      }
    }
  }
  Vec3 get(F first, int i) const {
    const double* p = c[first] + i;
    return {p[0], p[stride], p[2 * stride]};
  }
  void set(F first, int i, const Vec3& v) {
    for (int k = 0; k < 3; ++k) c[first][k * stride + i] = v[k];
  }

  ContactArrays c;

 private:
  AlignedBuffer<double> data_;
};

double number(const Arrays& a, F f, int i) {
  return a.c[f][i];
}

TEST(ContactPasses, InertContactsAreOfNoMaterialAndTouchNothing) {
  Arrays a;
  contact_kernels().make_inert(a.c);
  for (int i = stride - 8; i < stride; ++i) {
    EXPECT_EQ(a.get(F::normal_x, i), (Vec3{0, 0, 1}));
    for (int k = 0; k < 4; ++k) EXPECT_EQ(a.c[F::arms][4 * i + k], 0);
    EXPECT_EQ(number(a, F::mu, i), 0);
    EXPECT_EQ(number(a, F::v_hat, i), -1);
    for (const F f : {F::linear, F::quadratic, F::tangential, F::slip_tolerance}) {
      EXPECT_EQ(number(a, f, i), 1);
    }
    for (const F f : {F::offset, F::per_speed, F::law, F::lagged, F::dual_normal}) {
      EXPECT_EQ(number(a, f, i), 0);
    }
    for (const F f : {F::anchor_x, F::velocity_x, F::direction_x, F::impulse_x, F::dual_x}) {
      EXPECT_EQ(a.get(f, i), Vec3{});
    }
  }
}

TEST(ContactPasses, SapHasReciprocalsOfItsRegularizations) {
  constexpr double h = 0.003;
  Arrays a;
  const Arrays before;
  contact_kernels().load_sap(a.c, h);
  for (int i = 0; i < stride; ++i) {
    const double mu = number(before, F::mu, i), rn = number(before, F::linear, i),
                 rt = number(before, F::tangential, i);
    EXPECT_EQ(number(a, F::v_hat, i),
              -number(before, F::v_hat, i) / (h + number(before, F::per_speed, i)));
    EXPECT_EQ(number(a, F::linear, i), 1 / rn);
    EXPECT_EQ(number(a, F::quadratic, i), 1 / (rn + mu * mu * rt));
    EXPECT_EQ(number(a, F::tangential, i), 1 / rt);
    for (const F f : {F::offset, F::per_speed, F::law, F::lagged}) EXPECT_EQ(number(a, f, i), 0);
    EXPECT_EQ(number(a, F::slip_tolerance, i), 1);
  }
}

TEST(ContactPasses, DualsAreThoseOfImpulsesOrOfWhatIsAtHand) {
  Arrays a;
  for (int i = 0; i < stride; i += 4) a.set(F::dual_x, i, {});
  const Vec3 n1 = a.get(F::normal_x, 1), n2 = a.get(F::normal_x, 2);
  a.set(F::dual_x, 1, -2.0 * n1);                                                     // pulls
  a.set(F::dual_x, 2, 3.0 * n2 + 0.5 * number(a, F::mu, 2) * any_perpendicular(n2));  // sticks
  const std::vector<double> given(a.c[F::dual_x], a.c[F::dual_x] + 3 * stride);
  contact_kernels().start_duals(a.c);
  for (int i = 0; i < stride; ++i) {
    const Vec3 gamma{given[i], given[stride + i], given[2 * stride + i]};
    const Vec3 n = a.get(F::normal_x, i), w = a.get(F::dual_x, i);
    const double normal = dot(n, gamma), limit = number(a, F::mu, i) * normal;
    if (gamma == Vec3{}) {
      EXPECT_EQ(w, Vec3{});
      EXPECT_EQ(number(a, F::dual_normal, i), dot(n, a.get(F::impulse_x, i)));
      continue;
    }
    EXPECT_EQ(number(a, F::dual_normal, i), std::max(0.0, normal));
    const Vec3 expected = limit > 0 ? (-1 / limit) * (gamma - normal * n) : Vec3{};
    EXPECT_EQ(w, norm(expected) > 1 ? expected / norm(expected) : expected);
    EXPECT_LE(norm(w), 1 + 1e-15);
  }
  EXPECT_EQ(a.get(F::dual_x, 1), Vec3{});
  EXPECT_NEAR(norm(a.get(F::dual_x, 2)), 0.5 / 3, 1e-12);
}

TEST(ContactPasses, VelocitiesChangePlacesWithTheDirection) {
  Arrays a;
  const Arrays before;
  contact_kernels().change_places(a.c);
  for (int i = 0; i < stride; ++i) {
    EXPECT_EQ(a.get(F::velocity_x, i), before.get(F::direction_x, i));
    EXPECT_EQ(a.get(F::direction_x, i),
              before.get(F::velocity_x, i) - before.get(F::direction_x, i));
  }
}

TEST(ContactPasses, ImpulsesGoOnByTheirHessian) {
  Arrays a;
  const Arrays before;
  contact_kernels().extend_linearly(a.c);
  for (int i = 0; i < stride; ++i) {
    const double* k = a.c[F::k_xx] + i;
    const double K[3][3] = {{k[0], k[stride], k[2 * stride]},
                            {k[stride], k[3 * stride], k[4 * stride]},
                            {k[2 * stride], k[4 * stride], k[5 * stride]}};
    const Vec3 d = before.get(F::direction_x, i);
    Vec3 gamma = before.get(F::impulse_x, i);
    for (int r = 0; r < 3; ++r) gamma[r] -= K[r][0] * d.x + K[r][1] * d.y + K[r][2] * d.z;
    EXPECT_EQ(a.get(F::impulse_x, i), gamma);
    EXPECT_EQ(a.get(F::velocity_x, i), before.get(F::velocity_x, i) + d);
  }
}

TEST(ContactPasses, ImpulsesAreExtrapolated) {
  Arrays a;
  const Arrays before;
  AlignedBuffer<double> last;
  last.resize(3 * stride);
  std::copy_n(before.c[F::dual_x], 3 * stride, last.data());
  contact_kernels().extrapolate(a.c, 0.7, last.data());
  for (int i = 0; i < 3 * stride; ++i) {
    const double x = before.c[F::impulse_x][i], earlier = before.c[F::dual_x][i];
    EXPECT_EQ(a.c[F::impulse_x][i], x + 0.7 * (x - earlier));
    EXPECT_EQ(last[i], x);
  }
}

TEST(ContactPasses, AnEvaluationHereIsOneOfNoWay) {
  Arrays a, b;
  for (Arrays* x : {&a, &b}) contact_kernels().load_sap(x->c, 0.003);
  const double potential = contact_kernels().sap.evaluate_here(a.c);
  EXPECT_EQ(potential, contact_kernels().sap.evaluate(b.c, 0).potential);
  EXPECT_GT(potential, 0);
  for (int i = 0; i < stride; ++i) EXPECT_EQ(a.get(F::impulse_x, i), b.get(F::impulse_x, i));
}

/// A rigid body of a problem, and its part of an island's vectors.
struct Body {
  double mass;
  Mat3 inertia;
  double before[6], free[6];
};

std::vector<Body> random_bodies(int count) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  std::vector<Body> bodies(count);
  for (Body& b : bodies) {
    b.mass = std::exp(normal(random));
    const Mat3 S = Mat3::skew({normal(random), normal(random), normal(random)});
    b.inertia = Mat3::identity() + (-1.0) * (S * S);
    for (double& x : b.before) x = normal(random);
    for (double& x : b.free) x = normal(random);
  }
  return bodies;
}

TEST(BodyPasses, GatherWhatAnIslandHasOfRigidBodies) {
  constexpr int count = 3;
  const std::vector<Body> bodies = random_bodies(count);
  AlignedBuffer<double> inertia, scale2, free_velocity, free_momentum;
  inertia.resize(32 * count);
  for (auto* b : {&scale2, &free_velocity, &free_momentum}) b->resize(8 * count);
  for (auto* b : {&inertia, &scale2, &free_velocity, &free_momentum}) {
    std::fill_n(b->data(), b->size(), NAN);
  }
  double change[count];
  std::vector<RigidSource> from;
  for (const Body& b : bodies) from.push_back({b.mass, &b.inertia.col[0].x, b.before, b.free});
  contact_kernels().gather_bodies(
      from.data(), count,
      {inertia.data(), scale2.data(), free_velocity.data(), free_momentum.data(), change});
  for (int i = 0; i < count; ++i) {
    const Body& b = bodies[i];
    const auto spin = [&](const double* v) { return b.inertia * Vec3{v[3], v[4], v[5]}; };
    double change_of[6], expected = 0;
    for (int k = 0; k < 6; ++k) change_of[k] = b.free[k] - b.before[k];
    const Vec3 changed = spin(change_of), free = spin(b.free);
    for (int k = 0; k < 3; ++k) {
      const double* a = inertia.data() + 32 * i;
      EXPECT_EQ(a[k], b.mass);
      for (int r = 0; r < 3; ++r) EXPECT_EQ(a[8 * (k + 1) + 3 + r], b.inertia(r, k));
      EXPECT_EQ(scale2[8 * i + k], 1 / b.mass);
      EXPECT_EQ(scale2[8 * i + 3 + k], 1 / b.inertia(k, k));
      EXPECT_EQ(free_momentum[8 * i + k], b.mass * b.free[k]);
      EXPECT_EQ(free_momentum[8 * i + 3 + k], free[k]);
      expected += b.mass * change_of[k] * change_of[k] + changed[k] * changed[k] / b.inertia(k, k);
    }
    EXPECT_NEAR(change[i], expected, 1e-14 * expected);
    for (int k = 0; k < 6; ++k) EXPECT_EQ(free_velocity[8 * i + k], b.free[k]);
    double rest = 0;  // of the padding, and of the inertia's blocks that are zero
    for (int k = 6; k < 8; ++k) {
      rest += std::abs(scale2[8 * i + k]) + std::abs(free_velocity[8 * i + k]) +
              std::abs(free_momentum[8 * i + k]);
    }
    for (int k = 0; k < 32; ++k) {
      const bool is_mass = k < 3, is_inertia = k >= 8 && k % 8 >= 3 && k % 8 < 6;
      if (!is_mass && !is_inertia) rest += std::abs(inertia[32 * i + k]);
    }
    EXPECT_EQ(rest, 0);
  }
}

TEST(BodyPasses, MoveBodiesByTheirInverseInertia) {
  constexpr int count = 3;
  const std::vector<Body> bodies = random_bodies(count);
  AlignedBuffer<double> inverse, rest, push, x;
  inverse.resize(32 * count);
  for (auto* b : {&rest, &push, &x}) b->resize(8 * count);
  for (auto* b : {&inverse, &rest, &push}) b->fill_zero();
  for (int i = 0; i < count; ++i) {
    double* a = inverse.data() + 32 * i;
    for (int k = 0; k < 3; ++k) {
      a[k] = 1 / bodies[i].mass;
      for (int r = 0; r < 3; ++r) a[8 * (k + 1) + 3 + r] = bodies[i].inertia(r, k);
    }
    std::copy_n(bodies[i].before, 6, rest.data() + 8 * i);
    std::copy_n(bodies[i].free, 6, push.data() + 8 * i);
  }
  contact_kernels().move_bodies(count, inverse.data(), rest.data(), push.data(), x.data());
  for (int i = 0; i < count; ++i) {
    const Body& b = bodies[i];
    const Vec3 turn = b.inertia * Vec3{b.free[3], b.free[4], b.free[5]};
    for (int k = 0; k < 3; ++k) {
      EXPECT_EQ(x[8 * i + k], b.before[k] + 1 / b.mass * b.free[k]);
      EXPECT_EQ(x[8 * i + 3 + k], b.before[3 + k] + turn[k]);
    }
  }
}

}  // namespace
}  // namespace abut
