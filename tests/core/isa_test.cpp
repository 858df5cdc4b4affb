#include "abut/core/isa.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "abut/core/error.hpp"

namespace abut {
namespace {

TEST(Isa, EnvironmentForcesTheSet) {
  const char* wanted = std::getenv("ABUT_ISA");
  if (wanted == nullptr) GTEST_SKIP() << "ABUT_ISA is not set";
  EXPECT_EQ(to_string(active_isa()), std::string(wanted));
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
