#include "abut/sim/contact_query.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "abut/sim/world.hpp"
#include "support/same_contacts.hpp"
#include "support/scenes.hpp"

namespace abut {
namespace {

using Key = std::tuple<int, int, std::uint32_t>;

std::map<Key, ContactId> ids(const World& world) {
  std::map<Key, ContactId> found;
  for (const ContactSource& s : world.contact_sources()) {
    EXPECT_TRUE(found.emplace(Key{s.geom_a, s.geom_b, s.feature}, s.id).second);
  }
  return found;
}

TEST(ContactQuery, IdsOfARestingBoxPersist) {
  Scene s;
  add_plane(s);
  add_box(s, 1, {0.1, 0.1, 0.1}, {0, 0, 0.1});
  add_box(s, 1, {0.05, 0.05, 0.05}, {0.01, 0.02, 0.25}, exp_rotation({0, 0, 0.3}));
  World world(s);
  world.step();
  const auto first = ids(world);
  EXPECT_EQ(first.size(), 8u);
  for (int i = 0; i < 100; ++i) {
    world.step();
    EXPECT_EQ(ids(world), first) << "step " << i;
  }
}

// a contact that is lost and found again is another contact
TEST(ContactQuery, IdsAreNotGivenTwice) {
  Scene s;
  add_plane(s);
  add_sphere(s, 1, 0.1, {0, 0, 0.1});
  World world(s);
  world.step();
  const ContactId first = world.contact_sources()[0].id;
  BodyState state = world.body_state(0);
  state.position.z = 1;
  world.set_body_state(0, state);
  world.step();
  EXPECT_TRUE(world.contact_sources().empty());
  state.position.z = 0.1, state.linear_velocity = {};
  world.set_body_state(0, state);
  world.step();
  ASSERT_EQ(world.contact_sources().size(), 1u);
  EXPECT_NE(world.contact_sources()[0].id, first);
}

// each pair has its own, also when others come and go before it in the order
TEST(ContactQuery, APairKeepsItsNormalWhileItLasts) {
  Scene s;
  add_plane(s);
  add_box(s, 1, {0.1, 0.1, 0.1}, {0, 0, 0.1});
  add_box(s, 1, {0.05, 0.05, 0.05}, {0.01, 0.02, 0.25}, exp_rotation({0, 0, 0.3}));
  add_sphere(s, 1, 0.1, {0.3, 0, 0.15});
  WorldOptions options;
  options.time_step = 2e-3;
  World world(s, options);
  std::set<std::size_t> counts;
  for (int i = 0; i < 100; ++i) {
    world.step();
    const Snapshot now = world.snapshot();
    std::map<std::pair<int, int>, Vec3> known;
    for (const ContactPair& p : now.state.contacts.pairs) {
      EXPECT_TRUE(known.emplace(std::pair(p.geom_a, p.geom_b), p.memory.normal).second);
      EXPECT_NEAR(norm(p.memory.normal), 1, 1e-12);
    }
    counts.insert(known.size());
    for (const ContactSource& c : world.contact_sources()) {
      ASSERT_TRUE(known.contains({c.geom_a, c.geom_b}));
      const Vec3 n = known[{c.geom_a, c.geom_b}];
      EXPECT_NEAR(std::abs(n.z), 1, 1e-3) << "step " << i;  // all of them lie on each other
    }
  }
  EXPECT_EQ(counts, (std::set<std::size_t>{2, 3}));  // the sphere falls
}

int contacts_after_a_step(const Scene& s, double margin = 2e-3) {
  WorldOptions options;
  options.margin = margin;
  World world(s, options);
  world.step();
  return static_cast<int>(world.contact_sources().size());
}

TEST(ContactQuery, HonoursFilters) {
  Scene s;
  s.gravity = {};
  add_sphere(s, 1, 0.1, {0, 0, 0});
  add_sphere(s, 1, 0.1, {0.19, 0, 0});
  EXPECT_EQ(contacts_after_a_step(s), 1);

  Scene types = s;  // one of type & affinity, affinity & type must share a bit
  types.geoms[0].contact_type = 2, types.geoms[0].contact_affinity = 4;
  types.geoms[1].contact_type = 1, types.geoms[1].contact_affinity = 1;
  EXPECT_EQ(contacts_after_a_step(types), 0);
  types.geoms[1].contact_type = 4;
  EXPECT_EQ(contacts_after_a_step(types), 1);
  types.geoms[1].contact_type = 0, types.geoms[1].contact_affinity = 2;
  EXPECT_EQ(contacts_after_a_step(types), 1);
  types.geoms[0].contact_type = 0;
  EXPECT_EQ(contacts_after_a_step(types), 0);

  Scene excluded = s;
  excluded.excluded_bodies = {{1, 0}};
  EXPECT_EQ(contacts_after_a_step(excluded), 0);

  Scene fixed = s;  // with the world's shapes, and with other bodies
  fixed.bodies[0].kind = BodyKind::fixed;
  EXPECT_EQ(contacts_after_a_step(fixed), 1);
  fixed.excluded_bodies = {{0, 1}};
  EXPECT_EQ(contacts_after_a_step(fixed), 0);
  fixed.excluded_bodies.clear();
  fixed.bodies[1].kind = BodyKind::fixed;
  EXPECT_EQ(contacts_after_a_step(fixed), 0);

  Scene one_body = s;
  one_body.geoms[1].body = 0, one_body.geoms[1].pose.p = {0.1, 0, 0};
  one_body.bodies[1].position = {5, 0, 0};
  EXPECT_EQ(contacts_after_a_step(one_body), 0);
}

// A point is taken if its gap, now or after a step at the present velocity, is within the margin;
// searched for no farther than the body's radius.
TEST(ContactQuery, TheMarginGrowsWithTheSpeedOfApproach) {
  const double margin = 2e-3, dt = 2e-3;
  const auto found = [&](double gap, double speed) {
    Scene s;
    s.gravity = {}, s.time_step = dt;
    add_plane(s);
    add_sphere(s, 1, 0.1, {0, 0, 0.1 + gap});
    s.bodies[0].linear_velocity = {0, 0, -speed};
    return contacts_after_a_step(s, margin) == 1;
  };
  EXPECT_TRUE(found(1.99e-3, 0));
  EXPECT_FALSE(found(2.01e-3, 0));
  EXPECT_TRUE(found(1.99e-3, -10)) << "within the margin although it leaves";
  EXPECT_FALSE(found(2.01e-3, -10));
  EXPECT_TRUE(found(11.9e-3, 5));  // 2 mm + 2 ms * 5 m/s
  EXPECT_FALSE(found(12.1e-3, 5));
  EXPECT_TRUE(found(0.1019, 50)) << "one radius and the margin in a step of 0.1 m";
  EXPECT_FALSE(found(0.1021, 50));
  EXPECT_FALSE(found(0.1021, 500)) << "no farther than the radius";
}

TEST(ContactQuery, FindsWhatBruteForceFindsInAMovingClutter) {
  const Scene s = clutter(60);
  World world(s);
  std::set<std::pair<int, int>> ever;
  std::vector<Pose> poses;
  for (int step = 0; step < 600; ++step) {
    poses.clear();
    for (const SceneGeom& g : s.geoms) {
      if (g.body == world_body) {
        poses.push_back(g.pose);
      } else {
        const BodyState body = world.body_state(g.body);
        poses.push_back(Pose{body.position, to_matrix(body.orientation)} * g.pose);
      }
    }
    world.step();
    if (step % 10 != 0) continue;
    std::set<std::pair<int, int>> found;
    for (const ContactSource& c : world.contact_sources()) {
      found.insert(std::minmax(c.geom_a, c.geom_b));
    }
    // what was within the margin at the step's start must be there
    const int count = static_cast<int>(s.geoms.size());
    for (int a = 0; a < count; ++a) {
      for (int b = a + 1; b < count; ++b) {
        if (s.geoms[a].body == s.geoms[b].body) continue;
        Manifold m;
        const auto margin_of = [&](int g) {
          return s.geoms[g].body == world_body ? HUGE_VAL : speculative_margin(s.geoms[g].shape);
        };
        const double margin = std::min(margin_of(a), margin_of(b));
        if (margin == HUGE_VAL) continue;
        collide(s.geoms[a].shape, poses[a], s.geoms[b].shape, poses[b], margin, m);
        if (m.size == 0) continue;
        EXPECT_TRUE(found.contains({a, b})) << "geoms " << a << ", " << b << " at step " << step;
        ever.insert({a, b});
      }
    }
  }
  EXPECT_GT(ever.size(), 100u);
}

// Contacts of many kinds come and go at the same places of a problem: they have what those of a
// world have whose problem was never filled.
TEST(ContactQuery, ContactsHaveWhatIsTheirsWhateverWasInTheirPlace) {
  for (const ContactModel model :
       {ContactModel::sap, ContactModel::similar, ContactModel::anchored}) {
    Scene s = clutter(40);
    for (int g = 0; g < std::ssize(s.geoms); ++g) {
      SceneGeom& geom = s.geoms[g];
      geom.material.friction = 0.3 + 0.2 * (g % 3);
      geom.material.stiffness = 1e6 * (1 + g % 2);
      if (g % 5 == 1) geom.material.static_friction = 1.2;
      if (g % 7 == 0) geom.surface_velocity = {0.1, 0, 0};
      if (g % 5 == 3) geom.material.cross_friction = 0.1;
    }
    WorldOptions o;
    o.model = model;
    World world(s, o);
    std::set<int> kinds;
    int extras = 0;
    for (int step = 0; step < 500; ++step) {
      const auto fresh = step % 10 == 0 ? world.clone() : nullptr;
      world.step();
      if (fresh == nullptr) continue;
      fresh->step();
      expect_same(world.problem().contacts, fresh->problem().contacts);
      for (const std::int32_t kind : world.problem().contacts.kind) kinds.insert(kind);
      extras += std::ssize(world.problem().contacts.extras);
    }
    if (model == ContactModel::anchored) {  // whose contacts have what they hold
      EXPECT_EQ(kinds, std::set<int>{0});
    } else {
      EXPECT_GT(kinds.size(), 5u);
      EXPECT_TRUE(kinds.contains(0));
    }
    EXPECT_GT(extras, 0);
  }
}

// hulls that were looked at keep a direction that parts them
TEST(ContactQuery, ACommonSpeedMakesNoMorePairsLookedAt) {
  std::vector<Vec3> corners;
  for (int k = 0; k < 8; ++k) {
    corners.push_back(0.05 * Vec3{k & 1 ? 1.0 : -1.0, k & 2 ? 1.0 : -1.0, k & 4 ? 1.0 : -1.0});
  }
  const auto looked_at = [&](double speed, double gap) {
    Scene s;
    s.gravity = {}, s.time_step = 2e-3;
    for (int i = 0; i < 5; ++i) {
      const int b = add_box(s, 1, {0.05, 0.05, 0.05}, {i * (0.1 + gap), 0, 0});
      s.geoms.back().shape = Shape::convex(make_convex_hull(corners));
      s.bodies[b].linear_velocity = {0, speed, 0.3 * speed};
    }
    World world(s);
    world.step();
    return world.snapshot().state.contacts.pairs.size();
  };
  EXPECT_EQ(looked_at(0, 0.001), 4u);
  EXPECT_EQ(looked_at(100, 0.001), 4u);
  EXPECT_EQ(looked_at(0, 0.02), 0u);
  EXPECT_EQ(looked_at(100, 0.02), 0u) << "0.2 m in a step";
}

TEST(ContactQuery, ContactsComeInTheOrderOfTreesAndGeoms) {
  World world(clutter(40));
  for (int step = 0; step < 150; ++step) world.step();
  const ContactProblem& p = world.problem();
  ASSERT_GT(world.contact_sources().size(), 20u);
  std::pair<int, int> last{-2, -2};
  for (const Patch& patch : p.patches) {
    const std::pair<int, int> trees{patch.tree_a, patch.tree_b};
    EXPECT_LT(last, trees);
    EXPECT_LT(patch.tree_a, patch.tree_b);
    last = trees;
  }
}

/// What a step of these says when it fails.
std::string failure_of(World& world) {
  try {
    world.step();
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(ContactQuery, StopsAtTheLimitOfContacts) {
  Scene s;
  add_plane(s);
  for (int i = 0; i < 5; ++i) add_box(s, 1, {0.1, 0.1, 0.1}, {i == 4 ? 0.0 : 1.0 * i, 0, 0.1});
  s.geoms[1].name = "first";
  WorldOptions o;
  o.contact_limit = 20;
  World world(s, o);  // 5 boxes on the ground, and two of them in each other
  EXPECT_EQ(
      failure_of(world),
      "more than 20 contacts in a step; geom 0 (of world) has 20 of them, geom 'first' 4: set "
      "them apart, or raise the limit of contacts, 20 (contact_limit, --contact-limit)");
  EXPECT_EQ(world.steps(), 0u);
  EXPECT_TRUE(world.contact_sources().empty());
  EXPECT_EQ(world.problem().contacts.size(), 0);
  EXPECT_EQ(world.report().contacts, 0);
  o.contact_limit = 28;
  EXPECT_EQ(failure_of(*std::make_unique<World>(s, o)), "");
}

TEST(ContactQuery, GoesOnAfterTheLimitAsIfNothingHadBeen) {
  Scene s;
  add_plane(s);
  add_box(s, 1, {0.1, 0.1, 0.1}, {0, 0, 0.1});
  add_box(s, 1, {0.1, 0.1, 0.1}, {1, 0, 0.5});
  WorldOptions o;
  o.contact_limit = 4;
  World world(s, o), other(s, o);
  for (int i = 0; i < 20; ++i) world.step(), other.step();
  const auto before = ids(world);
  const BodyState high = world.body_state(1);
  BodyState low = high;
  low.position.z = 0.1;
  world.set_body_state(1, low);
  EXPECT_NE(failure_of(world), "");
  EXPECT_TRUE(world.contact_sources().empty());
  world.set_body_state(1, high);
  for (int i = 0; i < 20; ++i) {
    world.step(), other.step();
    EXPECT_EQ(ids(world), before);
    EXPECT_EQ(world.state_hash(), other.state_hash()) << "step " << i;
  }
}

// nor do activations go on, or overlaps and limits that are let go of
TEST(ContactQuery, AStepThatIsRefusedChangesNothing) {
  Scene s;
  add_plane(s);
  add_cart_with_motor(s);
  SceneJoint& slide = s.bodies[0].joints[0];
  slide.limited = true;
  slide.lower = 0.2, slide.upper = 0.5;  // it begins at 0
  s.actuators[0].activation = Activation::integrator;
  add_box(s, 1, {0.1, 0.1, 0.1}, {0, 3, 0.5});
  WorldOptions o;
  o.contact_limit = 3;
  World world(s, o), other(s, o);
  for (World* w : {&world, &other}) w->set_control(0, 1), w->step();
  const BodyState high = world.body_state(1);
  BodyState low = high;
  low.position.z = 0.1;
  world.set_body_state(1, low);
  for (int i = 0; i < 3; ++i) EXPECT_NE(failure_of(world), "");
  world.set_body_state(1, high);
  EXPECT_EQ(world.state().activations, other.state().activations);
  EXPECT_EQ(world.state().limit_allowances, other.state().limit_allowances);
  for (int i = 0; i < 10; ++i) {
    world.step(), other.step();
    EXPECT_EQ(world.state_hash(), other.state_hash()) << "step " << i;
  }
}

// 100 bytes of a scene file; all pairs would need more than 5 GB
TEST(ContactQuery, StopsWhereEverythingIsInOnePlace) {
  for (const double overlap :
       {0.5, 0.0}) {  // boxes in each other, and spheres that only come close
    Scene s;
    for (int i = 0; i < 3000; ++i) {
      if (overlap > 0) {
        add_box(s, 1, {0.5, 0.5, 0.5}, {});
      } else {
        add_sphere(s, 1, 0.5, {i % 2 == 0 ? 0.0 : 1.05, 0, 0});
      }
    }
    WorldOptions o;
    o.contact_limit = 10'000;
    World world(s, o);
    const std::string text = failure_of(world);
    EXPECT_NE(text.find("raise the limit of contacts, 10000"), std::string::npos) << text;
    EXPECT_NE(failure_of(world), "") << "again";
  }
}

// The boxes of the spheres at the corners of a tetrahedron meet, they themselves do not.
TEST(ContactQuery, StopsWhereOneMoreComesCloseToMany) {
  Scene s;
  s.gravity = {};
  for (const Vec3& at : {Vec3{0, 0, 0}, {0.9, 0.9, 0}, {0.9, 0, 0.9}, {9, 0, 0}, {0, 9, 0}}) {
    add_sphere(s, 1, 0.5, at);
  }
  add_sphere(s, 1, 0.5, {-3, 0.9, 0.9});
  s.bodies.back().linear_velocity = {10, 0, 0};
  WorldOptions o;
  o.contact_limit = 2;
  World world(s, o);
  while (world.time() < 0.2) world.step();  // three pairs
  std::string text;
  for (int k = 0; k < 100 && text.empty(); ++k) text = failure_of(world);
  EXPECT_NE(text.find("more than 4 pairs of shapes that are close to each other"),
            std::string::npos)
      << text;
  EXPECT_NE(failure_of(world).find("more than 4 pairs"), std::string::npos) << "again";
}

}  // namespace
}  // namespace abut
