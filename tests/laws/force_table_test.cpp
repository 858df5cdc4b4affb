// Force tables against sums and integrals by hand, and two in series against their definition.

#include <gtest/gtest.h>

#include <cmath>

#include "abut/laws/elasticity.hpp"

namespace abut {
namespace {

// 10 N/mm to 1 mm, at rest to 2 mm, then 40 N/mm
const ForceTable table{{0, 1e-3, 2e-3, 2.5e-3}, {0, 10, 10, 30}};

TEST(ForceTable, ByHand) {
  EXPECT_DOUBLE_EQ(table.force_at(0.5e-3), 5);
  EXPECT_DOUBLE_EQ(table.force_at(1.7e-3), 10);
  EXPECT_DOUBLE_EQ(table.force_at(2.25e-3), 20);
  EXPECT_DOUBLE_EQ(table.force_at(3e-3), 50);  // the last line goes on
  EXPECT_EQ(table.force_at(-1e-3), 0);
  EXPECT_DOUBLE_EQ(table.slope_at(0.5e-3), 1e4);
  EXPECT_DOUBLE_EQ(table.slope_at(1e-3), 1e4);
  EXPECT_EQ(table.slope_at(1.5e-3), 0);
  EXPECT_DOUBLE_EQ(table.slope_at(1), 4e4);
  EXPECT_DOUBLE_EQ(table.energy_at(0.5e-3), 2.5e-3 / 2);
  EXPECT_DOUBLE_EQ(table.energy_at(3e-3), 5e-3 + 10e-3 + 30e-3);
  EXPECT_DOUBLE_EQ(table.depth_at(5), 0.5e-3);
  EXPECT_DOUBLE_EQ(table.depth_at(10), 1e-3);  // the least
  EXPECT_DOUBLE_EQ(table.depth_at(20), 2.25e-3);
  EXPECT_DOUBLE_EQ(table.depth_at(110), 4.5e-3);
  EXPECT_EQ(table.depth_at(0), 0);
  EXPECT_DOUBLE_EQ(table.mean_slope(), 12e3);
}

TEST(ForceTable, SaysWhatIsWrong) {
  const auto error = [](const ForceTable& t) -> std::string {
    try {
      t.validate({"a.toml", 3, "pair"});
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(error(table), "");
  EXPECT_EQ(error({{0, 1}, {0}}),
            "a.toml:3: pair: force_table has 2 depths and 1 forces, must have as many of each, and "
            "two");
  EXPECT_EQ(error({{0}, {0}}),
            "a.toml:3: pair: force_table has 1 depths and 1 forces, must have as many of each, and "
            "two");
  EXPECT_EQ(error({{1e-3, 2e-3}, {0, 1}}),
            "a.toml:3: pair: force_table: its first depth = 0.001 m, must be 0");
  EXPECT_EQ(error({{0, 2e-3}, {1, 2}}),
            "a.toml:3: pair: force_table: its first force = 1 N, must be 0");
  EXPECT_EQ(error({{0, 2e-3, 2e-3}, {0, 1, 2}}),
            "a.toml:3: pair: force_table: depth = 0.002 m, must be more than the one before and at "
            "most 1e100");
  EXPECT_EQ(
      error({{0, 1e-3, 2e-3}, {0, 2, 1}}),
      "a.toml:3: pair: force_table: force = 1 N, must not be less than the one before, and at "
      "most 1e100");
  EXPECT_EQ(error({{0, 1e-3, 2e-3}, {0, 2, 2}}),
            "a.toml:3: pair: force_table: the slope of its last line = 0 N/m, must be positive: "
            "what is heavier would fall through");
  EXPECT_NE(error({{0, NAN}, {0, 1}}), "");
  EXPECT_NE(error({{0, 1}, {0, INFINITY}}), "");
  EXPECT_NE(error({{0, 1e-60}, {0, 1e60}}), "");
}

// at every force, up to and beyond the last points, depths add up
TEST(ForceTable, InSeriesDepthsAddUp) {
  const ForceTable other{{0, 1e-3, 3e-3, 4e-3}, {0, 0, 10, 100}}, line{{0, 1}, {0, 2e4}};
  for (const auto& [a, b] : {std::pair(table, line), {line, table}, {table, other}, {line, line}}) {
    const ForceTable sum = in_series(a, b);
    EXPECT_NO_THROW(sum.validate());
    for (double f = 0.3; f < 400; f += 0.7) {
      const double depth = a.depth_at(f) + b.depth_at(f);
      EXPECT_NEAR(sum.depth_at(f), depth, 1e-14) << f;
      EXPECT_NEAR(sum.force_at(depth), f, 1e-10) << f;
    }
  }
  EXPECT_EQ(in_series(table, line), in_series(line, table));
  // where one gives way and the other does not, the pair does too: from 1.5 to 2.5 mm
  EXPECT_DOUBLE_EQ(in_series(table, line).force_at(2e-3), 10);
  EXPECT_DOUBLE_EQ(in_series(table, line).depth_at(10), 1.5e-3);
}

// force and depth are inverse, energy is the integral of the force, slope its derivative
TEST(Elasticity, OfEveryLawIsOneSpring) {
  for (const NormalLawKind law : normal_laws) {
    for (const ForceTable* t : {static_cast<const ForceTable*>(nullptr), &table}) {
      const Elasticity spring(law,
                              {.stiffness = 3e4, .thickness = 5e-3, .weight = 0.5, .table = t});
      double energy = 0, last = 0;
      const double dx = 1e-7;
      for (int i = 0; i < 40000; ++i) {
        const double middle = (i + 0.5) * dx, x = (i + 1) * dx, f = spring.force(x);
        energy += spring.force(middle) * dx;
        EXPECT_GE(f, last) << to_string(law);
        if (i > 100) {  // Hertz's slope has no derivative at 0
          EXPECT_NEAR(spring.slope(middle), (f - last) / dx, 1e-4 * (1 + spring.slope(middle)));
        }
        if (f > last) {
          EXPECT_NEAR(spring.depth(f), x, 1e-12) << to_string(law);
        }
        EXPECT_NEAR(spring.energy(x), energy, 1e-5 * energy + 1e-12) << to_string(law);
        last = f;
      }
    }
  }
}

}  // namespace
}  // namespace abut
