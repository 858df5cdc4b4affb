#include "abut/view/columns.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>
#include <type_traits>

#include "abut/core/assert.hpp"

namespace abut {

template <class T>
T to_fixed(double value, double scale) {
  if (std::isnan(value)) return std::numeric_limits<T>::min();
  constexpr double limit = std::numeric_limits<T>::max();
  return static_cast<T>(std::clamp(std::nearbyint(value / scale), -limit, limit));
}
template std::int16_t to_fixed(double, double);
template std::int32_t to_fixed(double, double);

std::uint16_t to_half(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000;
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7E00);
  const float size = std::abs(value);
  if (size >= 65520.f) return static_cast<std::uint16_t>(sign | 0x7C00);  // rounds to infinity
  if (size < 0x1p-14f) {  // subnormal: a multiple of 2^-24
    return static_cast<std::uint16_t>(sign |
                                      static_cast<std::uint32_t>(std::nearbyint(size * 0x1p24f)));
  }
  // exponent and fraction, rounded to the nearest even; a carry goes into the exponent as it must
  const std::uint32_t rest = (bits & 0x7FFFFFFF) - (112u << 23);
  return static_cast<std::uint16_t>(sign | ((rest + 0xFFF + ((rest >> 13) & 1)) >> 13));
}

struct ColumnWriter::Deflater {
  // Bytes of one plane are alike and rarely repeat as words do: zlib's middle level is as small as
  // its best and several times as fast.
  static constexpr int level = 6;
  z_stream stream{};
  std::string packed;

  Deflater() {
    if (deflateInit(&stream, level) != Z_OK) throw std::bad_alloc();
  }
  ~Deflater() { deflateEnd(&stream); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  void put(const char* bytes, std::size_t count, int flush) {
    std::array<char, 1 << 16> buffer;
    do {
      const std::size_t now = std::min<std::size_t>(count, 1 << 30);  // zlib counts in 32 bits
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes));
      stream.avail_in = static_cast<uInt>(now);
      bytes += now;
      count -= now;
      do {
        stream.next_out = reinterpret_cast<Bytef*>(buffer.data());
        stream.avail_out = static_cast<uInt>(buffer.size());
        ::deflate(&stream, count == 0 ? flush : Z_NO_FLUSH);
        packed.append(buffer.data(), buffer.size() - stream.avail_out);
      } while (stream.avail_out == 0);
    } while (count > 0);
  }
};

ColumnWriter::ColumnWriter() : deflater_(std::make_unique<Deflater>()) {}
ColumnWriter::~ColumnWriter() = default;

namespace {

template <class T>
constexpr const char* type_name = nullptr;
template <>
inline constexpr const char* type_name<std::uint8_t> = "u8";
template <>
inline constexpr const char* type_name<std::int16_t> = "i16";
template <>
inline constexpr const char* type_name<std::int32_t> = "i32";
template <>
inline constexpr const char* type_name<float> = "f32";
template <>
inline constexpr const char* type_name<double> = "f64";

/// Each element less the one `stride` before it, modulo the type's range.
template <class T>
void take_differences(std::span<T> elements, std::size_t stride) {
  using Unsigned = std::make_unsigned_t<T>;
  for (std::size_t i = elements.size(); i-- > stride;) {
    elements[i] = static_cast<T>(static_cast<Unsigned>(elements[i]) -
                                 static_cast<Unsigned>(elements[i - stride]));
  }
}

}  // namespace

/// Bytes of equal weight together, the least significant first.
template <class T>
void ColumnWriter::add_planes(std::span<const T> elements) {
  planes_.resize(elements.size_bytes());
  const auto* bytes = reinterpret_cast<const char*>(elements.data());
  for (std::size_t w = 0; w < sizeof(T); ++w) {
    char* plane = planes_.data() + w * elements.size();
    for (std::size_t i = 0; i < elements.size(); ++i) plane[i] = bytes[i * sizeof(T) + w];
  }
  deflater_->put(planes_.data(), planes_.size(), Z_NO_FLUSH);
}

template <class T>
void ColumnWriter::add(const std::string& name, std::span<T> elements, double scale,
                       std::size_t stride, int order) {
  ABUT_ASSERT(stride > 0 && (order == 0 || std::is_integral_v<T>));
  heads_.push_back({name, type_name<T>, elements.size(), stride, order, scale});
  if constexpr (std::is_integral_v<T>) {
    for (int pass = 0; pass < order; ++pass) take_differences(elements, stride);
  }
  add_planes<T>(elements);
}
template void ColumnWriter::add(const std::string&, std::span<std::uint8_t>, double, std::size_t,
                                int);
template void ColumnWriter::add(const std::string&, std::span<std::int16_t>, double, std::size_t,
                                int);
template void ColumnWriter::add(const std::string&, std::span<std::int32_t>, double, std::size_t,
                                int);
template void ColumnWriter::add(const std::string&, std::span<float>, double, std::size_t, int);
template void ColumnWriter::add(const std::string&, std::span<double>, double, std::size_t, int);

void ColumnWriter::add_halves(const std::string& name, std::span<const float> values) {
  float largest = 0;
  for (const float v : values) {
    if (std::isfinite(v)) largest = std::max(largest, std::abs(v));
  }
  // a power of two, so that nothing is rounded by it
  const int exponent = largest > 0 ? std::ilogb(largest) - 14 : 0;
  std::vector<std::uint16_t> halves(values.size());
  std::transform(values.begin(), values.end(), halves.begin(),
                 [&](float v) { return to_half(std::scalbn(v, -exponent)); });
  heads_.push_back({name, "f16", values.size(), 1, 0, std::ldexp(1.0, exponent)});
  add_planes<std::uint16_t>(halves);
}

std::string ColumnWriter::finish() {
  deflater_->put(nullptr, 0, Z_FINISH);
  return std::move(deflater_->packed);
}

}  // namespace abut
