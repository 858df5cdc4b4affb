#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "abut/core/aligned_buffer.hpp"
#include "abut/linalg/updatable_qr.hpp"

namespace abut {

/// How Lemke's algorithm ended.
enum class LemkeEnd : std::uint8_t {
  solved,
  ray,   ///< a secondary ray, with each covering vector
  lost,  ///< to rounding: more pivots than there should be, or an answer without digits
  cut    ///< by the caller's limit
};

/// The linear complementarity problem w = M z + q, z >= 0, w >= 0, z^T w = 0 by Lemke's
/// complementary pivoting with the covering vector (1, ..., 1), then with random ones where that
/// ends in a ray. Ties of the ratio test are broken lexicographically, so that no basis comes
/// twice. The inverse of the basis is kept, made afresh when it has lost digits, and the answer
/// refined by it. Dense; M near 1 in size.
class Lemke {
 public:
  /// An empty problem of n variables: M = 0, q = 0.
  void reset(int n);
  int size() const { return size_; }
  double* column(int j) { return matrix_.data() + j * lead_; }  ///< of M
  double& q(int i) { return q_[i]; }

  /// No more than `most` pivots in all; 0: what the method has for a limit.
  LemkeEnd solve(int most = 0);

  /// z; of other ends than `solved` what the last basis has for it.
  std::span<const double> z() const { return z_; }
  int pivots() const { return pivots_; }
  int refreshes() const { return refreshes_; }

 private:
  // variables: w_i is i, z_i is size_ + i, z_0 is 2 size_
  double* inverse(int j) { return inverse_.data() + j * lead_; }
  LemkeEnd follow(int pivot_limit);
  void fill_column(int variable, double* to) const;
  int first_row() const;
  int leaving_row() const;
  bool is_before(int row, int other) const;
  void exchange(int row, int entering);
  void refine();
  void refresh();
  double residual();
  double least_value() const;
  void read_answer();

  int size_ = 0;
  std::int64_t lead_ = 0;
  AlignedBuffer<double> matrix_, inverse_;           ///< M and B^-1 by columns
  AlignedBuffer<double> q_, value_, change_, work_;  ///< value: of the basic variables
  std::vector<double> z_, cover_, column_, row_;
  std::vector<std::int32_t> basis_, list_;
  std::vector<double> factor_;
  UpdatableQr qr_;
  int pivots_ = 0, refreshes_ = 0;
};

}  // namespace abut
