#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace abut {

/// Worker threads for loops over independent items. Which worker runs an item must not matter to
/// the result; each has a number for buffers of its own. Workers wait for the next loop awake for
/// some 300 us, then asleep: loops that follow each other closely begin within a microsecond.
class ThreadPool {
 public:
  /// `threads` >= 1 including the caller's.
  /// @throws std::system_error if the system starts fewer.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  /// Whether the loops from now on are shared, as they are at first. Else the caller's thread runs
  /// them alone, also what is called once for each worker, and the others sleep.
  void share(bool shared) { is_shared_ = shared; }
  bool is_shared() const { return is_shared_; }

  /// Calls work(item, worker) for every item in [0, count), worker in [0, threads()), and returns
  /// when all are done. Rethrows the first exception. Not reentrant. The caller's thread alone runs
  /// a single item. Each worker begins with a part of its own, the same each time, so that its
  /// cache has what the last loop over these items left there; who is done helps the others.
  template <class Work>
  void for_each(int count, Work&& work) {
    run_all(count, reference(work), {});
  }

  /// The same, but all workers are called even for a single item; each calls idle(worker) once,
  /// when it finds no item left. It may wait there for items that still run.
  template <class Work, class Idle>
  void for_each(int count, Work&& work, Idle&& idle) {
    run_all(count, reference(work), reference(idle));
  }

  /// Calls work(worker) once by every worker; likewise.
  template <class Work>
  void for_each_worker(Work&& work) {
    run_all(own_item, reference(work), {});
  }

 private:
  /// In the place of a count: one item for each worker, which is its own.
  static constexpr int own_item = std::numeric_limits<int>::min();
  /// A callable by reference: std::function would allocate.
  struct WorkReference {
    void* callable = nullptr;
    void (*call)(void* callable, int item, int worker) = nullptr;
  };
  template <class Work>
  static WorkReference reference(Work& work) {
    return {const_cast<void*>(static_cast<const void*>(&work)),
            [](void* w, [[maybe_unused]] int item, int worker) {
              if constexpr (std::is_invocable_v<Work&, int, int>) {
                (*static_cast<Work*>(w))(item, worker);
              } else {
                (*static_cast<Work*>(w))(worker);
              }
            }};
  }
  void run_all(int count, WorkReference work, WorkReference idle);
  void run(int worker);
  std::uint64_t wait_for_round(std::uint64_t seen);
  void take_all_items();
  void take_items(int worker);
  void take_items_of(int part, int worker);
  void call(const WorkReference& work, int item, int worker);
  void stop();

  /// Items that one worker begins with; others take from them what is left.
  struct alignas(64) Part {
    std::atomic<std::int64_t> next = 0;
    std::int64_t end = 0;
  };

  std::vector<std::thread> workers_;
  bool is_shared_ = true;
  // written by the caller while no worker runs, published by the round below
  WorkReference work_, idle_;
  int count_ = 0;
  std::vector<Part> parts_;                ///< by worker
  alignas(64) std::atomic<int> busy_ = 0;  ///< workers that are not done with the round
  alignas(64) std::atomic<std::uint64_t> round_ = 0;
  std::atomic<int> asleep_ = 0;
  std::atomic<bool> stop_ = false;
  std::mutex mutex_;  ///< of those asleep, and of the error
  std::condition_variable wake_;
  std::exception_ptr error_;
};

/// Calls work(begin, end), or work(begin, end, worker), for ranges that make up [0, count), each of
/// at least `least` items, on the pool if there is one: a loop whose items write to places of their
/// own.
template <class Work>
void for_ranges(ThreadPool* pool, int count, int least, Work&& work) {
  const bool shares = pool != nullptr && pool->is_shared();
  const int ranges = shares ? std::min(pool->threads(), count / least) : 1;
  const auto call = [&](int begin, int end, int worker) {
    if constexpr (std::is_invocable_v<Work, int, int, int>) {
      work(begin, end, worker);
    } else {
      work(begin, end);
    }
  };
  if (ranges <= 1) {
    if (count > 0) call(0, count, 0);
    return;
  }
  const auto begin_of = [&](int r) {
    return static_cast<int>(static_cast<std::int64_t>(count) * r / ranges);
  };
  // the same worker each time: its cache has what the last loop over these items left there
  pool->for_each_worker([&](int worker) {
    if (worker < ranges) call(begin_of(worker), begin_of(worker + 1), worker);
  });
}

}  // namespace abut
