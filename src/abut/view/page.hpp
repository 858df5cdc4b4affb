#pragma once

#include <string_view>

namespace abut {

// The browser page, as it was bundled from viewer/ when the library was built.

/// Whether the library holds the page: it is built without where there is no node.
bool page_available();

/// `index.html`, which asks for `page.css` and `page.js` beside it; `page.js`; `page.css`. Empty
/// where the page is not available.
std::string_view page_html();
std::string_view page_script();
std::string_view page_style();

/// Throws InputError, saying how to build abut with it, unless the page is available.
void require_page();

}  // namespace abut
