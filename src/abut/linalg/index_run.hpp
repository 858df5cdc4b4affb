#pragma once

#include <cstdint>
#include <span>

namespace abut {

/// Indices [begin, end), such as dofs of a tree or columns of a row.
struct IndexRun {
  std::int32_t begin = 0, end = 0;

  std::int32_t size() const { return end - begin; }
  friend bool operator==(const IndexRun&, const IndexRun&) = default;
};

/// Of all of them.
inline int total_size(std::span<const IndexRun> runs) {
  int size = 0;
  for (const IndexRun& run : runs) size += run.size();
  return size;
}

}  // namespace abut
