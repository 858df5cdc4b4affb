#pragma once

#include <vector>

#include "abut/solvers/dual/central_path.hpp"

namespace abut {

/// Follows the central path of the equations whose residual shrinks with k,
///
///     sigma = W gamma + g + (k / k_0) residual_0,
///
/// by arc length (Keller 1977), with log k as one more unknown: where the path turns back, k may
/// rise again before it goes on to 0, which no method that lowers k monotonically can follow. Slow
/// and sure: for what jams the interior point method.
class PathFollowing {
 public:
  /// To the path at impulses and velocities of a size, for at most so many factorizations.
  void start(CentralPath& path, double size, int most_factorizations);
  const CentralPath::Point& point() const { return point_.x; }
  /// To the next point; false if the path is lost or there are no factorizations left.
  bool advance(CentralPath& path);
  int factorizations() const { return factorizations_; }  ///< since start()

 private:
  /// All unknowns, or a change of them.
  struct Point {
    CentralPath::Point x;
    double log_k = 0;
  };
  void aim_along_k(const CentralPath& path, double log_k);
  bool find_tangent(CentralPath& path, const Point& at);
  double distance(const CentralPath& path, const Point& at);
  bool correct(CentralPath& path, Point& at);
  bool is_lost() const;
  double product(const Point& at, const Point& a, const Point& b) const;
  static void scale(Point& change, double by);
  static void add(Point& change, const Point& other, double by);

  Point point_, trial_, tangent_, newton_, along_k_, last_tangent_;
  CentralPath::Targets targets_;
  std::vector<Vec3> start_residual_, residual_;
  double start_log_k_ = 0, step_ = 0;
  int factorizations_ = 0, most_ = 0;
  bool is_first_ = true;
};

}  // namespace abut
