#include "abut/io/fclib_file.hpp"

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include "abut/core/error.hpp"
#include "abut/io/fclib_elimination.hpp"
#include "abut/io/fclib_matrix.hpp"
#include "abut/io/friction_blocks.hpp"
#include "abut/io/hdf5_file.hpp"
#include "abut/io/input_file.hpp"

namespace abut {
namespace {

/// Of ours: FCLIB has no time step.
constexpr const char* step_name = "/abut/time_step";
constexpr std::size_t file_limit = std::size_t{1} << 30;

class FclibLoader {
 public:
  explicit FclibLoader(const std::string& path) : path_(path), file_(path) {}

  FrictionFile load() {
    try {
      const bool is_global = file_.has("/fclib_global");
      if (!is_global && !file_.has("/fclib_local")) {
        fail_input("has neither a group 'fclib_local' nor 'fclib_global': is no problem of FCLIB");
      }
      group_ = is_global ? "/fclib_global" : "/fclib_local";
      lay_out(is_global ? global_form() : local_form());
      validate(result_.problem);
    } catch (const InputError& e) {
      const std::string text = e.what();  // that of a dataset has the file's name
      if (text.starts_with(path_ + ": ")) throw;
      fail_input(text, {.file = path_, .line = 0, .element = {}});
    } catch (const std::invalid_argument& e) {
      fail_input(e.what(), {.file = path_, .line = 0, .element = "group '" + group_ + "'"});
    }
    return std::move(result_);
  }

 private:
  std::string name(const char* what) const { return group_ + "/" + what; }

  /// A matrix with as many rows or columns as another one says, unless that is 0.
  SparseEntries matrix(const char* what, int rows, int columns) {
    SparseEntries m = read_fclib_matrix(file_, name(what));
    const auto check = [&](const char* extent, int got, int expected) {
      if (expected < 0 || got == expected) return;
      file_.fail(name(what) + "/" + extent,
                 "is " + std::to_string(got) + ", must be " + std::to_string(expected));
    };
    check("m", m.rows, rows);
    check("n", m.columns, columns);
    return m;
  }
  std::vector<double> vector(const char* what, int size) {
    return file_.numbers(name("vectors/") + what, static_cast<std::size_t>(size));
  }

  LocalForm local_form() {
    SparseEntries w = matrix("W", -1, -1);
    const int n = w.rows;
    if (w.columns != n) {
      file_.fail(name("W/n"),
                 "is " + std::to_string(w.columns) + ", must be m = " + std::to_string(n));
    }
    const std::vector<double> q = vector("q", n);
    if (!file_.has(name("V"))) return {std::move(w), q};
    SparseEntries v = matrix("V", n, -1);
    SparseEntries r = matrix("R", v.columns, v.columns);
    const std::vector<double> s = vector("s", v.columns);
    return eliminate_multipliers({std::move(w), std::move(v), std::move(r), q, s});
  }

  LocalForm global_form() {
    GlobalForm p;
    p.m = matrix("M", -1, -1);
    const int n = p.m.rows;
    if (p.m.columns != n) {
      file_.fail(name("M/n"),
                 "is " + std::to_string(p.m.columns) + ", must be m = " + std::to_string(n));
    }
    p.f = vector("f", n);
    p.h = matrix("H", n, -1);
    p.w = vector("w", p.h.columns);
    p.g.rows = n;
    if (file_.has(name("G"))) {
      p.g = matrix("G", n, -1);
      p.b = vector("b", p.g.columns);
    }
    return eliminate_velocities(p);
  }

