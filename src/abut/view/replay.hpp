#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "abut/io/recording.hpp"
#include "abut/io/scene_file.hpp"

namespace abut {

struct ReplayOptions {
  /// A run's summary (docs/formats/summary.md): the page is a report then, with a table and large
  /// plots. Empty: a replay.
  std::string summary = "";
  std::vector<Camera> cameras = {};        ///< to choose from; a recording has none
  std::vector<std::string> warnings = {};  ///< sentences; a recording has none
  bool contacts = true;                    ///< without them the file is several times smaller
  bool velocities = false;                 ///< of the centers of mass too
  std::size_t most_poses = 10'000'000;     ///< of all frames: else every second, third, ... is left
  std::size_t most_contacts = 2'000'000;   ///< of all frames: else each keeps its strongest
};

/// Writes a recording as one HTML file, atomically, that any browser shows without a network:
/// docs/replay.md.
/// @throws InputError if the library was built without the page, see page_available()
/// @throws FileError if a file cannot be read or written
void write_replay(const Recording& recording, const std::string& html_path,
                  const ReplayOptions& options = {});

}  // namespace abut
