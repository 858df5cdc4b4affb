#pragma once

#include <string>
#include <vector>

#include "abut/io/recording.hpp"

namespace abut {

/// The tables of a recording: steps.csv, bodies.csv and contacts.csv; of one with joints also
/// joints.csv, with actuators actuators.csv.
std::vector<std::string> csv_files(const RecordedScene& scene);

/// Writes them into an existing directory, each atomically: docs/formats/recording.md. Numbers have
/// 17 digits: reading them gives the recorded bits.
/// @throws FileError
void export_csv(const Recording& recording, const std::string& directory);

}  // namespace abut
