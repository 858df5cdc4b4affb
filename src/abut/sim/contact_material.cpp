#include "abut/sim/contact_material.hpp"

#include <algorithm>
#include <cmath>

#include "abut/laws/normal_law.hpp"
#include "abut/sim/directional_friction.hpp"

namespace abut {
namespace {

/// a b/(a + b), without products or sums that could overflow.
double in_series(double a, double b) {
  const auto [low, high] = std::minmax(a, b);
  return high > 0 ? low / (1 + low / high) : 0;
}

/// Of what slides, or of what holds.
double combine_friction(const SceneGeom& a, const SceneGeom& b, FrictionRule rule, bool holds) {
  const auto coefficient = [&](const Material& m) {
    const double mu = m.friction.value_or(default_friction);
    return holds ? m.static_friction.value_or(mu) : mu;
  };
  const double mu_a = coefficient(a.material), mu_b = coefficient(b.material);
  if (a.friction_priority != b.friction_priority) {
    const bool first = a.friction_priority > b.friction_priority;
    if ((first ? a : b).frictionless) return 0;
    return first ? mu_a : mu_b;
  }
  if (a.frictionless && b.frictionless) return 0;
  if (rule == FrictionRule::maximum) return std::max(mu_a, mu_b);
  return 2 * in_series(mu_a, mu_b);
}

}  // namespace

void PairOverride::validate() const {
  const PairMaterial defaults;
  PointMaterial{stiffness.value_or(defaults.stiffness), dissipation.value_or(defaults.dissipation),
                relaxation_time.value_or(defaults.relaxation_time),
                thickness.value_or(defaults.thickness)}
      .validate();
  const double mu = friction.value_or(0);
  require(mu >= 0 && std::isfinite(mu), "friction", mu, "", "must not be negative");
}

PairMaterial combine(const SceneGeom& a, const SceneGeom& b, FrictionRule rule,
                     const PairOverride& pair, const ScenePair* explicit_pair) {
  const PairMaterial defaults;
  const Material nothing;
  const Material& given = explicit_pair != nullptr ? explicit_pair->material : nothing;
  const double ka = a.material.stiffness.value_or(default_surface_stiffness),
               kb = b.material.stiffness.value_or(default_surface_stiffness);
  const auto weigh = [&](const std::optional<double>& xa, const std::optional<double>& xb,
                         double fallback) {
    return xa.value_or(fallback) / (1 + ka / kb) + xb.value_or(fallback) / (1 + kb / ka);
  };
  const auto first = [](const std::optional<double>& x, const std::optional<double>& y, double z) {
    return x ? *x : y.value_or(z);
  };
  const bool slides = explicit_pair != nullptr && explicit_pair->frictionless;
  const std::optional<double>& holding =
      given.static_friction ? given.static_friction : given.friction;
  PairMaterial m{
      .stiffness = first(pair.stiffness, given.stiffness, in_series(ka, kb)),
      .dissipation =
          first(pair.dissipation, given.dissipation,
                weigh(a.material.dissipation, b.material.dissipation, defaults.dissipation)),
      .relaxation_time = first(
          pair.relaxation_time, given.relaxation_time,
          weigh(a.material.relaxation_time, b.material.relaxation_time, defaults.relaxation_time)),
      .friction =
          first(pair.friction, slides ? 0 : given.friction, combine_friction(a, b, rule, false)),
      .static_friction =
          first(pair.friction, slides ? 0 : holding, combine_friction(a, b, rule, true)),
      .law = explicit_pair != nullptr ? explicit_pair->law : std::nullopt,
      .thickness = first(pair.thickness, given.thickness,
                         a.material.thickness.value_or(default_surface_thickness) +
                             b.material.thickness.value_or(default_surface_thickness)),
      .is_directional = !pair.friction && is_directional(a, b, explicit_pair)};
  m.holds_better = !m.is_directional && m.static_friction > m.friction;
  return m;
}

}  // namespace abut
