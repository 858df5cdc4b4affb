#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace abut {

/// Worker threads for loops over independent items. Which worker runs an item must not matter to
/// the result; each has a number for buffers of its own.
class ThreadPool {
 public:
  /// `threads` >= 1 including the caller's.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  /// Calls work(item, worker) for every item in [0, count), worker in [0, threads()), and returns
  /// when all are done. Rethrows the first exception. Not reentrant.
  void for_each(int count, const std::function<void(int item, int worker)>& work);

 private:
  void run(int worker);
  void take_items(int worker);

  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  const std::function<void(int, int)>* work_ = nullptr;
  int count_ = 0, next_ = 0, busy_ = 0;
  std::uint64_t round_ = 0;
  bool stop_ = false;
  std::exception_ptr error_;
};

}  // namespace abut
