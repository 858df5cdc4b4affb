#pragma once

#include <string>

#include "abut/io/recording.hpp"
#include "abut/view/page_file.hpp"
#include "abut/view/replay.hpp"

namespace abut {

/// @throws InputError if a page of this recording cannot be written to `html_path`
void require_showable(const Recording& recording, const std::string& html_path);

/// Writes the three scripts of a recording, its scene, heads and columns: docs/formats/page.md.
/// `suffix` is that of their ids. The summary is not among them.
void write_recording_scripts(AtomicFile& file, const Recording& recording,
                             const ReplayOptions& options, const std::string& suffix = "");

}  // namespace abut
