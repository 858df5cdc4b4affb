#pragma once

#include <cstdint>
#include <vector>

#include "abut/core/aligned_buffer.hpp"
#include "abut/linalg/dense_spd.hpp"
#include "abut/linalg/twist_mobility.hpp"
#include "abut/problem/contact_problem.hpp"
#include "abut/problem/inverse_masses.hpp"

namespace abut {

/// Numbers in six rows of each body of dense trees that there is room for, padded to 8; a tree has
/// no more bodies than dofs. At most `most_ahead`: longer rows make room when they come.
std::size_t rows_ahead(const ContactProblem& problem);

/// J A^-1 J^T of the bodies of dense and sparse trees: what a load does to their twists. Of sparse
/// trees with the inverses of A's diagonal blocks, as if each node alone moved: A^-1 is dense.
class BodyMobilities {
 public:
  void find(const ContactProblem& problem, const InverseMasses& masses);

  /// If all contacts of the body are at its center, its turning is left out.
  const TwistMobility& of_body(int body) const { return mobilities_[body]; }

  /// Of body b less body a of the same tree, about b's center.
  TwistMobility relative(const ContactProblem& problem, int body_b, int body_a) const;

  /// Whether all contacts of a body are at its center: that it turns is then nothing to them.
  bool is_point(int body) const { return is_point_[body] != 0; }

  /// J_a A^-1 J_b^T of two bodies of one tree: 6 x 6, row-major. Of those that are points the first
  /// three rows, or columns, alone.
  void find_coupling(const ContactProblem& problem, const InverseMasses& masses, int body_a,
                     int body_b, double coupling[36]) const;

 private:
  void make_room(const ContactProblem& problem);
  BodyRows rows_of(int body) const;

  const InverseMasses* masses_ = nullptr;
  std::vector<TwistMobility> mobilities_;  ///< by body
  std::vector<char> is_point_;
  AlignedBuffer<double> rows_;       ///< J Y of each, A^-1 = Y Y^T: six padded rows; dense trees
  std::vector<std::int64_t> begin_;  ///< by body: its first element there
};

}  // namespace abut
