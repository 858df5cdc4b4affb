#include "solve_files.hpp"

#include <algorithm>
#include <filesystem>

#include "abut/core/error.hpp"
#include "abut/core/text.hpp"
#include "abut/io/friction_file.hpp"
#include "abut/io/hdf5_file.hpp"
#include "abut/io/problem_file.hpp"
#include "abut/problem/delassus.hpp"
#include "recording_argument.hpp"
#include "solve_step.hpp"

namespace abut::cli {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> problems_in(const std::string& folder) {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string ending = it->path().extension().string();
    if (ending == ".npz" || ending == ".hdf5") found.push_back(it->path().string());
  }
  if (error) throw FileError("cannot read " + quote(folder, 1024) + ": " + error.message());
  if (found.empty()) {
    refuse_recording(folder, "a problem");
    fail_input(quote(folder, 1024) + " holds no problem: no file that ends in .npz or .hdf5");
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace

std::vector<std::string> problem_files(const std::vector<std::string>& arguments) {
  leave_hdf5_at_exit();
  std::vector<std::string> files;
  for (const std::string& argument : arguments) {
    std::error_code error;
    if (fs::is_directory(argument, error)) {
      for (std::string& file : problems_in(argument)) files.push_back(std::move(file));
    } else {
      refuse_recording(argument, "a problem");
      files.push_back(argument);
    }
  }
  return files;
}

std::unique_ptr<SolveCase> load_case(const std::string& path, const FrictionArguments& arguments) {
  if (is_friction_file(path)) {
    return make_friction_case(path, load_friction_file(path), arguments);
  }
  ContactProblem step = load_problem(path);
  if (arguments.model.empty()) {
    const bool is_asked = arguments.relaxation != 1 || arguments.least_norm;
    if (is_asked) {
      fail_input(
          "--relaxation and --least-norm are of problems in impulses: a saved step needs "
          "a --model, " +
              list_names(rigid_models),
          {.file = path, .line = 0, .element = {}});
    }
    return make_step_case(path, std::move(step));
  }
  const PreparedProblem prepared(std::move(step));
  try {
    return make_friction_case(path, {make_friction_problem(prepared), {}}, arguments);
  } catch (const InputError& e) {
    fail_input(e.what(), {.file = path, .line = 0, .element = {}});
  }
}

}  // namespace abut::cli
