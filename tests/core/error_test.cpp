#include "abut/core/error.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace abut {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::string message_of(double value, const Origin& at) {
  try {
    require(value > 0, "stiffness", value, "N/m", "must be positive", at);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(Require, SaysWhereWhatHowMuchAndWhatWouldBeRight) {
  EXPECT_EQ(message_of(-3, {"clutter.xml", 14, "geom 'box3'"}),
            "clutter.xml:14: geom 'box3': stiffness = -3 N/m, must be positive");
}

TEST(Require, LeavesOutWhatItDoesNotKnow) {
  EXPECT_EQ(message_of(0, {}), "stiffness = 0 N/m, must be positive");
  EXPECT_EQ(message_of(0, {"a.xml", 0, ""}), "a.xml: stiffness = 0 N/m, must be positive");
  EXPECT_EQ(message_of(0, {"", 0, "option"}), "option: stiffness = 0 N/m, must be positive");
}

TEST(Require, PassesWhatIsRightAndRefusesNan) {
  EXPECT_EQ(message_of(1, {}), "");
  EXPECT_EQ(message_of(nan, {}), "stiffness = nan N/m, must be positive");
}

TEST(Require, HasNoSpaceForAMissingUnit) {
  try {
    require(false, "friction", -1, "", "must not be negative");
    FAIL();
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(), "friction = -1, must not be negative");
  }
}

TEST(InputError, IsAnInvalidArgument) {
  EXPECT_THROW(fail_input("x"), std::invalid_argument);
}

}  // namespace
}  // namespace abut
