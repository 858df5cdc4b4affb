#include "abut/linalg/shared_factor.hpp"

#include <algorithm>
#include <atomic>
#include <ranges>

#include "abut/core/team.hpp"
#include "abut/core/wait_awake.hpp"

namespace abut {

/// The pivots of shared fronts, by all members of a team.
class SharedFactor::Elimination {
 public:
  explicit Elimination(const SharedFactor& factor) : f_(factor) {}

  /// Strip by strip; chunks go to the members in turn. Who has the next strip's pivots eliminates
  /// them before other rows, so that nobody waits for them long. Nothing after a failure.
  void run(const Front& f, std::span<const SharingPlan::Chunk> chunks, int member, int members) {
    const auto count = static_cast<int>(chunks.size());
    if (member == 0 && !failed_) eliminate_pivots(f, f.pivot_begin);
    int at = 0;  // the chunk of the strip's pivots
    for (int strip = f.pivot_begin; strip < f.pivot_end; ++strip) {
      if (strip == chunks[at].strip_end) ++at;
      wait_awake([&] { return pivots_done_.load(std::memory_order_acquire) > strip || failed_; });
      if (failed_) return;
      const int turn = at % members;
      for (int c = at + (member - turn + members) % members; c < count; c += members) {
        const SharingPlan::Chunk& chunk = chunks[c];
        linalg_kernels().factor_rows(f_.view_, f, strip, chunk.begin, chunk.end, f_.values_,
                                     f_.inverse_);
        if (strip + 1 >= chunk.strip_begin && strip + 1 < chunk.strip_end) {
          eliminate_pivots(f, strip + 1);
        }
      }
    }
  }

  void fail() { failed_ = true; }
  bool has_failed() const { return failed_; }

 private:
  void eliminate_pivots(const Front& f, int strip) {
    if (!linalg_kernels().factor_pivots(f_.view_, f, strip, f_.values_, f_.inverse_)) fail();
    pivots_done_.store(strip + 1, std::memory_order_release);
  }

