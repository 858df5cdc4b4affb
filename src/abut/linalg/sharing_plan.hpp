#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "abut/linalg/front.hpp"

namespace abut {

/// How threads share one factorization, whatever their number: single ones take subtrees of the
/// elimination tree, all of them the fronts above.
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
  std::vector<FrontRange> subtrees;
  std::vector<SharedFront> shared;  ///< in elimination order; none where sharing does not pay
  std::vector<Chunk> chunks;

  bool pays() const { return !shared.empty(); }
};

/// Makes these plans. Keeps its buffers.
class SharingAnalysis {
 public:
  /// Of a symbolic factor: its fronts in elimination order, their strips and updates.
  void plan(std::span<const Front> fronts, std::span<const Strip> strips,
            std::span<const FrontUpdate> updates, SharingPlan& result);

 private:
  bool is_shared(int front) const { return flops_[front] > limit_; }

  std::vector<std::int32_t> parent_;  ///< of each front, -1 of a root
  std::vector<double> flops_;         ///< of the subtree of each front
  double limit_ = 0;                  ///< of what one thread takes
};

}  // namespace abut
