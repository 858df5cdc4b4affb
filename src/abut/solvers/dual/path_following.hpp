#pragma once

#include <functional>
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
  /// From gamma = sigma = (0, 0, size). Calls `done` at each point; ends when that is true, when
  /// the path is lost, or after `most` factorizations. Returns how many there were.
  int run(CentralPath& path, double size, int most,
          const std::function<bool(std::span<const CentralPath::Contact>)>& done);

 private:
  using Contact = CentralPath::Contact;
  /// A change of all unknowns.
  struct Change {
    std::vector<Contact> x;
    double log_k = 0;
  };
  struct Point {
    std::vector<Contact> x;
    double log_k = 0;
  };
  bool find_tangent(CentralPath& path, const Point& at);
  bool correct(CentralPath& path, Point& at, int& factorizations, int most);
  double product(const Point& at, const Change& a, const Change& b) const;
  static void move(Point& point, const Change& change, double step);

  Point point_, trial_;
  Change tangent_, newton_, along_k_, last_tangent_;
  std::vector<CentralPath::Target> target_;
  std::vector<Vec3> start_residual_, residual_;
  double start_log_k_ = 0;
};

}  // namespace abut
