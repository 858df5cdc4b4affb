#pragma once

#include <string>

#include "abut/io/recording.hpp"

namespace abut {

/// Writes steps.csv, bodies.csv and contacts.csv into an existing directory, each atomically:
/// docs/formats/recording.md. Numbers have 17 digits: reading them gives the recorded bits.
/// @throws FileError
void export_csv(const Recording& recording, const std::string& directory);

}  // namespace abut
