#include "abut/view/page.hpp"

#include <cstddef>

#include "abut/core/error.hpp"

#ifdef ABUT_PAGE_DIR

// The assembler copies the files: a megabyte as C++ would compile for seconds.
#define ABUT_EMBED(name, file)            \
  __asm__(                                \
      ".section .rodata\n"                \
      ".global abut_page_" #name          \
      "\n"                                \
      ".global abut_page_" #name          \
      "_end\n"                            \
      "abut_page_" #name                  \
      ":\n"                               \
      ".incbin \"" ABUT_PAGE_DIR "/" file \
      "\"\n"                              \
      "abut_page_" #name                  \
      "_end:\n"                           \
      ".byte 0\n"                         \
      ".previous\n");                     \
  extern "C" const char abut_page_##name[], abut_page_##name##_end[]

ABUT_EMBED(html, "index.html");
ABUT_EMBED(script, "page.js");
ABUT_EMBED(style, "page.css");

#define ABUT_EMBEDDED(name) \
  std::string_view(abut_page_##name, std::size_t(abut_page_##name##_end - abut_page_##name))

#else
#define ABUT_EMBEDDED(name) std::string_view()
#endif

namespace abut {

bool page_available() {
  return !page_script().empty();
}

std::string_view page_html() {
  return ABUT_EMBEDDED(html);
}

std::string_view page_script() {
  return ABUT_EMBEDDED(script);
}

std::string_view page_style() {
  return ABUT_EMBEDDED(style);
}

void require_page() {
  if (page_available()) return;
  fail_input(
      "this abut was built without its browser page: install node (version 18 or newer) with npm, "
      "then `make build`");
}

}  // namespace abut
