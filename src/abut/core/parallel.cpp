#include "abut/core/parallel.hpp"

namespace abut {

ThreadPool::ThreadPool(int threads) {
  for (int worker = 1; worker < threads; ++worker) {
    workers_.emplace_back([this, worker] { run(worker); });
  }
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (std::thread& t : workers_) t.join();
}

void ThreadPool::run_all(int count, WorkReference work) {
  {
    const std::lock_guard lock(mutex_);
    work_ = work;
    count_ = count;
    next_ = 0;
    busy_ = threads();
    error_ = nullptr;
    ++round_;
  }
  wake_.notify_all();
  take_items(0);
  std::unique_lock lock(mutex_);
  --busy_;
  done_.wait(lock, [this] { return busy_ == 0; });
  work_ = {};
  if (error_) std::rethrow_exception(error_);
}

void ThreadPool::run(int worker) {
  std::uint64_t seen = 0;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return stop_ || round_ != seen; });
      if (stop_) return;
      seen = round_;
    }
    take_items(worker);
    {
      const std::lock_guard lock(mutex_);
      --busy_;
    }
    done_.notify_one();
  }
}

void ThreadPool::take_items(int worker) {
  for (;;) {
    int item = 0;
    {
      const std::lock_guard lock(mutex_);
      if (next_ >= count_) return;
      item = next_++;
    }
    try {
      work_.call(work_.callable, item, worker);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
    }
  }
}

}  // namespace abut
