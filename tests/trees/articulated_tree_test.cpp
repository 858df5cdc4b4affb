// Mechanisms by what defines their quantities: energies, motion of points, the step's equation, the
// constraints that joints bring.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "abut/trees/articulated_tree.hpp"
#include "abut/trees/limits.hpp"

namespace abut {
namespace {

constexpr Vec3 gravity{0.3, -0.2, -9.81};

double uniform(std::mt19937& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}
Vec3 vector(std::mt19937& random) {
  std::normal_distribution<double> normal;
  return {normal(random), normal(random), normal(random)};
}
Vec3 unit(std::mt19937& random) {
  const Vec3 v = vector(random);
  return v / norm(v);
}

/// A floating trunk; on it an arm with a ball joint, and on that a hinge and a slide in one link;
/// a second arm of a slide.
std::vector<Link> floating_links(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Link> links(4);
  const int parents[] = {-1, 0, 1, 0};
  for (int i = 0; i < 4; ++i) {
    Link& link = links[i];
    link.parent = parents[i];
    link.pose = {0.3 * vector(random), to_matrix(exp_rotation(vector(random)))};
    link.mass = uniform(random, 0.5, 3);
    link.center_of_mass = 0.2 * vector(random);
    const Vec3 arm = vector(random);
    link.inertia = 0.02 * Mat3::identity() + (-0.01) * (Mat3::skew(arm) * Mat3::skew(arm));
    const auto add = [&](JointKind kind) {
      Joint joint;
      joint.kind = kind;
      joint.axis = unit(random);
      if (kind == JointKind::hinge || kind == JointKind::ball) joint.anchor = 0.1 * vector(random);
      if (kind != JointKind::free) {
        joint.armature = uniform(random, 0, 0.1);
        joint.damping = uniform(random, 0, 2);
      }
      if (kind == JointKind::hinge || kind == JointKind::slide) {
        joint.reference = uniform(random, -1, 1);
        joint.stiffness = uniform(random, 0, 50);
        joint.spring_reference = uniform(random, -1, 1);
      }
      link.joints.push_back(joint);
    };
    if (i == 0) add(JointKind::free);
    if (i == 1) add(JointKind::ball);
    if (i == 2) add(JointKind::hinge), add(JointKind::slide);
    if (i == 3) add(JointKind::slide);
  }
  return links;
}

struct State {
  std::vector<double> q, v;
};
State random_state(ArticulatedTree& tree, unsigned seed, double speed = 2) {
  std::mt19937 random(seed + 100);
  std::vector<double> position(tree.positions()), velocity(tree.velocities());
  for (double& x : position) x = uniform(random, -1, 1);
  for (double& x : velocity) x = uniform(random, -speed, speed);
  State s{position, velocity};
  tree.from_joints(position, velocity, s.q, s.v);
  tree.update(s.q, s.v, gravity);
  return s;
}

/// The state a time `dt` after, at the same velocities in their own frames.
State moved(ArticulatedTree& tree, const State& s, double dt) {
  State to = s;
  tree.update(s.q, s.v, gravity);
  std::vector<double> none(s.v.size()), matrix(s.v.size() * s.v.size()),
      factor(s.v.size() * s.v.size() + 64 * s.v.size()), free(s.v.size());
  tree.free_motion(1e-9, none, {}, matrix, factor, free);  // no parts: integrate() starts at q
  tree.integrate(dt, s.v, to.q);
  return to;
}

double sum_over_links(const ArticulatedTree& tree, const std::vector<Link>& links) {
  double energy = 0;
  for (int i = 0; i < std::ssize(links); ++i) {
    const Mat3 R = tree.link_pose(i).R;
    const Vec3 w = transpose_times(R, tree.link_angular_velocity(i));
    energy += 0.5 * links[i].mass * squared_norm(tree.link_linear_velocity(i)) +
              0.5 * dot(w, links[i].inertia * w);
  }
  return energy;
}

TEST(ArticulatedTree, KineticEnergyIsThatOfItsLinksAndRotors) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const std::vector<Link> links = floating_links(seed);
    ArticulatedTree tree(links);
    const State s = random_state(tree, seed);
    double expected = sum_over_links(tree, links);
    int at = 0;
    for (const Link& link : links) {
      for (const Joint& joint : link.joints) {
        for (int k = 0; k < velocity_count(joint.kind); ++k, ++at) {
          expected += 0.5 * joint.armature * s.v[at] * s.v[at];
        }
      }
    }
    EXPECT_NEAR(tree.kinetic_energy(), expected, 1e-12 * expected) << seed;
  }
}

