#pragma once

#include <cstdint>

namespace abut {

/// Calls of operator new so far in this process, by all threads. Linking allocation_counter.cpp
/// replaces the global operators by ones that count.
std::uint64_t allocation_count();

}  // namespace abut
