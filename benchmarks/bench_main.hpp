#pragma once

#include <cstdio>
#include <exception>
#include <string_view>

#include "abut/core/error.hpp"
#include "abut/core/text.hpp"
#include "abut/laws/law_kind.hpp"

namespace abut {

/// A contact model by its name on the command line.
inline ContactModel model_argument(std::string_view name) {
  return find_named("model", name, contact_models);
}

/// Runs a benchmark's main function: what it throws is said, and makes the exit code 2.
inline int run_bench(const char* name, int (*bench)(int, char**), int argc, char** argv) {
  try {
    return bench(argc, argv);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s: %s\n", name, e.what());
    return 2;
  }
}

}  // namespace abut
