#pragma once

#include <cstdint>

namespace abut {

/// Those of an island's contacts that belong to a patch of the problem.
struct IslandPatch {
  std::int32_t patch = 0, begin = 0, end = 0;
};

}  // namespace abut
