#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "abut/io/scene_file.hpp"
#include "abut/sim/world.hpp"

namespace abut::cli {

/// The options of a simulation as the command line gives them.
struct SimulationArguments {
  std::optional<std::string> model, law, scheme, solver;
  PairOverride pair;
  std::optional<double> time_step, tolerance, accuracy, lag_tolerance, restitution, baumgarte;
  std::optional<int> contact_limit;
  int threads = 1;

  void add_to(CLI::App& command);
  /// All but --model and --solver.
  void add_parameters_to(CLI::App& command);

  /// What is not given here is as the scene's file says.
  /// @throws InputError for unknown names and numbers out of range.
  WorldOptions world_options(const SimulationSettings& settings = {}) const;

  /// Options that were given and that neither the model of `options` nor a law that some pair of
  /// the scene has reads.
  std::vector<std::string> without_effect(const WorldOptions& options, const Scene& scene) const;

 private:
  void check_numbers() const;
};

/// From where, for how long and how often recorded.
struct LengthArguments {
  std::string keyframe;
  std::optional<double> duration, frame_rate;

  void add_to(CLI::App& command);

  /// What is not given here is as the scene's file says, else 5 s.
  /// @throws InputError naming the duration that makes no sense
  std::uint64_t steps(const SceneFile& file, double dt) const;

  /// [1/s], else 60. @throws InputError if it is negative
  double rate(const SceneFile& file) const;
};

/// Adds an option for a finite number in C's notation; anything else is a usage error.
void add_number(CLI::App& command, const std::string& flag, double& value, const std::string& unit,
                const std::string& help);
void add_number(CLI::App& command, const std::string& flag, std::optional<double>& value,
                const std::string& unit, const std::string& help);

/// Throws a usage error unless the whole text is one.
std::uint64_t parse_whole_number(const std::string& flag, const std::string& text);

ContactModel parse_model(const std::string& name);
NormalLawKind parse_law(const std::string& name);
std::string parse_solver(const std::string& name);

}  // namespace abut::cli
