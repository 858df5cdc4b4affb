#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "abut/core/error.hpp"
#include "abut/core/isa.hpp"
#include "abut/core/text.hpp"
#include "abut/core/version.hpp"
#include "commands.hpp"

namespace {

/// An option that is not known, and what may have been meant; else the first argument too many.
std::string explain_extra(const CLI::App& command) {
  const std::vector<std::string> extras = command.remaining();
  if (extras.empty()) return "";
  for (const std::string& extra : extras) {
    if (!extra.starts_with("--") || extra == "--") continue;
    const std::string word = extra.substr(2, extra.find('=') - 2);
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back(name);
    }
    const std::string_view nearest = abut::nearest_word(word, names);
    return abut::quote("--" + word) + " is not known" +
           (nearest.empty() ? "" : ", did you mean --" + std::string(nearest) + "?");
  }
  return abut::quote(extras.front()) + " was not expected";
}

/// What is wrong with the command line, as one line.
std::string explain(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  std::string text = error.what();
  for (const CLI::App* command : app.get_subcommands()) {
    const std::string extra = explain_extra(*command);
    if (!extra.empty()) return extra;
  }
  if (const auto* e = dynamic_cast<const CLI::ArgumentMismatch*>(&error)) {
    text = std::string(e->what());
    text = text.substr(0, text.find(':')) + " needs one value";
  }
  if (app.get_subcommands().empty()) {
    const std::string word = argc > 1 ? argv[1] : "";
    text = word.empty() ? "a command is missing" : abut::quote(word) + " is not a command";
    text += ": run, view, info, solve, export, replay, reproduce or models";
  }
  return text;
}

int parse_and_run(int argc, char** argv) {
  using namespace abut::cli;
  int code = success;
  CLI::App app{"abut: contact dynamics with a certificate for every step", "abut"};
  app.set_version_flag("--version", std::string("abut ") + abut::version());
  app.require_subcommand(1);
  app.footer(
      "Exit code: 0 every step converged, 2 wrong input, 3 some step did not converge,\n"
      "4 a file cannot be read or written, 129, 130 or 143 interrupted.");
  app.get_formatter()->column_width(34);
  add_run(app, code);
  add_compare(app, code);
  add_view(app, code);
  add_info(app, code);
  add_solve(app, code);
  add_export(app, code);
  add_replay(app, code);
  add_reproduce(app, code);
  add_models(app, code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e);  // --help, --version
    const std::string text = explain(app, e, argc, argv);
    std::fprintf(stderr, "abut: %s (--help says more)\n", text.c_str());
    return wrong_input;
  }
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace abut::cli;
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of its write
  try {
    abut::active_isa();  // a wrong ABUT_ISA is wrong input, whatever the command
    const int code = parse_and_run(argc, argv);
    if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
      std::fprintf(stderr, "abut: cannot write to the standard output\n");
      return input_output;
    }
    return code;
  } catch (const abut::InputError& e) {
    std::fprintf(stderr, "abut: %s\n", e.what());
    return wrong_input;
  } catch (const abut::FileError& e) {
    std::fprintf(stderr, "abut: %s\n", e.what());
    return input_output;
  } catch (const abut::OutOfMemory& e) {
    std::fprintf(stderr, "abut: %s\n", e.what());
    return input_output;
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "abut: out of memory\n");
    return input_output;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "abut: unexpected error: %s\n", e.what());
    return input_output;
  }
}
