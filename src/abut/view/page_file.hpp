#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "abut/io/atomic_file.hpp"

namespace abut {

/// Writes the page as one HTML file, atomically, with the scripts that `write_data` writes before
/// its own. @throws FileError if it cannot be written
void write_page(const std::string& html_path, const std::function<void(AtomicFile&)>& write_data);

/// A script that is data. `text` is inert inside of HTML: see inert_json().
void write_data_script(AtomicFile& file, std::string_view type, std::string_view id,
                       std::string_view text);

}  // namespace abut
