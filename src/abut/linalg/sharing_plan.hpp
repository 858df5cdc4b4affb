#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "abut/linalg/front.hpp"

namespace abut {

/// How threads share one factorization: single ones take subtrees of the elimination tree, all of
/// them the fronts above.
struct SharingPlan {
  /// Rows of a shared front's panel that one thread eliminates, and the strips of their pivots.
  struct Chunk {
    std::int32_t begin = 0, end = 0;              ///< rows, multiples of 8
    std::int32_t strip_begin = 0, strip_end = 0;  ///< equal if there are no pivots
  };
  struct SharedFront {
    std::int32_t front = 0;
    std::int32_t chunk_begin = 0, chunk_end = 0;
  };
  /// Those with most flops first; but of two threads in elimination order those of the first one,
  /// then, from `second` on, those of the second one.
  std::vector<FrontRange> subtrees;
  std::int32_t second = 0;
  std::vector<SharedFront> shared;  ///< in elimination order
  std::vector<Chunk> chunks;
  /// By front: where the strips begin that are not in its subtree; of a shared one all of them.
  std::vector<std::int32_t> outside;
};

/// The plans of a factor. Two threads take larger subtrees than more of them can: what one thread
/// wrote and another one reads takes it longer than what it wrote itself. They may even have no
/// fronts to share.
struct SharingPlans {
  SharingPlan of_two, of_more;   ///< both empty where sharing does not pay
  std::int64_t apart_count = 0;  ///< doubles of what is added up apart
  /// All fronts in the order in which one thread goes over them to the bits of two: subtrees of the
  /// first one, of the second one, then what they share.
  std::vector<FrontRange> order;

  bool pays() const { return !of_more.shared.empty(); }
  const SharingPlan& of(int threads) const { return threads > 2 ? of_more : of_two; }
};

/// Makes these plans. Keeps its buffers.
class SharingAnalysis {
 public:
  /// Of a symbolic factor: its fronts in elimination order, their strips and updates. Puts
  /// the updates of shared fronts in order, and says which of them are added up apart.
  void plan(std::span<Front> fronts, std::span<const Strip> strips, std::span<FrontUpdate> updates,
            SharingPlans& result);

 private:
  enum class Who : std::uint8_t { first, second, both };
  bool is_shared(int front) const { return flops_[front] > limit_; }
  void add_up(std::span<const Front> fronts, std::span<const FrontUpdate> updates);
  bool pays(std::span<const Front> fronts) const;
  bool divide(SharingPlan& plan);
  void add_up_apart(std::span<Front> fronts, std::span<FrontUpdate> updates, SharingPlans& result);
  void plan(std::span<const Front> fronts, std::span<const Strip> strips,
            std::span<const FrontUpdate> updates, SharingPlan& result) const;

  std::vector<std::int32_t> parent_;  ///< of each front, -1 of a root
  std::vector<double> flops_;         ///< of the subtree of each front
  double total_ = 0;                  ///< flops of all fronts
  double limit_ = 0;                  ///< flops of a subtree, at most
  std::vector<FrontRange> others_;    ///< subtrees of the second of two threads
  std::vector<Who> who_;              ///< has a front, of two threads
};

}  // namespace abut
