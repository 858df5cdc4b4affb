#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "support/number_argument.hpp"

namespace abut {

/// What programs take that try random problems: --seed FIRST --count N --tolerance EPS --list.
struct TrialOptions {
  std::uint32_t seed = 0, count = 0;
  double tolerance = 0;
  bool list = false;
};

/// Of `defaults` those that are given; ends the program, called `name`, at any other argument.
inline TrialOptions read_trial_options(int argc, char** argv, const char* name,
                                       const TrialOptions& defaults) {
  TrialOptions o = defaults;
  for (int i = 1; i < argc; ++i) {
    const std::string key = argv[i];
    const auto value = [&] { return ++i < argc ? argv[i] : ""; };
    if (key == "--seed") {
      o.seed = number_argument<std::uint32_t>(value());
    } else if (key == "--count") {
      o.count = number_argument<std::uint32_t>(value());
    } else if (key == "--tolerance") {
      o.tolerance = number_argument(value());
    } else if (key == "--list") {
      o.list = true;
    } else {
      std::fprintf(stderr, "%s: what is '%s'? See the head of %s.cpp\n", name, argv[i], name);
      std::exit(2);
    }
  }
  return o;
}

}  // namespace abut
