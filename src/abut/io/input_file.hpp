#pragma once

#include <cstddef>
#include <string>

#include "abut/core/error.hpp"

namespace abut {

/// Throws FileError unless `path` names a regular file on this machine, of at most `limit` bytes,
/// that can be opened for reading. Never waits: a FIFO or a device is refused, not opened.
/// `at` is where the file is asked for, empty when the user names it.
void require_regular_file(const std::string& path, std::size_t limit, const Origin& at = {});

/// All bytes of such a file.
std::string read_input_file(const std::string& path, std::size_t limit, const Origin& at = {});

}  // namespace abut
