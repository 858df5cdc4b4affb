#pragma once

#include <span>

#include "abut/problem/friction_problem.hpp"

namespace abut {

/// The natural error of impulses, as FrictionCertificate::natural_error defines it, in quadruple
/// precision and by code that shares nothing with certify().
double exact_natural_error(const FrictionProblem& problem, RigidModel model,
                           std::span<const Vec3> impulse);

}  // namespace abut
