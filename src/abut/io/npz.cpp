#include "abut/io/npz.hpp"

#include <zip.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <type_traits>

#include "abut/core/error.hpp"
#include "abut/core/text.hpp"
#include "abut/io/atomic_file.hpp"
#include "abut/io/input_file.hpp"
#include "abut/io/npy.hpp"

namespace abut {
namespace {

static_assert(std::endian::native == std::endian::little,
              "arrays are copied as they lie in memory");

constexpr std::size_t largest_file = std::size_t{4} << 30;
constexpr int most_arrays = 1000;

/// A file may unpack to this many times its size, and to a floor that any machine has: zeros pack
/// a thousandfold, and a small file must not fill the memory.
constexpr std::size_t largest_expansion = 64, expansion_floor = std::size_t{64} << 20;

struct Discard {
  void operator()(zip_t* archive) const { zip_discard(archive); }
  void operator()(zip_file_t* file) const { zip_fclose(file); }
  void operator()(zip_source_t* source) const { zip_source_free(source); }
};
using Archive = std::unique_ptr<zip_t, Discard>;
using Source = std::unique_ptr<zip_source_t, Discard>;

class ZipError {
 public:
  ZipError() { zip_error_init(&error_); }
  ~ZipError() { zip_error_fini(&error_); }
  ZipError(const ZipError&) = delete;
  ZipError& operator=(const ZipError&) = delete;
  zip_error_t* get() { return &error_; }
  std::string text() { return zip_error_strerror(&error_); }

