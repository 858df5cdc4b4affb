#include "abut/geometry/gjk.hpp"

namespace abut {
namespace {

/// Keeps the points that `keep` names, in this order.
void reduce(Simplex& s, std::initializer_list<int> keep, const double* weight) {
  const Simplex old = s;
  s.size = 0;
  for (const int k : keep) {
    const double w = *weight++;
    if (w <= 0) continue;
    s.at[s.size] = old.at[k];
    s.weight[s.size++] = w;
  }
}

/// Of four points: false if they hold the origin.
bool nearest_on_tetrahedron(Simplex& s, Vec3& nearest) {
  constexpr int faces[4][4] = {{0, 1, 2, 3}, {0, 3, 1, 2}, {0, 2, 3, 1}, {1, 3, 2, 0}};
  double least = HUGE_VAL, best[3] = {};
  int chosen = -1;
  for (int f = 0; f < 4; ++f) {
    const Vec3 &a = s.at[faces[f][0]].w, &b = s.at[faces[f][1]].w, &c = s.at[faces[f][2]].w;
    const Vec3 n = cross(b - a, c - a), across = s.at[faces[f][3]].w - a;
    const double inside = dot(n, across);
    const bool flat = std::abs(inside) <= 1e-14 * norm(n) * norm(across);
    if (!flat && dot(n, a) * inside <= 0) continue;  // the origin is on the inner side
    double weight[3];
    const Vec3 v = nearest_on_triangle(a, b, c, weight);
    if (squared_norm(v) >= least) continue;
    least = squared_norm(v), nearest = v, chosen = f;
    std::copy(weight, weight + 3, best);
  }
  if (chosen < 0) return false;
  reduce(s, {faces[chosen][0], faces[chosen][1], faces[chosen][2]}, best);
  return true;
}

/// The point nearest to the origin; false if the simplex holds the origin.
bool nearest_on(Simplex& s, Vec3& nearest) {
  double weight[3] = {1, 0, 0};
  switch (s.size) {
    case 1: nearest = s.at[0].w; break;
    case 2:
      nearest = nearest_on_segment(s.at[0].w, s.at[1].w, weight);
      reduce(s, {0, 1}, weight);
      break;
    case 3:
      nearest = nearest_on_triangle(s.at[0].w, s.at[1].w, s.at[2].w, weight);
      reduce(s, {0, 1, 2}, weight);
      break;
    default: return nearest_on_tetrahedron(s, nearest);
  }
  if (s.size == 1) s.weight[0] = 1;
  return true;
}

/// From the nearest point v to the origin. Of a triangle its plane's normal, and of a segment what
/// is across it, which are as exact where v is short.
Vec3 direction_of(const Simplex& s, const Vec3& v) {
  if (s.size == 2) {
    const Vec3 along = s.at[1].w - s.at[0].w;
    const Vec3 across = v - (dot(v, along) / squared_norm(along)) * along;
    if (const double length = norm(across); length > 0) return across / -length;
  }
  if (s.size == 3) {
    const Vec3 n = cross(s.at[1].w - s.at[0].w, s.at[2].w - s.at[0].w);
    const double length = norm(n);
    if (length > 0) return (dot(n, v) > 0 ? -1 / length : 1 / length) * n;
  }
  return v / -norm(v);
}

}  // namespace

Vec3 nearest_on_segment(const Vec3& a, const Vec3& b, double weight[2]) {
  const Vec3 along = b - a;
  const double length2 = squared_norm(along);
  const double t = length2 > 0 ? std::clamp(-dot(a, along) / length2, 0.0, 1.0) : 0;
  weight[0] = 1 - t, weight[1] = t;
  return t < 0.5 ? a + t * along : b - (1 - t) * along;
}

Vec3 nearest_on_triangle(const Vec3& a, const Vec3& b, const Vec3& c, double weight[3]) {
  const Vec3 n = cross(b - a, c - a);
  const double area2 = squared_norm(n);
  const double u = dot(n, cross(b, c)), v = dot(n, cross(c, a)), w = dot(n, cross(a, b));
  if (u > 0 && v > 0 && w > 0 && area2 > 0) {
    const double sum = u + v + w;
    weight[0] = u / sum, weight[1] = v / sum, weight[2] = w / sum;
    return (dot(n, a) / area2) * n;
  }
  const Vec3* corner[3] = {&a, &b, &c};
  double least = HUGE_VAL;
  Vec3 nearest;
  for (int k = 0; k < 3; ++k) {
    const int next = (k + 1) % 3;
    double t[2];
    const Vec3 x = nearest_on_segment(*corner[k], *corner[next], t);
    if (squared_norm(x) >= least) continue;
    least = squared_norm(x), nearest = x;
    weight[k] = t[0], weight[next] = t[1], weight[(k + 2) % 3] = 0;
  }
  return nearest;
}

CoreDistance core_distance(CoreDifference& c, const Simplex& first, const Vec3& start,
                           double margin) {
  constexpr int most = 200;
  const double touch = 1e-13 * c.size, slack = 1e-15 * c.size;
  CoreDistance d;
  d.simplex = first;
  Simplex& s = d.simplex;
  Vec3 v;
  if (s.size == 0) {
    s.at[s.size++] = c.support(start);
    s.weight[0] = 1;
    v = s.at[0].w;
    if (const double along = -dot(start, v) / norm(start); along - c.radius > margin) {
      return {.state = CoreState::far, .normal = start / norm(start), .simplex = s};
    }
  } else if (!nearest_on(s, v)) {
    return d;
  }
  double length = norm(v);
  double& separation = d.separation;
  for (int k = 0; k < most && length > touch; ++k) {
    const Vec3 n = direction_of(s, v);
    const CoreDifference::Point p = c.support(n);
    const double along = -dot(n, p.w);
    if (along > separation) {
      separation = along, d.normal = n, d.vertices = p.vertices;
      d.state = CoreState::apart;
    }
    if (along - c.radius > margin) return {.state = CoreState::far, .normal = n, .simplex = s};
    if (length - separation <= slack + 1e-14 * length) return d;
    Simplex next = s;
    next.at[next.size++] = p;
    Vec3 nearer;
    if (!nearest_on(next, nearer)) {
      if (separation > 0) return d;  // a sliver seems to hold the origin: rounding
      d.state = CoreState::overlap;
      s = next;
      return d;
    }
    if (!(norm(nearer) < length)) break;  // all that rounding allows
    s = next, v = nearer, length = norm(v);
  }
  d.state = length > touch && separation > 0 ? CoreState::apart : CoreState::overlap;
  return d;
}

}  // namespace abut
