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
#include "abut/io/recording_csv.hpp"
#include "commands.hpp"

namespace abut::cli {
namespace {

struct ExportArguments {
  std::string recording, out;
  bool csv = false, force = false;
};

/// Tables of an earlier export are replaced, files of the same names that are not abut's kept.
void check_names(const std::string& directory) {
  const std::vector<std::string> ours = listed_output_files(directory);
  for (const char* name : {"steps.csv", "bodies.csv", "contacts.csv"}) {
    const auto path = std::filesystem::path(directory) / name;
    const bool exists = std::filesystem::exists(std::filesystem::symlink_status(path));
    if (!exists || std::find(ours.begin(), ours.end(), name) != ours.end()) continue;
    fail_input(quote(path.string(), 1024) + " exists: --force overwrites it");
  }
}

int run(const ExportArguments& a) {
  if (!a.csv) fail_input("export: say which format: --csv");
  // a run's output directory stands for the recording in it
  namespace fs = std::filesystem;
  const bool directory = fs::is_directory(a.recording);
  const std::string file =
      directory ? (fs::path(a.recording) / "recording.bin").string() : a.recording;
  const Recording recording = Recording::open(file);
  const std::string out = !a.out.empty() ? a.out : fs::path(file).parent_path().string();
  if (!a.force) check_names(out.empty() ? "." : out);
  export_csv(recording, out.empty() ? "." : out);
  std::printf("%zu steps and %zu states: %s/{steps,bodies,contacts}.csv\n", recording.steps(),
              recording.states(), out.empty() ? "." : out.c_str());
  if (recording.end() != RecordingEnd::closed) {
    const std::string lost =
        recording.lost_bytes() == 0
            ? ""
            : " (" + std::to_string(recording.lost_bytes()) + " bytes are left out)";
    std::fprintf(stderr, "note: %s: %s%s\n", file.c_str(), to_string(recording.end()),
                 lost.c_str());
  }
  if (recording.end() == RecordingEnd::damaged) return input_output;
  return success;
}

}  // namespace

void add_export(CLI::App& app, int& code) {
  auto a = std::make_shared<ExportArguments>();
  CLI::App* c = app.add_subcommand("export", "write a recording in another format");
  c->add_option("recording", a->recording, "recording, or the directory of a run")
      ->required()
      ->type_name("RECORDING");
  c->add_flag("--csv", a->csv, "tables steps.csv, bodies.csv, contacts.csv");
  c->add_option("--out", a->out, "existing directory (default: the recording's)")->type_name("DIR");
  c->add_flag("--force", a->force, "overwrite tables that abut did not write");
  c->callback([a, &code] { code = run(*a); });
}

}  // namespace abut::cli
