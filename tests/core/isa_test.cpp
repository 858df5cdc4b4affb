#include "abut/core/isa.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "abut/core/error.hpp"

namespace abut {
namespace {

TEST(Isa, EnvironmentForcesTheSet) {
  const char* wanted = std::getenv("ABUT_ISA");
  if (wanted == nullptr) GTEST_SKIP() << "ABUT_ISA is not set";
  EXPECT_EQ(to_string(active_isa()), std::string(wanted));
}

/// What the kernel says the first processor has; empty where it does not say.
std::set<std::string> processor_flags() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("flags", 0) != 0) continue;
    std::istringstream words(line);
    std::set<std::string> flags;
    for (std::string word; words >> word;) flags.insert(word);
    return flags;
  }
  return {};
}

TEST(Isa, IsTheWidestThatTheProcessorHasAllOf) {
  const std::set<std::string> flags = processor_flags();
  if (flags.empty() || std::getenv("ABUT_ISA") != nullptr) GTEST_SKIP() << "no choice to compare";
  const auto has = [&](std::initializer_list<const char*> names) {
    for (const char* name : names) {
      if (!flags.contains(name)) return false;
    }
    return true;
  };
  const bool v3 = has({"avx2", "fma", "bmi1", "bmi2", "popcnt", "abm", "movbe", "f16c"});
  const bool v4 = v3 && has({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"});
  EXPECT_EQ(active_isa(), v4 ? Isa::avx512 : v3 ? Isa::avx2 : Isa::baseline);
}

// in a child process: the choice is made once
TEST(IsaDeathTest, UnknownSetIsAnInputError) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto choose_a_wrong_one = [] {
    setenv("ABUT_ISA", "sse9", 1);
    try {
      active_isa();
    } catch (const InputError& e) {
      std::fputs(e.what(), stderr);
      std::_Exit(1);
    }
    std::_Exit(0);
  };
  EXPECT_EXIT(choose_a_wrong_one(), testing::ExitedWithCode(1),
              "ABUT_ISA = sse9, must be baseline, avx2 or avx512");
}

}  // namespace
}  // namespace abut
