#include "abut/core/parallel.hpp"

#include "abut/core/wait_awake.hpp"

namespace abut {

ThreadPool::ThreadPool(int threads) : parts_(static_cast<std::size_t>(std::max(threads, 1))) {
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

void ThreadPool::run_all(int count, WorkReference work, WorkReference idle) {
  work_ = work;
  idle_ = idle;
  count_ = count;
  for (std::int64_t i = 0; count != own_item && i < threads(); ++i) {
    // rounded up, so that the first item is the caller's
    parts_[i].next.store((count * i + threads() - 1) / threads(), std::memory_order_relaxed);
    parts_[i].end = (count * (i + 1) + threads() - 1) / threads();
  }
  error_ = nullptr;
  const bool is_single = count <= 1 && count != own_item && idle.call == nullptr;
  if (workers_.empty() || is_single) {
    take_items(0);
  } else if (!is_shared_) {
    take_all_items();
  } else {
    busy_ = threads() - 1;
    ++round_;
    if (asleep_ > 0) {
      // who counts as asleep has not looked at the round yet, or waits: the lock tells them apart
      { const std::lock_guard lock(mutex_); }
      wake_.notify_all();
    }
    take_items(0);
    wait_awake([this] { return busy_.load(std::memory_order_acquire) == 0; });
  }
  work_ = idle_ = {};
  if (error_) std::rethrow_exception(error_);
}

/// The number of the next round, or the same once the pool stops.
std::uint64_t ThreadPool::wait_for_round(std::uint64_t seen) {
  const auto is_over = [&] { return round_ != seen || stop_; };
  if (!wait_awake_briefly(is_over)) {
    std::unique_lock lock(mutex_);
    ++asleep_;
    wake_.wait(lock, is_over);
    --asleep_;
  }
  return round_;
}

void ThreadPool::run(int worker) {
  for (std::uint64_t seen = 0;;) {
    const std::uint64_t next = wait_for_round(seen);
    if (next == seen) return;
    seen = next;
    take_items(worker);
    busy_.fetch_sub(1, std::memory_order_release);
  }
}

/// The caller does what all workers would do; the others sleep.
void ThreadPool::take_all_items() {
  if (count_ != own_item) take_items(0);
  for (int worker = 0; worker < threads(); ++worker) {
    if (count_ == own_item) call(work_, worker, worker);
    if (worker > 0 && idle_.call != nullptr) call(idle_, 0, worker);
  }
}

void ThreadPool::take_items(int worker) {
  if (count_ == own_item) return call(work_, worker, worker);
  for (int i = 0; i < threads(); ++i) take_items_of((worker + i) % threads(), worker);
  if (idle_.call != nullptr) call(idle_, 0, worker);
}

void ThreadPool::take_items_of(int part, int worker) {
  for (;;) {
    const std::int64_t item = parts_[part].next.fetch_add(1, std::memory_order_relaxed);
    if (item >= parts_[part].end) return;
    call(work_, static_cast<int>(item), worker);
  }
}

void ThreadPool::call(const WorkReference& work, int item, int worker) {
  try {
    work.call(work.callable, item, worker);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::current_exception();
  }
}

}  // namespace abut
