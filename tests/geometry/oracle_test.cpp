#include <gtest/gtest.h>

#include <array>
#include <cstdio>

#include "coal_oracle.hpp"
#include "placements.hpp"

// The signed distance of two convex shapes is the maximum over unit vectors u of gap_along(u), so
// that a normal carries its own proof: gap_along(normal) is a lower bound of it, whoever found the
// normal. A gap is right if it is the one along its own normal and no other normal, Coal's or one
// of a search, has a larger one.

namespace abut {
namespace {

constexpr int placements_per_pair = 7200;  // of 14 pairs: 100,800

enum class Style { anywhere, near, touching, tilted, level, thin };
constexpr std::array<const char*, 6> style_names = {"anywhere", "near",  "touching",
                                                    "tilted",   "level", "thin"};

double lengths(const Shape& s) {
  return s.size.x + s.size.y + s.size.z;
}

/// The length to which rounding is relative: how far the pair reaches in all.
double size_of(const Placement& p) {
  return norm(p.X_WB.p - p.X_WA.p) + lengths(p.a) + lengths(p.b);
}

double thinnest(const Shape& s) {
  if (s.kind == ShapeKind::plane) return HUGE_VAL;
  if (s.kind == ShapeKind::box) return std::min({s.size.x, s.size.y, s.size.z});
  return s.kind == ShapeKind::cylinder ? std::min(s.size.x, s.size.y) : s.size.x;
}

/// Moves B along the normal until the gap is `gap`, as far as the normal stays.
void move_to_gap(Placement& p, double gap) {
  const Manifold m = collide(p, 1e3);
  if (m.size > 0) p.X_WB.p += (gap - deepest(m).gap) * m.normal;
}

/// B's axes are A's but for quarter turns and a rotation by `tilt` about one of them.
void align(Random& random, Placement& p, double tilt) {
  const int axis = static_cast<int>(random.uniform(0, 3));
  p.X_WB.R = rotation(p.X_WA.R.col[axis], tilt) * p.X_WA.R * random.quarter_turns();
}

Placement place(Random& random, ShapeKind a, ShapeKind b, Style style) {
  Placement p = random.placement(a, b, style == Style::anywhere ? 0.9 : 0.3);
  const double small = std::pow(10, random.uniform(-9, -2));
  switch (style) {
    case Style::anywhere: break;
    case Style::near: move_to_gap(p, random.uniform(-1, 1) * small * size_of(p)); break;
    case Style::touching: move_to_gap(p, 0); break;
    case Style::tilted:  // almost parallel faces, edges, axes
      align(random, p, small);
      break;
    case Style::level: {  // parallel, and with a feature straight above its like
      align(random, p, 0);
      Vec3 c = transpose_times(p.X_WA.R, p.X_WB.p - p.X_WA.p);
      if (a != ShapeKind::plane) c[static_cast<int>(random.uniform(0, 3))] = 0;
      p.X_WB.p = p.X_WA.p + p.X_WA.R * c;
      break;
    }
    case Style::thin:  // plates, needles, and sizes 1 : 10,000
      for (Shape* s : {&p.a, &p.b}) {
        const int k = static_cast<int>(random.uniform(0, 3));
        if (s->size[k] > 0) s->size[k] *= std::pow(10, random.uniform(-2, 1));
      }
      move_to_gap(p, random.uniform(-0.1, 0.1) * std::min(thinnest(p.a), thinnest(p.b)));
      break;
  }
  return p;
}

/// How far the gap of the deepest point may be from the gap along the normal [m].
///   - Rounding: 1e-12 of the pair's size where formulas end in a difference of lengths.
///   - Two boxes: a face axis is preferred to an edge axis within 1e-9 of the smaller box's size,
///     and a patch is believed within ten times that.
///   - A cap on a face is believed within 1e-6 radii, and samples level caps at fixed places.
double tolerance(const Placement& p) {
  const double rounding = 1e-12 * size_of(p);
  if (p.a.kind == ShapeKind::box) return rounding + 1.1e-8 * std::min(lengths(p.a), lengths(p.b));
  if (p.a.kind != ShapeKind::cylinder) return rounding;
  const double radius =
      p.b.kind == ShapeKind::cylinder ? std::max(p.a.radius(), p.b.radius()) : p.a.radius();
  return rounding + 1.1e-6 * radius;
}

/// The worst of one kind of error, and where.
struct Worst {
  double error = 0;
  std::string at = "nowhere";

