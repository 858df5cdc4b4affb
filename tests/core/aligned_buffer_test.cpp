#include "abut/core/aligned_buffer.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

namespace abut {
namespace {

TEST(AlignedBuffer, StartsOnACacheLine) {
  AlignedBuffer<double> buffer;
  for (const std::size_t size : {1u, 7u, 1000u}) {
    buffer.resize(size);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 64, 0u);
    EXPECT_EQ(buffer.size(), size);
    EXPECT_EQ(buffer.span().size(), size);
  }
}

TEST(AlignedBuffer, KeepsItsMemoryWhenItShrinks) {
  AlignedBuffer<double> buffer;
  buffer.resize(100);
  const double* before = buffer.data();
  buffer.resize(0);
  buffer.resize(100);
  EXPECT_EQ(buffer.data(), before);
}

TEST(AlignedBuffer, ACopyHasNumbersOfItsOwn) {
  AlignedBuffer<int> buffer;
  buffer.resize(2);
  buffer[0] = 1, buffer[1] = 2;
  AlignedBuffer<int> copy = buffer;
  buffer[1] = 3;
  EXPECT_EQ(copy.size(), 2u);
  EXPECT_EQ(copy[0], 1);
  EXPECT_EQ(copy[1], 2);
  copy = AlignedBuffer<int>();
  EXPECT_EQ(copy.size(), 0u);
}

TEST(AlignedBuffer, FillsOnlyItsSizeWithZeros) {
  AlignedBuffer<int> buffer;
  buffer.resize(4);
  buffer[3] = 7;
  buffer.resize(3);
  buffer.fill_zero();
  buffer.resize(4);
  EXPECT_EQ(buffer[2], 0);
  EXPECT_EQ(buffer[3], 7);
}

TEST(AlignedBuffer, IsEmptyAfterAMoveAndUsable) {
  AlignedBuffer<double> from;
  from.resize(100);
  from[99] = 7;
  AlignedBuffer<double> to(std::move(from));
  EXPECT_EQ(from.size(), 0u);
  EXPECT_EQ(to.size(), 100u);
  EXPECT_EQ(to[99], 7);
  from.resize(100);  // would write to nothing if the capacity had stayed
  from.fill_zero();
  EXPECT_NE(from.data(), nullptr);

  from = std::move(to);
  EXPECT_EQ(to.size(), 0u);
  EXPECT_EQ(to.data(), nullptr);
  EXPECT_EQ(from[99], 7);
  to.resize(1);
  EXPECT_NE(to.data(), nullptr);
}

TEST(AlignedBuffer, EmptyIsValid) {
  AlignedBuffer<double> buffer;
  buffer.resize(0);
  EXPECT_EQ(buffer.span().size(), 0u);
}

}  // namespace
}  // namespace abut
