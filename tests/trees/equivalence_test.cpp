// Mechanisms that are the same in two descriptions, and chains whose matrices are sums.

#include "random_links.hpp"

namespace abut {
namespace {

// M_ij = the mass from the later of the two on, g_i = -g times the mass that it carries
TEST(Chain, OfSlidesHasSumsOfMasses) {
  for (const int count : {1, 2, 60}) {
    for (const double ratio : {1.0, 0.8, 1.25}) {  // over 60 links 1 : 1e6
      std::vector<Link> links(count);
      for (int i = 0; i < count; ++i) {
        links[i].parent = i - 1;
        links[i].pose.p = {0.1, 0.2, 0};
        links[i].mass = std::pow(ratio, i);
        links[i].center_of_mass = {0, 0.3, 0.1};
        links[i].joints.resize(1);
        links[i].joints[0].kind = slide;
        links[i].joints[0].axis = {0, 0, 1};
        links[i].joints[0].armature = 0.5;
      }
      Random random(1);
      Alone chain(links, numbers(random, count, 1), numbers(random, count, 1));
      EXPECT_EQ(chain.tree.massless_velocity(), -1);
      for (int i = 0; i < count; ++i) {
        double carried = 0;
        for (int k = i; k < count; ++k) carried += links[k].mass;
        EXPECT_NEAR(chain.tree.bias_forces()[i], 9.81 * carried, 1e-12 * 9.81 * carried);
        for (int j = 0; j <= i; ++j) {
          const double expected = carried + (i == j ? 0.5 : 0);
          EXPECT_NEAR(chain.tree.mass_matrix()[i * count + j], expected, 1e-12 * carried);
          EXPECT_NEAR(chain.tree.mass_matrix()[j * count + i], expected, 1e-12 * carried);
        }
      }
      // hung from the first joint alone, all fall but for its rotor
      std::vector<double> forces(count, 0.0);
      for (int i = 0; i < count; ++i) forces[i] = chain.tree.bias_forces()[i];
      expect_near(chain.step(0.01, forces), chain.v, 1e-11);
    }
  }
}

// n point masses on rods, all in one line: M_ij = sum over the masses behind both of r_ki r_kj
TEST(Chain, OfHingesInLineHasSumsOfArms) {
  for (const int count : {1, 3, 25}) {
    std::vector<Link> links(count);
    for (int i = 0; i < count; ++i) {
      links[i].parent = i - 1;
      if (i > 0) links[i].pose.p = {1, 0, 0};
      links[i].mass = 1 + i % 3;
      links[i].center_of_mass = {1, 0, 0};
      links[i].joints.resize(1);
      links[i].joints[0].axis = {0, 1, 0};
    }
    Alone chain(links, std::vector<double>(count), std::vector<double>(count));
    for (int i = 0; i < count; ++i) {
      double moment = 0;
      for (int k = i; k < count; ++k) moment += links[k].mass * (k + 1 - i);
      EXPECT_NEAR(chain.tree.bias_forces()[i], -9.81 * moment, 1e-11 * moment);
      for (int j = 0; j <= i; ++j) {
        double sum = 0;
        for (int k = i; k < count; ++k) sum += links[k].mass * (k + 1 - i) * (k + 1 - j);
        EXPECT_NEAR(chain.tree.mass_matrix()[i * count + j], sum, 1e-12 * sum);
      }
    }
  }
}

// in a world that is turned with gravity the coordinates move the same, also where links spin so
// fast that the step is done in parts
TEST(Equivalence, ATurnedWorldChangesNoCoordinate) {
  for (const double speed : {1.0, 60.0}) {
    for (unsigned seed = 1; seed <= 10; ++seed) {
      Random random(seed);
      const std::vector<Link> links = branched(random);
      const Pose X = {random.vector(), random.rotation()};
      std::vector<Link> turned = links;
      turned[0].pose = X * links[0].pose;
      const int nv = 8;
      const std::vector<double> q = numbers(random, 9, 1), v = numbers(random, nv, speed),
                                f = numbers(random, nv, 10);
      Alone a(links, q, v), b(turned, q, v, X.R * gravity);
      ASSERT_EQ(a.tree.velocities(), nv);
      expect_near(a.tree.mass_matrix(), b.tree.mass_matrix(), 1e-12);
      expect_near(a.tree.bias_forces(), b.tree.bias_forces(), 1e-11);
      expect_near(a.step(5e-3, f), b.step(5e-3, f), 1e-10);
      for (int i = 0; i < 4; ++i) {
        const Pose expected = X * a.tree.link_pose(i), found = b.tree.link_pose(i);
        EXPECT_LT(norm(expected.p - found.p), 1e-12);
        EXPECT_LT(norm(expected.R.col[0] - found.R.col[0]), 1e-12);
        EXPECT_LT(norm(X.R * a.tree.link_linear_velocity(i) - b.tree.link_linear_velocity(i)),
                  1e-12 * speed);
      }
    }
  }
}

// branch by branch, level by level, or as it comes, as long as parents are earlier
TEST(Equivalence, TheOrderOfLinksDoesNotMatter) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    Random random(seed);
    std::vector<Link> links = {random.link(-1, {free}), random.link(0, {hinge}),
                               random.link(1, {slide}), random.link(2, {hinge, hinge}),
                               random.link(0, {ball}),  random.link(4, {hinge}),
                               random.link(4, {slide}), random.link(0, {hinge})};
    std::vector<std::vector<double>> q, v, f;  // by link
    for (const Link& l : links) {
      q.emplace_back(), v.emplace_back();
      for (const Joint& j : l.joints) {
        for (int k = 0; k < position_count(j.kind); ++k) q.back().push_back(random.uniform(-1, 1));
        for (int k = 0; k < velocity_count(j.kind); ++k) v.back().push_back(random.uniform(-3, 3));
      }
      f.push_back(numbers(random, static_cast<int>(v.back().size()), 10));
    }
    std::vector<std::vector<double>> all;  // free velocities, link by link in the first order
    for (const std::vector<int>& order : {std::vector{0, 1, 2, 3, 4, 5, 6, 7},
                                          {0, 1, 4, 7, 2, 5, 6, 3},
                                          {0, 7, 4, 1, 6, 5, 2, 3},
                                          {0, 4, 6, 1, 7, 2, 3, 5}}) {
      std::vector<Link> sorted;
      std::vector<int> place(links.size());
      std::vector<double> positions, velocities, forces;
      for (const int i : order) {
        place[i] = static_cast<int>(sorted.size());
        sorted.push_back(links[i]);
        if (links[i].parent >= 0) sorted.back().parent = place[links[i].parent];
        positions.insert(positions.end(), q[i].begin(), q[i].end());
        velocities.insert(velocities.end(), v[i].begin(), v[i].end());
        forces.insert(forces.end(), f[i].begin(), f[i].end());
      }
      Alone a(sorted, positions, velocities);
      double energy = 0;
      for (int i = 0; i < std::ssize(sorted); ++i) {
        const Vec3 w = transpose_times(a.tree.link_pose(i).R, a.tree.link_angular_velocity(i));
        energy += 0.5 * sorted[i].mass * squared_norm(a.tree.link_linear_velocity(i)) +
                  0.5 * dot(w, sorted[i].inertia * w);
      }
      int at = 0;
      for (const Link& l : sorted) {
        for (const Joint& j : l.joints) {
          for (int k = 0; k < velocity_count(j.kind); ++k, ++at) {
            energy += 0.5 * j.armature * a.v[at] * a.v[at];
          }
        }
      }
      EXPECT_NEAR(a.tree.kinetic_energy(), energy, 1e-12 * energy) << seed;
      EXPECT_EQ(a.tree.massless_velocity(), -1);
      a.step(2e-3, forces);
      std::vector<std::vector<double>> by_link(links.size());
      auto from = a.free.begin();
      for (const int i : order) {
        by_link[i].assign(from, from + std::ssize(v[i]));
        from += std::ssize(v[i]);
      }
      std::vector<double> flat;
      for (const auto& part : by_link) flat.insert(flat.end(), part.begin(), part.end());
      all.push_back(flat);
      expect_near(all.front(), flat, 1e-11);
    }
  }
}

