#include "abut/view/replay.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "abut/core/error.hpp"
#include "abut/core/text.hpp"
#include "abut/io/output_dir.hpp"
#include "abut/io/recording.hpp"
#include "commands.hpp"
#include "recording_argument.hpp"

namespace abut::cli {
namespace {

struct ReplayArguments {
  std::string recording, out;
  bool no_contacts = false, force = false;
};

/// A page that abut wrote in a run's directory is replaced, others are kept unless forced.
void check_name(const std::string& path) {
  namespace fs = std::filesystem;
  if (!fs::exists(fs::symlink_status(path))) return;
  const fs::path folder = fs::path(path).parent_path();
  const auto ours = listed_output_files(folder.empty() ? "." : folder.string());
  const std::string name = fs::path(path).filename().string();
  const bool is_page = fs::path(path).extension() == ".html";
  if (!is_page || std::find(ours.begin(), ours.end(), name) == ours.end()) {
    fail_input(quote(path, 1024) + " exists: --force overwrites it");
  }
}

int run(const ReplayArguments& a) {
  const std::string file = recording_file(a.recording);
  const Recording recording = Recording::open(file);
  const auto beside = std::filesystem::path(file).parent_path() / "replay.html";
  const std::string out = a.out.empty() ? beside.string() : a.out;
  if (!a.force) check_name(out);
  write_replay(recording, out, {.contacts = !a.no_contacts});
  if (a.out.empty()) {
    const std::string folder = beside.parent_path().string();
    list_output_files(folder.empty() ? "." : folder, {"replay.html"});
  }
  std::printf("%zu frames of %zu steps: %s\n", recording.states(), recording.steps(), out.c_str());
  return report_end(recording, file);
}

}  // namespace

void add_replay(CLI::App& app, int& code) {
  auto a = std::make_shared<ReplayArguments>();
  CLI::App* c = app.add_subcommand("replay", "write a recording as a page for the browser");
  c->add_option("recording", a->recording, "recording, or the directory of a run")
      ->required()
      ->type_name("RECORDING");
  c->add_option("--out", a->out, "the page (default: replay.html beside the recording)")
      ->type_name("FILE.html");
  c->add_flag("--no-contacts", a->no_contacts, "leave contacts out: the file is smaller");
  c->add_flag("--force", a->force, "overwrite a file that abut did not write");
  c->callback([a, &code] { code = run(*a); });
}

}  // namespace abut::cli
