#pragma once

#include <cmath>

#include "abut/solvers/contact_solver.hpp"

namespace abut {

/// A point mass over a surface, simulated through the core alone: free along x and z, or held along
/// x. The surface may move along x. For closed forms of one contact.
struct PointOnBelt {
  ContactModel model = ContactModel::lagged;
  NormalLawKind law = NormalLawKind::hunt_crossley;
  FrictionParameters friction{};
  double mass = 1, gravity = 9.81, dt = 1e-3;
  double stiffness = 1e7, dissipation = 0, relaxation_time = 1e-4, mu = 0.7;
  double belt_speed = 0;  ///< along x [m/s]
  double push = 0;        ///< along x [N]
  bool held = false;      ///< no motion along x
  std::shared_ptr<const ForceTable> table{};

  double x = 0, z = 0, vx = 0, vz = 0;
  Vec3 impulse{};
  SolveReport report{};
  double tolerance = 1e-12;

  void step() {
    ContactProblem p;
    p.time_step = dt;
    p.model = model;
    p.law = law;
    p.friction = friction;
    const int n = held ? 1 : 2;
    const double a[4] = {mass, 0, 0, mass};
    const double v2[2] = {vx, vz}, f2[2] = {vx + dt * push / mass, vz - dt * gravity};
    const double j2[6] = {1, 0, 0, 0, 0, 1};  // rows x, y, z
    const double v1[1] = {vz}, f1[1] = {vz - dt * gravity}, j1[3] = {0, 0, 1};
    if (held) {
      p.add_tree({a, 1}, v1, f1, mass);
    } else {
      p.add_tree(a, v2, f2, mass);
    }
    ContactPoint c{.normal = {0, 0, 1},
                   .gap = z,
                   .stiffness = stiffness,
                   .dissipation = dissipation,
                   .relaxation_time = relaxation_time,
                   .friction = mu,
                   .bias = {-belt_speed, 0, 0},
                   .previous_impulse = impulse,
                   .table = table};
    p.add_contact(world_tree, 0, c, {}, held ? std::span<const double>(j1) : j2);
    const PreparedProblem q(p);
    report = solver->solve(q, {.tolerance = tolerance}, solution);
    vx = held ? 0 : solution.velocity[0];
    vz = solution.velocity[n - 1];
    x += dt * vx;
    z += dt * vz;
    impulse = solution.impulse[0];
    mobility = q.contacts().mobility[0];
    rn = model == ContactModel::sap ? q.contacts().normal_regularization[0] : 0;
    rt = q.contacts().tangential_regularization[0];
    solution.velocity.clear();
  }
  void run(double seconds) {
    for (int i = 0; i < std::lround(seconds / dt); ++i) step();
  }

  double mobility = 0, rn = 0, rt = 0;  ///< of the last step
  ContactSolution solution{};
  std::unique_ptr<ContactSolver> solver = make_solver("newton");
};

}  // namespace abut