// the second joint of a link is the joint of a link behind one without mass
TEST(Equivalence, JointsOfOneLinkAreLinksWithoutMassBetween) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    Random random(seed);
    const Link base = random.link(-1, {hinge});
    const Link several = random.link(0, {slide, hinge, ball, hinge});
    const Link hand = random.link(1, {hinge});
    std::vector<Link> split = {base};
    for (std::size_t k = 0; k < several.joints.size(); ++k) {
      Link l;
      l.parent = static_cast<int>(k);
      if (k == 0) l.pose = several.pose;
      l.joints = {several.joints[k]};
      split.push_back(l);
    }
    split.back().mass = several.mass, split.back().inertia = several.inertia;
    split.back().center_of_mass = several.center_of_mass;
    split.push_back(hand), split.back().parent = 4;
    const std::vector<double> q = numbers(random, 9, 1), v = numbers(random, 8, 3),
                              f = numbers(random, 8, 10);
    Alone a({base, several, hand}, q, v), b(split, q, v);
    expect_near(a.tree.mass_matrix(), b.tree.mass_matrix(), 1e-13);
    expect_near(a.tree.bias_forces(), b.tree.bias_forces(), 1e-12);
    expect_near(a.step(1e-3, f), b.step(1e-3, f), 1e-10);
    EXPECT_LT(norm(a.tree.link_center(2) - b.tree.link_center(5)), 1e-13);
    EXPECT_LT(norm(a.tree.link_center(1) - b.tree.link_center(4)), 1e-13);
  }
}

