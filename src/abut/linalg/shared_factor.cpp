#include "abut/linalg/shared_factor.hpp"

#include <algorithm>
#include <atomic>
#include <span>

#include "abut/core/team.hpp"
#include "abut/core/wait_awake.hpp"
#include "abut/linalg/kernels.hpp"

namespace abut {
namespace {

/// Calls f(range) for the subtrees of one member. More than two members take them in turns to and
/// fro, the largest ones first.
template <class F>
void for_each_subtree(const SharingPlan& plan, int member, int members, const F& f) {
  const std::span<const FrontRange> all = plan.subtrees;
  const auto count = static_cast<int>(all.size());
  if (members <= 2) {
    const int begin = member == 0 ? 0 : plan.second,
              end = member + 1 < members ? plan.second : count;
    for (int t = begin; t < end; ++t) f(all[t]);
    return;
  }
  for (int first = 0; first < count; first += 2 * members) {
    for (const int t : {first + member, first + 2 * members - 1 - member}) {
      if (t < count) f(all[t]);
    }
  }
}

void clear(const BlockSymbolic& s, double* values, int member, int members) {
  const SharingPlan& plan = s.sharing.of(members);
  for_each_subtree(plan, member, members, [&](FrontRange r) {
    const bool is_last = r.end == std::ssize(s.fronts);
    std::fill(values + s.fronts[r.begin].panel,
              values + (is_last ? s.value_count : s.fronts[r.end].panel), 0.0);
  });
  for (const SharingPlan::SharedFront& shared : plan.shared) {
    const Front& f = s.fronts[shared.front];
    double* panel = values + f.panel;
    for (int c = 6 * member; c < f.pivots; c += 6 * members) {  // as columns are updated
      std::fill(panel + std::ptrdiff_t{c} * f.leading,
                panel + std::ptrdiff_t{std::min(c + 6, f.pivots)} * f.leading, 0.0);
    }
    if (member == 0) std::fill_n(panel + std::ptrdiff_t{f.pivots} * f.leading, 8, 0.0);
  }
}

void solve(const BlockSymbolic& s, const double* values, const double* inverse, double* x,
           int member, int members, Team& team) {
  const LinalgKernels& kernels = linalg_kernels();
  const BlockFactorView v = view(s);
  const SharingPlan& plan = s.sharing.of(members);
  const std::int32_t* outside = plan.outside.data();
  for_each_subtree(plan, member, members,
                   [&](FrontRange r) { kernels.solve_inside(v, r, outside, values, inverse, x); });
  team.meet(members);
  if (member == 0) {
    kernels.solve_outside(v, {0, static_cast<std::int32_t>(s.fronts.size())}, outside, values,
                          inverse, x);
    for (std::size_t k = plan.shared.size(); k-- > 0;) {
      const std::int32_t front = plan.shared[k].front;
      kernels.solve_backward(v, {front, front + 1}, values, inverse, x);
    }
  }
  team.meet(members);
  for_each_subtree(plan, member, members,
                   [&](FrontRange r) { kernels.solve_backward(v, r, values, inverse, x); });
}

class SharedFactor {
 public:
  SharedFactor(const BlockSymbolic& symbolic, double* values, double* inverse, double* x,
               Team& team)
      : s_(symbolic),
        view_(view(symbolic)),
        values_(values),
        inverse_(inverse),
        x_(x),
        team_(team) {}

  bool run() {
    team_.share([this](int member, int members) { work(member, members); });
    return !failed_;
  }

 private:
  void work(int member, int members) {
    const LinalgKernels& kernels = linalg_kernels();
    const SharingPlan& plan = s_.sharing.of(members);
    for_each_subtree(plan, member, members, [&](FrontRange r) {
      if (kernels.factor(view_, r, values_, inverse_, nullptr) >= 0) failed_ = true;
    });
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
    if (x_ == nullptr) return;
    team_.meet(members);
    if (!failed_) solve(s_, values_, inverse_, x_, member, members, team_);
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
  double *values_, *inverse_, *x_;
  Team& team_;
  alignas(64) std::atomic<int> pivots_done_ = 0;  ///< of strips before it, which ascend by front
  alignas(64) std::atomic<bool> failed_ = false;
};

}  // namespace

void clear_shared(const BlockSymbolic& symbolic, double* values, Team& team) {
  team.share([&](int member, int members) { clear(symbolic, values, member, members); });
}

bool factor_shared(const BlockSymbolic& symbolic, double* values, double* inverse, double* x,
                   Team& team) {
  return SharedFactor(symbolic, values, inverse, x, team).run();
}

void solve_shared(const BlockSymbolic& symbolic, const double* values, const double* inverse,
                  double* x, Team& team) {
  team.share(
      [&](int member, int members) { solve(symbolic, values, inverse, x, member, members, team); });
}

}  // namespace abut