// of a joint's state and back, whatever the length of its quaternion
TEST(ArticulatedTree, JointStatesComeBack) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    ArticulatedTree tree(floating_links(seed));
    const State s = random_state(tree, seed);
    std::vector<double> position(s.q.size()), velocity(s.v.size());
    tree.to_joints(s.q, s.v, position, velocity);
    for (const int quaternion : {3, 7}) {
      double square = 0;
      for (int k = 0; k < 4; ++k) {
        square += position[quaternion + k] * position[quaternion + k];
        position[quaternion + k] *= 3;
      }
      EXPECT_NEAR(square, 1, 1e-14);
    }
    State back = s;
    tree.from_joints(position, velocity, back.q, back.v);
    for (std::size_t k = 0; k < s.q.size(); ++k) EXPECT_NEAR(back.q[k], s.q[k], 1e-14) << k;
    for (std::size_t k = 0; k < s.v.size(); ++k) EXPECT_NEAR(back.v[k], s.v[k], 1e-14) << k;
  }
}

// the free joint's velocity is that of the link's origin, in the parent's axes
TEST(ArticulatedTree, AFreeJointSpeaksOfItsOrigin) {
  ArticulatedTree tree(floating_links(3));
  const State s = random_state(tree, 3);
  std::vector<double> position(s.q.size()), velocity(s.v.size());
  tree.to_joints(s.q, s.v, position, velocity);
  const Pose X = tree.link_pose(0);
  EXPECT_LT(norm(X.p - Vec3{position[0], position[1], position[2]}), 1e-14);
  const Vec3 w = tree.link_angular_velocity(0);
  const Vec3 at_origin = tree.link_linear_velocity(0) + cross(w, X.p - tree.link_center(0));
  EXPECT_LT(norm(at_origin - Vec3{velocity[0], velocity[1], velocity[2]}), 1e-13);
  EXPECT_LT(norm(w - X.R * Vec3{velocity[3], velocity[4], velocity[5]}), 1e-13);
}

// J v is how points of a link move, and J^T how loads act: the power of a load is F . v + M . w
TEST(ArticulatedTree, JacobianIsOfThePointsMotion) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    std::mt19937 random(seed);
    const std::vector<Link> links = floating_links(seed);
    ArticulatedTree tree(links);
    const State s = random_state(tree, seed);
    const std::size_t n = s.v.size();
    for (int link = 0; link < std::ssize(links); ++link) {
      tree.update(s.q, s.v, gravity);
      const Vec3 local = 0.5 * vector(random), point = tree.link_pose(link) * local;
      std::vector<double> moving;  // velocities that move it
      int last = -1;
      for (const IndexRun& run : tree.support(link)) {
        EXPECT_TRUE(last < run.begin && run.begin < run.end) << "runs ascend and do not touch";
        last = run.end;
        moving.insert(moving.end(), s.v.begin() + run.begin, s.v.begin() + run.end);
      }
      std::vector<double> jacobian(6 * moving.size());
      tree.get_jacobian(link, point, jacobian);
      double rate[6] = {};
      for (int r = 0; r < 6; ++r) {
        for (std::size_t c = 0; c < moving.size(); ++c) {
          rate[r] += jacobian[r * moving.size() + c] * moving[c];
        }
      }
      const Vec3 v{rate[0], rate[1], rate[2]}, w{rate[3], rate[4], rate[5]};
      EXPECT_LT(norm(w - tree.link_angular_velocity(link)), 1e-12);

      const Vec3 force = vector(random), moment = vector(random);
      std::vector<double> forces(n, 0);
      tree.add_load(link, point, force, moment, forces);
      double power = 0;
      for (std::size_t c = 0; c < n; ++c) power += forces[c] * s.v[c];
      EXPECT_NEAR(power, dot(force, v) + dot(moment, w), 1e-11);

      constexpr double d = 1e-5;
      const State ahead = moved(tree, s, d), behind = moved(tree, s, -d);
      tree.update(ahead.q, s.v, gravity);
      const Vec3 far = tree.link_pose(link) * local;
      tree.update(behind.q, s.v, gravity);
      const Vec3 near = tree.link_pose(link) * local;
      EXPECT_LT(norm((far - near) / (2 * d) - v), 1e-7 * (1 + norm(v))) << "link " << link;
    }
  }
}

