#include "abut/geometry/cap_patch.hpp"

#include <numbers>

namespace abut {
namespace {

/// A unit vector in the plane perpendicular to n, along the projection of v, or of `fallback`.
Vec3 tangent(const Vec3& v, const Vec3& n, const Vec3& fallback) {
  return direction_or(v - dot(v, n) * n, fallback);
}

/// The rim point of a cap that reaches farthest along u.
Vec3 farthest_on_rim(const Cap& cap, const Vec3& u) {
  return cap.rim(tangent(u, cap.normal, cap.R.col[0]));
}

/// Squared distance from the cap's center of the point x, moved along n onto the cap's plane.
double squared_offset(const Cap& cap, const Vec3& x, const Vec3& n) {
  return squared_norm(x + gap_along(x, cap.center, cap.normal, n) * n - cap.center);
}

/// A's rim by the angle from the direction to B's center, and how far it is from B's rim.
struct RimOfA {
  const Cap &a, &b;
  Vec3 n, e1, e2;

  Vec3 point(double angle) const { return a.rim(std::cos(angle) * e1 + std::sin(angle) * e2); }
  /// Half the squared offset from B's center, moved along n, less half of B's squared radius.
  double excess(double angle) const {
    return (squared_offset(b, point(angle), n) - b.radius * b.radius) / 2;
  }
  double excess_rate(double angle) const {
    const Vec3 p = point(angle);
    const Vec3 q = p + gap_along(p, b.center, b.normal, n) * n - b.center;
    const Vec3 rate = a.radius * (std::cos(angle) * e2 - std::sin(angle) * e1);
    return dot(q, rate - dot(rate, b.normal) / dot(n, b.normal) * n);
  }
};

/// The angle in [inside, outside], of either order, at which A's rim leaves B's disc: Newton's
/// method from `angle`, kept within the bracket.
double rim_crossing(const RimOfA& rim, double inside, double outside, double angle) {
  const double tolerance = 1e-15 * rim.b.radius * rim.b.radius;
  for (int iteration = 0; iteration < 60; ++iteration) {
    const double excess = rim.excess(angle);
    if (std::abs(excess) <= tolerance) break;
    (excess < 0 ? inside : outside) = angle;
    double next = angle - excess / rim.excess_rate(angle);
    if (!((next - inside) * (next - outside) < 0)) next = (inside + outside) / 2;
    if (next == angle) break;
    angle = next;
  }
  return angle;
}

/// Two caps as seen along n, on A's plane, and their overlap.
struct Lens {
  const Cap &a, &b;
  Vec3 n;
  bool nested = false;  ///< one disc lies within the other
  Vec3 centroid;        ///< of the turning angle along the boundary
  Vec3 crossing[2];     ///< of the two rims
  int crossings = 0;

