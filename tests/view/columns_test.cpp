#include "abut/view/columns.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace abut {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::string inflate_all(const std::string& packed, std::size_t size) {
  std::string bytes(size + 1, '\0');
  uLongf length = bytes.size();
  EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(bytes.data()), &length,
                       reinterpret_cast<const Bytef*>(packed.data()), packed.size()),
            Z_OK);
  bytes.resize(length);
  return bytes;
}

/// The elements of a stream of one column, by the words of docs/formats/page.md.
template <class T>
std::vector<T> read_column(const ColumnHead& head, const std::string& packed) {
  const std::string planes = inflate_all(packed, head.count * sizeof(T));
  EXPECT_EQ(planes.size(), head.count * sizeof(T));
  std::vector<T> elements(head.count);
  for (std::size_t i = 0; i < head.count; ++i) {
    char bytes[sizeof(T)];
    for (std::size_t w = 0; w < sizeof(T); ++w) bytes[w] = planes[w * head.count + i];
    std::memcpy(&elements[i], bytes, sizeof(T));
  }
  if constexpr (std::is_integral_v<T>) {
    for (int pass = 0; pass < head.order; ++pass) {
      for (std::size_t i = head.stride; i < head.count; ++i) {
        elements[i] =
            static_cast<T>(static_cast<std::make_unsigned_t<T>>(elements[i]) +
                           static_cast<std::make_unsigned_t<T>>(elements[i - head.stride]));
      }
    }
  }
  return elements;
}

template <class T>
void expect_round_trip(const std::vector<T>& values, std::size_t stride, int order) {
  ColumnWriter writer;
  std::vector<T> copy = values;
  writer.add<T>("x", copy, 0.5, stride, order);
  const std::string packed = writer.finish();
  ASSERT_EQ(writer.heads().size(), 1u);
  EXPECT_EQ(writer.heads()[0].name, "x");
  EXPECT_EQ(writer.heads()[0].scale, 0.5);
  EXPECT_EQ(read_column<T>(writer.heads()[0], packed), values);
}

TEST(Columns, DifferencesWrapAroundAndComeBack) {
  const std::int32_t most = std::numeric_limits<std::int32_t>::max(), least = -most - 1;
  for (int order = 0; order <= 2; ++order) {
    for (std::size_t stride : {1, 2, 3, 100}) {
      expect_round_trip<std::int32_t>({most, least, 0, most, -1, least, 7}, stride, order);
      expect_round_trip<std::int16_t>({32767, -32768, 0, 32767, 5, -32768}, stride, order);
      expect_round_trip<std::uint8_t>({0, 255, 1, 254, 0}, stride, order);
      expect_round_trip<std::int32_t>({}, stride, order);
    }
  }
}

TEST(Columns, FloatingPointNumbersKeepTheirBits) {
  expect_round_trip<double>({0.1, -1e300, 5e-324, INFINITY}, 1, 0);
  expect_round_trip<float>({0.1f, -1e30f, 1e-45f}, 1, 0);
}

TEST(Columns, AColumnLargerThanABufferIsWhole) {
  std::vector<double> values(300'000);
  double x = 0.5;
  for (double& v : values) v = x = 3.9 * x * (1 - x);  // does not compress
  expect_round_trip(values, 1, 0);
}

TEST(Columns, SeveralColumnsLieBehindEachOther) {
  ColumnWriter writer;
  std::vector<std::uint8_t> a = {1, 2, 3};
  std::vector<std::int16_t> b = {0x0201, 0x0403};
  writer.add<std::uint8_t>("a", a);
  writer.add<std::int16_t>("b", b);
  EXPECT_EQ(inflate_all(writer.finish(), 7), std::string("\1\2\3\1\3\2\4"));
}

TEST(Columns, FixedPointIsNearestAndKeepsNan) {
  EXPECT_EQ(to_fixed<std::int32_t>(1.0, 0x1p-17), 1 << 17);
  EXPECT_EQ(to_fixed<std::int16_t>(-0.26, 0.1), -3);
  EXPECT_EQ(to_fixed<std::int16_t>(nan, 0.1), -32768);
  EXPECT_EQ(to_fixed<std::int32_t>(nan, 0.1), std::numeric_limits<std::int32_t>::min());
  // too far is far, not NaN, and not on the other side
  EXPECT_EQ(to_fixed<std::int16_t>(1.0, 0x1p-15), 32767);
  EXPECT_EQ(to_fixed<std::int16_t>(-1e9, 0x1p-15), -32767);
  EXPECT_EQ(to_fixed<std::int32_t>(INFINITY, 1), std::numeric_limits<std::int32_t>::max());
}

double from_half(std::uint16_t h) {
  const int exponent = h >> 10 & 31, fraction = h & 1023;
  const double sign = (h & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31) return fraction != 0 ? nan : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

TEST(Columns, EveryHalfIsItself) {
  for (unsigned h = 0; h < 0x10000; ++h) {
    const double value = from_half(static_cast<std::uint16_t>(h));
    if (std::isnan(value)) continue;
    ASSERT_EQ(to_half(static_cast<float>(value)), h);
  }
  EXPECT_TRUE(std::isnan(from_half(to_half(NAN))));
}

TEST(Columns, HalvesRoundToTheNearest) {
  for (float v = 1e-9f; v < 1e5f; v *= 1.0137f) {
    const double half = from_half(to_half(v));
    if (v > 65519) {
      EXPECT_TRUE(std::isinf(half));
      continue;
    }
    EXPECT_LE(std::abs(half - v), std::max(0x1p-25, v * 0x1p-11)) << v;
  }
}

TEST(Columns, HalvesAreScaledToTheLargest) {
  ColumnWriter writer;
  const std::vector<float> values = {3e9f, -1.5f, 0, 1e6f};
  writer.add_halves("force", values);
  const ColumnHead head = writer.heads()[0];
  EXPECT_EQ(head.type, "f16");
  const auto halves = read_column<std::uint16_t>(head, writer.finish());
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(from_half(halves[i]) * head.scale, values[i], 1e-3 * std::abs(values[i]) + 1) << i;
  }
}

}  // namespace
}  // namespace abut