// A (v* - v) = h (f - C v - g - K (q - q_s) - (D + h K) v), where links turn slowly
TEST(ArticulatedTree, FreeMotionSolvesTheStepsEquation) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    std::mt19937 random(seed);
    const std::vector<Link> links = floating_links(seed);
    ArticulatedTree tree(links);
    const State s = random_state(tree, seed);
    const std::size_t n = s.v.size();
    constexpr double h = 1e-3;
    std::vector<double> forces(n), matrix(n * n), factor(n * n + 64 * n), free(n);
    for (double& f : forces) f = uniform(random, -5, 5);
    tree.free_motion(h, forces, {}, matrix, factor, free);
    std::vector<double> position(s.q.size()), velocity(n);
    tree.to_joints(s.q, s.v, position, velocity);
    int at = 0, coordinate = 0;
    for (const Link& link : links) {
      for (const Joint& j : link.joints) {
        for (int k = 0; k < velocity_count(j.kind); ++k, ++at) {
          const bool has_spring = j.kind == JointKind::hinge || j.kind == JointKind::slide;
          const double stiffness = has_spring ? j.stiffness : 0;
          const double stretch = position[coordinate] - j.spring_reference;
          double left = 0;
          for (std::size_t c = 0; c < n; ++c) left += matrix[at * n + c] * (free[c] - s.v[c]);
          const double right =
              h * (forces[at] - tree.bias_forces()[at] - (has_spring ? stiffness * stretch : 0) -
                   (j.damping + h * stiffness) * s.v[at]);
          EXPECT_NEAR(left, right, 1e-11) << "seed " << seed << ", velocity " << at;
          EXPECT_NEAR(matrix[at * n + at] - tree.mass_matrix()[at * n + at],
                      h * j.damping + h * h * stiffness, 1e-12);
        }
        coordinate += position_count(j.kind);
      }
    }
  }
}

/// A fixed base with a hinge and, on it, a slide; both limited, both with dry friction.
ArticulatedTree limited_tree() {
  std::vector<Link> links(2);
  for (int i = 0; i < 2; ++i) {
    links[i].parent = i - 1;
    links[i].mass = 1;
    links[i].inertia = Mat3::identity();
    Joint j;
    j.kind = i == 0 ? JointKind::hinge : JointKind::slide;
    j.limited = true, j.lower = -1, j.upper = 1;
    j.reference = 0.25;
    j.dry_friction = 3 + i;
    j.limit_stiffness = 100 * (i + 1);
    links[i].joints = {j};
  }
  return ArticulatedTree(links);
}

/// The limits that are in the problem of a step: gaps by name.
struct Limits {
  std::vector<int> names;
  std::vector<double> gaps;
};
Limits limits_at(ArticulatedTree& tree, double hinge, double slide, double speed, double dt,
                 std::span<double> allowances) {
  const std::vector<double> position{hinge, slide}, velocity{speed, 0};
  State s{position, velocity};
  tree.from_joints(position, velocity, s.q, s.v);
  tree.update(s.q, s.v, {});
  ContactProblem problem;
  problem.time_step = dt;
  problem.add_tree(tree.mass_matrix(), s.v, s.v, tree.heaviest_mass());
  EXPECT_EQ(tree.add_constraints(dt, 0, 10, allowances, problem), 16);
  Limits found;
  const ScalarPool& pool = problem.scalars;
  for (int i = 0; i < pool.size(); ++i) {
    const int joint = pool.row(i)[0].dof;
    EXPECT_EQ(pool.row(i).size(), 1u);
    if (pool.kind[i] == ScalarKind::dry_friction) {
      EXPECT_EQ(pool.upper_force[i], 3 + joint);
      EXPECT_EQ(pool.lower_force[i], -3 - joint);
      EXPECT_EQ(pool.name[i], 10 + 3 * joint);
      continue;
    }
    EXPECT_EQ(pool.kind[i], ScalarKind::limit);
    EXPECT_EQ(pool.stiffness[i], 100 * (joint + 1));
    EXPECT_DOUBLE_EQ(pool.relaxation_time[i], dt / std::numbers::pi);
    // below, c is the velocity; above, its opposite
    EXPECT_EQ(pool.row(i)[0].value, pool.name[i] % 3 == 2 ? 1 : -1);
    found.names.push_back(pool.name[i]);
    found.gaps.push_back(pool.gap[i]);
  }
  return found;
}

