#pragma once

#include <string>
#include <vector>

#include "abut/io/scene_file.hpp"

namespace abut {

/// One scene under several models or solvers.
struct Comparison {
  std::string title;                    ///< the scene's
  std::vector<std::string> names;       ///< of the runs, as shown: "ncp", "ncp, admm"
  std::vector<std::string> recordings;  ///< their paths, in the same order
  /// The page's table as JSON: {"columns": [{"key", "title", "unit"}], "runs": [{key: value}]}, the
  /// runs in the same order; a null is shown as a dash.
  std::string summary;
  std::vector<Camera> cameras = {};  ///< to choose from
};

/// As many pictures as a browser draws side by side.
inline constexpr std::size_t most_compared = 16;

/// Writes one HTML file, atomically, with the replays of all runs side by side under one clock and
/// one camera, their numbers in common plots, and the summary's table: docs/formats/page.md.
/// @throws InputError if the library was built without the page, there is no run or more than
/// most_compared, their names, recordings or rows of the summary differ in number, or the
/// recordings are not of the same bodies
/// @throws FileError if a file cannot be read or written
void write_comparison(const Comparison& comparison, const std::string& html_path);

}  // namespace abut
