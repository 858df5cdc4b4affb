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
#include "recording_argument.hpp"

namespace abut::cli {
namespace {

struct ExportArguments {
  std::string recording, out;
  bool csv = false, force = false;
};

/// Tables of an earlier export are replaced, files of the same names that are not abut's kept.
void check_names(const std::string& directory, const std::vector<std::string>& names) {
  const std::vector<std::string> ours = listed_output_files(directory);
  for (const std::string& name : names) {
    const auto path = std::filesystem::path(directory) / name;
    const bool exists = std::filesystem::exists(std::filesystem::symlink_status(path));
    if (!exists || std::find(ours.begin(), ours.end(), name) != ours.end()) continue;
    fail_input(quote(path.string(), 1024) + " exists: --force overwrites it");
  }
}

int run(const ExportArguments& a) {
  if (!a.csv) fail_input("export needs a format: --csv");
  const std::string file = recording_file(a.recording);
  const Recording recording = Recording::open(file);
  std::string out = !a.out.empty() ? a.out : std::filesystem::path(file).parent_path().string();
  if (out.empty()) out = ".";
  const std::vector<std::string> names = csv_files(recording.scene());
  if (!a.force) check_names(out, names);
  export_csv(recording, out);
  std::string list;
  for (const std::string& name : names) {
    list += (list.empty() ? "" : ",") + std::filesystem::path(name).stem().string();
  }
  std::printf("%zu steps and %zu states: %s/{%s}.csv\n", recording.steps(), recording.states(),
              out.c_str(), list.c_str());
  return report_end(recording, file);
}

}  // namespace

void add_export(CLI::App& app, int& code) {
  auto a = std::make_shared<ExportArguments>();
  CLI::App* c = app.add_subcommand("export", "write a recording in another format");
  c->add_option("recording", a->recording, "recording, or the directory of a run")
      ->required()
      ->type_name("RECORDING");
  c->add_flag("--csv", a->csv, "tables: steps, bodies, contacts, joints, actuators");
  c->add_option("--out", a->out, "existing directory (default: the recording's)")->type_name("DIR");
  c->add_flag("--force", a->force, "overwrite tables that abut did not write");
  c->callback([a, &code] { code = run(*a); });
}

}  // namespace abut::cli
