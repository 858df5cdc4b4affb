#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>

#include "abut/core/error.hpp"
#include "abut/core/text.hpp"
#include "abut/io/atomic_file.hpp"
#include "abut/io/output_dir.hpp"
#include "abut/io/problem_file.hpp"
#include "abut/io/recording.hpp"
#include "abut/io/recording_writer.hpp"
#include "abut/io/scene_file.hpp"
#include "abut/view/page.hpp"
#include "abut/view/replay.hpp"
#include "commands.hpp"
#include "notes.hpp"
#include "progress.hpp"
#include "run_options.hpp"
#include "scene_arguments.hpp"
#include "signals.hpp"
#include "summary.hpp"

namespace abut::cli {
namespace {

struct RunArguments {
  SceneArguments scene;
  LengthArguments length;
  std::string out, summary;
  SimulationArguments simulation;
  std::vector<std::uint64_t> save_problems;
  bool force = false, quiet = false, no_recording = false, no_replay = false, report = false;
};

std::string output_path(const RunArguments& a) {
  return !a.out.empty() ? a.out : std::filesystem::path(a.scene.path).stem().string() + ".abut";
}

/// Where a run leaves its files; nowhere if nothing is to be written.
class Output {
 public:
  Output(const RunArguments& a, const World& world) {
    if (a.no_recording) return;
    dir_.emplace(prepare_output_dir(output_path(a), a.force));
    recording_path_ = dir_->file("recording.bin");
    summary_path_ = dir_->file("summary.json");
    if (!a.no_replay && page_available()) replay_path_ = dir_->file("replay.html");
    if (a.report) report_path_ = dir_->file("report.html");
    writer_ = std::make_unique<RecordingWriter>(
        recording_path_, world, RecordingOptions{.frame_rate = *a.length.frame_rate});
  }

  void record(const World& world) {
    if (writer_) writer_->record(world);
  }
  void save_problem(const World& world) {
    if (!dir_) return;
    const std::string path = dir_->file("problem_" + std::to_string(world.steps()) + ".npz");
    abut::save_problem(path, world.problem());
    saved_.push_back(path);
  }
  /// A replay takes time, which an interrupted run has not.
  void finish(const World& world, const std::string& summary, const std::vector<Camera>& cameras,
              bool interrupted) {
    ReplayOptions replay{.cameras = cameras};
    for (const Warning& w : world.warnings())
      replay.warnings.push_back(abut::describe(world.scene(), w));
    if (!dir_) return;
    writer_->record_state(world);
    writer_->close();
    write_file_atomic(summary_path_, summary);
    if (interrupted) replay_path_ = report_path_ = "";
    if (replay_path_.empty() && report_path_.empty()) return;
    const Recording recording = Recording::open(recording_path_);
    if (!replay_path_.empty()) write_replay(recording, replay_path_, replay);
    replay.summary = summary;
    if (!report_path_.empty()) write_replay(recording, report_path_, replay);
  }

  /// What was written, and what to do with it.
  std::string describe() const {
    if (!dir_) return "";
    std::string text = "recording    " + recording_path_ + "\n";
    text += replay_path_.empty() ? "replay       abut replay " + dir_->path() + "\n"
                                 : "replay       " + replay_path_ + " (open it in a browser)\n";
    if (!report_path_.empty()) text += "report       " + report_path_ + "\n";
    for (const std::string& path : saved_) text += "problem      " + path + "\n";
    text += "tables       abut export " + dir_->path() + " --csv\n";
    return text;
  }

 private:
  std::optional<OutputDir> dir_;
  std::string recording_path_, summary_path_, replay_path_, report_path_;
  std::unique_ptr<RecordingWriter> writer_;
  std::vector<std::string> saved_;
};

void check_report(const RunArguments& a) {
  if (!a.report) return;
  if (a.no_recording) fail_input("--report needs an output directory: drop --no-recording");
  require_page();
}

void check_saves(const RunArguments& a, std::uint64_t steps) {
  if (a.save_problems.empty()) return;
  if (a.no_recording) fail_input("--save-problem needs an output directory: drop --no-recording");
  for (const std::uint64_t s : a.save_problems) {
    require(s >= 1 && s <= steps, "--save-problem", static_cast<double>(s), "",
            "must be a step of the run, from 1 to " + std::to_string(steps));
  }
}

/// A name that cannot be written should not cost a run.
void check_summary(const RunArguments& a) {
  const std::filesystem::path path = a.summary, folder = path.parent_path();
  std::error_code error;
  const auto whole = [](const std::filesystem::path& p) {
    return (std::filesystem::absolute(p.empty() ? "." : p) / "").lexically_normal();
  };
  const bool is_beside = whole(folder) == whole(output_path(a)) ||
                         std::filesystem::equivalent(folder / "", output_path(a), error);
  if (!a.no_recording && is_beside && path.extension() != ".json") {
    fail_input("--summary " + quote(a.summary) +
               " may be one of the run's own files: give it a name that ends in .json");
  }
  if (!a.no_recording && is_beside && !std::filesystem::exists(folder, error))
    return;  // to be made
  if (!a.force && std::filesystem::is_regular_file(path, error) &&
      std::filesystem::file_size(path, error) > 0 && std::ifstream(path).get() != '{') {
    fail_input("--summary " + quote(a.summary) +
               " exists and is not a summary: --force overwrites it");
  }
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status) || std::filesystem::is_regular_file(status)) {
    const AtomicFile file(path);  // leaves nothing without commit()
  }
}

