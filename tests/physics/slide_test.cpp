// Bodies that slide, roll and spin lose their speed as the models' laws say, at any step; `make
// slides` has the whole table. Bodies at rest cost nothing.

#include <gtest/gtest.h>

#include <cmath>

#include "support/scenes.hpp"
#include "support/slide.hpp"

namespace abut {
namespace {

int expect_exact(double speed, double time_step) {
  int measured = 0;
  for (const ContactModel model : convex_models) {
    for (const Slide slide : slides) {
      const double error = slide_error(slide, model, speed, time_step);
      if (std::isnan(error)) continue;
      ++measured;
      EXPECT_LE(std::abs(error), 1e-4) << to_string(slide) << " at " << speed << " m/s, "
                                       << to_string(model) << ", step " << time_step;
    }
  }
  return measured;
}

TEST(Slide, DecelerationIsExactAtCommonSteps) {
  int measured = 0;
  for (const double h : {1e-4, 1e-3, 1e-2}) measured += expect_exact(1, h);
  EXPECT_EQ(measured, 52);
}

TEST(Slide, DecelerationIsExactAtAnyStepAndSpeed) {
  int measured = 0;
  for (const double speed : {1.0, 20.0, 300.0}) {
    for (double h = 1e-7; h < 0.2; h *= 10) measured += expect_exact(speed, h);
  }
  EXPECT_EQ(measured, 321);
}

/// Of a tower of five boxes after a second, in fifty steps.
int iterations_at_rest(ContactModel model, double h) {
  Scene s;
  add_plane(s);
  for (int i = 0; i < 5; ++i) add_box(s, 1, {0.1, 0.1, 0.1}, {0, 0, 0.1 + 0.2 * i});
  set_friction(s, 0.5);
  WorldOptions o;
  o.model = model;
  o.time_step = h;
  World w(s, o);
  for (int i = 0; i < std::lround(1 / h); ++i) w.step();
  int iterations = 0;
  for (int i = 0; i < 50; ++i) iterations += w.step().solve.iterations;
  for (const double v : w.solution().velocity) EXPECT_LT(std::abs(v), 1e-8);
  return iterations;
}

// where contacts are stiff for the step, k h^2 > m, the next guess takes what is left of a step's
// error
TEST(Rest, CostsNextToNoIterations) {
  for (const ContactModel model : convex_models) {
    for (const double h : {1e-3, 1e-2}) {
      EXPECT_LE(iterations_at_rest(model, h), 2) << to_string(model) << ", step " << h << " s";
    }
  }
}

// where they are not, it adds up until one iteration takes it
TEST(Rest, CostsIterationsInTwoStepsOfThreeAtMostWhereContactsAreSoft) {
  for (const ContactModel model : convex_models) {
    EXPECT_LE(iterations_at_rest(model, 1e-4), 33) << to_string(model);
  }
}

}  // namespace
}  // namespace abut
