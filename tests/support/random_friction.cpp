#include "support/random_friction.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
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

/// What a scalar constraint pushes, per impulse of 1: a force and a torque on each of two bodies.
struct Scalar {
  int body[2] = {-1, -1};  // -1: the world
  Vec3 force[2], torque[2];
  double bias = 0, compliance = 0;  // m/s, of the mobility
  double lower = 0, upper = 0;
};

/// Velocity along scalar constraint x per impulse of y.
double response(const std::vector<Body>& bodies, const Scalar& x, const Scalar& y) {
  double u = 0;
  for (int a = 0; a < 2; ++a) {
    for (int b = 0; b < 2; ++b) {
      if (x.body[a] < 0 || x.body[a] != y.body[b]) continue;
      const Body& body = bodies[x.body[a]];
      u += dot(x.force[a], y.force[b]) / body.mass +
           dot(x.torque[a], body.inverse_inertia * y.torque[b]);
    }
  }
  return u;
}

/// An axis of a contact as a scalar constraint.
Scalar axis_of(const std::vector<Body>& bodies, const Contact& c, int axis) {
  Scalar s;
  for (int k = 0; k < 2; ++k) {
    s.body[k] = k == 0 ? c.a : c.b;
    if (s.body[k] < 0) continue;
    s.force[k] = (k == 0 ? -1.0 : 1.0) * c.axes.col[axis];
    s.torque[k] = cross(c.point - bodies[s.body[k]].center, s.force[k]);
  }
  return s;
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

/// Adds block rows of scalar constraints, three in each, to those of contacts.
void add_scalars(const std::vector<Body>& bodies, const std::vector<Contact>& contacts,
                 const std::vector<Scalar>& scalars, FrictionProblem& p) {
  std::vector<std::vector<Scalar>> rows;
  for (const Contact& c : contacts) {
    rows.push_back({axis_of(bodies, c, 0), axis_of(bodies, c, 1), axis_of(bodies, c, 2)});
  }
  for (std::size_t k = 0; k < scalars.size(); ++k) {
    if (k % 3 == 0) rows.emplace_back();
    rows.back().push_back(scalars[k]);
  }
  p.delassus = {};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool is_contact = i < contacts.size();
    for (std::size_t j = 0; j < rows.size(); ++j) {
      Mat3 w{};
      bool is_linked = i == j;
      for (int r = 0; r < std::ssize(rows[i]); ++r) {
        for (int c = 0; c < std::ssize(rows[j]); ++c) {
          w(r, c) = response(bodies, rows[i][r], rows[j][c]);
          is_linked = is_linked || w(r, c) != 0;
        }
      }
      if (!is_linked) continue;
      if (i == j && !is_contact) {
        for (int r = 0; r < 3; ++r) {
          w(r, r) = r < std::ssize(rows[i]) ? (1 + rows[i][r].compliance) * w(r, r) : 1;
        }
      }
      p.delassus.column.push_back(static_cast<std::int32_t>(j));
      p.delassus.block.push_back(w);
    }
    p.delassus.start.push_back(std::ssize(p.delassus.column));
    if (is_contact) continue;
    ImpulseBounds bounds{};
    Vec3 g;
    for (int r = 0; r < std::ssize(rows[i]); ++r) {
      const Scalar& s = rows[i][r];
      bounds.lower[r] = s.lower, bounds.upper[r] = s.upper;
      g[r] = s.bias;
      for (int k = 0; k < 2; ++k) {
        if (s.body[k] < 0) continue;
        g[r] +=
            dot(s.force[k], bodies[s.body[k]].velocity) + dot(s.torque[k], bodies[s.body[k]].spin);
      }
    }
    p.bounds.push_back(bounds);
    p.velocity.push_back(g);
  }
}

/// Limits of either side, servos and dry friction of any strength, joints, and forces that are
/// given.
Scalar random_scalar(std::mt19937& random, const RandomFriction& what, int bodies) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  std::normal_distribution<double> normal;
  const auto vector = [&] { return Vec3{normal(random), normal(random), normal(random)}; };
  Scalar s;
  s.body[0] = static_cast<int>(random() % static_cast<unsigned>(bodies));
  s.body[1] = static_cast<int>(random() % static_cast<unsigned>(bodies));
  if (s.body[1] == s.body[0]) s.body[1] = -1;
  for (int k = 0; k < 2; ++k) s.force[k] = vector(), s.torque[k] = 0.3 * vector();
  s.compliance = what.compliance;
  s.bias = 0.3 * normal(random);
  const double strength = std::pow(10, std::uniform_real_distribution<double>(-6, 3)(random));
  switch (random() % 6) {
    case 0: s.lower = 0, s.upper = inf; break;
    case 1: s.lower = -inf, s.upper = 0; break;
    case 2: s.lower = -strength, s.upper = strength; break;
    case 3: s.lower = -1e-6, s.upper = 1e-6; break;
    case 4: s.lower = -inf, s.upper = inf; break;
    default: s.lower = 0.1, s.upper = s.bias > 0 ? 0.1 : 0.1 + strength;
  }
  const bool is_bounded = std::isfinite(s.lower) && std::isfinite(s.upper);
  if (what.compliance == 0 && !is_bounded) s.bias = 0;  // or there might be no answer
  return s;
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
  if (what.most_scalars > 0) {
    std::vector<Scalar> scalars(1 + below(what.most_scalars));
    for (Scalar& s : scalars) s = random_scalar(random, what, count);
    add_scalars(bodies, contacts, scalars, p);
  }
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

FrictionProblem turned(const FrictionProblem& p, const std::vector<int>& order,
                       const std::vector<double>& angle) {
  const auto axes = [&](int i) {
    const double c = std::cos(angle[i]), s = std::sin(angle[i]);
    return Mat3{{{c, s, 0}, {-s, c, 0}, {0, 0, 1}}};  // new axes in the old ones
  };
  FrictionProblem q;
  q.time_step = p.time_step;
  for (const int i : order) {
    q.velocity.push_back(transpose_times(axes(i), p.velocity[i]));
    q.friction.push_back(p.friction[i]);
    for (std::size_t j = 0; j < order.size(); ++j) {
      const std::int64_t at = p.delassus.find(i, order[j]);
      if (at < 0) continue;
      q.delassus.column.push_back(static_cast<std::int32_t>(j));
      q.delassus.block.push_back(transpose_times(axes(i), p.delassus.block[at] * axes(order[j])));
    }
    q.delassus.start.push_back(std::ssize(q.delassus.column));
  }
  return q;
}

FrictionProblem two_points(double light, double heavy, double time_step) {
  const Mat3 above = 1 / heavy * Mat3::identity(), below = 1 / light * Mat3::identity();
  FrictionProblem p;
  p.delassus.start = {0, 2, 4};
  p.delassus.column = {0, 1, 0, 1};
  p.delassus.block = {below, -1.0 * below, -1.0 * below, below + above};
  p.velocity = {{0, 0, -9.81 * time_step}, {0, 0, 0}};
  p.friction = {0.5, 0.5};
  p.time_step = time_step;
  return p;
}

}  // namespace abut
