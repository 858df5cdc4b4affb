// In place of hdf5_file.cpp where the C library is missing.

#include "abut/core/error.hpp"
#include "abut/io/hdf5_file.hpp"

namespace abut {
namespace {

[[noreturn]] void refuse(const std::string& path) {
  fail_input(
      "this abut was built without HDF5: install libhdf5-dev and build it again, or use .npz",
      {.file = path, .line = 0, .element = {}});
}

}  // namespace

bool hdf5_available() {
  return false;
}

void leave_hdf5_at_exit() {}

struct Hdf5Reader::File {};
Hdf5Reader::Hdf5Reader(const std::string& path) {
  refuse(path);
}
// of a reader that cannot be made:
Hdf5Reader::~Hdf5Reader() = default;
bool Hdf5Reader::has(const std::string&) const {
  return false;
}
void Hdf5Reader::fail(const std::string&, const std::string&) const {
  refuse(path_);
}
std::vector<double> Hdf5Reader::numbers(const std::string&, std::size_t) const {
  refuse(path_);
}
std::vector<double> Hdf5Reader::first_numbers(const std::string&, std::size_t) const {
  refuse(path_);
}
std::vector<std::int64_t> Hdf5Reader::integers(const std::string&, std::size_t) const {
  refuse(path_);
}

void Hdf5Writer::add(const std::string&, std::vector<double>) {}
void Hdf5Writer::add(const std::string&, std::vector<std::int32_t>) {}
void Hdf5Writer::add(const std::string&, std::string_view) {}
void Hdf5Writer::write(const std::string& path) const {
  refuse(path);
}

}  // namespace abut
