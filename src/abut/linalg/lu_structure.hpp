#pragma once

#include <cstdint>

namespace abut {

/// Where the elimination of a block row subtracts parts of an earlier one: `length` doubles of each
/// of the three scalar rows.
struct LuRun {
  std::int32_t from = 0, to = 0;  ///< first column, in doubles, in either row
  std::int32_t length = 0;
};

/// One earlier block row that a block row is reduced by.
struct LuUpdate {
  std::int32_t row = 0;                     ///< the earlier one
  std::int32_t run_begin = 0, run_end = 0;  ///< its updates right of its pivot
};

/// A block row of the factors: three scalar rows of `width` doubles, blocks left of the diagonal
/// first.
struct LuRow {
  std::int64_t values = 0;
  std::int32_t width = 0;
  std::int32_t pivot = 0;  ///< first column of the diagonal block, in doubles
  std::int32_t update_begin = 0, update_end = 0;
  std::int64_t column_begin = 0;  ///< of its blocks
};

/// All that a BlockLu knows before it sees numbers, as its kernels see it. Row i's updates are by
/// the rows of its blocks left of the diagonal, in order.
struct LuFactorView {
  const LuRow* rows;
  std::int32_t count;
  const LuUpdate* updates;
  const LuRun* runs;
  const std::int32_t* columns;
};

}  // namespace abut
