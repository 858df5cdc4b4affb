#include <gtest/gtest.h>

#include <array>
#include <cstdio>

#include "coal_oracle.hpp"
#include "placements.hpp"

namespace abut {
namespace {

constexpr ShapeKind kinds[] = {ShapeKind::plane, ShapeKind::sphere, ShapeKind::capsule,
                               ShapeKind::cylinder, ShapeKind::box};

enum class Style { anywhere, near, touching, tilted, sheared, thin };
constexpr std::array styles = {Style::anywhere, Style::near,    Style::touching,
                               Style::tilted,   Style::sheared, Style::thin};
const char* to_string(Style style) {
  const char* names[] = {"anywhere", "near", "touching", "tilted", "sheared", "thin"};
  return names[static_cast<int>(style)];
}

/// The length to which lengths are compared: how far the pair reaches in all.
double size_of(const Placement& p) {
  double size = norm(p.X_WB.p - p.X_WA.p);
  for (const Shape* s : {&p.a, &p.b}) {
    if (s->kind != ShapeKind::plane) size += s->size.x + s->size.y + s->size.z;
  }
  return size;
}

/// The smallest length of either shape, by which a normal can be told.
double thinnest(const Shape& s) {
  switch (s.kind) {
    case ShapeKind::plane: return HUGE_VAL;
    case ShapeKind::sphere: return s.size.x;
    case ShapeKind::capsule: return s.size.x;
    case ShapeKind::cylinder: return std::min(s.size.x, s.size.y);
    case ShapeKind::box: return std::min({s.size.x, s.size.y, s.size.z});
  }
  return 0;
}

/// Moves B along the normal until the gap is `gap`, as far as one step goes.
void move_to_gap(Placement& p, double gap) {
  const Manifold m = collide(p, 1e3);
  if (m.size > 0) p.X_WB.p += (gap - deepest(m).gap) * m.normal;
}

/// B's axes are A's up to quarter turns, and a rotation by `tilt` about one of them.
void align(Random& random, Placement& p, double tilt) {
  const Vec3 axis = p.X_WA.R.col[static_cast<int>(random.uniform(0, 3))];
  p.X_WB.R = rotation(axis, tilt) * p.X_WB.R;
}

Placement place(Random& random, ShapeKind a, ShapeKind b, Style style) {
  Placement p = random.placement(a, b, style == Style::anywhere ? 0.9 : 0.3);
  const double small = std::pow(10, random.uniform(-9, -2));
  switch (style) {
    case Style::anywhere:
      break;
    case Style::near:
      move_to_gap(p, random.uniform(-1, 1) * small * size_of(p));
      break;
    case Style::touching:
      move_to_gap(p, 0);
      break;
    case Style::tilted:  // almost parallel faces, edges, axes
      p = random.placement(a, b, 0.3);
      align(random, p, random.uniform(0, 1) < 0.3 ? 0 : small);
      break;
    case Style::sheared: {  // centers on common axes: features exactly above each other
      align(random, p, 0);
      Vec3 c = transpose_times(p.X_WA.R, p.X_WB.p - p.X_WA.p);
      if (a != ShapeKind::plane) c[static_cast<int>(random.uniform(0, 2))] = 0;
      p.X_WB.p = p.X_WA.p + p.X_WA.R * c;
      break;
    }
    case Style::thin:  // plates, needles, and shapes of sizes 1 : 1000
      for (Shape* s : {&p.a, &p.b}) {
        const int k = static_cast<int>(random.uniform(0, 3));
        if (s->size[k] > 0) s->size[k] *= std::pow(10, random.uniform(-2, 1));
      }
      move_to_gap(p, random.uniform(-0.1, 0.1) * std::min(thinnest(p.a), thinnest(p.b)));
      break;
  }
  return p;
}

/// The worst of one kind of error, and where.
struct Worst {
  double error = 0;
  std::string at;

  void take(double e, const Placement& p, Style style) {
    if (!(e <= error)) error = e, at = std::string(to_string(style)) + ": " + describe(p);
  }
};

TEST(Oracle, Explore) {
  for (const ShapeKind a : kinds) {
    for (const ShapeKind b : kinds) {
      if (b < a || (a == ShapeKind::plane && b == ShapeKind::plane)) continue;
      Random random(7 * static_cast<int>(a) + static_cast<int>(b));
      Worst own, short_of, coal_error, normal_apart, normal_overlap, missed;
      int apart = 0, overlap = 0, equal = 0, coal_worse = 0, coal_much = 0;
      for (int i = 0; i < 1200; ++i) {
        const Style style = styles[i % styles.size()];
        const Placement p = place(random, a, b, style);
        const Manifold m = collide(p, 1e3);
        const double size = size_of(p);
        if (m.size == 0) { missed.take(1, p, style); continue; }
        const double gap = deepest(m).gap;
        const CoalAnswer coal = coal_distance(p.a, p.X_WA, p.b, p.X_WB);
        own.take(std::abs(gap_along(p, m.normal) - gap) / size, p, style);
        const double along_coal = gap_along(p, coal.normal);
        short_of.take((along_coal - gap) / size, p, style);
        coal_error.take(std::abs(coal.distance - gap) / size, p, style);
        const double angle = norm(m.normal - coal.normal);
        const double behind = (gap - along_coal) / size;
        if (gap > 1e-6 * size) { ++apart;
           if (behind > 1e-6) ++coal_worse; else 
           normal_apart.take(angle, p, style); }
        else { ++overlap; if (angle > 1e-3 && std::abs(behind) < 1e-9) ++equal; else if (behind > 1e-6) ++coal_worse;
          else normal_overlap.take(angle, p, style); }
        if (behind > 1e-3) ++coal_much;
      }
      std::printf("%-9s %-9s own %.1e short %.1e coal %.1e n apart %.1e (%d) n overlap %.1e (%d) equal %d coal worse %d much %d missed %g\n",
                  abut::to_string(a), abut::to_string(b), own.error, short_of.error, coal_error.error, normal_apart.error, apart,
                  normal_overlap.error, overlap, equal, coal_worse, coal_much, missed.error);
      if (own.error > 1e-11) std::printf("   own %s\n", own.at.c_str());
      if (short_of.error > 1e-9) std::printf("   short %s\n", short_of.at.c_str());
      if (coal_error.error > 1e-5) std::printf("   coal %s\n", coal_error.at.c_str());
      if (normal_apart.error > 1e-3) std::printf("   apart %s\n", normal_apart.at.c_str());
      if (normal_overlap.error > 1e-3) std::printf("   overlap %s\n", normal_overlap.at.c_str());
      if (missed.error) std::printf("  missed %s\n", missed.at.c_str());
    }
  }
}

}  // namespace
}  // namespace abut
