// Experiments are Python, which this hands over to: docs/decisions/reproduce.md.

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "abut/core/error.hpp"
#include "abut/core/text.hpp"
#include "commands.hpp"

namespace abut::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* program = R"(import sys
try:
    from abut.reproduce.command import main
except ImportError as e:
    sys.stderr.write(f"abut: experiments need the Python package abut, and {sys.executable} says: "
                     f"{e.__cause__ or e}: install it there, or name another Python by ABUT_PYTHON\n")
    sys.exit(2)
sys.exit(main())
)";

/// The folder in which the package lies that belongs to this program: in a wheel the program is in
/// its bin, in a build tree beside bindings/python. Empty if it is elsewhere.
std::string package_folder() {
  std::error_code failed;
  const fs::path here = fs::read_symlink("/proc/self/exe", failed).parent_path();
  if (failed) return "";
  for (const fs::path& package : {here / "..", here / "../../bindings/python/abut"}) {
    if (fs::exists(package / "reproduce", failed) && fs::exists(package / "__init__.py", failed)) {
      return fs::weakly_canonical(package / "..", failed).string();
    }
  }
  return "";
}

[[noreturn]] void hand_over(const std::vector<std::string>& arguments) {
  if (const std::string folder = package_folder(); !folder.empty()) {
    const char* before = std::getenv("PYTHONPATH");
    const std::string path = before && *before ? folder + ":" + before : folder;
    setenv("PYTHONPATH", path.c_str(), 1);
  }
  // matrices of a few hundred rows: threads of numpy's would wait for each other
  setenv("OPENBLAS_NUM_THREADS", "1", 0);
  const char* chosen = std::getenv("ABUT_PYTHON");
  std::string python = chosen && *chosen ? chosen : "python3", option = "-c", code = program;
  std::vector<std::string> words = arguments;
  std::vector<char*> line = {python.data(), option.data(), code.data()};
  for (std::string& word : words) line.push_back(word.data());
  line.push_back(nullptr);
  std::fflush(stdout);
  execvp(python.c_str(), line.data());
  throw InputError("experiments need Python: " + quote(python) + ": " + std::strerror(errno) +
                   "; ABUT_PYTHON names another");
}

}  // namespace

void add_reproduce(CLI::App& app, int&) {
  CLI::App* c =
      app.add_subcommand("reproduce", "run experiments of the papers, with a verdict for each");
  c->prefix_command();   // all that follows is for Python,
  c->set_help_flag("");  // --help too
  c->callback([c] { hand_over(c->remaining()); });
}

}  // namespace abut::cli
