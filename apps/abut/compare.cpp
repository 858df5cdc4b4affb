#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "abut/core/error.hpp"
#include "abut/core/text.hpp"
#include "abut/io/atomic_file.hpp"
#include "abut/io/output_dir.hpp"
#include "abut/io/recording_writer.hpp"
#include "abut/solvers/contact_solver.hpp"
#include "abut/view/comparison.hpp"
#include "abut/view/page.hpp"
#include "commands.hpp"
#include "comparison.hpp"
#include "notes.hpp"
#include "progress.hpp"
#include "run_options.hpp"
#include "scene_arguments.hpp"
#include "signals.hpp"

namespace abut::cli {
namespace {

struct CompareArguments {
  SceneArguments scene;
  SimulationArguments simulation;
  LengthArguments length;
  std::string models, solvers, out;
  bool force = false, quiet = false;
};

/// A model by a solver.
struct Choice {
  ContactModel model;
  std::string solver;
};

std::vector<std::string> split(const std::string& names) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= names.size();) {
    const std::size_t end = std::min(names.find(',', begin), names.size());
    parts.push_back(names.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// Each model by each of the solvers that solve it; without solvers by its own.
std::vector<Choice> choices(const CompareArguments& a) {
  std::vector<ContactModel> models;
  if (a.models.empty()) {
    models.assign(contact_models.begin(), contact_models.end());
  } else {
    for (const std::string& name : split(a.models)) {
      models.push_back(find_named("--models", name, contact_models));
    }
  }
  std::vector<std::string> solvers;
  if (!a.solvers.empty()) {
    for (const std::string& name : split(a.solvers)) {
      solvers.emplace_back(find_named("--solvers", name, solver_names()));
    }
  }
  std::vector<Choice> all;
  for (const ContactModel model : models) {
    if (solvers.empty()) all.push_back({model, std::string(default_solver(model))});
    const std::size_t before = all.size();
    for (const std::string& solver : solvers) {
      if (make_solver(solver)->supports(model)) all.push_back({model, solver});
    }
    if (!solvers.empty() && all.size() == before) {
      fail_input("--solvers: none of " + a.solvers + " solves the model " +
                 std::string(to_string(model)));
    }
  }
  if (all.size() > most_compared) {
    fail_input("--models, --solvers: " + std::to_string(all.size()) + " runs, must be at most " +
               std::to_string(most_compared));
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (all[i].model == all[j].model && all[i].solver == all[j].solver) {
        fail_input("--models, --solvers: " + std::string(to_string(all[i].model)) + " by " +
                   all[i].solver + " is there twice");
      }
    }
  }
  return all;
}

std::string name_of(const Choice& c, bool has_solvers) {
  const std::string model(to_string(c.model));
  return has_solvers ? model + ", " + c.solver : model;
}

SimulationArguments arguments_of(const CompareArguments& a, const Choice& choice) {
  SimulationArguments simulation = a.simulation;
  simulation.model = std::string(to_string(choice.model));
  simulation.solver = choice.solver;
  return simulation;
}

/// Options that no run reads.
void print_idle_options(const CompareArguments& a, const std::vector<Choice>& all,
                        const SceneFile& file) {
  std::map<std::string, std::size_t> idle;  // by option the number of runs
  for (const Choice& choice : all) {
    const SimulationArguments simulation = arguments_of(a, choice);
    for (const std::string& flag :
         simulation.without_effect(simulation.world_options(file.simulation), file.scene)) {
      ++idle[flag];
    }
  }
  for (const auto& [flag, runs] : idle) {
    if (runs == all.size()) note(flag + " has no effect with any of the models");
  }
}

/// Runs the scene once; what goes wrong after its first step ends this run alone.
ComparedRun run_one(const CompareArguments& a, const Choice& choice, double frame_rate,
                    OutputDir& dir) {
  SceneFile file = a.scene.load();  // its controllers begin anew
  const SimulationArguments simulation = arguments_of(a, choice);
  WorldOptions options = simulation.world_options(file.simulation);
  options.timed = true;
  World world(std::move(file.scene), options);
  if (!a.length.keyframe.empty()) {
    world.set_keyframe(find_keyframe(world.scene(), a.length.keyframe));
  }
  const std::uint64_t steps = a.length.steps(file, world.time_step());
  ComparedRun run;
  run.name = name_of(choice, !a.solvers.empty());
  run.model = *simulation.model;
  run.solver = choice.solver;
  run.has_ncp_criteria = options.scheme != SteppingScheme::accelerations;
  run.recording = dir.file(run.model + (a.solvers.empty() ? "" : "_" + run.solver) + ".bin");
  RecordingWriter writer(run.recording, world, {.frame_rate = frame_rate});
  run.energy_initial = world.kinetic_energy() + world.potential_energy();
  std::vector<double> times;
  Progress progress(steps, world.time_step(), a.quiet);
  try {
    for (std::uint64_t i = 1; i <= steps && stop_signal() == 0; ++i) {
      update_controls(file.controllers, world);
      const StepReport& report = world.step();
      run.statistics.add(report, i);
      times.push_back(report.time.total());
      writer.record(world);
      progress.update(i, report.contacts);
    }
  } catch (const InputError& e) {
    if (run.statistics.steps == 0) throw;
    run.ended = e.what();
  }
  writer.record_state(world);
  writer.close();
  run.energy_final = world.kinetic_energy() + world.potential_energy();
  if (!times.empty()) {
    const auto middle = times.begin() + std::ssize(times) / 2;
    std::nth_element(times.begin(), middle, times.end());
    run.step_seconds = *middle;
  }
  return run;
}

int compare(const CompareArguments& a) {
  const std::vector<Choice> all = choices(a);
  const SceneFile file = a.scene.load();
  const double frame_rate = a.length.rate(file);
  if (!a.quiet) {
    print_scene_notes(file);
    print_idle_options(a, all, file);
    if (!page_available()) note("abut was built without its browser page: no compare.html");
  }
  const std::string stem = std::filesystem::path(a.scene.path).stem().string();
  watch_signals();
  OutputDir dir = prepare_output_dir(a.out.empty() ? stem + ".compare" : a.out, a.force);
  const std::string json_path = dir.file("compare.json"), html_path = dir.file("compare.html");
  std::vector<ComparedRun> runs;
  for (const Choice& choice : all) {
    if (stop_signal() != 0) break;
    runs.push_back(run_one(a, choice, frame_rate, dir));
    ComparedRun& run = runs.back();
    const Recording recording = Recording::open(run.recording);
    run.contacts = contact_figures(recording);
    if (runs.size() > 1) {
      run.distance = distance(Recording::open(runs.front().recording), recording);
    }
  }
  const double dt = a.simulation.time_step.value_or(file.scene.time_step);
  const std::string json = to_json(a.scene.path, dt, runs);
  write_file_atomic(json_path, json);
  const bool has_page = page_available() && stop_signal() == 0;
  if (has_page) {
    Comparison page;
    page.title = stem;
    page.summary = json;
    page.cameras = file.cameras;
    for (const ComparedRun& run : runs) {
      page.names.push_back(run.name);
      page.recordings.push_back(run.recording);
    }
    write_comparison(page, html_path);
  }
  if (!a.quiet) {
    std::printf("%s", to_text(runs).c_str());
    std::printf("figures  %s\n", json_path.c_str());
    if (has_page) std::printf("page     %s (open it in a browser)\n", html_path.c_str());
  }
  if (const int signal = stop_signal(); signal != 0) return 128 + signal;
  const bool good = std::ranges::all_of(
      runs, [](const ComparedRun& r) { return r.ended.empty() && r.statistics.all_converged(); });
  return good ? success : not_converged;
}

}  // namespace

void add_compare(CLI::App& app, int& code) {
  auto a = std::make_shared<CompareArguments>();
  CLI::App* c = app.add_subcommand("compare", "simulate a scene under several contact models");
  a->scene.add_to(*c);
  c->add_option(
       "--models", a->models,
       "contact models, separated by commas: " + list_names(contact_models) + " (default: all)")
      ->type_name("NAME[,NAME]");
  c->add_option("--solvers", a->solvers,
                "solvers: each model by each of these that solves it (default: the model's own)")
      ->type_name("NAME[,NAME]");
  a->simulation.add_parameters_to(*c);
  a->length.add_to(*c);
  c->add_option(
       "--out", a->out,
       "directory for compare.html, compare.json and a recording of each run (default: the "
       "scene's name with .compare, here); files that abut wrote there are replaced, "
       "others never")
      ->check([](const std::string& dir) { return dir.empty() ? "is empty" : std::string(); })
      ->type_name("DIR");
  c->add_flag("--force", a->force, "use --out even if abut did not make it; its other files stay");
  c->add_flag("--quiet", a->quiet, "print nothing but errors");
  c->callback([a, &code] { code = compare(*a); });
}

}  // namespace abut::cli
