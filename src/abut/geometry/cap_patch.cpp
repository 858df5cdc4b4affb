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

/// Where A's rim, moved along n, meets B's, on one side of the line from center to center: started
/// as for two circles, refined by Newton's method. A's rim point as unit spoke.
bool rim_crossing(const Cap& a, const Cap& b, const Vec3& n, double side, Vec3& spoke) {
  const Vec3 offset = b.center + gap_along(b.center, a.center, a.normal, n) * n - a.center;
  const double d = norm(offset);
  if (d < 1e-12 * (a.radius + b.radius)) return false;
  const double x = (d * d + a.radius * a.radius - b.radius * b.radius) / (2 * d * a.radius);
  if (std::abs(x) > 1) return false;
  const Vec3 e1 = offset / d, e2 = side * cross(a.normal, e1);
  double angle = std::acos(x);
  for (int iteration = 0; iteration < 20; ++iteration) {
    spoke = std::cos(angle) * e1 + std::sin(angle) * e2;
    const Vec3 p = a.rim(spoke);
    const Vec3 q = p + gap_along(p, b.center, b.normal, n) * n - b.center;
    Vec3 rate = a.radius * (std::cos(angle) * e2 - std::sin(angle) * e1);
    rate -= dot(rate, b.normal) / dot(n, b.normal) * n;
    const double excess = (squared_norm(q) - b.radius * b.radius) / 2, slope = dot(q, rate);
    if (std::abs(excess) <= 1e-15 * b.radius * b.radius) return true;
    if (slope == 0) return false;
    angle -= std::clamp(excess / slope, -0.3, 0.3);
  }
  return false;
}

/// The centroid of the turning angle along the boundary of two overlapping discs: on A's plane,
/// with B's moved along n, as for two circles.
Vec3 centroid_of_lens(const Cap& a, const Cap& b, const Vec3& n) {
  const Vec3 offset = b.center + gap_along(b.center, a.center, a.normal, n) * n - a.center;
  const double d = norm(offset), ra = a.radius, rb = b.radius;
  if (d + ra <= rb) return a.center;
  if (d + rb <= ra) return a.center + offset;
  // From A's center along the offset: half angles of the two arcs, and of each corner's turn.
  const double cos_a = std::clamp((d * d + ra * ra - rb * rb) / (2 * d * ra), -1.0, 1.0),
               cos_b = std::clamp((d * d + rb * rb - ra * ra) / (2 * d * rb), -1.0, 1.0);
  const double alpha = std::acos(cos_a), beta = std::acos(cos_b);
  const double arc_a = ra * std::sin(alpha), arc_b = d * beta - rb * std::sin(beta),
               corners = (std::numbers::pi - alpha - beta) * ra * cos_a;
  return a.center + ((arc_a + arc_b + corners) / std::numbers::pi / d) * offset;
}

/// Changes the weights of four points, in order around, so that their centroid is the given one:
/// a uniform depth then has the same moment whatever direction the first point was looked for in.
void correct_centroid(const Vec3 points[4], const Vec3& centroid, double weights[4]) {
  const Vec3 mean = 0.25 * (points[0] + points[1] + points[2] + points[3]);
  // A change x (p0 - p2) / |p0 - p2|^2 along either diagonal moves the centroid by x.
  const Vec3 e = 4 * (centroid - mean), u = points[0] - points[2], v = points[1] - points[3];
  const double uu = squared_norm(u), vv = squared_norm(v), uv = dot(u, v);
  const double det = uu * vv - uv * uv;
  if (det < 1e-12 * uu * vv || uu * vv == 0) return;
  const double along_u = (vv * dot(e, u) - uv * dot(e, v)) / det,
               along_v = (uu * dot(e, v) - uv * dot(e, u)) / det;
  const double change[4] = {along_u, along_v, -along_u, -along_v};
  for (int k = 0; k < 4; ++k) weights[k] *= 1 + std::clamp(change[k], -1.0, 1.0);
}

}  // namespace

Cap cap_towards(const Shape& cylinder, const Vec3& center, const Mat3& R, const Vec3& toward) {
  const bool upper = dot(R.col[2], toward) > 0;
  const Vec3 normal = upper ? R.col[2] : -R.col[2];
  return {center + cylinder.half_length() * normal, normal, R, cylinder.radius(), upper};
}

bool add_cap_on_cap(const Cap& a, const Cap& b, const Vec3& n, double gap, double faces,
                    const Vec3& origin, double margin, Manifold& m) {
  // The gap between the planes falls along `down`.
  const Vec3 down = b.normal / dot(b.normal, n) - a.normal / dot(a.normal, n);
  const double steep = norm(down);
  const Vec3 body_x = tangent(a.R.col[0], n, any_perpendicular(n));
  const Vec3 first = steep > 1e-7 ? tangent(down, n, body_x) : body_x;
  const Vec3 second = (a.upper ? 1 : -1) * cross(n, first);
  const int quadrant = rim_frame(a.R, first).quadrant;

  Vec3 crossing[2];
  int crossings = 0;
  for (const double side : {1.0, -1.0}) {
    Vec3 spoke;
    if (rim_crossing(a, b, n, side, spoke)) crossing[crossings++] = a.rim(spoke);
  }
  Vec3 points[4];
  double gaps[4];
  for (int k = 0; k < 4; ++k) {
    const Vec3 e = k & 1 ? second : first, u = k & 2 ? -e : e;
    Vec3& x = points[k] = farthest_on_rim(a, u);
    if (squared_offset(b, x, n) > b.radius * b.radius) {
      const Vec3 y = farthest_on_rim(b, u);
      if (squared_offset(a, y, n) <= a.radius * a.radius) {
        x = y + gap_along(y, a.center, a.normal, n) * n;
      } else if (crossings > 0) {
        const bool last = crossings == 2 && dot(crossing[1] - crossing[0], u) > 0;
        x = crossing[last ? 1 : 0];
      } else {
        return false;
      }
    }
    gaps[k] = gap_along(x, b.center, b.normal, n);
  }
  const int deepest = static_cast<int>(std::min_element(gaps, gaps + 4) - gaps);
  if (!agrees(gaps[deepest], gap, a)) return false;
  double weights[4] = {faces, faces, faces, faces};
  correct_centroid(points, centroid_of_lens(a, b, n), weights);
  weights[deepest] += 1 - faces;
  for (int k = 0; k < 4; ++k) {
    if (gaps[k] > margin) continue;
    add_point(origin + points[k] + (gaps[k] / 2) * n, gaps[k], weights[k],
              rim_feature(a.upper, quadrant + k), m);
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
    lower = std::fmax(lower, (-xd - std::sqrt(root)) / d2);
    upper = std::fmin(upper, (-xd + std::sqrt(root)) / d2);
  }
  if (lower > upper) return false;

  LineContact contact;
  contact.weight = weight;
  contact.full_length = std::fmin(line.radius, 2 * line.half_length);
  contact.level = contact_level(gap, contact.full_length);
  const double reach = reach_along(line, n);
  for (const int end : {0, 1}) {
    const double s = end == 0 ? lower : upper, g = height + s * climb - reach;
    contact.ends[end].inner = {origin + c + s * line.direction - (reach + g / 2) * n, s, g};
    contact.ends[end].outer = contact.ends[end].inner;
  }
  add_line(contact, margin, m);
  return true;
}

}  // namespace abut
