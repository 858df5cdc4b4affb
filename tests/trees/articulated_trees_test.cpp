#include "abut/trees/articulated_trees.hpp"

#include "random_links.hpp"

namespace abut {
namespace {

// trees of other sizes in other orders: each has its own part of all vectors, of loads and names
TEST(ArticulatedTrees, HaveTheirOwnPartsOfAllVectors) {
  Random random(11);
  std::vector<std::vector<Link>> all;
  for (int i = 0; i < 4; ++i) all.push_back(branched(random));
  all[1].resize(1), all[3].resize(3);
  all[2] = {random.link(-1, {free}), random.link(0, {hinge})};
  for (auto& links : all) {
    for (Joint& j : links.back().joints) {
      if (j.kind == hinge) j.limited = true, j.lower = -0.01, j.upper = 0.01;
      j.dry_friction = 0.1;
    }
  }
  for (const std::vector<int>& order : {std::vector{0, 1, 2, 3}, {3, 2, 1, 0}, {2, 0}, {1}}) {
    MovingBodies bodies;
    const int free_bodies = static_cast<int>(order.size());  // before them
    for (int k = 0; k < free_bodies; ++k) bodies.add(k);
    ArticulatedTrees trees(free_bodies);
    int body = free_bodies;
    for (const int t : order) {
      EXPECT_EQ(trees.add(all[t], bodies), body);
      body += static_cast<int>(all[t].size());
    }
    ASSERT_EQ(bodies.size(), body);
    std::vector<double> q(trees.positions()), v(trees.dofs()), forces(trees.dofs());
    std::vector<double> allowances(trees.limits(), INFINITY);
    std::vector<Load> loads(body);
    for (double& f : forces) f = random.uniform(-1, 1);
    for (Load& load : loads) load = {random.vector(), random.vector()};
    std::vector<Alone> alone;
    for (int i = 0; i < trees.size(); ++i) {
      const ArticulatedTree& tree = trees.tree(i);
      const std::vector<double> position = numbers(random, tree.positions(), 0.5),
                                velocity = numbers(random, tree.velocities(), 1);
      alone.emplace_back(all[order[i]], position, velocity);
      std::ranges::copy(alone[i].q, trees.coordinates_of(i, std::span(q)).begin());
      std::ranges::copy(alone[i].v, trees.velocities_of(i, std::span(v)).begin());
    }
    trees.update_kinematics(q, v, gravity, bodies);
    ContactProblem problem;
    problem.time_step = 1e-3;
    for (int k = 0; k < free_bodies; ++k) {
      const double rest[6] = {};
      problem.add_rigid_body(1, {}, Mat3::identity(), rest, rest);
    }
    const int names = trees.add_trees(1e-3, loads, forces, allowances, problem).next_name;
    ASSERT_EQ(std::ssize(problem.trees), free_bodies + trees.size());
    double kinetic = 0, potential = 0;
    int first = free_bodies, scalar = 0, name = 0;
    for (int i = 0; i < trees.size(); ++i) {
      SCOPED_TRACE(i);
      Alone& a = alone[i];
      const auto own = trees.velocities_of(i, std::span<const double>(forces));
      std::vector<double> f(own.begin(), own.end());
      for (int link = 0; link < std::ssize(a.tree.links()); ++link) {
        const int b = first + link;
        EXPECT_EQ(bodies.tree[b], free_bodies + i);
        EXPECT_EQ(bodies.center[b], a.tree.link_center(link));
        EXPECT_EQ(bodies.angular_velocity[b], a.tree.link_angular_velocity(link));
        // J^T of the load, by numbers of the Jacobian
        ContactProblem added = problem;
        const int index = trees.add_body(b, free_bodies + i, bodies.center[b], added);
        const std::span<const double> jacobian = added.jacobian_of(index);
        std::vector<double> again(jacobian.size());
        a.tree.get_jacobian(link, bodies.center[b], again);
        EXPECT_TRUE(std::ranges::equal(jacobian, again));
        added.for_each_run(added.bodies[index], [&](int dof, int column, int count) {
          const int n = added.bodies[index].columns;
          for (int k = 0; k < count; ++k) {
            for (int r = 0; r < 3; ++r) {
              f[dof + k] += jacobian[r * n + column + k] * loads[b].force[r] +
                            jacobian[(r + 3) * n + column + k] * loads[b].moment[r];
            }
          }
        });
      }
      a.step(1e-3, f);
      const Tree& tree = problem.trees[free_bodies + i];
      expect_near(a.free, std::span(problem.free_velocity).subspan(tree.first_dof, f.size()),
                  1e-12);
      ContactProblem single;
      single.time_step = 1e-3;
      single.add_tree(a.matrix, a.v, a.free, 1);
      std::vector<double> allowed(a.tree.limits(), INFINITY);
      name = a.tree.add_constraints(1e-3, 0, name, allowed, single);
      for (int k = 0; k < single.scalars.size(); ++k, ++scalar) {
        ASSERT_LT(scalar, problem.scalars.size());
        EXPECT_EQ(problem.scalars.name[scalar], single.scalars.name[k]);
        EXPECT_EQ(problem.scalars.gap[scalar], single.scalars.gap[k]);
        EXPECT_EQ(problem.scalars.row(scalar)[0].tree, free_bodies + i);
        EXPECT_EQ(problem.scalars.row(scalar)[0].dof, single.scalars.row(k)[0].dof);
      }
      expect_near(allowed, trees.limits_of(i, std::span<const double>(allowances)), 0);
      kinetic += a.tree.kinetic_energy(), potential += a.tree.potential_energy(gravity);
      first += static_cast<int>(a.tree.links().size());
    }
    EXPECT_EQ(names, name);
    EXPECT_EQ(scalar, problem.scalars.size());
    EXPECT_NEAR(trees.kinetic_energy(), kinetic, 1e-12 * kinetic);
    EXPECT_NEAR(trees.potential_energy(gravity), potential, 1e-11 * (1 + std::abs(potential)));
  }
}

}  // namespace
}  // namespace abut
