#pragma once

#include <string>

namespace abut::cli {

/// What printf would print.
std::string format(const char* pattern, ...) __attribute__((format(printf, 1, 2)));

}  // namespace abut::cli
