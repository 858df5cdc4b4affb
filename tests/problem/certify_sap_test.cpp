// Contacts of SAP that are judged eight at a time have the certificate of one after the other.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "abut/core/parallel.hpp"
#include "abut/problem/certify.hpp"
#include "abut/solvers/contact_solver.hpp"
#include "support/random_problem.hpp"

namespace abut {
namespace {

/// In 64-bit numbers alone, on which the packs are.
Certificate judge(Certifier& certifier, const PreparedProblem& q, const ContactSolution& x,
                  ThreadPool* pool = nullptr) {
  return certifier.certify(q, x.answer(), HUGE_VAL, pool);
}

/// The same problem with something that a contact may have besides, though none has it: its
/// contacts are judged one after the other.
PreparedProblem with_extras(const PreparedProblem& q) {
  ContactProblem p = q.problem();
  p.contacts.extras.emplace_back();
  return PreparedProblem(std::move(p));
}

/// The same problem, its patches shared by a pool's threads.
PreparedProblem shared(const PreparedProblem& q, ThreadPool& pool) {
  PreparedProblem of_pool;
  of_pool.edit() = q.problem();
  of_pool.prepare(&pool);
  return of_pool;
}

void expect_same(const Certificate& a, const Certificate& b) {
  const auto same = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
  const auto nearly = [&](double x, double y) {
    return same(x, y) || std::abs(x - y) <= 1e-15 * y;  // of quotients in two forms
  };
  EXPECT_PRED2(same, a.step_error, b.step_error);
  EXPECT_PRED2(same, a.momentum_error, b.momentum_error);
  EXPECT_PRED2(same, a.impulse_error, b.impulse_error);
  EXPECT_PRED2(nearly, a.rounding, b.rounding);
  EXPECT_PRED2(same, a.complementarity_error, b.complementarity_error);
  EXPECT_PRED2(same, a.ncp_primal, b.ncp_primal);
  EXPECT_PRED2(same, a.ncp_dual, b.ncp_dual);
  EXPECT_PRED2(same, a.ncp_complementarity, b.ncp_complementarity);
  EXPECT_EQ(a.worst_tree, b.worst_tree);
}

/// What the packs are for: contacts without extras. Of several relaxation times.
PreparedProblem without_extras(ContactProblem p) {
  p.contacts.extras.clear();
  std::fill(p.contacts.extra.begin(), p.contacts.extra.end(), -1);
  for (int i = 0; i < p.contacts.size(); ++i) p.contacts.relaxation_time[i] = 1e-4 * (i % 7);
  return PreparedProblem(std::move(p));
}

/// Problems of one contact to some hundreds, apart, stuck and sliding, some
/// without friction.
PreparedProblem problem(std::mt19937& random) {
  std::uniform_real_distribution<double> uniform;
  ContactProblem p = make_problem(random, {.bodies = 1 + static_cast<int>(24 * uniform(random)),
                                           .dense_trees = static_cast<int>(3 * uniform(random)),
                                           .links = static_cast<int>(6 * uniform(random)),
                                           .touch = 0.3 * uniform(random),
                                           .ground = 0.3 + 0.7 * uniform(random),
                                           .speed = uniform(random) < 0.3 ? 1e-9 : 0.3});
  for (double& mu : p.contacts.friction) {
    if (uniform(random) < 0.1) mu = 0;
  }
  return without_extras(std::move(p));
}

TEST(CertifySap, GivesTheCertificateOfOneContactAfterAnother) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  ThreadPool pool(3);
  Certifier packs, singles, threads;
  int most = 0, judged = 0, shares = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const PreparedProblem packed = problem(random), single = with_extras(packed),
                          of_pool = shared(packed, pool);
    shares += of_pool.shares().are_for(&pool);
    if (packed.contacts().mobility.empty()) continue;
    most = std::max(most, packed.problem().contacts.size());
    ContactSolution x;
    make_solver("newton")->solve(packed, {}, x);
    const auto expect = [&] {
      ++judged;
      const Certificate c = judge(packs, packed, x);
      expect_same(c, judge(singles, single, x));
      expect_same(c, judge(threads, of_pool, x, &pool));
    };
    expect();
    const ContactSolution solved = x;
    for (double& v : x.velocity) v += 1e-3 * normal(random);
    expect();
    x = solved;
    for (Vec3& gamma : x.impulse) {
      if (normal(random) > 0) gamma += 1e-2 * Vec3{normal(random), normal(random), normal(random)};
    }
    expect();
    for (Vec3& gamma : x.impulse) {
      if (normal(random) > 0) gamma = {};
    }
    expect();
    std::fill(x.velocity.begin(), x.velocity.end(), 0);  // slips of exactly zero
    expect();
    for (const double wrong : {std::nan(""), std::numeric_limits<double>::infinity()}) {
      x = solved;
      x.impulse[trial % x.impulse.size()][trial % 3] = wrong;
      expect();
      x = solved;
      x.velocity[trial % x.velocity.size()] = wrong;
      expect();
    }
    if (HasFailure()) break;
  }
  EXPECT_GT(most, 100);
  EXPECT_GT(judged, 1000);
  EXPECT_GT(shares, 5);
}

