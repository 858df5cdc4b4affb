// A problem seen from other axes and another origin has the same answer.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "abut/linalg/rotation.hpp"
#include "abut/solvers/contact_solver.hpp"
#include "support/contact_of.hpp"
#include "support/pile_problem.hpp"
#include "support/random_problem.hpp"

namespace abut {
namespace {

constexpr auto models = convex_models;

/// x -> R x + t
struct Move {
  Mat3 R = Mat3::identity();
  Vec3 t{};
};

Move random_move(std::mt19937& random, double distance) {
  std::normal_distribution<double> normal;
  const auto unit = [&] {
    const Vec3 v{normal(random), normal(random), normal(random)};
    return v / norm(v);
  };
  const Vec3 z = unit(), a = any_perpendicular(z), t = distance * unit();
  const double angle = 3 * normal(random);
  const Vec3 x = std::cos(angle) * a + std::sin(angle) * cross(z, a);
  return {{{x, cross(z, x), z}}, t};
}

void rotate(const Mat3& R, double* v) {
  const Vec3 r = R * Vec3{v[0], v[1], v[2]};
  v[0] = r.x, v[1] = r.y, v[2] = r.z;
}

/// Velocities of rigid bodies and nodes turn; those of dense trees are joint rates and stay.
void rotate_velocities(const ContactProblem& p, const Mat3& R, std::vector<double>& v) {
  for (const Tree& t : p.trees) {
    for (int k = 0; t.kind != TreeKind::dense && k < t.size; k += 3) {
      rotate(R, v.data() + t.first_dof + k);
    }
  }
}

ContactProblem moved(ContactProblem p, const Move& m) {
  rotate_velocities(p, m.R, p.velocity);
  rotate_velocities(p, m.R, p.free_velocity);
  for (Tree& t : p.trees) {
    t.center = m.R * t.center + m.t;
    t.inertia = m.R * t.inertia * transpose(m.R);
  }
  const auto turn_block = [&](double* a, std::ptrdiff_t stride) {  // R a R^T
    Mat3 m3;
    for (int k = 0; k < 9; ++k) m3(k / 3, k % 3) = a[k / 3 * stride + k % 3];
    m3 = m.R * m3 * transpose(m.R);
    for (int k = 0; k < 9; ++k) a[k / 3 * stride + k % 3] = m3(k / 3, k % 3);
  };
  for (std::size_t k = 0; k < p.sparse_matrices.column.size(); ++k) {
    turn_block(p.sparse_matrices.elements.data() + 9 * k, 3);
  }
  ContactPool& c = p.contacts;
  for (int i = 0; i < c.size(); ++i) {
    c.point[i] = m.R * c.point[i] + m.t;
    for (auto* v : {&c.normal, &c.bias, &c.previous_impulse, &c.anchor}) (*v)[i] = m.R * (*v)[i];
  }
  for (ContactBody& body : p.bodies) {
    body.center = m.R * body.center + m.t;
    const int n = body.columns;
    const bool by_node = p.trees[body.tree].kind == TreeKind::sparse;
    for (int k = 0; by_node && k < 2 * body.runs; ++k) {
      const int row = k < body.runs ? 0 : 3, node = k % body.runs;
      turn_block(p.jacobians.data() + body.first_element + row * n + 3 * node, n);
    }
    for (int k = 0; !by_node && k < 2 * n; ++k) {  // three rows each: linear, angular
      double* j = p.jacobians.data() + body.first_element + k / n * 3 * n + k % n;
      const Vec3 r = m.R * Vec3{j[0], j[n], j[2 * n]};
      j[0] = r.x, j[n] = r.y, j[2 * n] = r.z;
    }
  }
  return p;
}

std::vector<ContactProblem> problems(std::mt19937& random, ContactModel model) {
  std::vector<ContactProblem> all;
  all.push_back(make_problem(random, {.model = model, .bodies = 8}));
  all.push_back(make_problem(random, {.model = model, .bodies = 6, .dense_trees = 2}));
  all.push_back(
      make_problem(random, {.model = model, .bodies = 4, .dense_trees = 1, .sparse_trees = 2}));
  all.push_back(make_problem(random, {.model = model, .bodies = 8, .mixed_laws = true}));
  all.push_back(make_pile(random, {.model = model}));
  return all;
}

ContactSolution solve(const ContactProblem& p) {
  validate(p);
  const PreparedProblem q(p);
  ContactSolution x;
  const SolveReport r = make_solver("newton")->solve(q, {.tolerance = 1e-13}, x);
  EXPECT_LE(r.certificate.momentum_error, 1e-11);
  return x;
}

void expect_same_answer(ContactProblem p, const Move& m, double speed, double impulse) {
  ContactProblem q = moved(p, m);
  ContactSolution x = solve(p);
  const ContactSolution y = solve(q);
  rotate_velocities(p, m.R, x.velocity);
  for (std::size_t k = 0; k < x.velocity.size(); ++k) {
    EXPECT_NEAR(x.velocity[k], y.velocity[k], speed) << "dof " << k;
  }
  for (std::size_t i = 0; i < x.impulse.size(); ++i) {
    EXPECT_LT(norm(m.R * x.impulse[i] - y.impulse[i]), impulse) << "contact " << i;
  }
}

// no axis is special, neither for friction nor for the laws
TEST(Invariance, RotatedProblemHasTheRotatedAnswer) {
  std::mt19937 random(1);
  for (const ContactModel model : models) {
    for (const ContactProblem& p : problems(random, model)) {
      for (int trial = 0; trial < 4; ++trial) {
        SCOPED_TRACE(testing::Message() << to_string(model) << ", trial " << trial);
        expect_same_answer(p, random_move(random, 0), 1e-9, 1e-9);
      }
    }
  }
}

// a kilometer off the origin, where coordinates lose three digits; 1e-6 N over the step
TEST(Invariance, MovedProblemHasTheSameAnswer) {
  std::mt19937 random(2);
  for (const ContactModel model : models) {
    for (const ContactProblem& p : problems(random, model)) {
      for (int trial = 0; trial < 4; ++trial) {
        SCOPED_TRACE(testing::Message() << to_string(model) << ", trial " << trial);
        Move m = random_move(random, 1e3);
        expect_same_answer(p, {Mat3::identity(), m.t}, 1e-8, 1e-6 * p.time_step);
        expect_same_answer(p, m, 1e-8, 1e-6 * p.time_step);
      }
    }
  }
}

/// The same with its patches, and the contacts of each, in another order: `from` is where each
/// contact was.
ContactProblem shuffled(const ContactProblem& p, std::mt19937& random, std::vector<int>& from) {
  ContactProblem q = p;
  q.patches.clear();
  q.contacts.clear();
  std::vector<Patch> patches = p.patches;
  std::shuffle(patches.begin(), patches.end(), random);
  // those of a pair of trees stay side by side
  const auto trees = [](const Patch& patch) { return std::pair(patch.tree_a, patch.tree_b); };
  for (std::size_t k = 1; k < patches.size(); ++k) {
    const auto first = std::find_if(patches.begin(), patches.begin() + k, [&](const Patch& other) {
      return trees(other) == trees(patches[k]);
    });
    std::rotate(first, patches.begin() + k, patches.begin() + k + 1);
  }
  const ContactPool& c = p.contacts;
  for (const Patch& patch : patches) {
    std::vector<int> order;
    for (int i = patch.begin; i < patch.end; ++i) order.push_back(i);
    std::shuffle(order.begin(), order.end(), random);
    for (const int i : order) {
      from.push_back(i);
      q.add_contact(patch.tree_a, patch.tree_b, contact_of(c, i), patch.body_a, patch.body_b);
    }
  }
  return q;
}

// nor does it matter in which order contacts come: friction's normal impulses are the same
TEST(Invariance, OrderOfContactsDoesNotMatter) {
  std::mt19937 random(3);
  for (const ContactModel model : models) {
    for (ContactProblem& p : problems(random, model)) {
      const ContactSolution x = solve(p);
      for (int trial = 0; trial < 4; ++trial) {
        SCOPED_TRACE(testing::Message() << to_string(model) << ", trial " << trial);
        std::vector<int> from;
        ContactProblem q = shuffled(p, random, from);
        const ContactSolution y = solve(q);
        double velocity = 0, impulse = 0;
        for (std::size_t k = 0; k < x.velocity.size(); ++k) {
          velocity = std::max(velocity, std::abs(x.velocity[k] - y.velocity[k]));
        }
        for (std::size_t i = 0; i < from.size(); ++i) {
          impulse = std::max(impulse, norm(x.impulse[from[i]] - y.impulse[i]));
        }
        EXPECT_LT(velocity, 1e-9);
        EXPECT_LT(impulse, 1e-9);
      }
    }
  }
}

}  // namespace
}  // namespace abut
