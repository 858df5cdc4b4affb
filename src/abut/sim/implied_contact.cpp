#include "abut/sim/implied_contact.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "abut/laws/elasticity.hpp"

namespace abut {
namespace {

constexpr double pi = std::numbers::pi;

}  // namespace

ContactSettings contact_settings(const Scene& scene, const WorldOptions& o) {
  return {o.model, o.law, o.friction, o.time_step.value_or(scene.time_step), norm(scene.gravity)};
}

ImpliedContact implied_contact(const PairMaterial& m, const ContactSettings& s, double lightest,
                               double heaviest) {
  const double h = s.time_step, g = s.gravity, mu = m.friction, tau = m.relaxation_time;
  const double beta = s.friction.beta, sigma = s.friction.sigma;
  const NormalLawKind law = effective_law(s.model, m.law.value_or(s.law));
  const Elasticity spring(
      law, {.stiffness = m.stiffness, .thickness = m.thickness, .table = m.table.get()});
  const double layer = traits(law).is_barrier ? m.thickness : 0;
  const double light_slope = spring.slope(spring.depth(lightest * g));
  const double product = 4 * pi * pi * lightest / (beta * beta * m.stiffness);  // h (h + tau)

  ImpliedContact implied{
      .depth = spring.depth(heaviest * g) - layer,
      .period = 2 * pi * std::sqrt(lightest / light_slope),
      .creep = std::max(s.friction.stiction_tolerance, mu * sigma * g * h) / std::sqrt(3.0),
      .glide = 0,
      .rigid_step = 0.5 * (std::sqrt(tau * tau + 4 * product) - tau)};
  switch (s.model) {
    case ContactModel::sap:
      implied.depth = std::max(implied.depth, beta * beta / (4 * pi * pi) * g * h * (h + tau));
      implied.creep = 0.5 * mu * sigma * g * h;
      implied.glide = mu * (h + tau);
      break;
    case ContactModel::lagged: break;
    case ContactModel::ncp:
    case ContactModel::lcp:
    case ContactModel::raisim: implied.depth = implied.creep = 0; break;
    case ContactModel::ccp:
      implied.depth = implied.creep = 0;
      implied.glide = mu * h;
      break;
    case ContactModel::anchored: implied.creep = 0; break;
    case ContactModel::similar: implied.glide = mu * (traits(law).relaxes ? h + tau : h); break;
  }
  return implied;
}

}  // namespace abut