  /// As contacts of three numbers, the normal first.
  void lay_out(const LocalForm& form) {
    const std::int64_t dimension = file_.integer(name("spacedim"));
    if (dimension != 2 && dimension != 3) {
      file_.fail(name("spacedim"), "is " + std::to_string(dimension) + ", must be 2 or 3");
    }
    const auto d = static_cast<std::size_t>(dimension), n = form.q.size();
    if (n % d != 0) {
      file_.fail(name("spacedim"), "is " + std::to_string(d) + ", and " + std::to_string(n) +
                                       " rows are no multiple");
    }
    FrictionProblem& p = result_.problem;
    p.friction = vector("mu", static_cast<int>(n / d));
    const auto place = [d](std::size_t k) { return 3 * (k / d) + k % d; };
    FrictionBlocks blocks(n / d, normal_first);
    std::vector<double> mobility(n / d, 0.0);
    for (const SparseEntry& e : form.w.entries) {
      blocks.add(place(e.row), place(e.column), e.value);
      if (e.row == e.column) mobility[e.row / d] += e.value / 2;
    }
    if (d == 2) {  // nothing acts along the second tangent, which has the others' mobility
      for (std::size_t i = 0; i < mobility.size(); ++i)
        blocks.add(3 * i + 2, 3 * i + 2, mobility[i]);
    }
    const auto lay = [&](const std::vector<double>& numbers) {
      std::vector<double> all(3 * (n / d), 0.0);
      for (std::size_t k = 0; k < n; ++k) all[place(k)] = numbers[k];
      return blocks.vectors(all);
    };
    p.delassus = blocks.matrix();
    p.velocity = lay(form.q);
    if (file_.has(step_name)) p.time_step = file_.numbers(step_name, 1)[0];
    if (!file_.has("/solution/r")) return;
    const std::vector<double> r = file_.numbers("/solution/r", n);
    const bool is_answer = std::ranges::any_of(r, [](double x) { return x != 0; });
    if (is_answer) result_.stored_impulse = lay(r);
  }

  std::string path_;
  Hdf5Reader file_;
  std::string group_;
  FrictionFile result_;
};

std::vector<double> normals_first(std::span<const Vec3> vectors) {
  std::vector<double> numbers;
  for (const Vec3& v : vectors) numbers.insert(numbers.end(), {v.z, v.x, v.y});
  return numbers;
}

/// W by compressed columns, which Siconos reads too.
void add_matrix(const BlockMatrix& w, Hdf5Writer& file) {
  constexpr int order[] = {2, 0, 1};
  const std::string name = "/fclib_local/W/";
  std::vector<std::int32_t> start{0}, row;
  std::vector<double> value;
  for (int j = 0; j < w.rows(); ++j) {
    for (const int c : order) {
      for (std::int64_t k = w.start[j]; k < w.start[j + 1]; ++k) {
        const int i = w.column[k];  // (i, j) is stored where (j, i) is
        const Mat3& block = w.block[w.find(i, j)];
        for (int r = 0; r < 3; ++r) {
          if (block(order[r], c) == 0) continue;
          row.push_back(3 * i + r);
          value.push_back(block(order[r], c));
        }
      }
      start.push_back(static_cast<std::int32_t>(row.size()));
    }
  }
  file.add(name + "m", std::vector<std::int32_t>{3 * w.rows()});
  file.add(name + "n", std::vector<std::int32_t>{3 * w.rows()});
  file.add(name + "nz", std::vector<std::int32_t>{-1});
  file.add(name + "nzmax", std::vector<std::int32_t>{static_cast<std::int32_t>(row.size())});
  file.add(name + "p", std::move(start));
  file.add(name + "i", std::move(row));
  file.add(name + "x", std::move(value));
}

}  // namespace

bool is_fclib_file(const std::string& path) {
  require_regular_file(path, file_limit);
  constexpr std::string_view magic("\x89HDF\r\n\x1a\n", 8);
  std::string begin(magic.size(), ' ');
  std::ifstream(path, std::ios::binary).read(begin.data(), std::ssize(begin));
  return begin == magic;
}

FrictionFile load_fclib(const std::string& path) {
  return FclibLoader(path).load();
}

void save_fclib(const std::string& path, const FrictionProblem& p, std::span<const Vec3> impulse) {
  if (!p.bounds.empty()) fail_input("FCLIB has no scalar constraints, and the problem has some");
  Hdf5Writer file;
  add_matrix(p.delassus, file);
  file.add("/fclib_local/spacedim", std::vector<std::int32_t>{3});
  file.add("/fclib_local/vectors/q", normals_first(p.velocity));
  file.add("/fclib_local/vectors/mu", p.friction);
  file.add(step_name, std::vector<double>{p.time_step});
  file.add("/fclib_local/info/title", "A frictional contact problem");
  file.add("/fclib_local/info/description", "written by abut");
  file.add("/fclib_local/info/math_info", "");
  if (!impulse.empty()) {
    std::vector<Vec3> velocity(impulse.size());
    p.delassus.multiply(impulse, velocity);
    for (std::size_t i = 0; i < velocity.size(); ++i) velocity[i] += p.velocity[i];
    file.add("/solution/r", normals_first(impulse));
    file.add("/solution/u", normals_first(velocity));
  }
  file.write(path);
}

}  // namespace abut
