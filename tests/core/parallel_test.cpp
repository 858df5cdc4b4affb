#include "abut/core/parallel.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <thread>
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
  for (const auto& count : runs) EXPECT_EQ(count, 1);
  EXPECT_EQ(wrong_workers, 0);
}

// an item waits until each worker has one
TEST_P(ThreadPoolOf, EachWorkerBeginsWithItsOwnPart) {
  ThreadPool pool(GetParam());
  const int threads = pool.threads();
  for (const int count : {threads, 3 * threads + 1}) {
    std::vector<int> ran(count, -1);
    std::atomic<int> begun = 0;
    pool.for_each(count, [&](int item, int worker) {
      ++begun;
      while (begun < threads) std::this_thread::yield();
      ran[item] = worker;
    });
    for (int w = 0; w < threads; ++w) EXPECT_EQ(ran[(count * w + threads - 1) / threads], w);
  }
}

// the first item waits for all others, those of its own part too
TEST_P(ThreadPoolOf, WhoIsDoneHelpsTheOthers) {
  ThreadPool pool(GetParam());
  const int count = pool.threads() == 1 ? 1 : 40;
  std::atomic<int> done = 0;
  pool.for_each(count, [&](int item, int) {
    while (item == 0 && done < count - 1) std::this_thread::yield();
    ++done;
  });
  EXPECT_EQ(done, count);
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

TEST_P(ThreadPoolOf, RunsASingleItemOnTheCallersThread) {
  ThreadPool pool(GetParam());
  for (int loop = 0; loop < 100; ++loop) {
    std::thread::id ran;
    pool.for_each(1, [&](int, int) { ran = std::this_thread::get_id(); });
    EXPECT_EQ(ran, std::this_thread::get_id());
  }
}

TEST_P(ThreadPoolOf, CallsEachWorkerOnce) {
  ThreadPool pool(GetParam());
  std::vector<std::thread::id> ran(pool.threads());
  for (int loop = 0; loop < 100; ++loop) {
    std::vector<std::atomic<int>> calls(pool.threads());
    pool.for_each_worker([&](int worker) {
      ++calls[worker];
      const std::thread::id self = std::this_thread::get_id();
      if (loop == 0) ran[worker] = self;
      EXPECT_EQ(ran[worker], self) << "the same thread each time";
    });
    for (const auto& count : calls) EXPECT_EQ(count, 1);
  }
  EXPECT_EQ(ran[0], std::this_thread::get_id());
  EXPECT_THROW(pool.for_each_worker([](int) { throw std::runtime_error("each"); }),
               std::runtime_error);
}

// also of a single item, for which nobody else is called otherwise
TEST_P(ThreadPoolOf, TellsWhoIsIdle) {
  ThreadPool pool(GetParam());
  for (const int count : {0, 1, 100}) {
    std::vector<std::atomic<int>> runs(count), idle(pool.threads());
    pool.for_each(
        count, [&](int item, int) { ++runs[item]; }, [&](int worker) { ++idle[worker]; });
    for (const auto& n : runs) EXPECT_EQ(n, 1);
    for (const auto& n : idle) EXPECT_EQ(n, 1);
  }
}

// a pause longer than workers stay awake for
TEST_P(ThreadPoolOf, WakesThoseAsleep) {
  ThreadPool pool(GetParam());
  std::atomic<int> sum = 0;
  for (int loop = 0; loop < 20; ++loop) {
    std::this_thread::sleep_for(std::chrono::milliseconds(loop % 2 == 0 ? 2 : 0));
    pool.for_each(7, [&](int item, int) { sum += item; });
    pool.for_each_worker([&](int worker) { sum += worker; });
  }
  const int workers = pool.threads();
  EXPECT_EQ(sum, 20 * (21 + workers * (workers - 1) / 2));
}

TEST_P(ThreadPoolOf, RangesMakeUpTheWhole) {
  ThreadPool pool(GetParam());
  for (ThreadPool* p : {static_cast<ThreadPool*>(nullptr), &pool}) {
    for (const int count : {0, 1, 2, 3, 7, 64, 1001}) {
      for (const int least : {1, 3, 64}) {
        std::vector<std::atomic<int>> runs(count);
        std::atomic<int> smallest = 1 << 20;
        for_ranges(p, count, least, [&](int begin, int end, int worker) {
          EXPECT_LT(worker, pool.threads());
          for (int before = smallest; end - begin < before;) {
            if (smallest.compare_exchange_weak(before, end - begin)) break;
          }
          for (int i = begin; i < end; ++i) ++runs[i];
        });
        for (const auto& r : runs) EXPECT_EQ(r, 1);
        if (count > 0) {
          EXPECT_GE(smallest, std::min(count, least)) << count << ", " << least;
        }
      }
    }
  }
}

// the caller does what each worker is called for, in turn; then they share again
TEST(ThreadPool, LoopsThatAreNotSharedAreTheCallers) {
  ThreadPool pool(3);
  const auto caller = std::this_thread::get_id();
  for (const bool shared : {true, false, true}) {
    pool.share(shared);
    EXPECT_EQ(pool.is_shared(), shared);
    std::vector<std::atomic<int>> runs(1000);
    std::atomic<int> others = 0;
    const auto work = [&](int item, int worker) {
      ++runs[item];
      if (!shared) {
        EXPECT_EQ(worker, 0);
      }
      others += std::this_thread::get_id() != caller;
    };
    pool.for_each(1000, work);
    for (const auto& r : runs) EXPECT_EQ(r, 1);
    std::vector<std::atomic<int>> calls(3);
    pool.for_each_worker([&](int worker) {
      ++calls[worker];
      others += std::this_thread::get_id() != caller;
    });
    for (const auto& c : calls) EXPECT_EQ(c, 1);
    int ranges = 0;
    if (!shared) for_ranges(&pool, 1000, 1, [&](int, int) { ++ranges; });
    EXPECT_EQ(ranges, shared ? 0 : 1);
    if (shared) {
      EXPECT_GE(others, 2) << "for_each_worker() has them all";
    } else {
      EXPECT_EQ(others, 0);
    }
    std::vector<std::atomic<int>> idle(3);
    pool.for_each(
        1, [](int, int) {}, [&](int worker) { ++idle[worker]; });
    for (const auto& c : idle) EXPECT_EQ(c, 1);
    std::atomic<int> called = 0;
    const auto fail = [&](int) { ++called, throw std::runtime_error("each"); };
    EXPECT_THROW(pool.for_each_worker(fail), std::runtime_error);
    EXPECT_EQ(called, 3);
    EXPECT_THROW(pool.for_each(10, [](int, int) { throw std::runtime_error("one"); }),
                 std::runtime_error);
  }
}

#if !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)  // they die of too little memory
/// Room for the stacks of a few threads more, then asks for many.
void start_too_many_threads() {
  long pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t limit = static_cast<rlim_t>(pages) * 4096 + (rlim_t{100} << 20);
  const rlimit memory{limit, limit};
  if (setrlimit(RLIMIT_AS, &memory) != 0) std::_Exit(2);
  try {
    const ThreadPool pool(1000);
  } catch (const std::system_error&) {
    std::fputs("not enough threads", stderr);
    std::_Exit(1);
  }
  std::_Exit(0);
}

TEST(ThreadPoolDeathTest, ThreadsThatDoNotStartAreAnException) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(start_too_many_threads(), testing::ExitedWithCode(1), "not enough threads");
}
#endif

}  // namespace
}  // namespace abut
