// Momentum in whole worlds: kept in collisions, changed by what contacts report, pair by pair.

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <utility>

#include "abut/problem/contact_kinematics.hpp"
#include "abut/sim/world.hpp"
#include "support/scenes.hpp"

namespace abut {
namespace {

constexpr auto models = convex_models;

WorldOptions options(ContactModel model, double dt) {
  WorldOptions o;
  o.model = model;
  o.time_step = dt;
  return o;
}

// without gravity, colliding spheres keep momentum and angular momentum
TEST(Conservation, OfMomentumInCollisions) {
  Scene s;
  s.gravity = {};
  for (int i = 0; i < 27; ++i) {
    const int b =
        add_sphere(s, 0.3 + 0.1 * i, 0.1, {0.21 * (i % 3), 0.21 * (i / 3 % 3), 0.21 * (i / 9)});
    s.bodies[b].linear_velocity = {0.3 * (1 - i % 3), 0.3 * (1 - i / 3 % 3), 0.5 * (1 - i / 9)};
    s.bodies[b].angular_velocity = {0.1 * i, 1, -0.5};
  }
  set_friction(s, 0.7);
  for (const ContactModel model : models) {
    WorldOptions o = options(model, 2e-3);
    o.tolerance = 1e-13;
    World w(s, o);
    const auto totals = [&] {
      std::pair<Vec3, Vec3> t;
      for (int i = 0; i < 27; ++i) {
        const BodyState b = w.body_state(i);
        const double m = w.scene().bodies[i].mass;
        t.first += m * b.linear_velocity;
        t.second += m * cross(b.position, b.linear_velocity) +
                    w.scene().bodies[i].inertia * b.angular_velocity;
      }
      return t;
    };
    const auto before = totals();
    int contacts = 0;
    for (int i = 0; i < 500; ++i) contacts += w.step().contacts > 0;
    ASSERT_GT(contacts, 50);
    const auto after = totals();
    EXPECT_LT(norm(after.first - before.first), 1e-10) << to_string(model);
    EXPECT_LT(norm(after.second - before.second), 1e-10) << to_string(model);
  }
}

// the impulses on the bodies are what changes their momentum
TEST(Conservation, ImpulsesAreTheChangeOfMomentum) {
  Scene s = clutter(20);
  for (const ContactModel model : models) {
    WorldOptions o = options(model, 2e-3);
    o.tolerance = 1e-10;
    World w(s, o);
    for (int i = 0; i < 300; ++i) {
      Vec3 before, after, impulse;
      for (int b = 0; b < 20; ++b) before += s.bodies[b].mass * w.body_state(b).linear_velocity;
      w.step();
      for (int b = 0; b < 20; ++b) {
        after += s.bodies[b].mass * (w.body_state(b).linear_velocity - 2e-3 * s.gravity);
      }
      for (const Patch& patch : w.problem().patches) {
        if (patch.tree_a != world_tree) continue;
        for (int k = patch.begin; k < patch.end; ++k) impulse += w.solution().impulse[k];
      }
      EXPECT_LT(norm(after - before - impulse), 1e-9) << to_string(model) << ", step " << i;
    }
  }
}

/// Spheres, boxes and capsules that fall on each other sliding and spinning; every third on a free
/// joint.
Scene tumbling() {
  Scene s;
  add_plane(s);
  for (int i = 0; i < 12; ++i) {
    const Vec3 position{0.15 * (i % 2), 0.15 * (i / 2 % 2), 0.12 + 0.21 * (i / 4)};
    const Vec3 velocity{0.5 - 0.1 * i, 0.3 * (i % 3) - 0.2, -0.5}, spin{i - 5.0, 3, 20.0 - 3 * i};
    const Quaternion q = exp_rotation({0.1 * i, 0.05, 0.2 - 0.1 * i});
    const int b = add_box(s, 1 + 0.2 * i, {0.08, 0.07, 0.06}, position, q);
    if (i % 3 == 1) s.geoms.back().shape = Shape::sphere(0.08);
    if (i % 4 == 2) s.geoms.back().shape = Shape::capsule(0.05, 0.05);
    SceneBody& body = s.bodies[b];
    body.linear_velocity = velocity, body.angular_velocity = spin;
    if (i % 3 != 0) continue;
    body.kind = BodyKind::linked;
    SceneJoint joint;
    joint.kind = JointKind::free;
    body.joints = {joint};
    body.joint_positions = {position.x, position.y, position.z, q.w, q.x, q.y, q.z};
    body.joint_velocities = {velocity.x, velocity.y, velocity.z, spin.x, spin.y, spin.z};
  }
  set_friction(s, 0.6);
  return s;
}

/// An impulse and its moment about the world's origin, with the sizes of what they are sums of.
struct Wrench {
  Vec3 impulse, moment;
  double size = 0, moment_size = 0;
};

/// That of the generalized impulses of one body, free or on a free joint.
Wrench wrench_on(const ContactProblem& p, int tree, int body, const Eigen::VectorXd& generalized) {
  Eigen::Matrix<double, 6, 1> x = generalized.segment<6>(p.trees[tree].first_dof);
  Vec3 center = p.trees[tree].center;
  if (body >= 0) {
    center = p.bodies[body].center;
    using Jacobian = Eigen::Matrix<double, 6, 6, Eigen::RowMajor>;
    const Jacobian J =
        Eigen::Map<const Jacobian>(p.jacobians.data() + p.bodies[body].first_element);
    x = J.transpose().lu().solve(x).eval();
  }
  const Vec3 impulse{x[0], x[1], x[2]}, moment{x[3], x[4], x[5]};
  return {impulse, moment + cross(center, impulse)};
}

/// That of the contacts of a patch on B.
Wrench wrench_of(const World& w, const Patch& patch) {
  Wrench sum;
  for (int i = patch.begin; i < patch.end; ++i) {
    const Vec3 gamma = w.solution().impulse[i], point = w.problem().contacts.point[i];
    sum.impulse += gamma, sum.moment += cross(point, gamma);
    sum.size += norm(gamma), sum.moment_size += (1 + norm(point)) * norm(gamma);
  }
  return sum;
}

void expect_wrench(const Wrench& sums, double sign, const Wrench& felt, double tolerance) {
  EXPECT_LE(norm(felt.impulse - sign * sums.impulse), tolerance * sums.size);
  EXPECT_LE(norm(felt.moment - sign * sums.moment), tolerance * sums.moment_size);
}

// pair by pair what A feels is minus what B feels, at the same point; a contact makes no moment
// about its point; all of them are what the step did to each body
TEST(Conservation, EachPairPutsOppositeImpulsesOnItsBodiesAtTheSamePoint) {
  for (const ContactModel model : models) {
    WorldOptions o = options(model, 2e-3);
    o.tolerance = 1e-10;
    World w(tumbling(), o);
    int pairs = 0, between_kinds = 0, sliding = 0;
    for (int step = 0; step < 200; ++step) {
      SCOPED_TRACE(testing::Message() << to_string(model) << ", step " << step);
      w.step();
      const ContactProblem& p = w.problem();
      Eigen::VectorXd total = Eigen::VectorXd::Zero(p.dofs());
      for (const Patch& patch : p.patches) {
        Eigen::VectorXd generalized = Eigen::VectorXd::Zero(p.dofs());
        add_impulses(
            p, patch, [&](int i) -> const Vec3& { return w.solution().impulse[i]; },
            generalized.data());
        total += generalized;
        const Wrench sums = wrench_of(w, patch);
        if (sums.size == 0) continue;
        expect_wrench(sums, 1, wrench_on(p, patch.tree_b, patch.body_b, generalized), 1e-13);
        for (int i = patch.begin; i < patch.end; ++i) {
          const Vec3 gamma = w.solution().impulse[i], n = p.contacts.normal[i];
          const double normal = dot(gamma, n);
          sliding += norm(gamma - normal * n) > 0.99 * p.contacts.friction[i] * normal;
        }
        if (patch.tree_a == world_tree) continue;
        expect_wrench(sums, -1, wrench_on(p, patch.tree_a, patch.body_a, generalized), 1e-13);
        ++pairs;
        between_kinds += (patch.body_a < 0) != (patch.body_b < 0);
      }
      for (const Tree& t : p.trees) {
        const auto at = t.first_dof;
        Eigen::Matrix<double, 6, 1> change, momentum;
        for (int k = 0; k < 6; ++k) {
          change[k] = w.solution().velocity[at + k] - p.free_velocity[at + k];
        }
        for (int r = 0; r < 6; ++r) {
          momentum[r] = 0;
          for (int k = 0; k < 6; ++k) {
            momentum[r] += (t.kind == TreeKind::dense ? p.matrices[t.first_element + 6 * r + k]
                            : r < 3                   ? (r == k) * t.mass
                            : k < 3                   ? 0
                                                      : t.inertia(r - 3, k - 3)) *
                           change[k];
          }
        }
        EXPECT_LT((momentum - total.segment<6>(at)).norm(), 1e-9);
      }
    }
    EXPECT_GT(pairs, 300);
    EXPECT_GT(between_kinds, 50);
    EXPECT_GT(sliding, 300);
  }
}

// nothing happens where nothing is to happen
TEST(Conservation, RestWithoutGravityKeepsEveryBit) {
  Scene s;
  s.gravity = {};
  add_plane(s);
  add_box(s, 1, {0.1, 0.2, 0.3}, {0, 0, 0.3}, exp_rotation({0, 0, 0.7}));
  add_sphere(s, 1, 0.1, {1, 0, 0.1});
  World w(s, options(ContactModel::lagged, 1e-3));
  const std::uint64_t before = w.state_hash();
  for (int i = 0; i < 20000; ++i) w.step();
  EXPECT_EQ(w.state_hash(), before);
}

}  // namespace
}  // namespace abut
