#include "abut/sim/contact_material.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace abut {
namespace {

SceneGeom surface(double stiffness, double dissipation, double friction) {
  SceneGeom g;
  g.material = {stiffness, dissipation, {}, friction};
  return g;
}

TEST(Combine, TakesSpringsInSeriesAndWeighsDissipationByTheOthersStiffness) {
  const PairMaterial m =
      combine(surface(3e6, 8, 0.2), surface(6e6, 2, 0.6), FrictionRule::harmonic, {});
  EXPECT_DOUBLE_EQ(m.stiffness, 2e6);
  EXPECT_DOUBLE_EQ(m.dissipation, (6 * 8.0 + 3 * 2.0) / 9);
  EXPECT_DOUBLE_EQ(m.friction, 2 * 0.2 * 0.6 / 0.8);
}

TEST(Combine, TwoSurfacesOfWhichNothingIsSaidMakeTheDefaults) {
  const PairMaterial m = combine({}, {}, FrictionRule::harmonic, {}), defaults;
  EXPECT_EQ(m.stiffness, defaults.stiffness);
  EXPECT_EQ(m.dissipation, defaults.dissipation);
  EXPECT_EQ(m.relaxation_time, defaults.relaxation_time);
  EXPECT_EQ(m.friction, defaults.friction);
}

TEST(Combine, StaysFiniteForAllThatAreFinite) {
  const double extremes[] = {1e-300, 1, 1e200, 1.7e308};
  for (const double a : extremes) {
    for (const double b : extremes) {
      const PairMaterial m =
          combine(surface(a, b, a), surface(b, a, b), FrictionRule::harmonic, {});
      const double low = std::min(a, b), high = std::max(a, b);
      EXPECT_TRUE(m.stiffness >= low / 2 && m.stiffness <= low) << a << " " << b;
      EXPECT_TRUE(m.dissipation >= low && m.dissipation <= high * (1 + 1e-15)) << a << " " << b;
      EXPECT_TRUE(m.friction >= low && m.friction <= high) << a << " " << b;
      EXPECT_TRUE(std::isfinite(m.dissipation)) << a << " " << b;
    }
  }
}

TEST(Combine, WithoutFrictionOnOneSideIsWithoutHarmonicFriction) {
  const SceneGeom slippery = surface(1, 1, 0), rough = surface(1, 1, 0.5);
  EXPECT_EQ(combine(slippery, rough, FrictionRule::harmonic, {}).friction, 0);
  EXPECT_EQ(combine(slippery, slippery, FrictionRule::harmonic, {}).friction, 0);
  EXPECT_EQ(combine(slippery, rough, FrictionRule::maximum, {}).friction, 0.5);
}

}  // namespace
}  // namespace abut
