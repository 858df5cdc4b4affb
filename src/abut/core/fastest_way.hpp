#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace abut {

/// Of several ways to do work that comes again and again, in parts, finds the one that takes least
/// time: tries them all, stays with the fastest, tries the others now and then, and all of them
/// where there is much more or less to do, less often the more often that changes nothing. Which
/// way it is must not matter to a result.
class FastestWay {
 public:
  /// Begins with the last way.
  FastestWay(int ways, int parts);

  /// In which the next run is to be done.
  int way() const { return is_trial_ ? trial_ : best_; }

  /// By part, how many seconds the run took and how much there was to do, in any unit.
  void took(std::span<const double> seconds, std::span<const double> work);

  static constexpr int settling = 3;  ///< first runs of a trial: data comes to other caches
  static constexpr int judged = 5;    ///< runs after that, of whose costs the median counts
  static constexpr int period = 400;  ///< runs from trial to trial

 private:
  struct Part {
    double cost = 0;                   ///< seconds per work
    std::array<double, judged> costs;  ///< of runs that are judged together
  };
  void begin_trial(int way);
  void judge();
  void end_trial();
  void choose();
  double time_of(int way) const;
  Part& part(int way, int k) { return parts_[static_cast<std::size_t>(way) * work_.size() + k]; }

  int ways_;
  std::vector<Part> parts_;   ///< by way, then by part
  std::vector<double> work_;  ///< by part, of late
  int best_ = 0, trial_ = 0;
  int next_ = 0;  ///< single one to be tried
  bool is_trial_ = true;
  int left_ = 0;          ///< trials that follow each other and are not over
  int runs_ = 0;          ///< since a trial began or ended
  int patience_ = 0;      ///< runs, at least, from trials of all ways to the next ones
  double chosen_at_ = 0;  ///< seconds of a run when all ways were tried last
};

}  // namespace abut
