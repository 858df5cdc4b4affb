#include "abut/core/text.hpp"

#include <gtest/gtest.h>

namespace abut {
namespace {

constexpr std::size_t none = std::string_view::npos;

TEST(Utf8, AcceptsOneToFourBytes) {
  EXPECT_EQ(find_invalid_utf8(""), none);
  EXPECT_EQ(find_invalid_utf8("box"), none);
  EXPECT_EQ(find_invalid_utf8("\xC2\x80 \xDF\xBF"), none);                  // U+0080, U+07FF
  EXPECT_EQ(find_invalid_utf8("\xE0\xA0\x80 \xED\x9F\xBF"), none);          // U+0800, U+D7FF
  EXPECT_EQ(find_invalid_utf8("\xF0\x90\x80\x80 \xF4\x8F\xBF\xBF"), none);  // U+10000, U+10FFFF
}

TEST(Utf8, FindsTheFirstByteThatIsNot) {
  EXPECT_EQ(find_invalid_utf8("ab\x80"), 2u);              // continuation without lead
  EXPECT_EQ(find_invalid_utf8("a\xC3"), 1u);               // cut off
  EXPECT_EQ(find_invalid_utf8("\xC3("), 0u);               // no continuation
  EXPECT_EQ(find_invalid_utf8("\xC0\xAF"), 0u);            // overlong '/'
  EXPECT_EQ(find_invalid_utf8("\xE0\x9F\xBF"), 0u);        // overlong U+07FF
  EXPECT_EQ(find_invalid_utf8("\xF0\x8F\xBF\xBF"), 0u);    // overlong U+FFFF
  EXPECT_EQ(find_invalid_utf8("x\xED\xA0\x80"), 1u);       // surrogate
  EXPECT_EQ(find_invalid_utf8("xy\xF4\x90\x80\x80"), 2u);  // beyond U+10FFFF
  EXPECT_EQ(find_invalid_utf8("\xFF"), 0u);
}

TEST(Quote, KeepsOneLineAndPrintableText) {
  EXPECT_EQ(quote("box3"), "'box3'");
  EXPECT_EQ(quote("K\xC3\xB6rper"), "'K\xC3\xB6rper'");
  EXPECT_EQ(quote("a\nb\x1B[31m"), "'a\\x0Ab\\x1B[31m'");
  EXPECT_EQ(quote("\xFF"), "'\\xFF'");
}

TEST(Quote, CutsLongTextBetweenCharacters) {
  EXPECT_EQ(quote(std::string(100, 'a')), "'" + std::string(64, 'a') + "...'");
  EXPECT_EQ(quote("abc\xC3\xB6", 4), "'abc...'");
  EXPECT_EQ(quote("abcd", 4), "'abcd'");
}

TEST(EditDistance, CountsInsertedDroppedAndReplacedLetters) {
  EXPECT_EQ(edit_distance("size", "size"), 0);
  EXPECT_EQ(edit_distance("sise", "size"), 1);
  EXPECT_EQ(edit_distance("frction", "friction"), 1);
  EXPECT_EQ(edit_distance("possition", "pos"), 6);
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
}

TEST(NearestWord, SuggestsOnlyWhatIsClose) {
  constexpr std::string_view known[] = {"size", "friction", "pos"};
  EXPECT_EQ(nearest_word("sise", known), "size");
  EXPECT_EQ(nearest_word("fricton", known), "friction");
  EXPECT_EQ(nearest_word("po", known), "");  // half of a two-letter word is not a slip
  EXPECT_EQ(nearest_word("__proto__", known), "");
}

}  // namespace
}  // namespace abut
