#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "abut/core/aligned_buffer.hpp"
#include "abut/linalg/updatable_qr.hpp"

namespace abut {

/// What a row's f may be; where it is strictly inside, a = 0.
enum class RowLimit : std::uint8_t {
  fixed,    ///< lower <= f <= upper
  coupled,  ///< |f| <= mu f_N of another row, the normal
  cone      ///< one of two rows with |(f_x, f_y)| <= mu f_N
};

struct PivotRow {
  static constexpr double inf = std::numeric_limits<double>::infinity();

  RowLimit limit = RowLimit::fixed;
  double lower = 0, upper = inf;  ///< of fixed limits
  int normal = -1;                ///< of friction: the row whose f_N limits it
  double friction = 0;            ///< mu
  int dynamic = 0;                ///< 1, -1: friction that is mu f_N, or -mu f_N, whatever its a
};

/// What pivoting did. Figures of theorems are of problems without friction and limits but f >= 0,
/// scaled to A_ii near 1, over the largest of 1 and |Delta f|.
struct PivotCounts {
  int drives = 0;         ///< calls of drive-to-zero
  int pivots = 0;         ///< changes of index sets
  int zero_steps = 0;     ///< of them after a step of size zero
  int given_up = 0;       ///< rows whose conditions were given up for a while
  int dependent = 0;      ///< rows that would have made A_CC singular
  int refreshes = 0;      ///< factors made afresh
  int restarts = 0;       ///< in another order, after too many pivots
  int repeated_sets = 0;  ///< index sets seen before in the same drive: theorem 3 says none
  double least_gain = PivotRow::inf;    ///< of Delta a_d while f_d is driven up: theorem 2
  double least_return = PivotRow::inf;  ///< of what has just changed sets: theorems 4 and 5
};

enum class PivotEnd : std::uint8_t {
  solved,         ///< all conditions hold, as far as the engine sees
  unbounded_ray,  ///< a row can be driven without end
  gave_up         ///< too many pivots, in each of the orders tried
};

/// Dantzig's algorithm for a = A f + b with limits on f, extended to friction whose limit is
/// another row's f [BARAFF 4, 5]. Rows are taken one by one; each is driven until its condition
/// holds while those taken before keep theirs, by moving rows between index sets:
///
///     clamped        C, C_F: a = 0, f follows
///     lower, upper   NC, NC-, NC+: f at its limit, a of the sign that holds it there
///     idle           not taken yet, or given up: f does not change
///
/// A row that would return to the set it left without progress, after a step of size zero, is given
/// up until later [BARAFF 5.4]. The two rows of a cone are turned so that friction at its limit is
/// along the first, against which the second has none; a first row that is released is clamped
/// alone, and the second is driven when its turn comes. Limits of static friction in 3D are found
/// from the quadratic equation [BARAFF 23].
///
/// Use: reset, fill rows and columns, run, read f. No allocation in further problems of that size.
class Pivoting {
 public:
  /// An empty problem of n rows: A = 0, b = 0, rows free of friction.
  void reset(int n);
  int size() const { return size_; }
  PivotRow& row(int i) { return rows_[i]; }
  double& bias(int i) { return b_[i]; }
  double* column(int j) { return matrix_.data() + j * lead_; }
  /// The first and second row of a cone with that normal.
  void make_cone(int x, int y, int normal, double friction);
  /// Makes a cone's friction dynamic, against slip along (v_x, v_y), once A and b are filled in.
  void make_dynamic(int x, double v_x, double v_y);

  /// No more than `most` pivots in all; 0: what the method has for a limit.
  PivotEnd run(int most = 0);

  /// f, as good as it got.
  std::span<const double> forces() const { return {f_.data(), static_cast<std::size_t>(size_)}; }
  /// The direction of an unbounded ray, and the row that was driven.
  std::span<const double> ray() const { return {df_.data(), static_cast<std::size_t>(size_)}; }
  int driven() const { return driven_; }
  const PivotCounts& counts() const { return counts_; }

