#include "abut/linalg/shared_factor.hpp"

#include <atomic>
#include <span>

#include "abut/core/team.hpp"
#include "abut/core/wait_awake.hpp"
#include "abut/linalg/kernels.hpp"

namespace abut {
namespace {

class SharedFactor {
 public:
  SharedFactor(const BlockSymbolic& symbolic, double* values, double* inverse, Team& team)
      : s_(symbolic), view_(view(symbolic)), values_(values), inverse_(inverse), team_(team) {}

  bool run() {
    team_.share([this](int member, int members) { work(member, members); });
    return !failed_;
  }

 private:
  void work(int member, int members) {
    const LinalgKernels& kernels = linalg_kernels();
    const SharingPlan& plan = s_.sharing;
    const auto subtrees = static_cast<int>(plan.subtrees.size());
    for (int t = next_++; t < subtrees; t = next_++) {
      if (kernels.factor(view_, plan.subtrees[t], values_, inverse_, nullptr) >= 0) failed_ = true;
    }
    for (const SharingPlan::SharedFront& shared : plan.shared) {
      const Front& f = s_.fronts[shared.front];
      team_.meet(members);  // what updates it is factored
      if (failed_) return;
      kernels.update_columns(view_, f, member, members, values_);
      team_.meet(members);
      eliminate(
          f,
          std::span(plan.chunks).subspan(shared.chunk_begin, shared.chunk_end - shared.chunk_begin),
          member, members);
    }
  }

  /// Strip by strip; chunks go to the members in turn. Who has the next strip's pivots eliminates
  /// them before other rows, so that nobody waits for them long.
  void eliminate(const Front& f, std::span<const SharingPlan::Chunk> chunks, int member,
                 int members) {
    const auto count = static_cast<int>(chunks.size());
    if (member == 0) eliminate_pivots(f, f.pivot_begin);
    int at = 0;  // the chunk of the strip's pivots
    for (int strip = f.pivot_begin; strip < f.pivot_end; ++strip) {
      if (strip == chunks[at].strip_end) ++at;
      wait_awake([&] { return pivots_done_.load(std::memory_order_acquire) > strip || failed_; });
      if (failed_) return;
      const int turn = at % members;
      for (int c = at + (member - turn + members) % members; c < count; c += members) {
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
  Team& team_;
  alignas(64) std::atomic<int> next_ = 0;         ///< subtree
  alignas(64) std::atomic<int> pivots_done_ = 0;  ///< of strips before it, which ascend by front
  alignas(64) std::atomic<bool> failed_ = false;
};

}  // namespace

bool factor_shared(const BlockSymbolic& symbolic, double* values, double* inverse, Team& team) {
  return SharedFactor(symbolic, values, inverse, team).run();
}

}  // namespace abut
