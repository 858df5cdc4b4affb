#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "abut/sim/world.hpp"

namespace abut::cli {

/// The options of a simulation as the command line gives them.
struct SimulationArguments {
  std::string model = "sap";
  std::optional<std::string> law;  ///< hunt-crossley if absent
  PairOverride pair;
  std::optional<double> time_step;
  double tolerance = 1e-6;
  int threads = 1;
  std::string solver = "newton";

  void add_to(CLI::App& command);

  /// @throws InputError for unknown names and numbers out of range.
  WorldOptions world_options() const;

  /// Options that were given and that the model does not read.
  std::vector<std::string> without_effect() const;
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

}  // namespace abut::cli
