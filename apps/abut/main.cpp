#include <cstdio>
#include <exception>
#include <new>

#include "abut/core/error.hpp"
#include "abut/core/isa.hpp"
#include "abut/core/version.hpp"
#include "commands.hpp"

namespace {

int parse_and_run(int argc, char** argv) {
  using namespace abut::cli;
  int code = success;
  CLI::App app{"abut: contact dynamics with a certificate for every step"};
  app.set_version_flag("--version", std::string("abut ") + abut::version());
  app.require_subcommand(1);
  app.failure_message(CLI::FailureMessage::simple);
  app.get_formatter()->column_width(34);
  add_run(app, code);
  add_info(app, code);
  add_solve(app, code);
  add_export(app, code);
  add_models(app, code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? success : wrong_input;
  }
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace abut::cli;
  try {
    abut::active_isa();  // a wrong ABUT_ISA is wrong input, whatever the command
    return parse_and_run(argc, argv);
  } catch (const abut::InputError& e) {
    std::fprintf(stderr, "abut: %s\n", e.what());
    return wrong_input;
  } catch (const abut::FileError& e) {
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
