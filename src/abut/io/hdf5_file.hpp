#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace abut {

// HDF5 files of numbers: the C library behind two classes. It prints nothing, and neither plugins
// nor links lead it out of the file.

/// Whether this library can read and write them: it is built without where HDF5 is missing.
bool hdf5_available();

/// For programs that close all HDF5 files they write, before anything of HDF5 is used: the C
/// library then does nothing when the process ends. Else it prints that it cannot close what it
/// lost track of in damaged files.
void leave_hdf5_at_exit();

/// The numbers of a file that may hold anything. Datasets are named by their whole path,
/// "/group/name".
class Hdf5Reader {
 public:
  /// Reads the whole file. @throws InputError, also where HDF5 is missing; FileError
  explicit Hdf5Reader(const std::string& path);
  ~Hdf5Reader();
  Hdf5Reader(const Hdf5Reader&) = delete;
  Hdf5Reader& operator=(const Hdf5Reader&) = delete;

  /// A dataset or a group.
  bool has(const std::string& name) const;

  static constexpr std::size_t any = static_cast<std::size_t>(-1);

  /// All of a dataset of one extent. Throws InputError if it is absent, of another type or size,
  /// damaged, or a number is not finite.
  std::vector<double> numbers(const std::string& name, std::size_t size = any) const;
  /// The first `count`, of which alone it says that they are finite; there may be room for more.
  std::vector<double> first_numbers(const std::string& name, std::size_t count) const;
  std::vector<std::int64_t> integers(const std::string& name, std::size_t size = any) const;
  std::int64_t integer(const std::string& name) const { return integers(name, 1)[0]; }

  [[noreturn]] void fail(const std::string& name, const std::string& text) const;

 private:
  struct File;
  void require_finite(const std::string& name, const std::vector<double>& values) const;
  template <class T>
  std::vector<T> read(const std::string& name, std::size_t size) const;

  std::string path_;
  std::unique_ptr<File> file_;
};

/// Collects datasets, then writes them all at once. Equal data give equal bytes.
class Hdf5Writer {
 public:
  void add(const std::string& name, std::vector<double> values);
  void add(const std::string& name, std::vector<std::int32_t> values);
  void add(const std::string& name, std::string_view text);

  /// Atomically. @throws FileError; InputError where HDF5 is missing
  void write(const std::string& path) const;

 private:
  std::map<std::string, std::vector<double>> numbers_;
  std::map<std::string, std::vector<std::int32_t>> integers_;
  std::map<std::string, std::string> texts_;
};

}  // namespace abut
