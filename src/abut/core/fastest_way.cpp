#include "abut/core/fastest_way.hpp"

#include <algorithm>

#include "abut/core/assert.hpp"

namespace abut {
namespace {

constexpr double recent = 0.3, recent_work = 0.1;  ///< how much of a mean the last number is
constexpr double clearly_faster = 0.97;            ///< else it stays with the best one so far
constexpr double other_size = 2;  ///< so many times as much to do: all ways are tried

void follow(double& mean, double x, double share) {
  mean += (mean > 0 ? share : 1) * (x - mean);
}

}  // namespace

FastestWay::FastestWay(int ways, int parts)
    : ways_(ways),
      parts_(static_cast<std::size_t>(ways) * parts),
      work_(parts),
      best_(ways - 1),
      trial_(ways - 1),
      left_(ways),
      patience_(settling + judged) {}

void FastestWay::took(std::span<const double> seconds, std::span<const double> work) {
  ABUT_ASSERT(seconds.size() == work_.size() && work.size() == work_.size());
  const auto count = static_cast<int>(work_.size());
  for (int k = 0; k < count; ++k) {
    if (!(work[k] > 0) || !(seconds[k] > 0)) return;
  }
  ++runs_;
  const int place = runs_ - settling - 1;  // among those that are judged
  for (int k = 0; k < count; ++k) {
    follow(work_[k], work[k], recent_work);
    if (place >= 0) part(way(), k).costs[place % judged] = seconds[k] / work[k];
  }
  if (place >= 0 && (place + 1) % judged == 0) judge();
  if (is_trial_) {
    if (place + 1 == judged) end_trial();
    return;
  }
  const double times = time_of(best_) / chosen_at_;
  const bool is_other_size = times > other_size || times < 1 / other_size;
  if (is_other_size && runs_ >= patience_) {
    left_ = ways_;
    begin_trial(best_);
  } else if (runs_ >= period) {
    left_ = 0;
    next_ = (next_ + 1) % ways_;
    if (next_ == best_) next_ = (next_ + 1) % ways_;
    begin_trial(next_);
  }
}

void FastestWay::begin_trial(int way) {
  is_trial_ = true;
  trial_ = way;
  runs_ = 0;
}

/// The median counts: a thread may lose its processor.
void FastestWay::judge() {
  for (std::size_t k = 0; k < work_.size(); ++k) {
    Part& p = part(way(), static_cast<int>(k));
    const auto middle = p.costs.begin() + judged / 2;
    std::nth_element(p.costs.begin(), middle, p.costs.end());
    if (is_trial_) p.cost = 0;
    follow(p.cost, *middle, recent);
  }
}

void FastestWay::end_trial() {
  if (--left_ > 0) return begin_trial((trial_ + 1) % ways_);
  is_trial_ = false;
  runs_ = 0;
  const int before = best_;
  choose();
  if (left_ < 0) return;  // a single one
  patience_ = best_ == before ? std::min(2 * patience_, period) : settling + judged;
  chosen_at_ = time_of(best_);
}

void FastestWay::choose() {
  int fastest = 0;
  for (int w = 1; w < ways_; ++w) {
    if (time_of(w) < time_of(fastest)) fastest = w;
  }
  if (time_of(fastest) < clearly_faster * time_of(best_)) best_ = fastest;
}

/// What a run takes now in one way.
double FastestWay::time_of(int way) const {
  double sum = 0;
  for (std::size_t k = 0; k < work_.size(); ++k) {
    sum += work_[k] * parts_[static_cast<std::size_t>(way) * work_.size() + k].cost;
  }
  return sum;
}

}  // namespace abut