  const SharedFactor& f_;
  alignas(64) std::atomic<int> pivots_done_ = 0;  ///< of strips before it, which ascend by front
  alignas(64) std::atomic<bool> failed_ = false;
};

/// Calls f(range) for the subtrees of one member. More than two members take them in turns to and
/// fro, the largest ones first.
template <class F>
void SharedFactor::for_each_subtree(int member, int members, const F& f) const {
  const SharingPlan& plan = s_.sharing.of(members);
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

void SharedFactor::clear() {
  team_.share([this](int member, int members) {
    for_each_subtree(member, members, [&](FrontRange r) {
      const bool is_last = r.end == std::ssize(s_.fronts);
      std::fill(values_ + s_.fronts[r.begin].panel,
                values_ + (is_last ? s_.value_count : s_.fronts[r.end].panel), 0.0);
    });
    clear_shared(member, members);
  });
}

/// Of shared fronts, columns in turn.
void SharedFactor::clear_shared(int member, int members) {
  for (const auto& shared : s_.sharing.of(members).shared) {
    const Front& f = s_.fronts[shared.front];
    double* panel = values_ + f.panel;
    for (int c = 6 * member; c < f.pivots; c += 6 * members) {
      std::fill(panel + std::ptrdiff_t{c} * f.leading,
                panel + std::ptrdiff_t{std::min(c + 6, f.pivots)} * f.leading, 0.0);
    }
    if (member == 0) std::fill_n(panel + std::ptrdiff_t{f.pivots} * f.leading, 8, 0.0);
  }
}

/// The lower triangles, which are all that is written.
void SharedFactor::clear_apart() {
  for (const auto& shared : s_.sharing.of_two.shared) {
    const Front& f = s_.fronts[shared.front];
    if (f.apart_begin == f.apart_end) continue;
    for (int i = f.pivot_begin; i < f.pivot_end; ++i) {
      const Strip& t = s_.strips[i];
      for (int c = t.row; c < t.row + t.count; ++c) {
        double* column = apart_.values + f.apart + c * std::ptrdiff_t{f.leading};
        std::fill(column + t.row, column + f.leading, 0.0);
      }
    }
  }
}

bool SharedFactor::factor(double* x, bool is_kept) {
  Elimination elimination(*this);
  team_.share([&](int member, int members) {
    const bool solves_later = x != nullptr && members > 2;  // two solve forward as they factor
    for_each_subtree(member, members, [&](FrontRange r) {
      if (linalg_kernels().factor(view_, r, values_, inverse_, solves_later ? nullptr : x,
                                  apart_) >= 0) {
        elimination.fail();
      }
    });
    if (members <= 2) {
      factor_shared_by_two(elimination, member, members);
    } else {
      factor_shared_by_more(elimination, member, members);
    }
    if (solves_later && !elimination.has_failed()) solve_subtrees(x, member, members);
    team_.meet(members);
    if (elimination.has_failed()) return;
    if (members <= 2 && member + 1 == members) clear_apart();
    if (x == nullptr) return;
    if (member == 0) solve_above(x, members);
    team_.meet(members);
    if (is_kept) return solve_backward(x, member, members);
    for_each_subtree(member, members, [&](FrontRange r) {
      linalg_kernels().use_up(view_, r, values_, inverse_, x);
    });
    clear_shared(member, members);
  });
  return !elimination.has_failed();
}

/// Each adds up what its subtrees contribute to shared fronts, the first one in their panels, the
/// second one apart: the other one then reads these sums, not the many fronts they come from. Where
/// it fails, they still meet as often: one may know it before the other one does.
void SharedFactor::factor_shared_by_two(Elimination& elimination, int member, int members) {
  const LinalgKernels& kernels = linalg_kernels();
  const SharingPlan& plan = s_.sharing.of(members);
  for (const auto& shared : plan.shared) {
    const Front& f = s_.fronts[shared.front];
    const auto update = [&](UpdateRange range, double* panel) {
      kernels.update_panel(view_, f, range, 0, 1, values_, panel);
    };
    if (member == 0) update({f.update_begin, f.apart_begin}, values_ + f.panel);
    if (member + 1 == members) update({f.apart_begin, f.apart_end}, apart_.values + f.apart);
  }
  for (const auto& shared : plan.shared) {
    const Front& f = s_.fronts[shared.front];
    const std::span chunks = chunks_of(plan, shared);
    team_.meet(members);  // what updates it is factored
    if (f.apart_begin < f.apart_end) {
      for (int c = member; c < std::ssize(chunks); c += members) {
        kernels.add_apart(view_, f, chunks[c].begin, chunks[c].end, values_, apart_.values);
      }
    }
    if (f.apart_end < f.update_end) {
      team_.meet(members);
      kernels.update_panel(view_, f, {f.apart_end, f.update_end}, member, members, values_,
                           values_ + f.panel);
    }
    team_.meet(members);  // kernels read past the rows of a strip's pivots
    elimination.run(f, chunks, member, members);
  }
}

/// They share the updates of a shared front by columns.
void SharedFactor::factor_shared_by_more(Elimination& elimination, int member, int members) {
  const SharingPlan& plan = s_.sharing.of(members);
  for (const auto& shared : plan.shared) {
    const Front& f = s_.fronts[shared.front];
    team_.meet(members);  // what updates it is factored
    linalg_kernels().update_columns(view_, f, member, members, values_, apart_.values);
    team_.meet(members);
    elimination.run(f, chunks_of(plan, shared), member, members);
  }
}

void SharedFactor::solve(double* x) {
  team_.share([&](int member, int members) {
    solve_subtrees(x, member, members);
    team_.meet(members);
    if (member == 0) solve_above(x, members);
    team_.meet(members);
    solve_backward(x, member, members);
  });
}

/// x := L^-T x as far as a member's subtrees go.
void SharedFactor::solve_backward(double* x, int member, int members) {
  for_each_subtree(member, members, [&](FrontRange r) {
    linalg_kernels().solve_backward(view_, r, values_, inverse_, x);
  });
}

/// x := L^-1 x as far as a member's subtrees go. Of two members that is all that they have, in
/// shared fronts, too.
void SharedFactor::solve_subtrees(double* x, int member, int members) {
  const LinalgKernels& kernels = linalg_kernels();
  const std::int32_t* outside = s_.sharing.of(members).outside.data();
  for_each_subtree(member, members, [&](FrontRange r) {
    if (members <= 2) {
      kernels.solve_forward(view_, r, values_, inverse_, x, apart_.x);
    } else {
      kernels.solve_inside(view_, r, outside, values_, inverse_, x);
    }
  });
}

/// After all subtrees: the rest of L^-1 x, then L^-T x as far as shared fronts go.
void SharedFactor::solve_above(double* x, int members) {
  const LinalgKernels& kernels = linalg_kernels();
  const SharingPlan& plan = s_.sharing.of(members);
  const auto range = [](const SharingPlan::SharedFront& shared) {
    return FrontRange{shared.front, shared.front + 1};
  };
  if (members <= 2) {
    for (const auto& shared : plan.shared) {
      kernels.solve_forward(view_, range(shared), values_, inverse_, x, apart_.x);
    }
  } else {
    for (const FrontRange r : s_.sharing.order) {
      kernels.solve_outside(view_, r, plan.outside.data(), values_, inverse_, x, apart_.x);
    }
  }
  for (const auto& shared : std::views::reverse(plan.shared)) {
    kernels.solve_backward(view_, range(shared), values_, inverse_, x);
  }
}

}  // namespace abut
