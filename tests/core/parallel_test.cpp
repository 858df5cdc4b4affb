#include "abut/core/parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace abut {
namespace {

class ThreadPoolOf : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Sizes, ThreadPoolOf, testing::Values(1, 2, 4));

TEST_P(ThreadPoolOf, RunsEachItemOnceByAValidWorker) {
  ThreadPool pool(GetParam());
  EXPECT_EQ(pool.threads(), GetParam());
  std::vector<std::atomic<int>> runs(1000);
  std::atomic<int> wrong_workers = 0;
  pool.for_each(1000, [&](int item, int worker) {
    ++runs[item];
    wrong_workers += worker < 0 || worker >= pool.threads();
  });
  for (const auto& count : runs)
    EXPECT_EQ(count, 1);
  EXPECT_EQ(wrong_workers, 0);
}

TEST_P(ThreadPoolOf, IsReusedForManyLoops) {
  ThreadPool pool(GetParam());
  std::atomic<int> sum = 0;
  for (int loop = 0; loop < 300; ++loop) {
    pool.for_each(loop % 5, [&](int item, int) { sum += item; });
  }
  EXPECT_EQ(sum, 60 * (0 + 0 + 1 + 3 + 6));
}

TEST_P(ThreadPoolOf, RethrowsAndGoesOn) {
  ThreadPool pool(GetParam());
  std::atomic<int> done = 0;
  const auto work = [&](int item, int) {
    ++done;
    if (item == 3) throw std::runtime_error("item 3");
  };
  EXPECT_THROW(pool.for_each(10, work), std::runtime_error);
  EXPECT_EQ(done, 10);
  EXPECT_NO_THROW(pool.for_each(3, work));
}

}  // namespace
}  // namespace abut
