// Text against rules written out plainly, for all short inputs.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "abut/core/text.hpp"

namespace abut {
namespace {

/// RFC 3629: the bytes of a code point that is no surrogate.
std::string encode(std::uint32_t c) {
  const auto byte = [](std::uint32_t b) { return static_cast<char>(b); };
  const auto tail = [&](int shift) { return 0x80 | (c >> shift & 0x3F); };
  if (c < 0x80) return {byte(c)};
  if (c < 0x800) return {byte(0xC0 | c >> 6), byte(tail(0))};
  if (c < 0x10000) return {byte(0xE0 | c >> 12), byte(tail(6)), byte(tail(0))};
  return {byte(0xF0 | c >> 18), byte(tail(12)), byte(tail(6)), byte(tail(0))};
}

/// All that is well-formed, sorted, by its first byte.
std::vector<std::vector<std::string>> sequences() {
  std::vector<std::vector<std::string>> all(256);
  for (std::uint32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c >= 0xD800 && c < 0xE000) continue;
    const std::string text = encode(c);
    all[static_cast<std::uint8_t>(text[0])].push_back(text);
  }
  for (auto& list : all) std::sort(list.begin(), list.end());
  return all;
}

TEST(Utf8, IsWhatCodePointsGiveAndNothingElse) {
  constexpr std::size_t none = std::string_view::npos;
  const auto all = sequences();
  for (int lead = 0; lead < 256; ++lead) {
    const std::vector<std::string>& good = all[lead];
    const auto is_good = [&](const std::string& text) {
      return std::binary_search(good.begin(), good.end(), text);
    };
    for (const std::string& text : good) {
      ASSERT_EQ(find_invalid_utf8(text), none);
      for (std::size_t k = 1; k < text.size(); ++k) {
        ASSERT_EQ(find_invalid_utf8(text.substr(0, k)), 0u) << "cut off";
      }
    }
    std::string text(1, static_cast<char>(lead));
    EXPECT_EQ(find_invalid_utf8(text) == none, is_good(text)) << lead;
    if (lead < 0x80) continue;
    for (int second = 0; second < 256; ++second) {
      text = {static_cast<char>(lead), static_cast<char>(second)};
      EXPECT_EQ(find_invalid_utf8(text) == none, is_good(text)) << lead << " " << second;
      for (const int third : {0x00, 0x7F, 0x80, 0x9F, 0xBF, 0xC0, 0xFF}) {
        std::string longer = text + static_cast<char>(third);
        const bool is_letter = second >= 0x80 && third < 0x80 && is_good(text);
        EXPECT_EQ(find_invalid_utf8(longer) == none, is_good(longer) || is_letter);
        for (const int fourth : {0x7F, 0x80, 0xBF, 0xC0}) {
          const std::string longest = longer + static_cast<char>(fourth);
          const bool ends_in_letter = fourth == 0x7F && find_invalid_utf8(longer) == none;
          EXPECT_EQ(find_invalid_utf8(longest) == none, is_good(longest) || ends_in_letter);
        }
      }
    }
  }
}

/// What quote() was given, read back.
std::string unquote(const std::string& text) {
  std::string bytes;
  for (std::size_t k = 1; k + 1 < text.size(); ++k) {
    if (text.compare(k, 2, "\\x") == 0) {
      bytes += static_cast<char>(std::stoi(text.substr(k + 2, 2), nullptr, 16));
      k += 3;
    } else {
      bytes += text[k];
    }
  }
  return bytes;
}

// whatever bytes it is given: one line of printable UTF-8 that holds them all, or their beginning
TEST(Quote, IsPrintableAndLosesNothing) {
  std::mt19937 random(1);
  const std::string parts[] = {"a",
                               "Z ",
                               "\n",
                               "\x7F",
                               "\x1B[0m",
                               "\xC3\xB6",
                               "\xE2\x82\xAC",
                               "\xF0\x9F\x98\x80",
                               "\xFF",
                               "\xC3",
                               "\xE2\x82",
                               "\xED\xA0\x80",
                               "\x80",
                               std::string(1, '\0')};
  for (int trial = 0; trial < 3000; ++trial) {
    std::string text;
    for (int k = static_cast<int>(random() % 12); k > 0; --k) {
      text += parts[random() % std::size(parts)];
    }
    const std::size_t longest = random() % 20;
    const std::string whole = quote(text, 1000), cut = quote(text, longest);
    EXPECT_EQ(unquote(whole), text);
    for (const std::string& q : {whole, cut}) {
      EXPECT_EQ(find_invalid_utf8(q), std::string_view::npos);
      for (const char c : q) EXPECT_FALSE(static_cast<std::uint8_t>(c) < 0x20 || c == 0x7F);
    }
    if (text.size() <= longest) {
      EXPECT_EQ(cut, whole);
    } else {
      ASSERT_TRUE(cut.ends_with("...'"));
      const std::string kept = unquote(cut.substr(0, cut.size() - 4) + "'");
      EXPECT_EQ(text.substr(0, kept.size()), kept);
      EXPECT_LE(kept.size(), longest);
      EXPECT_GE(kept.size() + 4, longest) << "a character less at most";
    }
  }
}

std::vector<std::string> words_up_to(std::size_t longest) {
  std::vector<std::string> all = {""};
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (all[k].size() == longest) break;
    for (const char c : {'a', 'b', 'c'}) all.push_back(all[k] + c);
  }
  return all;
}

int distance_by_definition(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty()) return static_cast<int>(a.size() + b.size());
  const std::string_view x = a.substr(1), y = b.substr(1);
  if (a[0] == b[0]) return distance_by_definition(x, y);
  return 1 + std::min({distance_by_definition(x, y), distance_by_definition(x, b),
                       distance_by_definition(a, y)});
}

TEST(EditDistance, IsTheLeastNumberOfChanges) {
  const std::vector<std::string> words = words_up_to(4);
  for (const std::string& a : words) {
    for (const std::string& b : words) {
      ASSERT_EQ(edit_distance(a, b), distance_by_definition(a, b)) << a << " " << b;
    }
  }
}

// at most two letters inserted, dropped or replaced, and fewer than half of the word
TEST(NearestWord, FollowsItsRule) {
  const std::vector<std::string> words = words_up_to(5);
  const std::vector<std::string> known = {"abc", "aabbc", "ccccc", "babab", "aabca"};
  for (const std::string& word : words) {
    int best = 3;
    for (const std::string& k : known) best = std::min(best, distance_by_definition(word, k));
    const bool is_near = best <= 2 && 2 * best < static_cast<int>(word.size());
    const std::string_view found = nearest_word(word, known);
    EXPECT_EQ(found.empty(), !is_near) << word;
    EXPECT_TRUE(!is_near || distance_by_definition(word, found) == best) << word;
  }
  EXPECT_EQ(nearest_word(std::string(1000, 'a'), known), "");
  EXPECT_EQ(nearest_word("abc", std::vector<std::string>{}), "");
}

TEST(FindNamed, FindsWhatIsKnownAndSaysWhatIs) {
  const std::vector<std::string> colors = {"red", "green", "blue"};
  EXPECT_EQ(find_named("color", "green", colors), "green");
  for (const std::string_view wrong : {"", "Red", "gree", "red ", "cyan"}) {
    try {
      find_named("color", wrong, colors);
      ADD_FAILURE() << wrong;
    } catch (const InputError& e) {
      const std::string said = e.what();
      EXPECT_EQ(said.find("color " + quote(wrong)), 0u) << said;
      EXPECT_NE(said.find("red, green, blue"), std::string::npos) << said;
    }
  }
}

}  // namespace
}  // namespace abut
