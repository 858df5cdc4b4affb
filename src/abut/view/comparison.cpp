#include "abut/view/comparison.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "abut/core/error.hpp"
#include "abut/core/text.hpp"
#include "abut/view/page.hpp"
#include "abut/view/page_recording.hpp"
#include "abut/view/page_scene.hpp"

namespace abut {
namespace {

using nlohmann::json;

json table_of(const Comparison& comparison) {
  const json table = json::parse(comparison.summary, nullptr, false);
  const std::size_t runs = comparison.names.size();
  if (!table.is_object() || !table.contains("columns") || !table.contains("runs") ||
      !table["columns"].is_array() || !table["runs"].is_array()) {
    fail_input("the comparison's summary must be a JSON object with \"columns\" and \"runs\"");
  }
  if (table["runs"].size() != runs) {
    fail_input("the comparison's summary has " + std::to_string(table["runs"].size()) +
               " runs: there must be " + std::to_string(runs) + ", one for each name");
  }
  return table;
}

std::vector<Recording> open_all(const Comparison& comparison, const std::string& html_path) {
  const std::size_t runs = comparison.names.size();
  if (runs == 0 || runs > most_compared) {
    fail_input("a comparison of " + std::to_string(runs) + " runs: there must be 1 to " +
               std::to_string(most_compared));
  }
  if (comparison.recordings.size() != runs) {
    fail_input("the comparison has " + std::to_string(comparison.recordings.size()) +
               " recordings: there must be " + std::to_string(runs) + ", one for each name");
  }
  std::vector<Recording> recordings;
  for (const std::string& path : comparison.recordings) {
    recordings.push_back(Recording::open(path));
    require_showable(recordings.back(), html_path);
    const auto& first = recordings.front().scene().bodies;
    const auto& bodies = recordings.back().scene().bodies;
    if (!std::ranges::equal(bodies, first, {}, &RecordedBody::name, &RecordedBody::name)) {
      fail_input(quote(path, 1024) + " has other bodies than " +
                 quote(comparison.recordings.front(), 1024) + ": runs of one scene are compared");
    }
  }
  return recordings;
}

}  // namespace

void write_comparison(const Comparison& comparison, const std::string& html_path) {
  require_page();
  const std::vector<Recording> recordings = open_all(comparison, html_path);
  json table = table_of(comparison);
  table["title"] = comparison.title;
  table["names"] = comparison.names;
  ReplayOptions options{.cameras = comparison.cameras, .velocities = true};
  options.most_poses /= recordings.size();
  options.most_contacts /= recordings.size();
  write_page(html_path, [&](AtomicFile& file) {
    const std::string text = table.dump(-1, ' ', false, json::error_handler_t::replace);
    write_data_script(file, "application/json", "abut-comparison", inert_json(text));
    for (std::size_t i = 0; i < recordings.size(); ++i) {
      write_recording_scripts(file, recordings[i], options,
                              std::string("-").append(std::to_string(i)));
    }
  });
}

}  // namespace abut
