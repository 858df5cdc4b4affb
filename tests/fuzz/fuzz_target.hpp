#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

/// What libFuzzer and driver.cpp call with one input. Returns 0; aborts if something that must
/// never happen did.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace abut {

/// A file with these bytes, at the same path in every call; kept if the process dies.
std::string write_input(const char* name, const std::uint8_t* data, std::size_t size);

/// Prints and aborts unless `ok`.
void must(bool ok, const char* what);

}  // namespace abut