// those that are near, of a slide by its range, or are approached; each keeps its name
TEST(ArticulatedTree, LimitsThatMayMatterAreInTheProblem) {
  ArticulatedTree tree = limited_tree();
  ASSERT_EQ(tree.limits(), 2);
  constexpr double inf = std::numeric_limits<double>::infinity();
  const auto names = [&](double hinge, double speed, double slide = 0) {
    std::vector<double> allowances(2, inf);
    return limits_at(tree, hinge, slide, speed, 1e-2, allowances).names;
  };
  EXPECT_EQ(names(0, 0), (std::vector<int>{}));
  EXPECT_EQ(names(-0.96, 0), (std::vector<int>{11}));
  EXPECT_EQ(names(0.96, 0), (std::vector<int>{12}));
  EXPECT_EQ(names(0.9, 2), (std::vector<int>{})) << "0.1 rad away, 0.04 in two steps";
  EXPECT_EQ(names(0.9, 3), (std::vector<int>{12}));
  EXPECT_EQ(names(0.9, -3), (std::vector<int>{}));
  EXPECT_EQ(names(0, 0, -0.91), (std::vector<int>{14})) << "a twentieth of its range of 2 m";
  EXPECT_EQ(names(0, 0, 0.89), (std::vector<int>{}));
  EXPECT_EQ(names(0, 0, 0.91), (std::vector<int>{15}));
}

// beyond a limit the joint is asked back by 0.1 rad/s and no faster; what it has come back by it
// may not lose again
TEST(ArticulatedTree, WhatIsBeyondALimitIsAskedBackSlowly) {
  ArticulatedTree tree = limited_tree();
  std::vector<double> allowances(2, std::numeric_limits<double>::infinity());
  constexpr double dt = 1e-2, way = (dt + dt / std::numbers::pi) * 0.1;
  const auto gap = [&](double hinge) {
    return limits_at(tree, hinge, 0, 0, dt, allowances).gaps.at(0);
  };
  EXPECT_NEAR(gap(1.5), -way, 1e-15);
  EXPECT_NEAR(allowances[0], 0.5 - way, 1e-15);
  EXPECT_NEAR(gap(1.5), -way, 1e-15) << "it was held there";
  EXPECT_NEAR(gap(1.4), -way, 1e-15);
  EXPECT_NEAR(gap(1.5), -0.1 - way, 1e-15) << "pushed out again: the spring resists";
  EXPECT_NEAR(gap(0.98), 0.02, 1e-15);
  EXPECT_EQ(allowances[0], 0);
  EXPECT_NEAR(gap(1.5), -0.5, 1e-15);
  EXPECT_EQ(allowances[1], 0) << "the slide's, which was never beyond";
}

TEST(ArticulatedTree, TellsTheJointThatMovesNothing) {
  std::vector<Link> links(2);
  for (int i = 0; i < 2; ++i) {
    links[i].parent = i - 1;
    links[i].joints.resize(1);
    links[i].joints[0].axis = {0, 0, 1};
  }
  links[0].mass = 2;
  links[0].inertia = Mat3::identity();
  const auto massless = [&] {
    ArticulatedTree tree(links);
    tree.update(std::vector<double>(2), std::vector<double>(2), gravity);
    return tree.massless_velocity();
  };
  EXPECT_EQ(massless(), 1);
  links[1].joints[0].armature = 1e-6;
  EXPECT_EQ(massless(), -1);
  links[1].joints[0].armature = 0;
  links[1].mass = 1;
  EXPECT_EQ(massless(), 1) << "a point on its axis";
  links[1].center_of_mass = {0.1, 0, 0};
  EXPECT_EQ(massless(), -1);
}

}  // namespace
}  // namespace abut
