#pragma once

#include <string>
#include <string_view>

#include "abut/sim/scene.hpp"

namespace abut {

struct MjcfOptions {
  /// Most bodies that a model may have after replicate and attach: the time that MuJoCo's compiler
  /// takes grows with their square.
  int body_limit = 10'000;
};

/// The scene that a MJCF file describes, read by MuJoCo's own compiler and then checked.
///
/// Bodies with a free joint are free, bodies without any joint are fixed; what is welded to a free
/// body is part of it. What is not simulated is in Scene::notices, once for each kind, or refused
/// where the motion would be wrong without it: docs/mjcf.md has the table.
///
/// Safe from several threads; they read one after the other.
/// @throws FileError if a file cannot be read; InputError "file:line: element: ..." for bad content
Scene load_mjcf(const std::string& path, const MjcfOptions& options = {});

/// The same for text in memory. `name` stands for the path, in messages and for the files that the
/// text refers to.
Scene load_mjcf_text(std::string_view text, const std::string& name,
                     const MjcfOptions& options = {});

}  // namespace abut