 private:
  zip_error_t error_;
};

std::string unpack(zip_t* archive, zip_uint64_t index, std::size_t limit) {
  const std::unique_ptr<zip_file_t, Discard> file(zip_fopen_index(archive, index, 0));
  if (!file)
    throw std::invalid_argument("it cannot be unpacked: " + std::string(zip_strerror(archive)));
  std::string bytes;
  for (;;) {  // grows with what is really there, whatever the archive says
    const std::size_t filled = bytes.size();
    if (filled > limit) throw std::invalid_argument("it unpacks to far more than the file's size");
    bytes.resize(filled + std::clamp<std::size_t>(filled, 1 << 12, 1 << 24));
    const zip_int64_t got = zip_fread(file.get(), bytes.data() + filled, bytes.size() - filled);
    bytes.resize(filled + (got > 0 ? static_cast<std::size_t>(got) : 0));
    if (got == 0) return bytes;
    if (got < 0) {
      throw std::invalid_argument("it cannot be unpacked: " +
                                  std::string(zip_error_strerror(zip_file_get_error(file.get()))));
    }
  }
}

/// Bytes of all elements; throws std::invalid_argument where that is no number.
std::size_t data_size(const NpyHead& head) {
  // "<f8": byte order, kind, bytes of one
  const std::string& type = head.type;
  std::size_t size = type.size() == 3 ? static_cast<std::size_t>(type[2] - '0') : 0;
  if (size < 1 || size > 8 || std::string_view("biufcU").find(type[1]) == std::string_view::npos) {
    throw std::invalid_argument("its element type " + quote(type) + " is not read");
  }
  if (type[1] == 'U') size *= sizeof(char32_t);
  for (const std::size_t extent : head.shape) {
    if (__builtin_mul_overflow(size, extent, &size)) {
      throw std::invalid_argument("its shape is too large");
    }
  }
  return size;
}

}  // namespace

template <class T>
void NpzWriter::add(const std::string& name, std::span<const T> values,
                    std::initializer_list<std::size_t> shape) {
  std::string bytes = make_npy_head(npy_type<T>, shape);
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  members_.emplace_back(name + ".npy", std::move(bytes));
}

void NpzWriter::write(const std::string& path) const {
  ZipError error;
  const Source kept(zip_source_buffer_create(nullptr, 0, 0, error.get()));
  if (!kept) fail_writing(path, error.text());
  Archive archive(zip_open_from_source(kept.get(), ZIP_TRUNCATE, error.get()));
  if (!archive) fail_writing(path, error.text());
  zip_source_keep(kept.get());  // one reference is the archive's, one ours
  for (const auto& [name, bytes] : members_) {
    Source source(zip_source_buffer(archive.get(), bytes.data(), bytes.size(), 0));
    if (!source) fail_writing(path, zip_strerror(archive.get()));
    const zip_int64_t at =
        zip_file_add(archive.get(), name.c_str(), source.get(), ZIP_FL_ENC_UTF_8);
    if (at < 0) fail_writing(path, zip_strerror(archive.get()));
    (void)source.release();  // the archive's now
    const auto index = static_cast<zip_uint64_t>(at);
    zip_set_file_compression(archive.get(), index, ZIP_CM_STORE, 0);
    zip_file_set_dostime(archive.get(), index, 0, 0x21, 0);  // 1980-01-01: equal bytes
  }
  if (zip_close(archive.get()) != 0) fail_writing(path, zip_strerror(archive.get()));
  (void)archive.release();

  zip_stat_t info;
  if (zip_source_stat(kept.get(), &info) != 0 || zip_source_open(kept.get()) != 0) {
    fail_writing(path, zip_error_strerror(zip_source_error(kept.get())));
  }
  std::string bytes(info.size, '\0');
  const zip_int64_t got = zip_source_read(kept.get(), bytes.data(), bytes.size());
  zip_source_close(kept.get());
  if (got != static_cast<zip_int64_t>(bytes.size()))
    fail_writing(path, "the archive is incomplete");
  write_file_atomic(path, bytes);
}

NpzReader::NpzReader(const std::string& path) : path_(path) {
  const Origin at{.file = path, .line = 0, .element = {}};
  const std::string file = read_input_file(path, largest_file);
  ZipError error;
  Source source(zip_source_buffer_create(file.data(), file.size(), 0, error.get()));
  if (!source) fail_input(error.text(), at);
  const Archive archive(zip_open_from_source(source.get(), ZIP_RDONLY, error.get()));
  if (!archive) fail_input("is not an .npz file: " + error.text(), at);
  (void)source.release();
  const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  if (count == 0) fail_input("holds no array", at);
  if (count > most_arrays) {
    fail_input("holds " + std::to_string(count) + " arrays, at most " +
                   std::to_string(most_arrays) + " are read",
               at);
  }
  std::size_t left = std::max(largest_expansion * file.size(), expansion_floor);
  for (zip_int64_t i = 0; i < count; ++i) {
    const char* raw = zip_get_name(archive.get(), i, ZIP_FL_ENC_RAW);
    std::string name = raw == nullptr ? "" : raw;
    if (!name.ends_with(".npy")) fail_input("holds " + quote(name) + ", which is not an array", at);
    name.resize(name.size() - 4);
    if (arrays_.contains(name)) fail(name, "it appears twice");
    try {
      Array array = parse(unpack(archive.get(), i, left));
      left -= std::min(left, array.bytes.size());
      arrays_.emplace(name, std::move(array));
    } catch (const std::invalid_argument& e) {
      fail(name, e.what());
    }
  }
}

NpzReader::Array NpzReader::parse(std::string bytes) {
  const NpyHead head = parse_npy_head(bytes);
  const std::size_t expected = data_size(head), there = bytes.size() - head.data;
  if (head.fortran_order && head.shape.size() > 1) {
    throw std::invalid_argument("it is in Fortran order, must be in C order");
  }
  if (there != expected) {
    throw std::invalid_argument("it has " + std::to_string(there) +
                                " bytes of numbers, its shape " + shape_text(head.shape) +
                                " needs " + std::to_string(expected));
  }
  return {head.type, head.shape, std::move(bytes), head.data};
}

template <class T>
std::vector<T> NpzReader::take(const std::string& name, std::initializer_list<std::size_t> shape) {
  const auto found = arrays_.find(name);
  if (found == arrays_.end()) fail(name, "is missing");
  const Array& array = found->second;
  if (array.type != npy_type<T>) {
    fail(name, "its element type is " + quote(array.type) + ", must be '" + npy_type<T> + "'");
  }
  bool fits = array.shape.size() == shape.size();
  for (std::size_t i = 0; fits && i < shape.size(); ++i) {
    const std::size_t wanted = shape.begin()[i];
    fits = wanted == any || wanted == array.shape[i];
  }
  if (!fits) {
    std::string wanted = shape_text(shape);
    if (shape.size() > 0 && *shape.begin() == any) {
      wanted.replace(1, std::to_string(any).size(), "any");
    }
    fail(name, "its shape is " + shape_text(array.shape) + ", must be " + wanted);
  }
  std::vector<T> values((array.bytes.size() - array.data) / sizeof(T));
  if (!values.empty()) {
    std::memcpy(values.data(), array.bytes.data() + array.data, values.size() * sizeof(T));
  }
  if constexpr (std::is_floating_point_v<T>) {
    const auto bad =
        std::find_if(values.begin(), values.end(), [](T x) { return !std::isfinite(x); });
    if (bad != values.end()) {
      fail(name, "number " + std::to_string(bad - values.begin()) + " is " +
                     (std::isnan(*bad) ? "NaN" : "infinite") + ", must be finite");
    }
  }
  arrays_.erase(found);
  return values;
}

std::string NpzReader::take_text(const std::string& name) {
  const auto found = arrays_.find(name);
  if (found == arrays_.end()) fail(name, "is missing");
  const Array& array = found->second;
  if (!array.type.starts_with("<U") || !array.shape.empty()) {
    fail(name, "its element type is " + quote(array.type) + " and its shape " +
                   shape_text(array.shape) + ", must be a string");
  }
  std::string text;
  for (std::size_t at = array.data; at < array.bytes.size(); at += sizeof(char32_t)) {
    char32_t c = 0;
    std::memcpy(&c, array.bytes.data() + at, sizeof c);
    if (c == 0) break;  // padding
    if (c >= 128) fail(name, "holds a character that is not ASCII");
    text += static_cast<char>(c);
  }
  arrays_.erase(found);
  return text;
}

void NpzReader::require_all_taken() const {
  if (!arrays_.empty()) fail(arrays_.begin()->first, "is not part of the format");
}

void NpzReader::fail(const std::string& array, const std::string& text) const {
  fail_input(text, {.file = path_, .line = 0, .element = "array " + quote(array)});
}

template void NpzWriter::add<double>(const std::string&, std::span<const double>,
                                     std::initializer_list<std::size_t>);
template std::vector<double> NpzReader::take<double>(const std::string&,
                                                     std::initializer_list<std::size_t>);
template void NpzWriter::add<std::int32_t>(const std::string&, std::span<const std::int32_t>,
                                           std::initializer_list<std::size_t>);
template std::vector<std::int32_t> NpzReader::take<std::int32_t>(
    const std::string&, std::initializer_list<std::size_t>);
template void NpzWriter::add<std::uint8_t>(const std::string&, std::span<const std::uint8_t>,
                                           std::initializer_list<std::size_t>);
template std::vector<std::uint8_t> NpzReader::take<std::uint8_t>(
    const std::string&, std::initializer_list<std::size_t>);
template std::vector<std::int64_t> NpzReader::take<std::int64_t>(
    const std::string&, std::initializer_list<std::size_t>);

}  // namespace abut
