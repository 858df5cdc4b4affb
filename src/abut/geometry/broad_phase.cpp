#include "abut/geometry/broad_phase.hpp"

#include <algorithm>
#include <compare>

namespace abut {
namespace {

/// Room for so many pairs a shape in one search: more than a heap has. Denser scenes make room when
/// they come.
constexpr std::size_t pairs_per_shape = 16;

bool contains(const Aabb& outer, const Aabb& inner) {  // as Aabb::meets() without branches
  return (outer.lower.x <= inner.lower.x) & (outer.lower.y <= inner.lower.y) &
         (outer.lower.z <= inner.lower.z) & (inner.upper.x <= outer.upper.x) &
         (inner.upper.y <= outer.upper.y) & (inner.upper.z <= outer.upper.z);
}

bool overlap(const HalfSpace& plane, const Aabb& box) {
  const auto least = [](double n, double lower, double upper) {
    return n * (n > 0 ? lower : upper);
  };
  return least(plane.normal.x, box.lower.x, box.upper.x) +
             least(plane.normal.y, box.lower.y, box.upper.y) +
             least(plane.normal.z, box.lower.z, box.upper.z) <=
         plane.offset;
}

}  // namespace

void BroadPhase::reset(std::vector<std::int32_t> groups,
                       std::vector<std::pair<std::int32_t, HalfSpace>> planes) {
  groups_ = std::move(groups);
  planes_ = std::move(planes);
  moved_.assign(groups_.size(), false);
  sorted_.clear();
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    if (groups_[i] != left_out) sorted_.push_back({{}, static_cast<std::int32_t>(i)});
  }
  for (const auto& plane : planes_) {
    std::erase_if(sorted_, [&](const Bounded& b) { return b.shape == plane.first; });
  }
  std::erase_if(planes_, [&](const auto& plane) { return groups_[plane.first] == left_out; });
  found_.clear();
  found_.reserve(std::min(most_pairs_, pairs_per_shape * sorted_.size()));
  placed_ = false;
}

/// That of largest spread; a new one only if it is clearly better, as sorting along it begins from
/// disorder.
void BroadPhase::choose_axis() {
  moves_ = 0;
  Vec3 mean, spread;
  for (const Bounded& b : sorted_) mean += b.fat.lower;
  mean = mean / std::max<double>(1, static_cast<double>(sorted_.size()));
  for (const Bounded& b : sorted_) {
    const Vec3 d = b.fat.lower - mean;
    spread += Vec3{d.x * d.x, d.y * d.y, d.z * d.z};
  }
  for (int k = 0; k < 3; ++k) {
    if (spread[k] > 1.5 * spread[axis_]) axis_ = k;
  }
}

void BroadPhase::sort_along_axis() {
  std::sort(sorted_.begin(), sorted_.end(), [&](const Bounded& a, const Bounded& b) {
    // a total order, of bodies that have left the numbers too
    const auto order = std::strong_order(a.fat.lower[axis_], b.fat.lower[axis_]);
    return order != 0 ? order < 0 : a.shape < b.shape;
  });
}

/// By insertion: boxes hardly change places from one search to the next. Where they do, anew.
template <int axis>
void BroadPhase::sort_moved() {
  std::size_t shifts = 0;
  for (std::size_t k = 1; k < sorted_.size(); ++k) {
    const double lower = sorted_[k].fat.lower[axis];
    if (sorted_[k - 1].fat.lower[axis] <= lower) continue;
    const Bounded out = sorted_[k];
    std::size_t to = k;
    for (; to > 0 && sorted_[to - 1].fat.lower[axis] > lower; --to) sorted_[to] = sorted_[to - 1];
    sorted_[to] = out;
    shifts += k - to;
    if (shifts > 16 * sorted_.size()) return sort_along_axis();
  }
}

template <int axis>
void BroadPhase::search_all() {
  for (const auto& [plane, half_space] : planes_) {
    for (const auto& [fat, shape] : sorted_) {
      if (overlap(half_space, fat)) add(plane, shape);
    }
  }
  for (std::size_t k = 0; k < sorted_.size() && !is_full(); ++k) {
    const auto& [fat, shape] = sorted_[k];
    const double last = fat.upper[axis];
    for (std::size_t l = k + 1; l < sorted_.size() && sorted_[l].fat.lower[axis] <= last; ++l) {
      if (fat.meets(sorted_[l].fat)) add_bounded(shape, sorted_[l].shape);
    }
  }
}

/// Each moved shape against all; two that both moved are found once, from the one further on.
template <int axis>
void BroadPhase::search_moved() {
  double widest = 0;
  for (const auto& [fat, shape] : sorted_) {
    widest = std::max(widest, fat.upper[axis] - fat.lower[axis]);
  }
  for (std::size_t k = 0; k < sorted_.size() && !is_full(); ++k) {
    const auto& [fat, shape] = sorted_[k];
    if (!moved_[shape]) continue;
    for (const auto& [plane, half_space] : planes_) {
      if (overlap(half_space, fat)) add(plane, shape);
    }
    const double first = fat.lower[axis] - widest, last = fat.upper[axis];
    for (std::size_t l = k; l-- > 0 && sorted_[l].fat.lower[axis] >= first;) {
      if (fat.meets(sorted_[l].fat)) add_bounded(shape, sorted_[l].shape);
    }
    for (std::size_t l = k + 1; l < sorted_.size() && sorted_[l].fat.lower[axis] <= last; ++l) {
      const Bounded& other = sorted_[l];
      const bool is_new = moved_[other.shape] == 0, meets = fat.meets(other.fat);
      if (is_new & meets) add_bounded(shape, other.shape);
    }
  }
}

/// The pairs of the shapes that moved, or of all, with the axis known to the compiler.
template <int axis>
void BroadPhase::search_along(bool all) {
  sort_moved<axis>();
  if (all) {
    search_all<axis>();
  } else {
    search_moved<axis>();
  }
}

bool BroadPhase::update(std::span<const Aabb> boxes, std::span<const double> skins) {
  std::size_t moved = 0;
  for (auto& [fat, shape] : sorted_) {
    const Aabb& box = boxes[shape];
    moved_[shape] = !placed_ || !contains(fat, box);
    if (!moved_[shape]) continue;
    const Vec3 skin = skins[shape] * Vec3{1, 1, 1};
    fat = {box.lower - skin, box.upper + skin};
    ++moved;
  }
  found_.clear();
  if (moved == 0) return false;
  moves_ += moved;
  const int axis_before = axis_;
  if (moves_ >= sorted_.size()) choose_axis();
  if (!placed_ || axis_ != axis_before) sort_along_axis();
  placed_ = true;
  const bool all = 4 * moved >= sorted_.size();
  if (all) {
    for (const Bounded& b : sorted_) moved_[b.shape] = true;
  }
  switch (axis_) {
    case 0: search_along<0>(all); break;
    case 1: search_along<1>(all); break;
    default: search_along<2>(all); break;
  }
  if (is_full()) placed_ = false;
  return true;
}

}  // namespace abut
