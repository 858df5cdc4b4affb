#include "support/random_friction.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace abut {
namespace {

struct Body {
  double mass = 1;
  Mat3 inverse_inertia = Mat3::identity();
  Vec3 center, velocity, spin;
};

struct Contact {
  int a = -1, b = 0;  // -1: the world
  Vec3 point;
  Mat3 axes;  // t1, t2, n
};

/// Velocity of contact x per impulse of contact y, both in their axes.
Mat3 response(const std::vector<Body>& bodies, const Contact& x, const Contact& y) {
  Mat3 w{};
  for (int j = 0; j < 3; ++j) {
    Vec3 u;
    for (const int i : {y.a, y.b}) {
      if (i < 0 || (i != x.a && i != x.b)) continue;
      const Body& body = bodies[i];
      const Vec3 push = (i == y.b ? 1.0 : -1.0) * y.axes.col[j];
      const Vec3 spin = body.inverse_inertia * cross(y.point - body.center, push);
      const Vec3 v = push / body.mass + cross(spin, x.point - body.center);
      u += (i == x.b ? 1.0 : -1.0) * v;
    }
    w.col[j] = transpose_times(x.axes, u);
  }
  return w;
}

FrictionProblem assemble(const std::vector<Body>& bodies, const std::vector<Contact>& contacts) {
  FrictionProblem p;
  for (const Contact& x : contacts) {
    const auto at = [&](int i) {
      return i < 0 ? Vec3{}
                   : bodies[i].velocity + cross(bodies[i].spin, x.point - bodies[i].center);
    };
    p.velocity.push_back(transpose_times(x.axes, at(x.b) - at(x.a)));
    for (std::size_t j = 0; j < contacts.size(); ++j) {
      const Contact& y = contacts[j];
      const auto touches = [&](int i) { return i >= 0 && (i == y.a || i == y.b); };
      if (!touches(x.a) && !touches(x.b)) continue;
      p.delassus.column.push_back(static_cast<std::int32_t>(j));
      p.delassus.block.push_back(response(bodies, x, y));
    }
    p.delassus.start.push_back(std::ssize(p.delassus.column));
  }
  return p;
}

Mat3 axes_of(const Vec3& normal) {
  const Vec3 t = any_perpendicular(normal);
  return {{t, cross(normal, t), normal}};
}

}  // namespace

FrictionProblem make_friction_problem(std::mt19937& random, const RandomFriction& what) {
  std::normal_distribution<double> normal;
  const auto vector = [&] { return Vec3{normal(random), normal(random), normal(random)}; };
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  std::vector<Body> bodies(1 + below(what.most_bodies));
  for (Body& b : bodies) {
    b.mass = std::pow(10, uniform(-what.mass_spread, what.mass_spread));
    for (int k = 0; k < 3; ++k) b.inverse_inertia(k, k) = 1 / (b.mass * uniform(0.05, 0.15));
    b.center = {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)};
    b.velocity = what.rests ? Vec3{0, 0, -9.81e-3} : vector();
    b.spin = what.rests ? Vec3{} : vector();
  }
  const int count = static_cast<int>(bodies.size());
  std::vector<Contact> contacts(1 + below(std::min(what.most_contacts, 4 * count)));
  for (Contact& c : contacts) {
    c.b = below(count);
    c.a = count == 1 || uniform(0, 1) < 0.4 ? -1 : below(count);
    if (c.a == c.b) c.a = -1;
    Vec3 n = vector();
    n = n / norm(n);
    if (what.rests && c.a < 0) n.z = std::abs(n.z);
    c.axes = axes_of(n);
    Vec3 arm = vector();
    c.point = bodies[c.b].center + 0.5 / norm(arm) * arm;
  }
  FrictionProblem p = assemble(bodies, contacts);
  for (std::size_t i = 0; i < contacts.size(); ++i) p.friction.push_back(uniform(0.05, 1.2));
  return p;
}

FrictionProblem box_on_ground(double half, double friction, const Vec3& force, double time_step) {
  Body box;
  box.center = {0, 0, half};
  box.inverse_inertia = Mat3::diagonal(1.5 / (half * half) * Vec3{1, 1, 1});
  box.velocity = time_step * (force + Vec3{0, 0, -9.81});
  std::vector<Contact> contacts;
  for (const double x : {-half, half}) {
    for (const double y : {-half, half}) {
      contacts.push_back({.a = -1, .b = 0, .point = {x, y, 0}, .axes = Mat3::identity()});
    }
  }
  FrictionProblem p = assemble({box}, contacts);
  p.friction.assign(4, friction);
  p.time_step = time_step;
  return p;
}

}  // namespace abut
