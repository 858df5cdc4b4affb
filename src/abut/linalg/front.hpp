#pragma once

#include <cstdint>

namespace abut {

constexpr std::int32_t round_up_8(std::int32_t n) {
  return (n + 7) & ~7;
}

/// Up to six consecutive rows of one node: the unit of elimination, of updates and of solves.
struct Strip {
  std::int32_t row = 0;     ///< first row in its panel
  std::int32_t count = 0;   ///< 1 to 6
  std::int32_t vector = 0;  ///< its place in a vector of the system
};

/// A supernode: consecutive pivots with the same rows below them, stored as one column-major
/// panel. Pivot rows come first; the rows below start at `pivot_rows`, a multiple of 8. Behind the
/// panel lie 8 doubles that nobody uses: kernels read and write packs of rows past its end.
struct Front {
  std::int32_t pivots = 0;      ///< columns
  std::int32_t rows = 0;        ///< rows below the pivots
  std::int32_t pivot_rows = 0;  ///< pivots rounded up to 8
  std::int32_t leading = 0;     ///< pivot_rows + rows rounded up to 8
  std::int64_t panel = 0;       ///< into the values
  std::int64_t inverse = 0;     ///< into the inverted pivot blocks: 48 doubles per strip of them
  std::int32_t pivot_begin = 0, pivot_end = 0;    ///< strips of the pivots
  std::int32_t below_begin = 0, below_end = 0;    ///< strips of the rows below
  std::int32_t update_begin = 0, update_end = 0;  ///< updates of this front by earlier ones
  std::int32_t apart_begin = 0, apart_end = 0;    ///< those of them that are added up apart
  std::int64_t apart = 0;  ///< if there are any, their sum's place; it is laid out as the panel
  std::int32_t below_apart = 0;  ///< strips from it on are of fronts that add this one's part apart
};

/// Flops that eliminate a front's pivots and update later fronts by its rows below.
constexpr double front_flops(double pivots, double rows) {
  return pivots * (pivots * pivots / 3 + pivots * rows + rows * rows);
}
constexpr double flops(const Front& f) {
  return front_flops(f.pivots, f.rows);
}

/// The strips of an earlier front that fall into this one, from `strip` to the source's end; the
/// first `columns` of them are pivots here. targets[target + i] is the row here of strip + i.
struct FrontUpdate {
  std::int32_t source = 0;
  std::int32_t strip = 0;
  std::int32_t columns = 0;
  std::int32_t target = 0;
};

/// Room for what is added up apart (Front::apart); zero before and after.
struct ApartSums {
  double* values;  ///< of panels
  double* x;       ///< of a vector
};

/// Fronts [begin, end).
struct FrontRange {
  std::int32_t begin = 0, end = 0;
};

/// Updates [begin, end).
struct UpdateRange {
  std::int32_t begin = 0, end = 0;
};

}  // namespace abut
