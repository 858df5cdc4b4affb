#pragma once

#include <span>
#include <string>
#include <string_view>

#include "abut/io/recording_format.hpp"
#include "abut/io/scene_file.hpp"

namespace abut {

/// What the page is told of a scene, as JSON: docs/formats/page.md. No `<` is in it, so that it is
/// inert inside of HTML, and it is valid UTF-8, whatever the names hold.
std::string page_scene(const RecordedScene& scene, std::span<const Camera> cameras = {},
                       std::span<const std::string> warnings = {});

/// The same JSON without any `<`.
std::string inert_json(std::string_view text);

}  // namespace abut
