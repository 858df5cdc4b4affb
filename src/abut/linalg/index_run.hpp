#pragma once

#include <cstdint>

namespace abut {

/// Indices [begin, end), such as dofs of a tree or columns of a row.
struct IndexRun {
  std::int32_t begin = 0, end = 0;

  std::int32_t size() const { return end - begin; }
  friend bool operator==(const IndexRun&, const IndexRun&) = default;
};

}  // namespace abut
