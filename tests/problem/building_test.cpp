// Building a problem: what does not fit is refused with what would, and leaves it as it was.
// Islands and the order of patches against their definitions.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "abut/core/error.hpp"
#include "abut/problem/contact_problem.hpp"
#include "abut/problem/islands.hpp"
#include "support/same_contacts.hpp"

namespace abut {
namespace {

using Numbers = std::vector<double>;

/// A rigid body, a dense tree of two dofs with a body, a sparse one of two nodes with a point.
ContactProblem three_trees() {
  ContactProblem p;
  p.time_step = 1e-2;
  const Numbers v(6), a = {2, 0, 0, 1}, blocks = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  Numbers two = blocks;
  two.insert(two.end(), blocks.begin(), blocks.end());
  p.add_rigid_body(1, {}, Mat3::identity(), std::span(v).first<6>(), std::span(v).first<6>());
  p.add_tree(a, Numbers(2), Numbers(2), 1);
  p.add_sparse_tree(std::vector<std::int64_t>{1, 2}, std::vector{0, 1}, two, v, v, 1);
  p.add_body(1, {}, Numbers(12));
  p.add_point(2, {}, std::vector{1}, Numbers{1});
  return p;
}

// trees that come after begin with their v0
TEST(Building, AFirstGuessGrowsWithTheTrees) {
  ContactProblem p = three_trees();
  EXPECT_TRUE(p.first_guess.empty());
  p.first_guess = Numbers(p.dofs(), 5);
  const Numbers v = {1, 2, 3, 4, 5, 6}, free(6);
  p.add_rigid_body(1, {}, Mat3::identity(), std::span(v).first<6>(), std::span(free).first<6>());
  p.add_tree(std::span(v).first(2), 1);
  Numbers expected(p.dofs(), 5);
  std::copy_n(p.velocity.end() - 8, 8, expected.end() - 8);
  EXPECT_EQ(p.first_guess, expected);
  EXPECT_EQ(p.first_guess.back(), 2);
  p.clear();
  EXPECT_TRUE(p.first_guess.empty());
}

TEST(Building, RefusesWhatDoesNotFit) {
  const Numbers one(1), two(2), three(3), four = {1, 0, 0, 1}, six(6), nine(9);
  const std::vector<std::int64_t> ends = {1, 2};
  const std::vector<std::int32_t> columns = {0, 1};
  const IndexRun whole[] = {{0, 2}}, beyond_end[] = {{1, 3}}, touching[] = {{0, 1}, {1, 2}},
                 none[] = {{1, 1}};
  const RowEntry ascends[] = {{0, 0, 1}, {1, 2, 1}}, falls[] = {{1, 0, 1}, {0, 0, 1}},
                 beyond[] = {{3, 0, 1}}, below[] = {{0, -1, 1}}, world[] = {{world_tree, 0, 1}};
  const std::pair<const char*, std::function<void(ContactProblem&)>> wrong[] = {
      {"add_tree: a tree of n dofs needs n x n, n and n numbers; got 4, 1 and 1",
       [&](auto& p) { p.add_tree(four, one, one, 1); }},
      {"add_tree: a tree of n dofs needs n x n, n and n numbers; got 4, 2 and 1",
       [&](auto& p) { p.add_tree(four, two, one, 1); }},
      {"add_tree: a tree of n dofs needs n x n, n and n numbers; got 0, 0 and 0",
       [&](auto& p) { p.add_tree({}, {}, {}, 1); }},
      {"add_tree: the inverse factor has 4 numbers, must have 16",
       [&](auto& p) { p.add_tree(four, two, two, 1, four); }},
      {"add_sparse_tree: 2 nodes have three velocities each, and a block 9 elements; got 6 and 6 "
       "velocities, 2 columns, 9 elements",
       [&](auto& p) { p.add_sparse_tree(ends, columns, nine, six, six, 1); }},
      {"add_sparse_tree: 0 nodes", [&](auto& p) { p.add_sparse_tree({}, {}, {}, {}, {}, 1); }},
      {"add_body: tree 0 is not a dense tree", [&](auto& p) { p.add_body(0, {}, six); }},
      {"add_body: tree 2 is not a dense tree", [&](auto& p) { p.add_body(2, {}, six); }},
      {"add_body: tree 3 is not a dense tree", [&](auto& p) { p.add_body(3, {}, six); }},
      {"add_body: tree -1 is not a dense tree", [&](auto& p) { p.add_body(-1, {}, six); }},
      {"add_body: the Jacobian of a body of tree 1 has 6 numbers, must have 12",
       [&](auto& p) { p.add_body(1, {}, six); }},
      {"add_body: tree 0 is not a dense tree", [&](auto& p) { p.add_body(0, {}, whole); }},
      {"add_body: runs of the 2 dofs of tree 1 must ascend and not touch; got one from 1 to 3",
       [&](auto& p) { p.add_body(1, {}, beyond_end); }},
      {"add_body: runs of the 2 dofs of tree 1 must ascend and not touch; got one from 1 to 2",
       [&](auto& p) { p.add_body(1, {}, touching); }},
      {"add_body: runs of the 2 dofs of tree 1 must ascend and not touch; got one from 1 to 1",
       [&](auto& p) { p.add_body(1, {}, none); }},
      {"add_point: tree 1 is not a sparse tree",
       [&](auto& p) { p.add_point(1, {}, std::vector{0}, one); }},
      {"add_point: a point needs nodes and a weight of each; got 1 and 2",
       [&](auto& p) { p.add_point(2, {}, std::vector{0}, two); }},
      {"add_point: tree 2 has no node -1",
       [&](auto& p) {
         p.add_point(2, {}, std::vector{0, -1}, two);
       }},
      {"add_patch: a patch has", [&](auto& p) { p.add_patch(world_tree, 0, 0, -1, -1); }},
      {"add_contact: trees 0 and 3", [&](auto& p) { p.add_patch(0, 3, 1, -1, -1); }},
      {"add_contact: trees 1 and 0", [&](auto& p) { p.add_contact(1, 0, {}, 0, -1); }},
      {"add_contact: trees -1 and -1", [&](auto& p) { p.add_contact(-1, -1, {}, -1, -1); }},
      {"add_contact: trees 0 and 3", [&](auto& p) { p.add_contact(0, 3, {}, -1, -1); }},
      {"add_contact: body 0 does not belong to tree 0: a rigid body's must be -1",
       [&](auto& p) { p.add_contact(-1, 0, {}, -1, 0); }},
      {"add_contact: body 0 does not belong to tree -1",
       [&](auto& p) { p.add_contact(-1, 0, {}, 0, -1); }},
      {"add_contact: body 1 does not belong to tree 1",
       [&](auto& p) { p.add_contact(0, 1, {}, -1, 1); }},
      {"add_contact: body 2 does not belong to tree 2",
       [&](auto& p) { p.add_contact(0, 2, {}, -1, 2); }},
      {"add_contact: tree 1 touches itself", [&](auto& p) { p.add_contact(1, 1, {}, 0, 0); }},
      {"add_contact: tree 0 touches itself", [&](auto& p) { p.add_contact(0, 0, {}, -1, -1); }},
      {"add_contact: Jacobian of tree 1 has 3 numbers, must have 6",
       [&](auto& p) { p.add_contact(0, 1, {}, {}, three); }},
      {"add_contact: Jacobian of tree 0 has 3 numbers, must have 0",
       [&](auto& p) { p.add_contact(0, 1, {}, three, six); }},
      {"add_contact: tree 2 is sparse", [&](auto& p) { p.add_contact(1, 2, {}, six, {}); }},
      {"add_scalar: the row of J is empty", [&](auto& p) { p.add_scalar({}, {}); }},
      {"add_scalar: tree 1 has no dof 2", [&](auto& p) { p.add_scalar({}, ascends); }},
      {"add_scalar: trees of a row must ascend and be below 3, got 0",
       [&](auto& p) { p.add_scalar({}, falls); }},
      {"add_scalar: trees of a row must ascend and be below 3, got 3",
       [&](auto& p) { p.add_scalar({}, beyond); }},
      {"add_scalar: trees of a row must ascend and be below 3, got -1",
       [&](auto& p) { p.add_scalar({}, world); }},
      {"add_scalar: tree 0 has no dof -1", [&](auto& p) { p.add_scalar({}, below); }},
  };
  for (const auto& [said, add] : wrong) {
    ContactProblem p = three_trees();
    try {
      add(p);
      ADD_FAILURE() << "passes: " << said;
    } catch (const InputError& e) {
      EXPECT_EQ(std::string(e.what()).substr(0, std::string(said).size()), said);
    }
    const ContactProblem good = three_trees();
    EXPECT_EQ(p.trees.size(), good.trees.size()) << said;
    EXPECT_EQ(p.velocity.size(), good.velocity.size()) << said;
    EXPECT_EQ(p.bodies.size(), good.bodies.size()) << said;
    EXPECT_EQ(p.jacobians.size(), good.jacobians.size()) << said;
    EXPECT_EQ(p.body_runs.size(), good.body_runs.size()) << said;
    EXPECT_EQ(p.contacts.size() + p.scalars.size() + p.patches.size(), 0u) << said;
    EXPECT_NO_THROW(validate(p)) << said;
  }
}

TEST(Building, ABodyHasColumnsForTheDofsThatMoveIt) {
  ContactProblem p;
  Numbers a(25, 0.0), v(5);
  for (int k = 0; k < 5; ++k) a[6 * k] = 1;
  p.add_tree(a, v, v, 1);
  Numbers j(30, 0.0);  // 6 x 5: columns 0, 1 and 4
  j[0] = 1, j[5 * 3 + 1] = 2, j[5 * 5 + 4] = 3;
  const auto runs = [&](int body) {
    const auto r = p.runs_of(p.bodies[body]);
    return std::vector<IndexRun>(r.begin(), r.end());
  };
  const int some = p.add_body(0, {}, j), none = p.add_body(0, {}, Numbers(30));
  EXPECT_EQ(runs(some), (std::vector<IndexRun>{{0, 2}, {4, 5}}));
  EXPECT_EQ(p.bodies[some].columns, 3);
  const auto kept = p.jacobian_of(some);
  EXPECT_EQ(Numbers(kept.begin(), kept.end()),
            (Numbers{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 3}));
  EXPECT_EQ(p.bodies[none].columns, 1) << "of zeros";
  const std::vector<IndexRun> given = {{1, 2}, {3, 5}};
  const int other = p.add_body(0, {}, given);
  EXPECT_EQ(runs(other), given);
  EXPECT_EQ(p.jacobian_of(other).size(), 18u);
  // by three rows of a contact's own, which turn the sign of the first body
  p.add_tree(a, v, v, 1);
  p.add_contact(0, 1, {}, Numbers{0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0}, Numbers(15, 1.0));
  const int first = p.patches.back().body_a;
  EXPECT_EQ(runs(first), (std::vector<IndexRun>{{2, 3}}));
  const auto rows = p.jacobian_of(first);
  EXPECT_EQ(Numbers(rows.begin(), rows.end()), (Numbers{-1, 0, -2, 0, 0, 0}));
  EXPECT_EQ(p.bodies[p.patches.back().body_b].columns, 5);
  p.time_step = 1e-2;
  EXPECT_NO_THROW(validate(p));
}

TEST(Building, AClearedProblemIsLikeANewOne) {
  ContactProblem p = three_trees();
  p.add_contact(0, 1, {}, -1, 0);
  const RowEntry row{2, 5, 1};
  p.add_scalar({}, {&row, 1});
  p.clear();
  p.time_step = 1e-2;
  EXPECT_NO_THROW(validate(p));
  EXPECT_EQ(p.dofs(), 0);
  p = three_trees();
  ContactProblem again = three_trees();
  again.clear();
  const double v[6] = {};
  EXPECT_EQ(again.add_rigid_body(1, {}, Mat3::identity(), v, v), 0);
  EXPECT_EQ(again.add_contact(world_tree, 0, {}), 0);
  EXPECT_NO_THROW(validate(again));
}

std::vector<Patch> random_patches(std::mt19937& random, int trees, int count) {
  std::vector<Patch> patches;
  for (int k = 0; k < count; ++k) {
    const int b = static_cast<int>(random() % trees), a = static_cast<int>(random() % (b + 2)) - 1;
    const int first = k == 0 ? 0 : patches.back().end;
    Patch patch{.tree_a = a, .tree_b = b, .begin = first, .end = first + 1};
    patch.end += static_cast<int>(random() % 3);
    if (a == b) patch.body_a = 0, patch.body_b = 1;
    patches.push_back(patch);
  }
  return patches;
}

/// Trees, velocities and contacts.
void expect_same(const ContactProblem& a, const ContactProblem& b) {
  const auto numbers = [](const Tree& t) {
    return std::tuple(t.kind, t.brings_factor, t.first_dof, t.size, t.mass, t.first_element);
  };
  const auto limits = [](const Patch& p) {
    return std::array{p.tree_a, p.tree_b, p.body_a, p.body_b, p.begin, p.end};
  };
  ASSERT_EQ(a.trees.size(), b.trees.size());
  for (std::size_t t = 0; t < a.trees.size(); ++t) {
    EXPECT_EQ(numbers(a.trees[t]), numbers(b.trees[t]));
    EXPECT_EQ(a.trees[t].center, b.trees[t].center);
    EXPECT_EQ(a.trees[t].inertia, b.trees[t].inertia);
  }
  EXPECT_EQ(a.velocity, b.velocity);
  EXPECT_EQ(a.free_velocity, b.free_velocity);
  EXPECT_EQ(a.first_guess, b.first_guess);
  EXPECT_EQ(a.matrices, b.matrices);
  EXPECT_EQ(a.bodies.size(), b.bodies.size());
  ASSERT_EQ(a.patches.size(), b.patches.size());
  for (std::size_t k = 0; k < a.patches.size(); ++k) {
    EXPECT_EQ(limits(a.patches[k]), limits(b.patches[k]));
  }
  expect_same(a.contacts, b.contacts);
}

// in the place of what was there before, and of more
TEST(Building, BodiesThatAreSetAreLikeAddedOnes) {
  const Mat3 inertia = Mat3::diagonal({1, 2, 3});
  const auto add_contacts = [](ContactProblem& p, int bodies) {
    p.add_contact(world_tree, bodies - 1, {.gap = 0.5}, -1, -1);
  };
  ContactProblem set = three_trees();
  set.first_guess = Numbers(set.dofs(), 5);
  for (const int bodies : {3, 1, 4}) {
    ContactProblem added;
    added.time_step = set.time_step;
    set.begin(bodies);
    set.contacts.resize(0);
    for (int t = bodies - 1; t >= 0; --t) {
      const Numbers v = {1.0 * t, 2, 3, 4, 5, 6}, free = {7, 8, 9, 10, 11, 12.0 * t};
      set.set_rigid_body(t, 1 + t, {1, 2, 3.0 * t}, inertia, std::span(v).first<6>(),
                         std::span(free).first<6>());
    }
    for (int t = 0; t < bodies; ++t) {
      const Numbers v = {1.0 * t, 2, 3, 4, 5, 6}, free = {7, 8, 9, 10, 11, 12.0 * t};
      added.add_rigid_body(1 + t, {1, 2, 3.0 * t}, inertia, std::span(v).first<6>(),
                           std::span(free).first<6>());
    }
    add_contacts(set, bodies), add_contacts(added, bodies);
    expect_same(set, added);
  }
}

TEST(Building, ContactsThatComeAtOnceAreLikeAddedOnes) {
  ContactProblem added = three_trees(), at_once = three_trees();
  const auto number = [](int i) { return ContactPoint{.gap = 0.1 * i, .friction = 0.2 * i}; };
  at_once.contacts.resize(5);
  for (int i = 4; i >= 0; --i) at_once.contacts.set(i, number(i));
  at_once.contacts.own_extras(4).anisotropy = 0.5;
  at_once.add_patch(world_tree, 0, 2, -1, -1);
  at_once.add_patch(world_tree, 0, 1, -1, -1);
  at_once.add_patch(0, 1, 2, -1, 0);
  for (int i = 0; i < 3; ++i) added.add_contact(world_tree, 0, number(i), -1, -1);
  for (int i = 3; i < 5; ++i) added.add_contact(0, 1, number(i), -1, 0);
  added.contacts.own_extras(4).anisotropy = 0.5;
  EXPECT_EQ(at_once.patches.size(), 2u);
  expect_same(at_once, added);
}

// -0 where 0 was, and the other way round
TEST(Building, AContactThatIsSetAgainHasNothingOfTheOldOne) {
  ContactPool pool, fresh;
  pool.resize(1), fresh.resize(1);
  ContactPoint old{.point = {1, 2, 3},
                   .normal = {1, 0, 0},
                   .gap = 1,
                   .weight = 2,
                   .stiffness = 3,
                   .dissipation = 4,
                   .relaxation_time = 5,
                   .friction = 6,
                   .bias = {0, 1, 2},
                   .previous_impulse = {1, 1, 1},
                   .anchor = {-0.0, 3, 0.0},
                   .law = NormalLawKind::hertz};
  const ContactPoint next{.bias = {-0.0, 0, 0}, .anchor = {0.0, 3, -0.0}};
  pool.set(0, old);
  pool.own_extras(0).thickness = 1;
  pool.set(0, next), fresh.set(0, next);
  EXPECT_TRUE(std::signbit(pool.bias[0].x));
  EXPECT_FALSE(std::signbit(pool.anchor[0].x));
  EXPECT_TRUE(std::signbit(pool.anchor[0].z));
  EXPECT_EQ(pool.thickness(0), ContactPoint{}.thickness);
  pool.extras.clear();
  expect_same(pool, fresh);
}

// what move() leaves is that of the kind, for as long as nothing else was said
TEST(Building, AContactHasItsKindUntilItIsSetOtherwise) {
  ContactPool pool;
  pool.resize(2);
  const ContactPoint hard{.stiffness = 3, .friction = 6, .law = NormalLawKind::hertz};
  pool.set(0, hard, 5);
  EXPECT_EQ(pool.kind[0], 5);
  EXPECT_EQ(pool.kind[1], 0);
  pool.move(0, {1, 2, 3}, {1, 0, 0}, -0.1, 2, {4, 5, 6});
  ContactPoint moved = hard;
  moved.point = {1, 2, 3}, moved.normal = {1, 0, 0}, moved.gap = -0.1, moved.weight = 2;
  moved.previous_impulse = {4, 5, 6};
  ContactPool fresh;
  fresh.resize(2);
  fresh.set(0, moved);
  expect_same(pool, fresh);
  pool.own_extras(0).thickness = 1;
  EXPECT_EQ(pool.kind[0], 0);
  pool.set(0, hard, 5);
  EXPECT_EQ(pool.extra[0], -1);
  pool.set(0, hard);
  EXPECT_EQ(pool.kind[0], 0);
  pool.set(0, hard, 5);
  pool.resize(0), pool.resize(1);
  EXPECT_EQ(pool.kind[0], 0);
}

// what is linked by labels that spread until none changes
TEST(Islands, AreWhatIsLinked) {
  std::mt19937 random(1);
  Islands islands;
  for (int trial = 0; trial < 300; ++trial) {
    const int trees = 1 + static_cast<int>(random() % 15);
    const auto patches = random_patches(random, trees, static_cast<int>(random() % 12));
    ScalarPool scalars;
    for (int k = static_cast<int>(random() % 4); k > 0; --k) {
      std::set<int> named;
      while (std::ssize(named) < std::min(trees, k)) {
        named.insert(static_cast<int>(random() % trees));
      }
      std::vector<RowEntry> row;
      for (const int t : named) row.push_back({t, 0, 1});
      scalars.push_back({}, row);
    }
    islands.dormant.clear();
    const int contacts = patches.empty() ? 0 : patches.back().end;
    for (int i = 0; i < contacts && trial % 3 != 0; ++i) islands.dormant.push_back(random() % 2);
    islands.find(trees, patches, scalars);

    std::vector<std::vector<int>> links;
    std::vector<bool> is_awake;
    for (const Patch& p : patches) {
      bool awake = islands.dormant.empty();
      for (int i = p.begin; i < p.end && !awake; ++i) awake = !islands.dormant[i];
      is_awake.push_back(awake);
      if (awake) links.push_back({p.tree_a < 0 ? p.tree_b : p.tree_a, p.tree_b});
    }
    for (int i = 0; i < scalars.size(); ++i) {
      links.emplace_back();
      for (const RowEntry& e : scalars.row(i)) links.back().push_back(e.tree);
    }
    std::vector<int> label(trees, -1);
    for (const auto& link : links) {
      for (const int t : link) label[t] = t;
    }
    for (bool changes = true; changes;) {
      changes = false;
      for (const auto& link : links) {
        for (const int s : link) {
          for (const int t : link) {
            if (label[s] < label[t]) label[t] = label[s], changes = true;
          }
        }
      }
    }
    std::map<int, std::vector<std::int32_t>> expected, its_patches;
    for (int t = 0; t < trees; ++t) {
      if (label[t] >= 0) expected[label[t]].push_back(t);
    }
    for (std::size_t k = 0; k < patches.size(); ++k) {
      if (is_awake[k]) its_patches[label[patches[k].tree_b]].push_back(static_cast<int>(k));
    }
    ASSERT_EQ(islands.size(), std::ssize(expected));
    int island = 0;
    for (const auto& [smallest, members] : expected) {
      EXPECT_TRUE(std::ranges::equal(islands.trees_of(island), members));
      EXPECT_TRUE(std::ranges::equal(islands.patches_of(island), its_patches[smallest]));
      for (const int t : members) EXPECT_EQ(islands.island_of_tree()[t], island);
      ++island;
    }
    for (int t = 0; t < trees; ++t) {
      EXPECT_EQ(islands.island_of_tree()[t] < 0, label[t] < 0) << "tree " << t;
    }
  }
}

// refused exactly if a pair of trees comes back after another, or a pair of bodies after itself
TEST(Patches, OfAPairOfTreesFollowEachOther) {
  std::mt19937 random(2);
  int refused = 0, accepted = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    auto patches = random_patches(random, 3, 1 + static_cast<int>(random() % 4));
    for (Patch& p : patches) p.body_b = static_cast<int>(random() % 2);
    if (trial % 2 == 0) {
      std::stable_sort(patches.begin(), patches.end(), [](const Patch& a, const Patch& b) {
        return std::pair(a.tree_b, a.tree_a) < std::pair(b.tree_b, b.tree_a);  // by other trees
      });
    }
    bool fits = true;
    const auto same_trees = [&](std::size_t i, std::size_t j) {
      return patches[i].tree_a == patches[j].tree_a && patches[i].tree_b == patches[j].tree_b;
    };
    for (std::size_t i = 0; i < patches.size(); ++i) {
      for (std::size_t j = i + 1; j < patches.size(); ++j) {
        if (!same_trees(i, j)) continue;
        for (std::size_t k = i; k < j; ++k) fits = fits && same_trees(i, k);
        fits = fits && (j > i + 1 || patches[i].body_a != patches[j].body_a ||
                        patches[i].body_b != patches[j].body_b);
      }
    }
    ++(fits ? accepted : refused);
    if (fits) {
      EXPECT_NO_THROW(require_patches_by_pair(patches));
    } else {
      EXPECT_THROW(require_patches_by_pair(patches), InputError);
    }
  }
  EXPECT_GT(refused, 200);
  EXPECT_GT(accepted, 200);
}

}  // namespace
}  // namespace abut
