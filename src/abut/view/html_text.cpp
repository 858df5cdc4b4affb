#include "abut/view/html_text.hpp"

#include "abut/core/text.hpp"

namespace abut {

std::string html_text(std::string_view text) {
  constexpr std::string_view replacement = "\xEF\xBF\xBD";
  std::string html;
  std::size_t invalid = find_invalid_utf8(text);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (i == invalid) {
      html += replacement;
      const std::size_t next = find_invalid_utf8(text.substr(i + 1));
      invalid = next == std::string_view::npos ? next : i + 1 + next;
      continue;
    }
    switch (c) {
      case '&': html += "&amp;"; break;
      case '<': html += "&lt;"; break;
      case '>': html += "&gt;"; break;
      case '"': html += "&quot;"; break;
      case '\'': html += "&#39;"; break;
      default:
        if ((static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f) {
          html += replacement;
        } else {
          html += c;
        }
    }
  }
  return html;
}

}  // namespace abut
