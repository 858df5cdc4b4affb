// Which parts of a step are shared, and that the choice is made by their times.

#include "abut/sim/thread_use.hpp"

#include <gtest/gtest.h>

#include <array>

namespace abut {
namespace {

using Part = ThreadUse::Part;
constexpr int trial = FastestWay::settling + FastestWay::judged;

/// Whether the parts of a step are shared: solve, contact query, loops.
std::array<bool, 3> step(ThreadUse& use, const ThreadPool& pool) {
  std::array<bool, 3> shared{};
  use.start(Part::loops);
  shared[2] = pool.is_shared();
  use.go_on(Part::contact_query);
  shared[1] = pool.is_shared();
  use.go_on(Part::solve);
  shared[0] = pool.is_shared();
  use.pause();
  use.go_on_after_pause(Part::loops);
  EXPECT_EQ(pool.is_shared(), shared[2]);
  use.finish({1, 1, 1});
  return shared;
}

TEST(ThreadUse, TriesAllFirstThenNoneAndMoreAndMore) {
  ThreadPool pool(2);
  ThreadUse use(&pool);
  for (const int parts : {3, 0, 1, 2}) {
    for (int i = 0; i < trial; ++i) {
      EXPECT_EQ(step(use, pool), (std::array{parts > 0, parts > 1, parts > 2})) << parts;
    }
  }
}

TEST(ThreadUse, MayShareAllAlways) {
  ThreadPool pool(2);
  ThreadUse use(&pool, true);
  for (int i = 0; i < 6 * trial; ++i) EXPECT_EQ(step(use, pool), (std::array{true, true, true}));
}

TEST(ThreadUse, NeedsNoPool) {
  ThreadUse use(nullptr);
  use.start(Part::loops);
  use.go_on(Part::solve);
  use.pause();
  use.go_on_after_pause(Part::loops);
  use.finish({1, 1, 1});
}

double now = 0;  ///< [s]

/// After steps in which a part takes longer if it is shared, or if it is not; pauses do not count.
std::array<bool, 3> choice(Part slow, bool if_shared) {
  ThreadPool pool(2);
  ThreadUse use(
      &pool, false, *+[] { return now; });
  const auto work = [&](Part part) {
    now += part == slow && pool.is_shared() == if_shared ? 1e-3 : 1e-4;
  };
  for (int i = 0; i < 4 * trial; ++i) {
    use.start(Part::loops), work(Part::loops);
    use.go_on(Part::contact_query), work(Part::contact_query);
    use.go_on(Part::solve), work(Part::solve);
    use.pause();
    if (pool.is_shared() != if_shared) now += 1;
    use.go_on_after_pause(Part::loops), work(Part::loops);
    use.finish({1, 1, 1});
  }
  return step(use, pool);
}

TEST(ThreadUse, ChoosesByTheTimesOfParts) {
  EXPECT_EQ(choice(Part::solve, true), (std::array{false, false, false}));
  EXPECT_TRUE(choice(Part::solve, false)[0]);
  EXPECT_FALSE(choice(Part::contact_query, true)[1]);
  EXPECT_TRUE(choice(Part::contact_query, false)[1]);
  EXPECT_FALSE(choice(Part::loops, true)[2]);
  EXPECT_EQ(choice(Part::loops, false), (std::array{true, true, true}));
}

}  // namespace
}  // namespace abut
