#include "abut/view/page_file.hpp"

#include "abut/core/assert.hpp"
#include "abut/view/page.hpp"

namespace abut {
namespace {

/// Writes `html` up to `line`, and takes both off it.
void write_until(AtomicFile& file, std::string_view& html, std::string_view line) {
  const std::size_t at = html.find(line);
  ABUT_ASSERT(at != std::string_view::npos);
  file.write(html.substr(0, at));
  html.remove_prefix(at + line.size());
}

}  // namespace

void write_page(const std::string& html_path, const std::function<void(AtomicFile&)>& write_data) {
  AtomicFile file(html_path);
  std::string_view html = page_html();
  write_until(file, html, R"(<link rel="stylesheet" href="page.css">)");
  file.write("<style>");
  file.write(page_style());
  file.write("</style>");
  write_until(file, html, R"(<script src="page.js"></script>)");
  write_data(file);
  file.write("<script>");
  file.write(page_script());
  file.write("</script>");
  file.write(html);
  file.commit();
}

void write_data_script(AtomicFile& file, std::string_view type, std::string_view id,
                       std::string_view text) {
  file.write("<script type=\"");
  file.write(type);
  file.write("\" id=\"");
  file.write(id);
  file.write("\">");
  file.write(text);
  file.write("</script>\n");
}

}  // namespace abut
