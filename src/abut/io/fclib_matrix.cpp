#include "abut/io/fclib_matrix.hpp"

#include <algorithm>
#include <limits>

namespace abut {
namespace {

class MatrixReader {
 public:
  MatrixReader(const Hdf5Reader& file, const std::string& name) : file_(file), name_(name) {
    result_.rows = extent("m");
    result_.columns = extent("n");
  }

  SparseEntries read() {
    const std::int64_t kind = file_.integer(name_ + "/nz");
    if (kind < -2) {
      file_.fail(name_ + "/nz", "is " + std::to_string(kind) +
                                    ", must be -1 (compressed columns), -2 (compressed rows) or "
                                    "the number of entries");
    }
    if (kind >= 0) {
      read_triplets(static_cast<std::size_t>(kind));
    } else {
      read_compressed(kind == -1);
    }
    return std::move(result_);
  }

 private:
  int extent(const char* what) const {
    const std::string name = name_ + "/" + what;
    const std::int64_t size = file_.integer(name);
    constexpr int most = std::numeric_limits<std::int32_t>::max() - 3;
    if (size < 0 || size > most) {
      file_.fail(name, "is " + std::to_string(size) + ", must be 0 to " + std::to_string(most));
    }
    return static_cast<int>(size);
  }

  void check(const std::string& name, const std::vector<std::int64_t>& index, int end) const {
    for (std::size_t k = 0; k < index.size(); ++k) {
      if (index[k] >= 0 && index[k] < end) continue;
      file_.fail(name, "entry " + std::to_string(k) + " is " + std::to_string(index[k]) +
                           ", must be 0 to " + std::to_string(end - 1));
    }
  }

  void read_triplets(std::size_t count) {
    std::vector<std::int64_t> row = file_.integers(name_ + "/p", count);
    std::vector<std::int64_t> column = file_.integers(name_ + "/i", count);
    const std::vector<double> value = file_.first_numbers(name_ + "/x", count);
    const auto fit = [](const std::vector<std::int64_t>& index, int end) {
      return std::ranges::all_of(index, [end](auto i) { return i >= 0 && i < end; });
    };
    const int m = result_.rows, n = result_.columns;
    if (!(fit(row, m) && fit(column, n)) && fit(row, n) && fit(column, m)) row.swap(column);
    check(name_ + "/p", row, m);
    check(name_ + "/i", column, n);
    for (std::size_t k = 0; k < count; ++k) add(row[k], column[k], value[k]);
  }

  void read_compressed(bool by_columns) {
    const int lines = by_columns ? result_.columns : result_.rows;
    const std::string start_name = name_ + "/p", index_name = name_ + "/i";
    const std::vector<std::int64_t> start =
        file_.integers(start_name, static_cast<std::size_t>(lines) + 1);
    if (start.front() != 0) file_.fail(start_name, "does not begin with 0");
    for (int k = 0; k < lines; ++k) {
      if (start[k + 1] >= start[k]) continue;
      file_.fail(start_name, "entry " + std::to_string(k + 1) + " is " +
                                 std::to_string(start[k + 1]) + ", must not be below " +
                                 std::to_string(start[k]));
    }
    std::vector<std::int64_t> index = file_.integers(index_name);
    const auto count = static_cast<std::size_t>(start.back());
    if (index.size() < count) {
      file_.fail(index_name, "has " + std::to_string(index.size()) + " numbers, '" + start_name +
                                 "' needs " + std::to_string(count));
    }
    index.resize(count);  // more room than entries is usual
    check(index_name, index, by_columns ? result_.rows : result_.columns);
    const std::vector<double> value = file_.first_numbers(name_ + "/x", count);
    for (int line = 0; line < lines; ++line) {
      for (std::int64_t k = start[line]; k < start[line + 1]; ++k) {
        by_columns ? add(index[k], line, value[k]) : add(line, index[k], value[k]);
      }
    }
  }

  void add(std::int64_t row, std::int64_t column, double value) {
    result_.entries.push_back({static_cast<int>(row), static_cast<int>(column), value});
  }

  const Hdf5Reader& file_;
  const std::string& name_;
  SparseEntries result_;
};

}  // namespace

SparseEntries read_fclib_matrix(const Hdf5Reader& file, const std::string& name) {
  return MatrixReader(file, name).read();
}

}  // namespace abut
