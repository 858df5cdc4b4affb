#include "abut/geometry/broad_phase.hpp"

#include <algorithm>

namespace abut {
namespace {

bool contains(const Aabb& outer, const Aabb& inner) {
  return outer.lower.x <= inner.lower.x && outer.lower.y <= inner.lower.y &&
         outer.lower.z <= inner.lower.z && inner.upper.x <= outer.upper.x &&
         inner.upper.y <= outer.upper.y && inner.upper.z <= outer.upper.z;
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
  fat_.resize(groups_.size());
  moved_.assign(groups_.size(), false);
  order_.clear();
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    if (groups_[i] != left_out) order_.push_back(static_cast<std::int32_t>(i));
  }
  for (const auto& [plane, half_space] : planes_) std::erase(order_, plane);
  std::erase_if(planes_, [&](const auto& plane) { return groups_[plane.first] == left_out; });
  found_.clear();
  placed_ = false;
}

bool BroadPhase::update(std::span<const Aabb> boxes, std::span<const double> skins) {
  std::size_t moved = 0;
  for (const int i : order_) {
    moved_[i] = !placed_ || !contains(fat_[i], boxes[i]);
    if (!moved_[i]) continue;
    const Vec3 skin = skins[i] * Vec3{1, 1, 1};
    fat_[i] = {boxes[i].lower - skin, boxes[i].upper + skin};
    ++moved;
  }
  placed_ = true;
  found_.clear();
  if (moved == 0) return false;
  sort_along_axis();
  if (4 * moved < order_.size()) {
    search_moved();
  } else {
    for (const int i : order_) moved_[i] = true;
    search_all();
  }
  if (is_full()) placed_ = false;
  return true;
}

/// Sorts by insertion: boxes hardly change places from one search to the next.
void BroadPhase::sort_along_axis() {
  Vec3 mean, spread;
  for (const int i : order_) mean += fat_[i].lower;
  mean = mean / std::max<double>(1, static_cast<double>(order_.size()));
  for (const int i : order_) {
    const Vec3 d = fat_[i].lower - mean;
    spread += Vec3{d.x * d.x, d.y * d.y, d.z * d.z};
  }
  // a new axis only if it is clearly better: sorting along another one starts from disorder
  int best = axis_;
  for (int k = 0; k < 3; ++k) {
    if (spread[k] > 1.5 * spread[best]) best = k;
  }
  const auto lower = [&](int i) { return fat_[i].lower[best]; };
  if (best != axis_) {
    axis_ = best;
    std::sort(order_.begin(), order_.end(),
              [&](int i, int j) { return lower(i) != lower(j) ? lower(i) < lower(j) : i < j; });
  }
  for (std::size_t k = 1; k < order_.size(); ++k) {
    const std::int32_t box = order_[k];
    std::size_t to = k;
    for (; to > 0 && lower(order_[to - 1]) > lower(box); --to) order_[to] = order_[to - 1];
    order_[to] = box;
  }
  sorted_.resize(order_.size());
  widest_ = 0;
  for (std::size_t k = 0; k < order_.size(); ++k) {
    sorted_[k] = fat_[order_[k]];
    widest_ = std::max(widest_, sorted_[k].upper[axis_] - sorted_[k].lower[axis_]);
  }
}

void BroadPhase::search_all() {
  for (const auto& [plane, half_space] : planes_) {
    for (const int j : order_) {
      if (overlap(half_space, fat_[j])) add(plane, j);
    }
  }
  for (std::size_t k = 0; k < order_.size() && !is_full(); ++k) {
    const Aabb& box = sorted_[k];
    const double last = box.upper[axis_];
    for (std::size_t l = k + 1; l < order_.size() && sorted_[l].lower[axis_] <= last; ++l) {
      if (box.meets(sorted_[l])) {
        add(std::min(order_[k], order_[l]), std::max(order_[k], order_[l]));
      }
    }
  }
}

/// Each moved shape against all; two that both moved are found once, from the one further on.
void BroadPhase::search_moved() {
  for (std::size_t k = 0; k < order_.size() && !is_full(); ++k) {
    const std::int32_t i = order_[k];
    if (!moved_[i]) continue;
    for (const auto& [plane, half_space] : planes_) {
      if (overlap(half_space, fat_[i])) add(plane, i);
    }
    const Aabb& box = sorted_[k];
    const auto try_pair = [&](std::size_t l) {
      if (box.meets(sorted_[l])) add(std::min(i, order_[l]), std::max(i, order_[l]));
    };
    const double first = box.lower[axis_] - widest_, last = box.upper[axis_];
    for (std::size_t l = k; l-- > 0 && sorted_[l].lower[axis_] >= first;) try_pair(l);
    for (std::size_t l = k + 1; l < order_.size() && sorted_[l].lower[axis_] <= last; ++l) {
      if (!moved_[order_[l]]) try_pair(l);
    }
  }
}

}  // namespace abut
