#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "abut/geometry/shape.hpp"

namespace abut {

/// The solid n . x <= offset, n a unit vector in world axes.
struct HalfSpace {
  Vec3 normal;
  double offset = 0;  ///< [m]
};

/// Pairs of shapes that may touch, kept from step to step. Each bounding box is fattened; only a
/// shape that left its fat box is paired anew. They are sorted along the axis of largest spread, in
/// strips across the second largest: all of them are swept if many have moved, else each that moved
/// looks around itself.
class BroadPhase {
 public:
  /// Two shapes of different groups: a plane first, else the lower index first.
  struct Pair {
    std::int32_t first = 0, second = 0;
    bool operator==(const Pair&) const = default;
  };

  static constexpr std::int32_t left_out = -2;  ///< group of shapes that take no part

  /// Forgets everything. Shapes of one group (a body, the world) never pair. `planes` are the
  /// shapes that are half-spaces at rest; their boxes are not read.
  void reset(std::vector<std::int32_t> groups,
             std::vector<std::pair<std::int32_t, HalfSpace>> planes);

  /// No more pairs than that are searched for in one update.
  void limit_pairs(std::size_t most) { most_pairs_ = most; }

  /// Tells where the boxes are now: `boxes` must hold what may touch in this step. A box that left
  /// its fat one gets a new one, `skins` [m] wider. True if there was any.
  bool update(std::span<const Aabb> boxes, std::span<const double> skins);

  /// All boxes are new at the next update.
  void forget() { placed_ = false; }

  /// Of the last update: shapes whose pairs were searched again, and these pairs, in no particular
  /// order. All other pairs are as before.
  bool has_moved(std::int32_t shape) const { return moved_[shape] != 0; }
  std::span<const Pair> found() const { return found_; }
  /// Whether it found the most that it may, and stopped there: the next update searches again.
  bool is_full() const { return found_.size() >= most_pairs_; }

 private:
  /// A shape that is no half-space.
  struct Bounded {
    Aabb fat;
    std::int32_t shape = 0;
    std::int32_t strip = 0;  ///< Strips::of()
  };
  /// Cuts an axis. Those from 1 to `count` follow each other, the first and the last without end;
  /// in 0 are boxes wider than these, in count + 1 boxes that are no numbers.
  struct Strips {
    int axis = 1;
    int count = 1;
    double origin = 0, width = std::numeric_limits<double>::infinity();  ///< [m]

    std::int32_t at(double x) const;
    std::int32_t of(const Aabb& fat) const;
    bool is_about(const Strips& other) const;
  };
  /// Of `sorted_`, and how wide its boxes are along the sorted axis.
  struct Strip {
    std::size_t begin = 0, end = 0;
    double widest = 0;
  };
  /// Of their lower bounds along an axis.
  struct Extent {
    double lower = 0, upper = 0;
    double size() const { return upper - lower; }
  };
  template <class Number>
  double quantile(double share, const Number& number);
  Extent extent_along(int axis);
  bool choose_axes();
  bool cut_anew(int axis, const Extent& extent);
  void sort_all();
  template <int axis>
  void search_along(bool all);
  template <int axis>
  void sort_moved();
  template <int axis>
  void find_strips();
  template <int axis>
  void search_all();
  template <int axis>
  void search_moved();
  template <int axis, class Accept>
  void sweep(const Bounded& box, std::size_t at, const Strip& strip, const Accept& accept);
  template <int axis, class Accept>
  void search_strip(const Bounded& box, const Strip& strip, const Accept& accept);
  template <int axis, class Accept>
  void search_others(const Bounded& box, const Accept& accept);
  void add(std::int32_t first, std::int32_t second) {
    if (groups_[first] != groups_[second]) found_.push_back({first, second});
  }

  void add_bounded(std::int32_t a, std::int32_t b) { add(std::min(a, b), std::max(a, b)); }

  std::vector<std::int32_t> groups_;
  std::vector<std::pair<std::int32_t, HalfSpace>> planes_;
  std::vector<Bounded> sorted_;  ///< by strip, then by the lower bounds of their fat boxes
  std::vector<Strip> strips_;
  std::vector<double> numbers_;  ///< of which quantiles are taken
  std::vector<char> moved_;
  std::vector<Pair> found_;
  std::size_t most_pairs_ = std::numeric_limits<std::size_t>::max();
  std::size_t moves_ = 0;  ///< since the axes were chosen
  Strips cut_;
  int axis_ = 0;         ///< along which a strip is sorted
  bool placed_ = false;  ///< fat boxes are known, and sorted
};

}  // namespace abut
