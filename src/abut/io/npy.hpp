#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace abut {

/// What the head of a .npy file says.
struct NpyHead {
  std::string type;  ///< "<f8"
  bool fortran_order = false;
  std::vector<std::size_t> shape;
  std::size_t data = 0;  ///< where the numbers start
};

/// @throws std::invalid_argument saying what is wrong, without the file's name
NpyHead parse_npy_head(std::string_view bytes);

/// A head of version 1.0, padded to a multiple of 64 bytes.
std::string make_npy_head(std::string_view type, std::span<const std::size_t> shape);

/// "(2, 3)"
std::string shape_text(std::span<const std::size_t> shape);

template <class T>
constexpr const char* npy_type = nullptr;
template <>
inline constexpr const char* npy_type<double> = "<f8";
template <>
inline constexpr const char* npy_type<std::int32_t> = "<i4";
template <>
inline constexpr const char* npy_type<std::uint8_t> = "|u1";
template <>
inline constexpr const char* npy_type<std::int64_t> = "<i8";

}  // namespace abut
