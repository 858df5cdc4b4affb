#pragma once

#include <string>
#include <string_view>

#include "abut/sim/world.hpp"

namespace abut {

/// A snapshot as bytes, for the same version of abut on a machine of the same byte order.
std::string encode(const Snapshot& snapshot);

/// The snapshot with the same bits. @throws InputError unless the bytes are what encode() gave
Snapshot decode_snapshot(std::string_view bytes);

}  // namespace abut
