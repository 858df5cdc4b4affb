#pragma once

#include <span>
#include <vector>

namespace abut {

/// Anderson's acceleration of a fixed-point iteration v <- F(v) [WALKER 2.1]: the next v is F of
/// the combination of the last points whose residuals f = F(v) - v, combined alike, are least. It
/// proposes; whether a proposal is good, its user judges by the residual there.
class Anderson {
 public:
  static constexpr int capacity = 10;

  /// Vectors of another size, or another F: forgets all points.
  void reset(std::size_t size);

  /// Takes in the point v with its residual f, and writes the next point.
  void propose(std::span<const double> v, std::span<const double> f, std::span<double> next);

 private:
  double* point(int k) { return points_.data() + k * size_; }
  double* residual(int k) { return residuals_.data() + k * size_; }

  std::size_t size_ = 0;
  int count_ = 0;   ///< differences at hand
  int newest_ = 0;  ///< where the next one goes
  bool has_last_ = false;
  std::vector<double> points_, residuals_;  ///< differences of both from point to point
  std::vector<double> last_point_, last_residual_;
  double products_[capacity][capacity] = {};  ///< of differences of residuals
};

}  // namespace abut
