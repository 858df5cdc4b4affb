#pragma once

#include "abut/problem/friction_problem.hpp"

namespace abut {

/// The impulse of a row by its velocity sigma, both without and with its compliance R =
/// diag(r) > 0 [CB 22],
///
///     gamma = argmin over K of gamma.R gamma / 2 + sigma.gamma = P_K(-R^-1 sigma) in the norm of R
///
/// and what it falls by as sigma rises: D = -d gamma / d sigma, symmetric, >= 0, one of several
/// where gamma has kinks.
struct CompliantAnswer {
  Vec3 gamma;
  Mat3 fall;
};

/// Of a contact, K = {|x_t| <= mu x_n}. r_1 and r_2 may differ: the slip is not against the
/// friction then, and one root is searched for.
CompliantAnswer compliant_contact(const Vec3& sigma, const Vec3& r, double mu);

/// Of three scalar constraints, between bounds.
CompliantAnswer compliant_constraints(const Vec3& sigma, const Vec3& r,
                                      const ImpulseBounds& bounds);

}  // namespace abut
