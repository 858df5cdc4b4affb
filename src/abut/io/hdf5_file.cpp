#include "abut/io/hdf5_file.hpp"

#include <hdf5.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "abut/core/error.hpp"
#include "abut/io/atomic_file.hpp"
#include "abut/io/input_file.hpp"

namespace abut {
namespace {

constexpr std::size_t file_limit = std::size_t{1} << 30;
/// Packed numbers may be so much more than their file, and so many bytes without question.
constexpr std::size_t most_unpacked = 64, free_bytes = std::size_t{64} << 20;

constexpr std::size_t longest_number = 16;  ///< [bytes] of any machine's types

/// A file in memory needs a name under which there cannot be a file.
constexpr const char* no_file = "/dev/null/memory";

/// The library says what is wrong by its return values alone while this lives; others in this
/// process keep their settings.
class Quiet {
 public:
  Quiet() {
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Quiet() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

/// What the library opened, closed again.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(Handle&& other) noexcept
      : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Handle& operator=(Handle&&) = delete;

  operator hid_t() const { return id_; }
  bool is_open() const { return id_ >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

/// Each link on the way is one inside the file. "/a/b": that of "/a", then of "/a/b".
bool leads_inside(hid_t file, const std::string& name) {
  for (std::size_t end = name.find('/', 1);; end = name.find('/', end + 1)) {
    const std::string part = name.substr(0, end);
    H5L_info_t link;
    if (H5Lexists(file, part.c_str(), H5P_DEFAULT) <= 0 ||
        H5Lget_info(file, part.c_str(), &link, H5P_DEFAULT) < 0 || link.type != H5L_TYPE_HARD) {
      return false;
    }
    if (end == std::string::npos) return true;
  }
}

/// Empty if the dataset's bytes are all in the file and the library itself unpacks them.
std::string storage_fault(hid_t data) {
  const Handle list(H5Dget_create_plist(data), H5Pclose);
  if (!list.is_open()) return "is damaged";
  const H5D_layout_t layout = H5Pget_layout(list);
  if (layout != H5D_COMPACT && layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED) {
    return "is put together from other datasets, must be stored itself";
  }
  if (H5Pget_external_count(list) != 0) return "lies in another file, must be in this one";
  constexpr std::array known = {H5Z_FILTER_DEFLATE, H5Z_FILTER_SHUFFLE, H5Z_FILTER_FLETCHER32};
  for (int i = 0; i < H5Pget_nfilters(list); ++i) {
    unsigned flags = 0, about = 0;
    std::size_t values = 0;
    const H5Z_filter_t filter = H5Pget_filter2(list, static_cast<unsigned>(i), &flags, &values,
                                               nullptr, 0, nullptr, &about);
    if (std::ranges::find(known, filter) == known.end()) {
      return "is packed by filter " + std::to_string(filter) + ", must be by deflate";
    }
  }
  return "";
}

template <class T>
hid_t memory_type() {
  return std::is_same_v<T, double> ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64;
}

/// In memory; `image`: what the file begins with, or nothing.
Handle memory_access(const std::string* image) {
  Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fapl_core(access, std::size_t{1} << 16, 0);
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  if (image != nullptr) {
    H5Pset_file_image(access, const_cast<char*>(image->data()), image->size());
  }
  return access;
}

}  // namespace

struct Hdf5Reader::File {
  Handle handle;
  std::size_t size;
};

bool hdf5_available() {
  return true;
}

void leave_hdf5_at_exit() {
  H5dont_atexit();
}

Hdf5Reader::Hdf5Reader(const std::string& path) : path_(path) {
  const Quiet quiet;
  const std::string bytes = read_input_file(path, file_limit);
  const Handle access = memory_access(&bytes);
  Handle file(H5Fopen(no_file, H5F_ACC_RDONLY, access), H5Fclose);
  if (!file.is_open()) {
    fail_input("is no HDF5 file, or a damaged one", {.file = path, .line = 0, .element = {}});
  }
  file_ = std::make_unique<File>(File{std::move(file), bytes.size()});
}

Hdf5Reader::~Hdf5Reader() {
  const Quiet quiet;
  file_.reset();
}

bool Hdf5Reader::has(const std::string& name) const {
  const Quiet quiet;
  return leads_inside(file_->handle, name);
}

void Hdf5Reader::fail(const std::string& name, const std::string& text) const {
  fail_input(text, {.file = path_, .line = 0, .element = "dataset '" + name + "'"});
}

template <class T>
std::vector<T> Hdf5Reader::read(const std::string& name, std::size_t size) const {
  const Quiet quiet;
  if (!leads_inside(file_->handle, name)) fail(name, "is missing");
  const Handle data(H5Dopen2(file_->handle, name.c_str(), H5P_DEFAULT), H5Dclose);
  if (!data.is_open()) fail(name, "is no dataset, or a damaged one");
  const Handle type(H5Dget_type(data), H5Tclose), space(H5Dget_space(data), H5Sclose);
  const H5T_class_t kind = H5Tget_class(type);
  const bool is_whole = kind == H5T_INTEGER, is_real = kind == H5T_FLOAT;
  const bool is_number =
      H5Tget_size(type) <= longest_number && (is_whole || (is_real && std::is_same_v<T, double>));
  if (!is_number) {
    fail(name, std::is_same_v<T, double> ? "must hold numbers" : "must hold integers");
  }
  const hssize_t extent = H5Sget_simple_extent_npoints(space);
  if (extent < 0) fail(name, "is damaged");
  const auto count = static_cast<std::size_t>(extent);
  if (size != any && count != size) {
    fail(name, "has " + std::to_string(count) + " numbers, must have " + std::to_string(size));
  }
  if (count > free_bytes / sizeof(T) && count / most_unpacked > file_->size / sizeof(T)) {
    fail(name, "unpacks to far more than the file's size");
  }
  const std::string fault = storage_fault(data);
  if (!fault.empty()) fail(name, fault);
  std::vector<T> values(count);
  if (count > 0 &&
      H5Dread(data, memory_type<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) {
    fail(name, "is damaged");
  }
  return values;
}

std::vector<double> Hdf5Reader::numbers(const std::string& name, std::size_t size) const {
  std::vector<double> values = read<double>(name, size);
  require_finite(name, values);
  return values;
}

std::vector<double> Hdf5Reader::first_numbers(const std::string& name, std::size_t count) const {
  std::vector<double> values = read<double>(name, any);
  if (values.size() < count) {
    fail(name,
         "has " + std::to_string(values.size()) + " numbers, must have " + std::to_string(count));
  }
  values.resize(count);
  require_finite(name, values);
  return values;
}

void Hdf5Reader::require_finite(const std::string& name, const std::vector<double>& values) const {
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (std::isfinite(values[k])) continue;
    fail(name,
         "entry " + std::to_string(k) + " is " + std::to_string(values[k]) + ", must be finite");
  }
}

std::vector<std::int64_t> Hdf5Reader::integers(const std::string& name, std::size_t size) const {
  return read<std::int64_t>(name, size);
}

namespace {

class ImageWriter {
 public:
  ImageWriter()
      : access_(memory_access(nullptr)),
        file_(H5Fcreate(no_file, H5F_ACC_TRUNC, H5P_DEFAULT, access_), H5Fclose),
        links_(H5Pcreate(H5P_LINK_CREATE), H5Pclose),
        layout_(H5Pcreate(H5P_DATASET_CREATE), H5Pclose) {
    H5Pset_create_intermediate_group(links_, 1);
    H5Pset_obj_track_times(layout_, false);  // equal data give equal bytes
  }

  void write(const std::string& name, hid_t type, hid_t space, const void* data) {
    const Handle set(H5Dcreate2(file_, name.c_str(), type, space, links_, layout_, H5P_DEFAULT),
                     H5Dclose);
    has_failed_ = has_failed_ || !set.is_open() ||
                  H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) < 0;
  }
  template <class T>
  void write(const std::string& name, hid_t type, const std::vector<T>& values) {
    const hsize_t extent = values.size();
    const Handle space(H5Screate_simple(1, &extent, nullptr), H5Sclose);
    write(name, type, space, values.data());
  }
  void write(const std::string& name, const std::string& text) {
    const Handle type(H5Tcopy(H5T_C_S1), H5Tclose), space(H5Screate(H5S_SCALAR), H5Sclose);
    H5Tset_size(type, text.size() + 1);
    write(name, type, space, text.c_str());
  }

  /// Empty if something failed.
  std::string bytes() {
    if (has_failed_ || H5Fflush(file_, H5F_SCOPE_GLOBAL) < 0) return "";
    const ssize_t size = H5Fget_file_image(file_, nullptr, 0);
    if (size <= 0) return "";
    std::string image(static_cast<std::size_t>(size), '\0');
    return H5Fget_file_image(file_, image.data(), image.size()) == size ? image : "";
  }

 private:
  Handle access_, file_, links_, layout_;
  bool has_failed_ = false;
};

}  // namespace

void Hdf5Writer::add(const std::string& name, std::vector<double> values) {
  numbers_[name] = std::move(values);
}
void Hdf5Writer::add(const std::string& name, std::vector<std::int32_t> values) {
  integers_[name] = std::move(values);
}
void Hdf5Writer::add(const std::string& name, std::string_view text) {
  texts_[name] = std::string(text);
}

void Hdf5Writer::write(const std::string& path) const {
  const Quiet quiet;
  std::string bytes;
  {
    ImageWriter image;
    for (const auto& [name, values] : integers_) image.write(name, H5T_STD_I32LE, values);
    for (const auto& [name, values] : numbers_) image.write(name, H5T_IEEE_F64LE, values);
    for (const auto& [name, text] : texts_) image.write(name, text);
    bytes = image.bytes();
  }
  if (bytes.empty()) throw OutOfMemory("making an HDF5 file");
  write_file_atomic(path, bytes);
}

}  // namespace abut
