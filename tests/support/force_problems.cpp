#include "support/force_problems.hpp"

#include <algorithm>
#include <cmath>

namespace abut {
namespace {

/// A row of J: what of a body's (a_x, a_y, turn) it has.
struct Entry {
  int body;
  double x, y, turn;
};
struct Row {
  std::vector<Entry> entries;
  double of_velocities = 0;  ///< J v
  double bias = 0;
};

Row row_along(const PlanarScene& scene, int a, int b, double x, double y, double d_x, double d_y) {
  Row row;
  for (const int i : {a, b}) {
    if (i < 0) continue;
    const PlanarScene::Body& body = scene.bodies[i];
    const double sign = i == b ? 1 : -1, r_x = x - body.x, r_y = y - body.y;
    const double turn = r_x * d_y - r_y * d_x;
    row.entries.push_back({i, sign * d_x, sign * d_y, sign * turn});
    row.of_velocities += sign * (d_x * body.v_x + d_y * body.v_y + turn * body.spin);
    row.bias += sign * (d_x * body.a_x + d_y * body.a_y + turn * body.turn -
                        body.spin * body.spin * (d_x * r_x + d_y * r_y));
  }
  return row;
}

std::vector<Row> rows_of(const PlanarScene& scene) {
  std::vector<Row> rows;
  for (const PlanarScene::Contact& c : scene.contacts) {
    rows.push_back(row_along(scene, c.a, c.b, c.x, c.y, c.n_x, c.n_y));
    rows.back().bias += c.normal_bias;
    if (!c.has_tangent) continue;
    rows.push_back(row_along(scene, c.a, c.b, c.x, c.y, c.n_y, -c.n_x));
    rows.back().bias += c.tangent_bias;
  }
  for (const PlanarScene::Joint& j : scene.joints) {
    rows.push_back(row_along(scene, j.a, j.b, j.x, j.y, 1, 0));
    rows.push_back(row_along(scene, j.a, j.b, j.x, j.y, 0, 1));
  }
  return rows;
}

}  // namespace

ForceProblem PlanarScene::forces() const {
  const std::vector<Row> rows = rows_of(*this);
  ForceProblem p;
  for (const Row& r : rows) p.bias.push_back(r.bias);
  for (const Row& r : rows) {
    for (const Row& c : rows) {
      double sum = 0;
      for (const Entry& e : r.entries) {
        for (const Entry& f : c.entries) {
          if (e.body != f.body) continue;
          const Body& body = bodies[e.body];
          sum += (e.x * f.x + e.y * f.y) / body.mass + e.turn * f.turn / body.inertia;
        }
      }
      p.matrix.push_back(sum);
    }
  }
  int at = 0;
  for (const Contact& c : contacts) {
    ForceContact contact{.normal = at++, .friction = c.friction};
    if (c.has_tangent) {
      contact.slip[0] = rows[at].of_velocities;
      contact.tangents[0] = at++;
    }
    p.contacts.push_back(contact);
  }
  while (at < p.rows()) p.bilaterals.push_back({.row = at++});
  return p;
}

void PlanarScene::accelerate(const std::vector<double>& force) {
  const std::vector<Row> rows = rows_of(*this);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const Entry& e : rows[i].entries) {
      Body& b = bodies[e.body];
      b.a_x += e.x * force[i] / b.mass;
      b.a_y += e.y * force[i] / b.mass;
      b.turn += e.turn * force[i] / b.inertia;
    }
  }
}