  void take(double e, const Placement& p, int style) {
    if (!(e <= error)) error = e, at = std::string(style_names[style]) + ": " + describe(p);
  }
};

/// What was found of one pair of kinds.
struct Comparison {
  Worst own;       ///< gap of the deepest point less that along the normal, in tolerance()
  Worst exceeded;  ///< by how much another normal has a larger gap, in tolerance()
  Worst distance;  ///< from Coal's distance, in the pair's size, unless Coal failed
  Worst normal;    ///< from Coal's, of shapes apart, beyond the bound on both [rad]
  int same_normal = 0, tied = 0, coal_failed = 0;
};

void compare(const Placement& p, int style, Comparison& c) {
  const Manifold m = collide(p, 1e3);
  ASSERT_GT(m.size, 0) << describe(p);
  const double size = size_of(p), allowed = tolerance(p);
  const double gap = deepest(m).gap, along = gap_along(p, m.normal);
  c.own.take(std::abs(gap - along) / allowed, p, style);

  const CoalAnswer coal = coal_distance(p.a, p.X_WA, p.b, p.X_WB);
  const double along_coal = is_finite(coal.normal) && std::abs(norm(coal.normal) - 1) < 1e-9
                                ? gap_along(p, coal.normal)
                                : -HUGE_VAL;
  c.exceeded.take((along_coal - along) / allowed, p, style);
  const double behind = (along - along_coal) / size;
  // Coal failed where its distance is not the one along its normal, or ours proves a larger one:
  // for round shapes deep in each other it ends at the longer way out.
  if (!(std::abs(coal.distance - along_coal) <= 1e-5 * size) || behind > 1e-5) {
    ++c.coal_failed;
    c.exceeded.take((gap_by_search(p) - along) / allowed, p, style);
    return;
  }
  c.distance.take(std::abs(coal.distance - gap) / size, p, style);

  const double angle = 2 * std::asin(norm(m.normal - coal.normal) / 2);
  if (along > 1e-9 * size) {
    // With w from nearest point to nearest point, gap_along(u) <= u . w = gap cos(angle to w).
    const auto bound = [&](double lost) { return std::sqrt(2.1 * std::fmax(lost, 0) / along); };
    c.normal.take(angle - bound(behind * size + allowed) - bound(allowed) - 1e-7, p, style);
  }
  ++(angle < 1e-3 ? c.same_normal : c.tied);
}

TEST(Oracle, GapsAndNormalsAgreeWithCoal) {
  std::printf("pair                    own   exceed  distance  normal   same  tied failed\n");
  for (const ShapeKind a : kinds) {
    for (const ShapeKind b : kinds) {
      if (b < a || b == ShapeKind::plane) continue;
      Random random(10 * static_cast<unsigned>(a) + static_cast<unsigned>(b));
      Comparison c;
      for (int i = 0; i < placements_per_pair; ++i) {
        const int style = i % static_cast<int>(style_names.size());
        compare(place(random, a, b, static_cast<Style>(style)), style, c);
      }
      std::printf("%-9s %-9s %8.1e %8.1e %8.1e %8.1e %6d %5d %6d\n", to_string(a), to_string(b),
                  c.own.error, c.exceeded.error, c.distance.error, c.normal.error, c.same_normal,
                  c.tied, c.coal_failed);
      std::printf("  worst own gap: %s\n", c.own.at.c_str());
      EXPECT_LE(c.own.error, 1) << c.own.at;
      EXPECT_LE(c.exceeded.error, 1) << c.exceeded.at;
      EXPECT_LE(c.distance.error, 1e-5) << c.distance.at;
      EXPECT_LE(c.normal.error, 0) << c.normal.at;
      EXPECT_GE(c.same_normal, 0.9 * placements_per_pair);
    }
  }
}

}  // namespace
}  // namespace abut
