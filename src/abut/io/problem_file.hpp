#pragma once

#include <string>

#include "abut/problem/contact_problem.hpp"

namespace abut {

inline constexpr std::int32_t problem_format_version = 6;
/// Of a contact without a law of its own.
inline constexpr std::uint8_t no_own_law = 255;

/// Writes all that a caller gives of a problem (not what follows from it) to an .npz file,
/// atomically: docs/formats/problem.md.
/// @throws FileError
void save_problem(const std::string& path, const ContactProblem& problem);

/// Reads such a file; the problem is validated. Solving it gives the bits that
/// solving the saved one gave.
/// @throws InputError naming the file and the array, tree or contact
/// @throws FileError if the file cannot be read
ContactProblem load_problem(const std::string& path);

}  // namespace abut
