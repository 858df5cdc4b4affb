#pragma once

#include <cstddef>
#include <cstdint>

namespace abut {

/// The numbers of an UpdatableQr as the kernels see them: row i of Q^T and R begins at slot[i] *
/// lead. Rows are zero from `size` on, and R's left of the diagonal.
struct QrView {
  int size;
  std::ptrdiff_t lead;  ///< a multiple of 8
  double *q, *r;
  const std::int32_t* slot;
};

}  // namespace abut
