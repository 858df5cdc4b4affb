#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace abut {

/// Worker threads for loops over independent items. Which worker runs an item must not matter to
/// the result; each has a number for buffers of its own.
class ThreadPool {
 public:
  /// `threads` >= 1 including the caller's.
  /// @throws std::system_error if the system starts fewer.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  /// Calls work(item, worker) for every item in [0, count), worker in [0, threads()), and returns
  /// when all are done. Rethrows the first exception. Not reentrant. The caller's thread alone runs
  /// a single item.
  template <class Work>
  void for_each(int count, Work&& work) {
    using Callable = std::remove_reference_t<Work>;
    run_all(count,
            {const_cast<void*>(static_cast<const void*>(&work)),
             [](void* w, int item, int worker) { (*static_cast<Callable*>(w))(item, worker); }});
  }

 private:
  /// A callable by reference: std::function would allocate.
  struct WorkReference {
    void* callable = nullptr;
    void (*call)(void* callable, int item, int worker) = nullptr;
  };
  void run_all(int count, WorkReference work);
  void run(int worker);
  void take_items(int worker);
  void stop();

  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  // written by the caller while no worker runs, published by the round below
  WorkReference work_;
  int count_ = 0;
  std::atomic<std::int64_t> next_ = 0;
  // under the mutex
  int busy_ = 0;
  std::uint64_t round_ = 0;
  bool stop_ = false;
  std::exception_ptr error_;
};

}  // namespace abut
