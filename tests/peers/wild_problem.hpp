#pragma once

#include <cstdint>
#include <string>

#include "abut/problem/contact_problem.hpp"

namespace abut {

/// A random problem at the limits of what a solver may be asked: stiffness to 1e13 N/m, friction to
/// 100, masses in a ratio of up to 1e9, steps of 1e-5 to 1e-1 s, speeds to 100 m/s; free bodies,
/// dense trees and scalar constraints; any model and law. The same for the same seed.
ContactProblem make_wild_problem(std::uint32_t seed);

/// "lagged hertz"
std::string model_name(const ContactProblem& problem);

/// The stiffest contact's k [N/m].
double largest_stiffness(const ContactProblem& problem);

}  // namespace abut
