#include "abut/io/friction_file.hpp"

#include <algorithm>

#include "abut/core/error.hpp"
#include "abut/core/text.hpp"
#include "abut/io/fclib_file.hpp"
#include "abut/io/friction_blocks.hpp"
#include "abut/io/npz.hpp"

namespace abut {
namespace {

class Loader {
 public:
  explicit Loader(const std::string& path) : path_(path), file_(path) {}

  FrictionFile load() {
    file_.has("G") ? load_dense() : load_coordinates();
    if (file_.has("time_step")) result_.problem.time_step = file_.take<double>("time_step");
    file_.require_all_taken();
    try {
      validate(result_.problem);
    } catch (const InputError& e) {
      fail_input(e.what(), {.file = path_, .line = 0, .element = {}});
    }
    return std::move(result_);
  }

 private:
  static constexpr std::size_t any = NpzReader::any;

  /// W_row, W_col, W_val, q, mu, as Siconos' and FCLIB's local form.
  void load_coordinates() {
    if (file_.has("order")) {
      const std::string order = file_.take_text("order");
      if (order != "NTT" && order != "TTN") {
        file_.fail("order", "is " + quote(order) + ", must be 'NTT' or 'TTN'");
      }
      axes_ = order == "NTT" ? normal_first : normal_last;
    }
    const auto mu = file_.take<double>("mu", {any});
    start(mu);
    const std::size_t n = 3 * mu.size();
    require_count("n", n);
    require_count("nc", mu.size());
    const auto row = file_.take<std::int32_t>("W_row", {any});
    const auto column = file_.take<std::int32_t>("W_col", {row.size()});
    const auto value = file_.take<double>("W_val", {row.size()});
    for (std::size_t k = 0; k < row.size(); ++k) {
      for (const auto& [name, i] : {std::pair("W_row", row[k]), {"W_col", column[k]}}) {
        if (i < 0 || static_cast<std::size_t>(i) >= n) {
          file_.fail(name, "entry " + std::to_string(k) + " is " + std::to_string(i) +
                               ", must be 0 to " + std::to_string(n - 1));
        }
      }
      blocks_.add(row[k], column[k], value[k]);
    }
    finish(file_.take<double>("q", {n}));
    if (file_.has("sol_r")) store(file_.take<double>("sol_r", {n}));
    // the global form of the same problem, and the solution's velocities: not needed
    for (const char* name :
         {"M_row", "M_col", "M_val", "H_row", "H_col", "H_val", "f", "w", "sol_u"}) {
      file_.skip(name);
    }
  }

  /// G, g, mus: a dense matrix, the normal last.
  void load_dense() {
    axes_ = normal_last;
    const auto mu = file_.take<double>("mus", {any});
    start(mu);
    const std::size_t n = 3 * mu.size();
    const auto g = file_.take<double>("G", {n, n});
    for (std::size_t r = 0; r < n; ++r) {
      for (std::size_t c = 0; c < n; ++c) blocks_.add(r, c, g[n * r + c]);
    }
    finish(file_.take<double>("g", {n, 1}));
  }

  void require_count(const char* name, std::size_t expected) {
    if (!file_.has(name)) return;
    const auto given = file_.take<std::int64_t>(name);
    if (given == static_cast<std::int64_t>(expected)) return;
    file_.fail(
        name, "is " + std::to_string(given) + ", the other arrays say " + std::to_string(expected));
  }
  void start(const std::vector<double>& mu) {
    result_.problem.friction = mu;
    blocks_ = FrictionBlocks(mu.size(), axes_);
  }
  void finish(const std::vector<double>& velocity) {
    result_.problem.velocity = blocks_.vectors(velocity);
    result_.problem.delassus = blocks_.matrix();
  }
  /// Zeros are no answer, but where one has not been sought.
  void store(const std::vector<double>& impulse) {
    if (std::ranges::all_of(impulse, [](double x) { return x == 0; })) return;
    result_.stored_impulse = blocks_.vectors(impulse);
  }

  std::string path_;
  NpzReader file_;
  ContactAxes axes_ = normal_first;
  FrictionBlocks blocks_;
  FrictionFile result_;
};

}  // namespace

bool is_friction_file(const std::string& path) {
  if (is_fclib_file(path)) return true;
  const NpzReader file(path);
  return file.has("W_val") || file.has("G");
}

FrictionFile load_friction_file(const std::string& path) {
  return is_fclib_file(path) ? load_fclib(path) : Loader(path).load();
}

}  // namespace abut
