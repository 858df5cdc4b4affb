#pragma once

#include <nanobind/nanobind.h>

#include <string_view>

namespace nb = nanobind;

namespace abut::python {

/// Refuses what is left over of a call's options, by the names that `signature` has, as Python
/// shows it: a slip is told from them. @throws nb::type_error
void refuse_unknown(const nb::kwargs& options, const char* function, std::string_view signature);

}  // namespace abut::python