PlanarScene random_planar_scene(std::mt19937& random, int most_bodies, int most_contacts) {
  std::normal_distribution<double> normal;
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  PlanarScene scene;
  scene.bodies.resize(1 + below(most_bodies));
  for (PlanarScene::Body& b : scene.bodies) {
    b = {.mass = uniform(0.3, 3),
         .inertia = uniform(0.05, 0.5),
         .x = uniform(-1, 1),
         .y = uniform(-1, 1),
         .a_x = normal(random),
         .a_y = normal(random),
         .turn = normal(random)};
  }
  const int count = static_cast<int>(scene.bodies.size());
  scene.contacts.resize(1 + below(std::min(most_contacts, 4 * count)));
  for (PlanarScene::Contact& c : scene.contacts) {
    c.b = below(count);
    c.a = count == 1 || uniform(0, 1) < 0.4 ? -1 : below(count);
    if (c.a == c.b) c.a = -1;
    const double angle = uniform(-3.14159, 3.14159), where = uniform(-3.14159, 3.14159);
    c.n_x = std::cos(angle), c.n_y = std::sin(angle);
    c.x = scene.bodies[c.b].x + 0.5 * std::cos(where);
    c.y = scene.bodies[c.b].y + 0.5 * std::sin(where);
    c.friction = uniform(0.05, 1.2);
  }
  return scene;
}

ForceProblem to_forces(const FrictionProblem& p) {
  const int n = 3 * p.contacts();
  ForceProblem result;
  result.matrix.assign(static_cast<std::size_t>(n) * n, 0);
  for (int i = 0; i < p.contacts(); ++i) {
    for (std::int64_t k = p.delassus.start[i]; k < p.delassus.start[i + 1]; ++k) {
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
          result.matrix[static_cast<std::size_t>(3 * i + r) * n + 3 * p.delassus.column[k] + c] =
              p.delassus.block[k](r, c);
        }
      }
    }
    for (int r = 0; r < 3; ++r) result.bias.push_back(p.velocity[i][r]);
    result.contacts.push_back(
        {.normal = 3 * i + 2, .tangents = {3 * i, 3 * i + 1}, .friction = p.friction[i]});
  }
  return result;
}

ForceProblem stack_of_cubes(int levels, double friction) {
  struct Place {
    int level;  // of the cube above the face
    Vec3 point;
  };
  std::vector<Place> places;
  for (int i = 0; i < levels; ++i) {
    for (const double x : {-0.5, 0.5}) {
      for (const double y : {-0.5, 0.5}) places.push_back({i, {x, y, static_cast<double>(i)}});
    }
  }
  // acceleration of a cube's point along axis r by a force along axis c at another
  const auto response = [&](int cube, const Vec3& to, int r, const Vec3& from, int c) {
    const Vec3 center{0, 0, cube + 0.5};
    Vec3 along_r, along_c;
    along_r[r] = 1, along_c[c] = 1;
    const Vec3 turn = 6.0 * cross(from - center, along_c);  // the inertia is 1/6 kg m^2
    return dot(along_r, along_c + cross(turn, to - center));
  };
  ForceProblem p;
  const int n = 3 * static_cast<int>(places.size());
  for (int i = 0; i < n; ++i) {
    const auto& [to_level, to] = places[i / 3];
    p.bias.push_back(i == 3 * (i / 3) + 2 && to_level == 0 ? -9.81 : 0);
    for (int j = 0; j < n; ++j) {
      const auto& [from_level, from] = places[j / 3];
      double sum = 0;
      for (const int cube : {to_level - 1, to_level}) {
        if (cube < 0 || (cube != from_level && cube != from_level - 1)) continue;
        const double sign = (cube == to_level) == (cube == from_level) ? 1 : -1;
        sum += sign * response(cube, to, i % 3, from, j % 3);
      }
      p.matrix.push_back(sum);
    }
  }
  for (int i = 0; i < n; i += 3) {
    p.contacts.push_back({.normal = i + 2, .tangents = {i, i + 1}, .friction = friction});
  }
  return p;
}

ForceProblem without_friction(const ForceProblem& p) {
  ForceProblem result;
  for (const ForceContact& c : p.contacts) {
    for (const ForceContact& d : p.contacts) result.matrix.push_back(p.entry(c.normal, d.normal));
    result.bias.push_back(p.bias[c.normal]);
    result.contacts.push_back({.normal = static_cast<int>(result.contacts.size())});
  }
  return result;
}

}  // namespace abut
