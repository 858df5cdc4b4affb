#include "abut/linalg/shared_factor.hpp"

#include <atomic>
#include <span>

#include "abut/core/parallel.hpp"
#include "abut/core/wait_awake.hpp"
#include "abut/linalg/kernels.hpp"

namespace abut {
namespace {

class SharedFactor {
 public:
  SharedFactor(const BlockSymbolic& symbolic, double* values, double* inverse, ThreadPool& pool)
      : s_(symbolic), view_(view(symbolic)), values_(values), inverse_(inverse), pool_(pool) {}

  bool run() {
    pool_.for_each_worker([this](int worker) { work(worker); });
    return !failed_;
  }

 private:
  void work(int worker) {
    const LinalgKernels& kernels = linalg_kernels();
    const SharingPlan& plan = s_.sharing;
    const auto subtrees = static_cast<int>(plan.subtrees.size());
    for (int t = next_++; t < subtrees; t = next_++) {
      if (kernels.factor(view_, plan.subtrees[t], values_, inverse_) >= 0) failed_ = true;
    }
    for (const SharingPlan::SharedFront& shared : plan.shared) {
      const Front& f = s_.fronts[shared.front];
      pool_.meet();  // what updates it is factored
      if (failed_) return;
      kernels.update_columns(view_, f, worker, pool_.threads(), values_);
      pool_.meet();
      eliminate(
          f,
          std::span(plan.chunks).subspan(shared.chunk_begin, shared.chunk_end - shared.chunk_begin),
          worker);
    }
  }

  /// Strip by strip; chunks go to the workers in turn. Who has the next strip's pivots eliminates
  /// them before other rows, so that nobody waits for them long.
  void eliminate(const Front& f, std::span<const SharingPlan::Chunk> chunks, int worker) {
    const int workers = pool_.threads(), count = static_cast<int>(chunks.size());
    if (worker == 0) eliminate_pivots(f, f.pivot_begin);
    int at = 0;  // the chunk of the strip's pivots
    for (int strip = f.pivot_begin; strip < f.pivot_end; ++strip) {
      if (strip == chunks[at].strip_end) ++at;
      wait_awake([&] { return pivots_done_.load(std::memory_order_acquire) > strip || failed_; });
      if (failed_) return;
      const int turn = at % workers;
      for (int c = at + (worker - turn + workers) % workers; c < count; c += workers) {
        const SharingPlan::Chunk& chunk = chunks[c];
        linalg_kernels().factor_rows(view_, f, strip, chunk.begin, chunk.end, values_, inverse_);
        if (strip + 1 >= chunk.strip_begin && strip + 1 < chunk.strip_end) {
          eliminate_pivots(f, strip + 1);
        }
      }
    }
  }

  void eliminate_pivots(const Front& f, int strip) {
    if (!linalg_kernels().factor_pivots(view_, f, strip, values_, inverse_)) failed_ = true;
    pivots_done_.store(strip + 1, std::memory_order_release);
  }

  const BlockSymbolic& s_;
  BlockFactorView view_;
  double *values_, *inverse_;
  ThreadPool& pool_;
  alignas(64) std::atomic<int> next_ = 0;         ///< subtree
  alignas(64) std::atomic<int> pivots_done_ = 0;  ///< up to this strip, of all shared fronts
  alignas(64) std::atomic<bool> failed_ = false;
};

}  // namespace

bool factor_shared(const BlockSymbolic& symbolic, double* values, double* inverse,
                   ThreadPool& pool) {
  return SharedFactor(symbolic, values, inverse, pool).run();
}

}  // namespace abut