void print_output_notes(const RunArguments& a) {
  if (!a.no_recording && !a.no_replay && !page_available()) {
    note("abut was built without its browser page: no replay is written");
  }
  if (a.no_recording && (!a.out.empty() || a.force))
    note("--out has no effect with --no-recording");
}

/// The command line's word counts, then the scene file's, then ours.
void complete(RunArguments& a, const SceneFile& file) {
  if (a.out.empty()) a.out = file.output.directory;
  a.length.frame_rate = a.length.rate(file);
}

int run(RunArguments a) {
  SceneFile file = a.scene.load();
  WorldOptions options = a.simulation.world_options(file.simulation);
  options.timed = true;
  if (!a.quiet) {
    print_notes(file, a.simulation, options);
    print_output_notes(a);
  }
  complete(a, file);
  World world(std::move(file.scene), options);
  if (!a.length.keyframe.empty()) {
    world.set_keyframe(find_keyframe(world.scene(), a.length.keyframe));
  }
  const std::uint64_t steps = a.length.steps(file, world.time_step());
  check_saves(a, steps);
  check_report(a);
  if (!a.summary.empty()) check_summary(a);
  watch_signals();  // from here on there are files to finish
  Output output(a, world);

  Statistics statistics;
  const double energy = world.kinetic_energy() + world.potential_energy();
  const auto start = std::chrono::steady_clock::now();
  std::exception_ptr error;  // what came before it is kept
  try {
    Progress progress(steps, world.time_step(), a.quiet);
    for (std::uint64_t i = 1; i <= steps && stop_signal() == 0; ++i) {
      update_controls(file.controllers, world);
      const StepReport& report = world.step();
      const bool first_failure =
          !statistics.first_failure && report.solve.status != SolveStatus::converged;
      statistics.add(report, i);
      if (i == 1 && !a.quiet) print_start_notes(world);
      output.record(world);
      const bool asked =
          std::find(a.save_problems.begin(), a.save_problems.end(), i) != a.save_problems.end();
      if (asked || first_failure) output.save_problem(world);
      progress.update(i, report.contacts);
    }
  } catch (...) {
    if (statistics.steps == 0) throw;
    error = std::current_exception();
  }
  const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
  const int signal = stop_signal();
  const Summary summary{.world = world,
                        .statistics = statistics,
                        .duration = static_cast<double>(statistics.steps) * world.time_step(),
                        .wall_seconds = wall.count(),
                        .energy_initial = energy,
                        .energy_final = world.kinetic_energy() + world.potential_energy(),
                        .interrupted = error         ? "an error"
                                       : signal == 0 ? ""
                                                     : signal_name(signal)};
  const auto finish = [&] {
    const std::string json = to_json(summary);
    output.finish(world, json, file.cameras, signal != 0);
    if (!a.summary.empty()) write_file_atomic(a.summary, json);
    if (a.quiet) return;
    print_unmet(world);
    std::printf("%s%s", to_text(summary).c_str(), output.describe().c_str());
  };
  if (error) {
    try {
      finish();
    } catch (const std::exception&) {  // a full disk stays full: the first error says why
      std::rethrow_exception(error);
    }
    std::rethrow_exception(error);
  }
  finish();
  if (signal != 0) return 128 + signal;
  return statistics.all_converged() ? success : not_converged;
}

}  // namespace

void add_run(CLI::App& app, int& code) {
  auto a = std::make_shared<RunArguments>();
  CLI::App* c = app.add_subcommand("run", "simulate a scene, record it, say how well it went");
  a->scene.add_to(*c);
  a->simulation.add_to(*c);
  a->length.add_to(*c);
  c->add_option(
       "--out", a->out,
       "directory for recording.bin, replay.html and summary.json (default: the scene's, else its "
       "name with .abut, here); files that abut wrote there are replaced, others never")
      ->check([](const std::string& dir) { return dir.empty() ? "is empty" : std::string(); })
      ->type_name("DIR");
  c->add_flag("--force", a->force, "use --out even if abut did not make it; its other files stay");
  c->add_option("--summary", a->summary, "write the summary to this file as JSON")
      ->type_name("FILE.json");
  c->add_option_function<std::string>(
       "--save-problem",
       [a](const std::string& steps) {
         for (std::size_t begin = 0, end = 0; end < steps.size(); begin = end + 1) {
           end = std::min(steps.find(',', begin), steps.size());
           a->save_problems.push_back(
               parse_whole_number("--save-problem", steps.substr(begin, end - begin)));
         }
       },
       "save the contact problem of these steps (that of the first failed one is always saved)")
      ->type_name("STEP[,STEP]");
  c->add_flag("--no-recording", a->no_recording, "write no output directory");
  c->add_flag("--report", a->report,
              "write report.html too: summary, plots and replay in one page");
  c->add_flag("--no-replay", a->no_replay, "write no replay.html");
  c->add_flag("--quiet", a->quiet, "print nothing but errors");
  c->callback([a, &code] { code = run(*a); });
}

}  // namespace abut::cli
