#pragma once

#include "abut/core/error.hpp"
#include "abut/io/xml_scan.hpp"

namespace abut::mjcf {

/// Throws InputError unless every number that MJCF expects in this tag is a decimal number that
/// fits a double. MuJoCo reads nan, inf and hexadecimal numbers too, and takes an empty value for
/// an absent one.
void require_decimal_numbers(const XmlTag& tag, const Origin& at);

}  // namespace abut::mjcf
