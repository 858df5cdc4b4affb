#include <array>
#include <numbers>

#include "abut/geometry/coal.hpp"
#include "abut/geometry/contact_face.hpp"

// Pairs with an ellipsoid or a hull.

namespace abut {
namespace {

struct GeneralPair {
  const Shape &a, &b;
  const Mat3 &A, &B;
  Vec3 center;  // of B, from A's

  double separation(const Vec3& n) const {
    return dot(n, support_point(b, center, B, -n) - support_point(a, {}, A, n));
  }
};

/// Uphill in the separation, by ever smaller steps aside, down to `last`: in eight directions,
/// which turn, and along the ridges that straight edges make.
void climb(const GeneralPair& p, double step, double last, Nearest& nearest) {
  double turned = 0;
  while (step > last) {
    const Vec3 n = nearest.normal, a = abs(n);
    const Vec3 axis = a.x <= a.y && a.x <= a.z ? Vec3{1, 0, 0}
                      : a.y <= a.z             ? Vec3{0, 1, 0}
                                               : Vec3{0, 0, 1};
    const Vec3 u = cross(n, axis) / norm(cross(n, axis)), v = cross(n, u);
    Nearest best = nearest;
    const auto go = [&](const Vec3& aside) {
      const Vec3 x = n + step * aside, tried = x / norm(x);
      const double gap = p.separation(tried);
      if (gap > best.gap) best.normal = tried, best.gap = gap;
    };
    for (int k = 0; k < 8; ++k) {
      const double angle = turned + k * (std::numbers::pi / 4);
      go(std::cos(angle) * u + std::sin(angle) * v);
    }
    for (const Mat3* R : {&p.A, &p.B}) {
      for (const Vec3& edge : R->col) {
        const Vec3 along = direction_or(cross(n, edge), u);
        go(along), go(-along);
      }
    }
    const bool better = best.gap > nearest.gap;
    nearest = best;
    step *= better ? 1.5 : 0.5;
    turned += 1;
  }
}

/// The best that climbs from the best of the shapes' axes find.
void search(const GeneralPair& p, Nearest& nearest) {
  constexpr int starts = 13, climbs = 4;
  std::array<Nearest, starts> from;
  int count = 0;
  const auto try_start = [&](const Vec3& n) { from[count++] = {n, {}, p.separation(n)}; };
  try_start(direction_or(p.center, {0, 0, 1}));
  for (const Mat3* R : {&p.A, &p.B}) {
    for (const Vec3& axis : R->col) try_start(axis), try_start(-axis);
  }
  std::partial_sort(from.begin(), from.begin() + climbs, from.end(),
                    [](const Nearest& a, const Nearest& b) { return a.gap > b.gap; });
  for (int k = 0; k < climbs; ++k) {
    climb(p, 0.5, 1e-3, from[k]);
    if (from[k].gap > nearest.gap) nearest = from[k];
  }
  climb(p, 1e-3, 1e-10, nearest);
}

bool is_curved(const Shape& s) {
  return s.kind == ShapeKind::ellipsoid || s.kind == ShapeKind::cylinder;
}

/// Of shapes that touch, one of them curved, Coal's answer is rough, and may be a longer way out
/// where they overlap deep.
void refine(const GeneralPair& p, Nearest& nearest) {
  const double found = p.separation(nearest.normal), smaller = std::fmin(p.a.reach(), p.b.reach());
  const bool lost = !(std::abs(found - nearest.gap) <= 1e-5 * smaller);
  nearest.gap = found;
  if (!lost && (found > 0.01 * smaller || !(is_curved(p.a) || is_curved(p.b)))) return;
  climb(p, 1e-3, 1e-10, nearest);
  if (lost || nearest.gap < -0.05 * smaller) search(p, nearest);
  nearest.position = 0.5 * (support_point(p.a, {}, p.A, nearest.normal) +
                            support_point(p.b, p.center, p.B, -nearest.normal));
}

/// The normal of a flat face that parts the shapes as well as `n` does, but for rounding.
void prefer_face(const GeneralPair& p, const ContactFace& face, double sign, Nearest& nearest) {
  if (face.size == 0 || dot(face.normal, nearest.normal) * sign < 0.99) return;
  const Vec3 n = sign * face.normal;
  const double gap = p.separation(n), slack = 1e-8 * (p.a.reach() + p.b.reach());
  if (gap < nearest.gap - slack) return;
  nearest.normal = n;
  nearest.gap = gap;
}

}  // namespace

void collide_plane_general(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                           double margin, PairMemory&, Manifold& m) {
  const Vec3& n = X_WA.R.col[2];
  const Vec3 center = X_WB.p - X_WA.p, lowest = support_point(b, center, X_WB.R, -n);
  const double gap = dot(n, lowest);
  if (gap > margin) return;
  const Nearest nearest = {n, lowest - (0.5 * gap) * n, gap};
  add_contact_of_faces(face_of(a, {}, X_WA.R, n), face_of(b, center, X_WB.R, -n), nearest, X_WA.p,
                       margin, m);
}

void collide_general(const Shape& a, const Pose& X_WA, const Shape& b, const Pose& X_WB,
                     double margin, PairMemory&, Manifold& m) {
  const GeneralPair p = {a, b, X_WA.R, X_WB.R, X_WB.p - X_WA.p};
  Nearest nearest;
  if (!find_nearest(a, X_WA, b, X_WB, margin, nearest)) return;
  refine(p, nearest);
  const Vec3 n = nearest.normal;
  ContactFace on_a = face_of(a, {}, p.A, n), on_b = face_of(b, p.center, p.B, -n);
  prefer_face(p, on_a, 1, nearest);
  prefer_face(p, on_b, -1, nearest);
  if (nearest.gap > margin) return;
  if (!(nearest.normal == n)) {
    on_a = face_of(a, {}, p.A, nearest.normal);
    on_b = face_of(b, p.center, p.B, -nearest.normal);
  }
  add_contact_of_faces(on_a, on_b, nearest, X_WA.p, margin, m);
}

}  // namespace abut
