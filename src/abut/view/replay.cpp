#include "abut/view/replay.hpp"

#include "abut/view/page.hpp"
#include "abut/view/page_recording.hpp"
#include "abut/view/page_scene.hpp"

namespace abut {

void write_replay(const Recording& recording, const std::string& html_path,
                  const ReplayOptions& options) {
  require_page();
  require_showable(recording, html_path);
  write_page(html_path, [&](AtomicFile& file) {
    write_recording_scripts(file, recording, options);
    if (options.summary.empty()) return;
    write_data_script(file, "application/json", "abut-summary", inert_json(options.summary));
  });
}

}  // namespace abut
