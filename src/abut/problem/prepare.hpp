#pragma once

// The parts of prepare().

#include <span>

#include "abut/problem/contact_problem.hpp"

namespace abut {

/// A^-1 of every tree.
void invert_masses(ContactProblem& problem);

/// w_i and R_t = sigma w / weight of all contacts.
void estimate_delassus(ContactProblem& problem);

/// R, v_hat and bounds of the scalar constraints.
void regularize_scalars(ContactProblem& problem);

/// gamma_n0 by the problem's LaggedRule, and eps of it.
void predict_impulses(ContactProblem& problem);

/// eps = max(v_s, R_t mu gamma_n0) [m/s] of contact i, [ICFT 44].
double friction_softness(const ContactProblem& problem, int contact, double lagged_impulse);

/// Marks the contacts that are apart and, by the velocities at hand, stay so in this step. A wrong
/// guess costs time, not accuracy: solvers wake a contact that their answer closes.
void find_dormant(ContactProblem& problem);

/// R_n = max( beta^2/(4 pi^2) min(w, 1/m_max), 1/(h (h + tau_d) k) ) / weight, m_max the heaviest
/// body that patches link to the contact, however indirectly: a light body under a heavy one is
/// near-rigid for the load it carries.
void regularize_normals(ContactProblem& problem);

}  // namespace abut
