#pragma once

#include <string>
#include <string_view>

namespace abut {

/// `text` as it may stand in an HTML element or a quoted attribute: nothing in it is markup,
/// control characters and bytes that are not UTF-8 become U+FFFD.
std::string html_text(std::string_view text);

}  // namespace abut
