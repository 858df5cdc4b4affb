#include "abut/core/parallel.hpp"

namespace abut {

ThreadPool::ThreadPool(int threads) {
  try {
    for (int worker = 1; worker < threads; ++worker) {
      workers_.emplace_back([this, worker] { run(worker); });
    }
  } catch (...) {
    stop();  // a thread that is destroyed while it runs ends the program
    throw;
  }
}

ThreadPool::~ThreadPool() {
  stop();
}

void ThreadPool::stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (std::thread& t : workers_) t.join();
}

void ThreadPool::run_all(int count, WorkReference work) {
  work_ = work;
  count_ = count;
  next_ = 0;
  error_ = nullptr;
  if (count <= 1 || workers_.empty()) {
    take_items(0);
  } else {
    {
      const std::lock_guard lock(mutex_);
      busy_ = threads();
      ++round_;
    }
    wake_.notify_all();
    take_items(0);
    std::unique_lock lock(mutex_);
    --busy_;
    done_.wait(lock, [this] { return busy_ == 0; });
  }
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
    const std::int64_t item = next_.fetch_add(1, std::memory_order_relaxed);
    if (item >= count_) return;
    try {
      work_.call(work_.callable, static_cast<int>(item), worker);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
    }
  }
}

}  // namespace abut