// patches that fill packs, span several or begin in the middle of one
TEST(CertifySap, TakesPatchesOfAnySize) {
  std::mt19937 random(6);
  std::uniform_real_distribution<double> uniform(-1, 1);
  ThreadPool pool(2);
  Certifier packs, singles, threads;
  std::vector<int> sizes = {1, 8, 9, 64, 65, 200, 3, 130};
  for (int trial = 0; trial < 30; ++trial) {
    std::shuffle(sizes.begin(), sizes.end(), random);
    sizes.resize(1 + trial % 8);
    for (int more = 0; trial % 8 == 7 && more < 3; ++more) {  // enough for threads
      sizes.insert(sizes.end(), sizes.begin(), sizes.end());
    }
    ContactProblem p;
    p.time_step = 1e-3;
    for (const int size : sizes) {
      double v[6];
      for (double& x : v) x = 0.1 * uniform(random);
      const int body =
          p.add_rigid_body(1 + uniform(random) / 2, {0, 0, 0.1}, Mat3::identity(), v, v);
      for (int i = 0; i < size; ++i) {
        p.add_contact(
            world_tree, body,
            {.point = {uniform(random), uniform(random), 0}, .gap = 1e-4 * uniform(random)});
      }
    }
    sizes = {1, 8, 9, 64, 65, 200, 3, 130};
    const PreparedProblem packed = without_extras(std::move(p)), single = with_extras(packed),
                          of_pool = shared(packed, pool);
    EXPECT_EQ(of_pool.shares().are_for(&pool), trial % 8 == 7);
    ContactSolution x;
    make_solver("newton")->solve(packed, {}, x);
    for (double& v : x.velocity) v += 1e-3 * uniform(random);
    const Certificate c = judge(packs, packed, x);
    EXPECT_GT(c.step_error, 0);
    expect_same(c, judge(singles, single, x));
    expect_same(c, judge(threads, of_pool, x, &pool));
    pool.share(false);  // between preparation and certificate
    expect_same(c, judge(threads, of_pool, x, &pool));
    pool.share(true);
    expect_same(c, judge(threads, of_pool, x));
  }
}

// more of them than are weighed at once, mechanisms between them
TEST(CertifySap, WeighsManyRigidBodiesAsOneAfterAnother) {
  std::mt19937 random(8);
  std::normal_distribution<double> normal;
  ThreadPool pool(3);
  Certifier packs, threads;
  for (const int bodies : {31, 32, 33, 64, 100, 200}) {
    const PreparedProblem q = without_extras(
        make_problem(random, {.bodies = bodies, .dense_trees = 4, .touch = 0.02, .ground = 0.5}));
    ContactSolution x;
    make_solver("newton")->solve(q, {}, x);
    for (double& v : x.velocity) v += 1e-3 * normal(random);
    const Certificate c = packs.certify(q, x.answer(), HUGE_VAL), exact = certify(q, x.answer());
    EXPECT_NEAR(c.step_error, exact.step_error, 1e-9 * exact.step_error);
    EXPECT_NEAR(c.momentum_error, exact.momentum_error, 1e-9 * exact.momentum_error);
    EXPECT_NEAR(c.impulse_error, exact.impulse_error, 1e-9 * exact.impulse_error);
    EXPECT_EQ(c.worst_tree, exact.worst_tree);
    const PreparedProblem of_pool = shared(q, pool);
    EXPECT_EQ(of_pool.shares().are_for(&pool), bodies >= 64);
    expect_same(c, threads.certify(of_pool, x.answer(), HUGE_VAL, &pool));
  }
}

}  // namespace
}  // namespace abut
