#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace abut {

/// How a column of a replay is coded: docs/formats/page.md.
struct ColumnHead {
  std::string name;
  std::string type;  ///< u8, i16, i32, f16, f32 or f64
  std::size_t count = 0;
  std::size_t stride = 1;
  int order = 0;
  double scale = 1;
};

/// The element of a fixed-point column that stands for `value`: the nearest multiple of `scale`,
/// the farthest one if it is too far, the least number of the type for NaN.
/// @tparam T std::int16_t or std::int32_t
template <class T>
T to_fixed(double value, double scale);

/// The nearest IEEE half-precision number: its bits.
std::uint16_t to_half(float value);

/// Collects the columns of a replay, and packs them as one zlib stream.
class ColumnWriter {
 public:
  ColumnWriter();
  ~ColumnWriter();
  ColumnWriter(const ColumnWriter&) = delete;
  ColumnWriter& operator=(const ColumnWriter&) = delete;

  /// Appends a column. The elements are changed.
  /// @tparam T std::uint8_t, std::int16_t, std::int32_t, float or double
  /// @param stride, order  of the differences; of integers only
  template <class T>
  void add(const std::string& name, std::span<T> elements, double scale = 1, std::size_t stride = 1,
           int order = 0);

  /// Appends numbers in half precision, in units that let the largest fit.
  void add_halves(const std::string& name, std::span<const float> values);

  const std::vector<ColumnHead>& heads() const { return heads_; }

  /// Ends the stream. @returns it; nothing can be added any more
  std::string finish();

 private:
  struct Deflater;
  template <class T>
  void add_planes(std::span<const T> elements);

  std::vector<ColumnHead> heads_;
  std::vector<char> planes_;
  std::unique_ptr<Deflater> deflater_;
};

}  // namespace abut
