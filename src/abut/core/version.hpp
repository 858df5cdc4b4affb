#pragma once

namespace abut {

/// "major.minor.patch", the version of the build's project.
const char* version();

}  // namespace abut
