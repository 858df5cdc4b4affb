#include "support/pile_problem.hpp"

#include <cmath>

namespace abut {

ContactProblem make_pile(std::mt19937& random, const PileProblem& what) {
  constexpr double edge = 0.1, mass = 1, inertia = mass * edge * edge / 6;
  std::normal_distribution<double> normal;
  ContactProblem p;
  p.time_step = what.time_step;
  p.model = what.model;
  p.law = what.law;
  p.friction.lagged_rule = what.lagged_rule;

  struct Box {
    int tree, layer;
    double x, y;  ///< of its center, in edges
  };
  std::vector<Box> boxes;
  for (int layer = 0; layer < what.side; ++layer) {
    const int side = what.side - layer;
    for (int k = 0; k < side * side; ++k) {
      const double x = k % side + 0.5 * layer, y = k / side + 0.5 * layer;
      double v[6], free[6];
      for (int i = 0; i < 6; ++i) free[i] = v[i] = 0.1 * normal(random);
      free[2] -= 9.81 * what.time_step;
      const Vec3 center{edge * x, edge * y, edge * (layer + 0.5)};
      const int tree =
          p.add_rigid_body(mass, center, Mat3::diagonal({inertia, inertia, inertia}), v, free);
      boxes.push_back({tree, layer, x, y});
    }
  }
  const auto touch = [&](int a, int b, double x, double y, double width, double z) {
    for (const double dx : {-0.5, 0.5}) {
      for (const double dy : {-0.5, 0.5}) {
        ContactPoint c;
        c.point = {edge * (x + dx * width), edge * (y + dy * width), edge * z};
        c.gap = 5e-5 * (normal(random) - 1);
        c.stiffness = what.stiffness;
        c.friction = 0.6;
        p.add_contact(a, b, c);
      }
    }
  };
  for (const Box& b : boxes) {
    if (b.layer == 0) touch(world_tree, b.tree, b.x, b.y, 0.9, 0);
  }
  for (const Box& a : boxes) {
    for (const Box& b : boxes) {
      if (b.layer != a.layer + 1 || std::abs(a.x - b.x) > 0.6 || std::abs(a.y - b.y) > 0.6)
        continue;
      touch(a.tree, b.tree, (a.x + b.x) / 2, (a.y + b.y) / 2, 0.4, b.layer);
    }
  }
  return p;
}

}  // namespace abut