 private:
  enum class Set : std::uint8_t { idle, clamped, lower, upper };
  enum class Turn : std::uint8_t { none, zero, lower, upper, cone, release };
  /// What ends a step: `row` reaches a = 0, a limit of its own, its cone, or leaves its limit.
  struct Event {
    double step = PivotRow::inf;
    Turn turn = Turn::none;
    int row = -1;
  };
  /// What a row is driven for.
  struct Aim {
    int row = -1;
    double sign = 0;            ///< of Delta f
    bool to_zero = false;       ///< until f = 0, a does not matter
    bool from_outside = false;  ///< f is beyond a limit
  };

  double entry(int i, int j) const { return matrix_[j * lead_ + i]; }
  double folded_entry(int i, int j) const;
  double limit(int row) const { return rows_[row].friction * f_[rows_[row].normal]; }
  bool is_at_limit(int i) const { return sets_[i] == Set::lower || sets_[i] == Set::upper; }
  double fold(int tangent) const {
    return (sets_[tangent] == Set::upper ? 1 : -1) * rows_[tangent].friction;
  }

  // pivoting.cpp: the algorithm
  void scale();
  void unscale();
  void start();
  void shuffle();
  PivotEnd drive_all();
  Aim find_violated();
  Aim aim_at(int row);
  Aim aim_at_cone(int x);
  enum class DriveEnd : std::uint8_t { done, unbounded, failed };
  DriveEnd drive(Aim aim);
  bool finish(const Event& event, Aim& aim);
  bool polish();
  int find_beyond() const;

  // pivot_direction.cpp: directions and the steps they allow
  void find_accelerations();
  bool find_direction(const Aim& aim);
  bool find_changes(const Aim& aim);
  Event find_step(const Aim& aim) const;
  void limit_driven(const Aim& aim, double least, Event& first) const;
  void limit_coupled(int row, Event& first) const;
  double step_to_cone(int x) const;
  void advance(double step);
  void check_theorems(const Aim& aim);

  // pivot_sets.cpp: changes of index sets
  bool may_move(int row, Set to);
  void move(int row, Set to);
  bool clamp(int row);
  void unclamp(int row);
  void refold(int normal);
  void refresh();
  void release_friction(int normal);
  void clamp_normal(int normal);
  void saturate(int row, Set to);
  void saturate_cone(int x);
  void turn_cone(int x, double cosine, double sine);
  void give_up(int row);
  void apply(const Event& event);

  int size_ = 0;
  std::int64_t lead_ = 0;
  AlignedBuffer<double> matrix_;  ///< A by columns
  AlignedBuffer<double> b_, f_, a_, df_, da_;
  std::vector<double> scale_;  ///< of a row: A' = S A S, b' = S b / unit, f = unit S f'
  double unit_ = 1;
  std::vector<PivotRow> rows_;
  std::vector<std::int32_t> other_;                           ///< of a cone's rows, its partner; -1
  std::vector<bool> is_first_;                                ///< of a cone's rows
  std::vector<std::int32_t> friction_begin_, friction_rows_;  ///< by normal: its tangents
  struct Angle {
    double cosine = 1, sine = 0;
  };
  std::vector<Angle> angle_;  ///< by which a cone's axes are turned, at its first row

  std::vector<Set> sets_, left_;     ///< where each row is, and which set it left last
  std::vector<std::int64_t> moved_;  ///< progress when it did
  std::vector<std::int32_t> returns_;
  std::vector<std::int32_t> clamped_, place_;  ///< C in the order of the factors, and back
  UpdatableQr qr_;
  std::vector<double> column_, row_, x_;
  std::vector<std::int32_t> list_;
  std::vector<double> factor_;
  std::vector<std::int32_t> order_, kept_;

  double force_tolerance_ = 0, acceleration_tolerance_ = 0;  ///< of the scaled problem
  double arrived_ = 0;                                       ///< a_d that is as good as zero
  int pivot_limit_ = 0;
  int driven_ = -1;
  int last_moved_ = -1;
  bool was_zero_step_ = false;
  std::int64_t progress_ = 0;  ///< steps that were not of size zero
  bool is_plain_ = true;       ///< no friction, no limits but f >= 0: the theorems hold
  struct Seen {
    std::uint64_t hash;
    std::int64_t progress;
  };
  bool has_dynamic_ = false;
  std::uint64_t random_ = 1;
  std::vector<Seen> seen_;  ///< index sets of this drive
  std::uint64_t hash_ = 0;
  PivotCounts counts_;
};

}  // namespace abut
