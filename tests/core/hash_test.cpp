#include "abut/core/hash.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <limits>

namespace abut {
namespace {

std::uint64_t hash_of(std::initializer_list<double> numbers) {
  StateHash hash;
  for (const double x : numbers) hash.add(x);
  return hash.value();
}

TEST(StateHash, IsTheSameForTheSameBits) {
  EXPECT_EQ(hash_of({1.5, -2}), hash_of({1.5, -2}));
  EXPECT_EQ(hash_of({}), StateHash().value());
}

TEST(StateHash, SeesTheLastBitTheSignOfZeroAndTheOrder) {
  EXPECT_NE(hash_of({1.0}), hash_of({1.0 + std::numeric_limits<double>::epsilon()}));
  EXPECT_NE(hash_of({0.0}), hash_of({-0.0}));
  EXPECT_NE(hash_of({1, 2}), hash_of({2, 1}));
  EXPECT_NE(hash_of({0.0}), hash_of({0.0, 0.0}));
}

}  // namespace
}  // namespace abut
