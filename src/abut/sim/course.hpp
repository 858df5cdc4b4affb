#pragma once

#include <cstdint>

namespace abut {

/// How up to six dofs of one tree, as many as a rigid body has, moved of late: Newton's form of the
/// polynomial through the last five places that a solver's iterations led to, its nodes. All zero
/// if that is not known.
struct Course {
  static constexpr int width = 6;
  using Row = double[width];

  Row mean{};                       ///< velocity between the last two nodes [m/s or rad/s]
  Row second{}, third{}, fourth{};  ///< divided differences of the place by time
  Row moved{};                      ///< since the last node [m or rad]
  double since = 0;                 ///< time after it [s]
  double spans[3]{};                ///< between the nodes before, the last one first [s]
  std::int64_t is_known = 0;
};

}  // namespace abut