// about a fixed axis a rotor's inertia is any other's
TEST(Equivalence, ArmatureOfAFixedAxisIsInertiaAboutIt) {
  for (const double armature : {1e-6, 0.3, 1e3}) {
    Random random(7);
    std::vector<Link> with = branched(random);
    with[0].joints.resize(1);
    with[0].joints[0].armature = 0;
    std::vector<Link> heavier = with;
    with[0].joints[0].armature = armature;
    const Vec3 n = with[0].joints[0].axis;
    heavier[0].inertia =
        heavier[0].inertia + armature * Mat3{{n.x * n, n.y * n, n.z * n}};  // n n^T
    const std::vector<double> q = numbers(random, 8, 1), v = numbers(random, 7, 3),
                              f = numbers(random, 7, 10);
    Alone a(with, q, v), b(heavier, q, v);
    expect_near(a.tree.mass_matrix(), b.tree.mass_matrix(), 1e-13);
    expect_near(a.tree.bias_forces(), b.tree.bias_forces(), 1e-11);
    expect_near(a.step(1e-3, f), b.step(1e-3, f), 1e-11);
    EXPECT_NEAR(a.tree.kinetic_energy(), b.tree.kinetic_energy(), 1e-12 * a.tree.kinetic_energy());
  }
}

/// Steps without constraints; the pose of link `link` and its velocity at the end.
struct End {
  Vec3 center, linear, angular;
};
End run(const std::vector<Link>& links, std::vector<double> position, std::vector<double> velocity,
        int link, double dt, double seconds) {
  Alone a(links, position, velocity);
  const std::vector<double> none(velocity.size(), 0.0);
  for (long i = 0; i < std::lround(seconds / dt); ++i) {
    a.tree.update(a.q, a.v, gravity);
    a.v = a.step(dt, none);
    a.tree.integrate(dt, a.v, a.q);
  }
  a.tree.update(a.q, a.v, gravity);
  return {a.tree.link_center(link), a.tree.link_linear_velocity(link),
          a.tree.link_angular_velocity(link)};
}

double apart(const End& a, const End& b) {
  return norm(a.center - b.center) + norm(a.linear - b.linear) + norm(a.angular - b.angular);
}

// a ball joint is three hinges through its anchor, a free joint three slides and a ball: as steps
// shrink the links move the same
TEST(Equivalence, JointsOfSeveralDofsAreJointsOfOne) {
  Random random(9);
  for (const bool is_free : {false, true}) {
    SCOPED_TRACE(is_free ? "free" : "ball");
    std::vector<Link> whole = {random.link(-1, {is_free ? free : ball}), random.link(0, {hinge})};
    for (Link& l : whole) l.joints[0].armature = l.joints[0].damping = l.joints[0].stiffness = 0;
    if (is_free) whole[0].pose = {}, whole[0].joints[0].anchor = {};
    std::vector<Link> split = whole;
    const Vec3 anchor = whole[0].joints[0].anchor;
    split[0].joints.clear();
    const Vec3 axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    Joint j;
    if (is_free) {
      for (const Vec3& axis : axes) j.kind = slide, j.axis = axis, split[0].joints.push_back(j);
      j.kind = ball, j.anchor = {}, split[0].joints.push_back(j);
    } else {
      for (const Vec3& axis : axes) {
        j.kind = hinge, j.axis = axis, j.anchor = anchor, split[0].joints.push_back(j);
      }
    }
    // at the reference the axes are those of the link: velocities are alike
    const Vec3 w = {0.7, -1.1, 0.4}, v = {0.5, 0.2, -0.3};
    const std::vector<double> turn{1, 0, 0, 0};
    std::vector<double> q_whole, q_split, u;
    if (is_free) {
      q_whole = q_split = {0.1, 0.2, 0.3, 1, 0, 0, 0, 0.4};
      u = {v.x, v.y, v.z, w.x, w.y, w.z, 0.9};
    } else {
      q_whole = {1, 0, 0, 0, 0.4}, q_split = {0, 0, 0, 0.4};
      u = {w.x, w.y, w.z, 0.9};
    }
    double off[3];
    for (int k = 0; k < 3; ++k) {
      const double dt = 2e-3 / (1 << k);
      off[k] = 0;
      for (const int link : {0, 1}) {
        off[k] +=
            apart(run(whole, q_whole, u, link, dt, 0.3), run(split, q_split, u, link, dt, 0.3));
      }
    }
    EXPECT_LT(off[0], 0.1);
    for (int k = 1; k < 3; ++k) EXPECT_LT(off[k], 0.6 * off[k - 1] + 1e-10) << k;
  }
}

}  // namespace
}  // namespace abut