  Lens(const Cap& a, const Cap& b, const Vec3& n);
  bool farthest(const Vec3& u, Vec3& x) const;
};

Lens::Lens(const Cap& cap_a, const Cap& cap_b, const Vec3& normal) : a(cap_a), b(cap_b), n(normal) {
  const Vec3 offset = b.center + gap_along(b.center, a.center, a.normal, n) * n - a.center;
  const double d = norm(offset), ra = a.radius, rb = b.radius;
  nested = d <= std::abs(ra - rb);
  centroid = a.center + (ra <= rb ? Vec3{} : offset);
  if (nested) return;
  // As for two circles. From A's center along the offset: half angles of the two arcs, and what
  // the arcs and the two corners between contribute.
  const double cos_a = std::clamp((d * d + ra * ra - rb * rb) / (2 * d * ra), -1.0, 1.0),
               cos_b = std::clamp((d * d + rb * rb - ra * ra) / (2 * d * rb), -1.0, 1.0);
  const double alpha = std::acos(cos_a), beta = std::acos(cos_b);
  const double arc_a = ra * std::sin(alpha), arc_b = d * beta - rb * std::sin(beta),
               corners = (std::numbers::pi - alpha - beta) * ra * cos_a;
  centroid = a.center + ((arc_a + arc_b + corners) / std::numbers::pi / d) * offset;
  const Vec3 e1 = offset / d;
  const RimOfA rim = {a, b, n, e1, cross(a.normal, e1)};
  if (rim.excess(0) >= 0 || rim.excess(std::numbers::pi) <= 0) return;
  for (const double side : {1.0, -1.0}) {
    crossing[crossings++] = rim.point(rim_crossing(rim, 0, side * std::numbers::pi, side * alpha));
  }
}

/// The overlap's point that reaches farthest along u; false if none is found.
bool Lens::farthest(const Vec3& u, Vec3& x) const {
  x = farthest_on_rim(a, u);
  if (squared_offset(b, x, n) <= b.radius * b.radius) return true;
  const Vec3 y = farthest_on_rim(b, u);
  if (squared_offset(a, y, n) <= a.radius * a.radius) {
    x = y + gap_along(y, a.center, a.normal, n) * n;
    return true;
  }
  if (crossings == 0) return false;
  x = crossing[dot(crossing[1] - crossing[0], u) > 0 ? 1 : 0];
  return true;
}

/// Four points of the overlap of two caps.
struct LensPoints {
  Vec3 points[4];
  double gaps[4], weights[4] = {1, 1, 1, 1};
  int quadrant = 0, deepest = 0;
};

/// Those farthest along `first` and at 90 degrees from it, with weights of the lens's centroid: a
/// uniform depth then has the same moment whatever the first direction.
bool sample(const Lens& lens, const Vec3& first, LensPoints& sample) {
  const Vec3 second = (lens.a.upper ? 1 : -1) * cross(lens.n, first);
  sample.quadrant = rim_frame(lens.a.R, first).quadrant;
  Vec3* x = sample.points;
  for (int k = 0; k < 4; ++k) {
    const Vec3 e = k & 1 ? second : first;
    if (!lens.farthest(k & 2 ? -e : e, x[k])) return false;
    sample.gaps[k] = gap_along(x[k], lens.b.center, lens.b.normal, lens.n);
    if (sample.gaps[k] < sample.gaps[sample.deepest]) sample.deepest = k;
  }
  // A change p (x0 - x2) / |x0 - x2|^2 of the weights of a diagonal moves the centroid by p / 4.
  const Vec3 e = 4 * lens.centroid - (x[0] + x[1] + x[2] + x[3]), p = x[0] - x[2], q = x[1] - x[3];
  const double pp = squared_norm(p), qq = squared_norm(q), pq = dot(p, q);
  const double det = pp * qq - pq * pq;
  if (det <= 1e-12 * pp * qq) return true;
  const double along_p = std::clamp((qq * dot(e, p) - pq * dot(e, q)) / det, -0.5, 0.5),
               along_q = std::clamp((pp * dot(e, q) - pq * dot(e, p)) / det, -0.5, 0.5);
  sample.weights[0] += along_p, sample.weights[2] -= along_p;
  sample.weights[1] += along_q, sample.weights[3] -= along_q;
  return true;
}

}  // namespace

Cap cap_towards(const Shape& cylinder, const Vec3& center, const Mat3& R, const Vec3& toward) {
  const bool upper = dot(R.col[2], toward) > 0;
  const Vec3 normal = upper ? R.col[2] : -R.col[2];
  return {center + cylinder.half_length() * normal, normal, R, cylinder.radius(), upper};
}

bool add_cap_on_cap(const Cap& a, const Cap& b, const Vec3& n, double gap, double faces,
                    const Vec3& origin, double margin, Manifold& m) {
  const Lens lens(a, b, n);
  // The gap between the planes falls along `down`.
  const Vec3 down = b.normal / dot(b.normal, n) - a.normal / dot(a.normal, n);
  const double steep = norm(down);
  const Vec3 body_x = tangent(a.R.col[0], n, any_perpendicular(n));
  LensPoints downhill, level;
  if (!sample(lens, steep > 1e-7 ? tangent(down, n, body_x) : body_x, downhill) ||
      !agrees(downhill.gaps[downhill.deepest], gap, a)) {
    return false;
  }
  const double share = lens.nested ? 1 : downhill_share(steep, gap, minimum(a.radius, b.radius));
  const auto add = [&](const LensPoints& sample, int k, double weight, std::uint32_t feature) {
    if (sample.gaps[k] > margin || weight < smallest_weight) return;
    add_point(origin + sample.points[k] + (sample.gaps[k] / 2) * n, sample.gaps[k], weight,
              feature + rim_feature(a.upper, sample.quadrant + k), m);
  };
  for (int k = 0; k < 4; ++k) {
    const double point = k == downhill.deepest ? 1 - faces : 0;
    add(downhill, k, share * faces * downhill.weights[k] + point, 0);
  }
  if (share < 1 && sample(lens, body_x, level)) {
    for (int k = 0; k < 4; ++k) add(level, k, (1 - share) * faces * level.weights[k], 8);
  }
  return true;
}

bool add_line_on_cap(const Cap& cap, const RoundLine& line, const Vec3& n, double gap,
                     double weight, const Vec3& origin, double margin, Manifold& m) {
  // The line as seen along n on the cap's plane, x + s d, within the disc.
  const Vec3 c = center_behind_surface(line, -n);
  const double slant = 1 / dot(n, cap.normal);
  const double height = dot(c - cap.center, cap.normal) * slant,
               climb = dot(line.direction, cap.normal) * slant;
  const Vec3 x = c - height * n - cap.center, d = line.direction - climb * n;
  const double d2 = squared_norm(d), xd = dot(x, d);
  const double root = xd * xd - d2 * (squared_norm(x) - cap.radius * cap.radius);
  if (root < 0) return false;
  double lower = -line.half_length, upper = line.half_length;
  if (d2 > 1e-30) {
    lower = maximum(lower, (-xd - std::sqrt(root)) / d2);
    upper = minimum(upper, (-xd + std::sqrt(root)) / d2);
  }
  if (lower > upper) return false;

  LineContact contact;
  contact.weight = weight;
  contact.full_length = minimum(minimum(line.radius, 2 * line.half_length), cap.radius);
  contact.level = contact_level(gap, contact.full_length);
  const double support = support_along(line, n);
  for (const int end : {0, 1}) {
    const double s = end == 0 ? lower : upper, g = height + s * climb - support;
    contact.ends[end].inner = {origin + c + s * line.direction - (support + g / 2) * n, s, g};
    contact.ends[end].outer = contact.ends[end].inner;
  }
  add_line(contact, margin, m);
  return true;
}

}  // namespace abut
