#include "abut/geometry/broad_phase.hpp"

#include <algorithm>
#include <cmath>
#include <compare>

#include "abut/core/grow.hpp"

namespace abut {
namespace {

/// Room for so many pairs a shape in one search: more than a heap has. Denser scenes make room when
/// they come.
constexpr std::size_t pairs_per_shape = 16;

/// Strips of fewer cost more to find than they save.
constexpr std::size_t shapes_per_strip = 32;

/// Axes are chosen again after so many moves of each shape, in the mean.
constexpr std::size_t moves_per_shape = 4;

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

std::int32_t BroadPhase::Strips::at(double x) const {
  const double k = (x - origin) / width;
  if (!(k > 0)) return 1;  // one that is no number, too
  return k < count ? 1 + static_cast<std::int32_t>(k) : count;
}

/// A box that is wider than strips may end anywhere, others in the next strip at most. One that has
/// left the numbers meets nobody, and would hide others.
std::int32_t BroadPhase::Strips::of(const Aabb& fat) const {
  const auto& [lower, upper] = fat;
  const bool is_box = (lower.x <= upper.x) & (lower.y <= upper.y) & (lower.z <= upper.z);
  if (!is_box) return count + 1;
  const bool is_wide = !(fat.upper[axis] - fat.lower[axis] <= (1 - 1e-9) * width);
  return is_wide ? 0 : at(fat.lower[axis]);
}

/// So near to others that these will do.
bool BroadPhase::Strips::is_about(const Strips& other) const {
  if (axis != other.axis || (count == 1) != (other.count == 1)) return false;
  if (count == 1) return true;
  constexpr double most_times = 1.5, most_strips = 2;
  const double shift = origin - other.origin;
  const double stretch = shift + count * width - other.count * other.width;
  return width < most_times * other.width && other.width < most_times * width &&
         std::abs(shift) < most_strips * width && std::abs(stretch) < most_strips * width;
}

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
  numbers_.reserve(sorted_.size());
  strips_.reserve(2 + sorted_.size() / shapes_per_strip);
  found_.clear();
  found_.reserve(std::min(most_pairs_, pairs_per_shape * sorted_.size()));
  placed_ = false;
}

/// Of `number` of the boxes, the one that such a share of them does not exceed.
template <class Number>
double BroadPhase::quantile(double share, const Number& number) {
  if (sorted_.empty()) return 0;
  resize(numbers_, sorted_.size());
  std::transform(sorted_.begin(), sorted_.end(), numbers_.begin(), number);
  const auto place = static_cast<std::ptrdiff_t>(share * static_cast<double>(numbers_.size()));
  std::nth_element(numbers_.begin(), numbers_.begin() + place, numbers_.end(),
                   [](double a, double b) { return std::strong_order(a, b) < 0; });
  return numbers_[place];
}

/// Where boxes begin along an axis: nine tenths of them, as a few may be far away.
BroadPhase::Extent BroadPhase::extent_along(int axis) {
  const auto lower = [&](const Bounded& b) { return b.fat.lower[axis]; };
  return {quantile(0.05, lower), quantile(0.95, lower)};
}

/// Those along which boxes extend most; others only if they are clearly better, as sorting along
/// them begins from disorder. True if the order of shapes is another one now.
bool BroadPhase::choose_axes() {
  constexpr double clearly = 1.25;
  moves_ = 0;
  const Extent extents[3] = {extent_along(0), extent_along(1), extent_along(2)};
  const auto largest = [&](int axis, int but) {
    for (int k = 0; k < 3; ++k) {
      if (k != but && extents[k].size() > clearly * extents[axis].size()) axis = k;
    }
    return axis;
  };
  const int before = axis_;
  axis_ = largest(axis_, -1);
  const int across = largest(axis_ == cut_.axis ? before : cut_.axis, axis_);
  return cut_anew(across, extents[across]) || axis_ != before;
}

/// Cuts an axis, unless the strips there are about as they should be; true if it did.
bool BroadPhase::cut_anew(int axis, const Extent& extent) {
  constexpr double widths = 2.5;  // of a common box: few are wider
  const auto width = [&](const Bounded& b) { return b.fat.upper[axis] - b.fat.lower[axis]; };
  Strips next{.axis = axis};
  const auto most = static_cast<double>(sorted_.size() / shapes_per_strip);
  if (most > 1) {
    const double least = std::max(widths * quantile(0.5, width), extent.size() / most);
    const double count = std::ceil(extent.size() / least);
    if (count > 1 && least > 0) {
      next = {axis, static_cast<int>(std::min(count, most)), extent.lower, least};
    }
  }
  if (next.is_about(cut_)) return false;
  cut_ = next;
  for (Bounded& b : sorted_) b.strip = cut_.of(b.fat);
  return true;
}

void BroadPhase::sort_all() {
  std::sort(sorted_.begin(), sorted_.end(), [&](const Bounded& a, const Bounded& b) {
    if (a.strip != b.strip) return a.strip < b.strip;
    // a total order, of bodies that have left the numbers too
    const auto order = std::strong_order(a.fat.lower[axis_], b.fat.lower[axis_]);
    return order != 0 ? order < 0 : a.shape < b.shape;
  });
}

/// By insertion: boxes hardly change places from one search to the next. Where they do, anew.
template <int axis>
void BroadPhase::sort_moved() {
  const auto precedes = [](const Bounded& a, const Bounded& b) {
    return a.strip != b.strip ? a.strip < b.strip : a.fat.lower[axis] < b.fat.lower[axis];
  };
  std::size_t shifts = 0;
  for (std::size_t k = 1; k < sorted_.size(); ++k) {
    if (!precedes(sorted_[k], sorted_[k - 1])) continue;
    const Bounded out = sorted_[k];
    std::size_t to = k;
    for (; to > 0 && precedes(out, sorted_[to - 1]); --to) sorted_[to] = sorted_[to - 1];
    sorted_[to] = out;
    shifts += k - to;
    if (shifts > 16 * sorted_.size()) return sort_all();
  }
}

template <int axis>
void BroadPhase::find_strips() {
  resize(strips_, cut_.count + 1);
  std::size_t k = 0;
  for (int t = 0; t <= cut_.count; ++t) {
    Strip strip{.begin = k};
    for (; k < sorted_.size() && sorted_[k].strip == t; ++k) {
      const Aabb& fat = sorted_[k].fat;
      strip.widest = std::max(strip.widest, fat.upper[axis] - fat.lower[axis]);
    }
    strip.end = k;
    strips_[t] = strip;
  }
}

/// Pairs a shape with those from `at` on in a strip that it meets and that `accept`.
template <int axis, class Accept>
void BroadPhase::sweep(const Bounded& box, std::size_t at, const Strip& strip,
                       const Accept& accept) {
  const double last = box.fat.upper[axis];
  for (; at < strip.end && sorted_[at].fat.lower[axis] <= last; ++at) {
    const bool accepted = accept(at), meets = box.fat.meets(sorted_[at].fat);
    if (accepted & meets) add_bounded(box.shape, sorted_[at].shape);
  }
}

/// Likewise with those in a strip.
template <int axis, class Accept>
void BroadPhase::search_strip(const Bounded& box, const Strip& strip, const Accept& accept) {
  const double first = box.fat.lower[axis] - strip.widest;
  const auto begin = sorted_.cbegin();
  const auto found =
      std::partition_point(begin + strip.begin, begin + strip.end,
                           [&](const Bounded& other) { return other.fat.lower[axis] < first; });
  sweep<axis>(box, static_cast<std::size_t>(found - begin), strip, accept);
}

/// Likewise with those in all other strips in which boxes may be that a box meets.
template <int axis, class Accept>
void BroadPhase::search_others(const Bounded& box, const Accept& accept) {
  if (cut_.count == 1) return;
  const auto search = [&](int t) {
    if (t != box.strip) search_strip<axis>(box, strips_[t], accept);
  };
  search(0);
  const int last = cut_.at(box.fat.upper[cut_.axis]);
  for (int t = cut_.at(box.fat.lower[cut_.axis] - cut_.width); t <= last; ++t) search(t);
}

/// Each pair from the one that comes first.
template <int axis>
void BroadPhase::search_all() {
  for (const auto& [plane, half_space] : planes_) {
    for (const Bounded& b : sorted_) {
      if (overlap(half_space, b.fat)) add(plane, b.shape);
    }
  }
  const auto any = [](std::size_t) { return true; };
  for (int t = 0; t <= cut_.count; ++t) {
    const Strip& strip = strips_[t];
    std::size_t in_next = strip.end;  // where the next one begins
    for (std::size_t k = strip.begin; k < strip.end && !is_full(); ++k) {
      const Bounded& box = sorted_[k];
      sweep<axis>(box, k + 1, strip, any);
      if (t == 0) {
        search_others<axis>(box, any);
      } else if (cut_.at(box.fat.upper[cut_.axis]) > t) {
        const Strip& next = strips_[t + 1];
        const double first = box.fat.lower[axis] - next.widest;
        while (in_next < next.end && sorted_[in_next].fat.lower[axis] < first) ++in_next;
        sweep<axis>(box, in_next, next, any);
      }
    }
  }
}

/// Each moved shape with all; two that both moved are found once, from the one further on.
template <int axis>
void BroadPhase::search_moved() {
  for (std::size_t k = 0; k < sorted_.size() && !is_full(); ++k) {
    const Bounded& box = sorted_[k];
    if (!moved_[box.shape] || box.strip > cut_.count) continue;
    for (const auto& [plane, half_space] : planes_) {
      if (overlap(half_space, box.fat)) add(plane, box.shape);
    }
    const auto is_new = [&](std::size_t other) {
      return (other < k) | (moved_[sorted_[other].shape] == 0);
    };
    const Strip& own = strips_[box.strip];
    const double first = box.fat.lower[axis] - own.widest;
    for (std::size_t l = k; l-- > own.begin && sorted_[l].fat.lower[axis] >= first;) {
      if (box.fat.meets(sorted_[l].fat)) add_bounded(box.shape, sorted_[l].shape);
    }
    sweep<axis>(box, k + 1, own, is_new);
    search_others<axis>(box, is_new);
  }
}

/// The pairs of the shapes that moved, or of all, with the axis known to the compiler.
template <int axis>
void BroadPhase::search_along(bool all) {
  sort_moved<axis>();
  find_strips<axis>();
  if (all) {
    search_all<axis>();
  } else {
    search_moved<axis>();
  }
}

bool BroadPhase::update(std::span<const Aabb> boxes, std::span<const double> skins) {
  std::size_t moved = 0;
  for (Bounded& b : sorted_) {
    const Aabb& box = boxes[b.shape];
    moved_[b.shape] = !placed_ || !contains(b.fat, box);
    if (!moved_[b.shape]) continue;
    const Vec3 skin = skins[b.shape] * Vec3{1, 1, 1};
    b.fat = {box.lower - skin, box.upper + skin};
    b.strip = cut_.of(b.fat);
    ++moved;
  }
  found_.clear();
  if (moved == 0) return false;
  moves_ += moved;
  const bool is_due = !placed_ || moves_ >= moves_per_shape * sorted_.size();
  const bool is_disordered = is_due && choose_axes();
  if (!placed_ || is_disordered) sort_all();
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
