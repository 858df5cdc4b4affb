#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace abut {

// Named arrays in a file, as numpy.savez writes them and numpy.load reads them: a zip archive of
// .npy members; little endian, C order. Element types T: double, std::int32_t, std::uint8_t; read
// also std::int64_t.

/// Collects arrays, then writes them all at once. Equal arrays give equal bytes.
class NpzWriter {
 public:
  /// @param shape  its product must be the number of values; {} is a scalar
  template <class T>
  void add(const std::string& name, std::span<const T> values,
           std::initializer_list<std::size_t> shape);

  /// Atomically. @throws FileError
  void write(const std::string& path) const;

 private:
  std::vector<std::pair<std::string, std::string>> members_;  ///< name and .npy bytes
};

/// The arrays of a file that may hold anything.
class NpzReader {
 public:
  /// Reads and checks the whole archive, compressed or not; takes no more memory than a small
  /// multiple of the file.
  /// @throws InputError naming file and array
  /// @throws FileError if the file cannot be read
  explicit NpzReader(const std::string& path);

  static constexpr std::size_t any = static_cast<std::size_t>(-1);

  /// Takes an array out of the file. An extent may be `any`, only the first. Throws InputError if
  /// it is absent, or has another element type, shape or order, or a number that is not finite.
  template <class T>
  std::vector<T> take(const std::string& name, std::initializer_list<std::size_t> shape);

  /// A scalar.
  template <class T>
  T take(const std::string& name) {
    return take<T>(name, {})[0];
  }

  /// A string of ASCII characters: numpy's '<U3'.
  std::string take_text(const std::string& name);

  bool has(const std::string& name) const { return arrays_.contains(name); }

  /// Leaves an array unread, if it is there.
  void skip(const std::string& name) { arrays_.erase(name); }

  /// Throws InputError if there are arrays that nobody took.
  void require_all_taken() const;

  [[noreturn]] void fail(const std::string& array, const std::string& text) const;

 private:
  struct Array {
    std::string type;  ///< as numpy says it: "<f8"
    std::vector<std::size_t> shape;
    std::string bytes;     ///< the whole .npy member
    std::size_t data = 0;  ///< where its numbers start
  };
  static Array parse(std::string bytes);

  std::string path_;
  std::map<std::string, Array> arrays_;
};

}  // namespace abut
