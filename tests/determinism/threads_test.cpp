// The same bits for any number of threads, run after run.

#include <gtest/gtest.h>

#include "abut/core/hash.hpp"
#include "abut/sim/world.hpp"
#include "support/scenes.hpp"

namespace abut {
namespace {

std::uint64_t run(ContactModel model, int threads, int steps) {
  WorldOptions o;
  o.model = model;
  o.time_step = 5e-3;
  o.threads = threads;
  World w(clutter(40), o);
  StateHash history;
  for (int i = 0; i < steps; ++i) {
    const StepReport& r = w.step();
    EXPECT_EQ(r.solve.status, SolveStatus::converged);
    history.add(w.state_hash());
    for (const Vec3& g : w.solution().impulse) history.add(g.x), history.add(g.y), history.add(g.z);
  }
  return history.value();
}

TEST(Determinism, SameBitsForOneTwoAndFourThreads) {
  for (const ContactModel model :
       {ContactModel::sap, ContactModel::lagged, ContactModel::similar}) {
    const std::uint64_t one = run(model, 1, 200);
    EXPECT_EQ(run(model, 1, 200), one) << to_string(model) << ": a second run differs";
    EXPECT_EQ(run(model, 2, 200), one) << to_string(model) << ": two threads differ";
    EXPECT_EQ(run(model, 4, 200), one) << to_string(model) << ": four threads differ";
  }
}

TEST(Determinism, WorldsOfDifferentThreadsAreIndependent) {
  const std::uint64_t alone = run(ContactModel::sap, 1, 60);
  std::uint64_t hash[2] = {};
  ThreadPool pool(2);
  pool.for_each(2, [&](int i, int) { hash[i] = run(ContactModel::sap, 1, 60); });
  EXPECT_EQ(hash[0], alone);
  EXPECT_EQ(hash[1], alone);
}

}  // namespace
}  // namespace abut
