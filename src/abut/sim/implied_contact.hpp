#pragma once

#include "abut/laws/law_kind.hpp"
#include "abut/problem/contact_problem.hpp"
#include "abut/sim/contact_material.hpp"
#include "abut/sim/world.hpp"

namespace abut {

/// What decides how a contact behaves, besides its material and its bodies.
struct ContactSettings {
  ContactModel model = ContactModel::sap;
  NormalLawKind law = NormalLawKind::hunt_crossley;  ///< of Lagged and Similar
  FrictionParameters friction;
  double time_step = 2e-3;  ///< h [s]
  double gravity = 9.81;    ///< g [m/s^2]
};

/// Of a scene that is simulated with these options.
ContactSettings contact_settings(const Scene& scene, const WorldOptions& options);

/// What the numbers of a contact imply for a body at rest on it, or sliding on it. Estimates: one
/// contact point of weight 1 with effective mass 1/w = m.
struct ImpliedContact {
  double depth;       ///< of the heaviest body at rest [m]
  double period;      ///< of small oscillations of the lightest about its rest [s]
  double creep;       ///< of the heaviest, at half the friction limit [m/s]
  double glide;       ///< height above the ground per sliding speed [m/(m/s)]
  double rigid_step;  ///< SAP: at larger steps more stiffness does nothing for the lightest [s]
};

/// With masses m > 0 [kg], tau = tau_d:
///
///     depth       f(depth) = m g;  SAP: max(m g/k, beta^2/(4 pi^2) g h (h + tau))   [SAP 22]
///     period      2 pi sqrt(m/f'(depth))
///     creep       SAP: R_t gamma_t = mu sigma g h/2;  Anchored: 0;  else eps/sqrt(3) with
///                 eps = max(v_s, mu sigma g h) [ICFT 44],
///                 from |gamma_t| = limit v/sqrt(v^2 + eps^2)
///     glide       SAP and Similar with Kelvin & Voigt: mu (h + tau);  Similar: mu h;  else 0
///     rigid_step  h (h + tau) k = 4 pi^2 m/beta^2: both terms of SAP's R_n are equal
///
/// (docs/laws). Without gravity Hertz's period is infinite; without beta the rigid step is.
ImpliedContact implied_contact(const PairMaterial& material, const ContactSettings& settings,
                               double lightest, double heaviest);

}  // namespace abut
