#include "abut/geometry/rim_axis.hpp"

namespace abut {

EdgeRimSearch::EdgeRimSearch(int i, const Vec3& half, const Vec3& center,
                             const CylinderSupport& cylinder)
    : i_(i), radius_(cylinder.radius), half_length_(cylinder.half_length) {
  const int j = (i + 1) % 3, k = (i + 2) % 3;
  cj_ = center[j], ck_ = center[k], hj_ = half[j], hk_ = half[k];
  zi_ = cylinder.axis[i], zj_ = cylinder.axis[j], zk_ = cylinder.axis[k];
  zjk_ = std::sqrt(zj_ * zj_ + zk_ * zk_);
}

EdgeRimSearch::Direction EdgeRimSearch::unit(const Direction& v) {
  const double scale = 1 / std::sqrt(v.j * v.j + v.k * v.k);
  return {scale * v.j, scale * v.k};
}

int EdgeRimSearch::maxima(double least, Vec3 u[capacity]) const {
  int count = 0;
  for (const double sj : {1.0, -1.0}) {
    for (const double sk : {1.0, -1.0}) {
      if (sj * cj_ < 0 && sk * ck_ < 0) continue;  // u . center < 0
      Direction points[8];
      const int size = breaks(sj, sk, points);
      double next_rho = rho(points[0]);
      for (int m = 0; m + 1 < size && count < capacity; ++m) {
        Direction from = points[m], to = points[m + 1];
        const Piece smooth = piece(from, to, sj, sk);
        const double first_rho = next_rho;
        next_rho = rho(to);
        const double least_rho = minimum(first_rho, next_rho);  // it is monotonic in between
        if (farthest(smooth.w, from, to) - radius_ * least_rho <= least) continue;
        if (!bracket(from, to, smooth)) continue;
        const Direction v = root(from, to, smooth);
        Vec3& found = u[count++];
        found = {};
        found[(i_ + 1) % 3] = v.j, found[(i_ + 2) % 3] = v.k;
      }
    }
  }
  return count;
}

/// How far the ellipse extends along u, over the radius.
double EdgeRimSearch::rho(const Direction& u) const {
  const double x = zj_ * u.k - zk_ * u.j;
  return std::sqrt(zi_ * zi_ + x * x);
}

/// The largest w . u of unit vectors u from one direction to another, less than 180 degrees on.
double EdgeRimSearch::farthest(const Direction& w, const Direction& from, const Direction& to) {
  const bool is_between = from.j * w.k - from.k * w.j >= 0 && w.j * to.k - w.k * to.j >= 0;
  if (is_between) return std::sqrt(w.j * w.j + w.k * w.k);
  return maximum(w.j * from.j + w.k * from.k, w.j * to.j + w.k * to.k);
}

/// Unit vectors that cut a quadrant into pieces with at most one maximum each, by angle: its ends,
/// the ellipse's axes, and where a flat ellipse has rounded its end.
int EdgeRimSearch::breaks(double sj, double sk, Direction points[8]) const {
  const bool ccw = sj * sk > 0;
  points[0] = ccw ? Direction{sj, 0} : Direction{0, sk};
  int size = 1;
  if (zjk_ > 0) {
    const double zj = zj_ / zjk_, zk = zk_ / zjk_;
    const double turn = minimum(3 * std::abs(zi_), 1.0);
    const Direction cuts[4] = {
        {zj, zk}, {-zk, zj}, {zj - turn * zk, zk + turn * zj}, {zj + turn * zk, zk - turn * zj}};
    for (const Direction& cut : cuts) {  // or its opposite
      if (cut.j * cut.k * sj * sk <= 0) continue;
      const Direction p = unit({sj * std::abs(cut.j), sk * std::abs(cut.k)});
      int at = size++;
      for (; at > 1 && p.j * points[at - 1].k - p.k * points[at - 1].j > 0; --at) {
        points[at] = points[at - 1];
      }
      points[at] = p;
    }
  }
  points[size++] = ccw ? Direction{0, sk} : Direction{sj, 0};
  return size;
}

EdgeRimSearch::Piece EdgeRimSearch::piece(const Direction& from, const Direction& to, double sj,
                                          double sk) const {
  const Direction middle = {from.j + to.j, from.k + to.k};
  const double side = zj_ * middle.j + zk_ * middle.k < 0 ? -1 : 1;
  return {{cj_ - sj * hj_ - side * half_length_ * zj_, ck_ - sk * hk_ - side * half_length_ * zk_},
          zj_ * middle.k - zk_ * middle.j < 0 ? -1.0 : 1.0};
}

/// rho^2 = zi^2 + x^2 with x = z x u. By the angle of u, w . u changes by w . u' with
/// u' = (-u_k, u_j), x by s = z . u and s by -x.
EdgeRimSearch::Slope EdgeRimSearch::slope(const Direction& u, const Piece& piece) const {
  const double x = zj_ * u.k - zk_ * u.j, s = zj_ * u.j + zk_ * u.k;
  const double rho = this->rho(u);
  const double across = piece.w.k * u.j - piece.w.j * u.k;
  if (rho < 1e-12) return {across - radius_ * piece.x_sign * s, 0};
  const double y = x / rho;
  return {across - radius_ * y * s,
          -(piece.w.j * u.j + piece.w.k * u.k) - radius_ * (s * s - x * x - y * y * s * s) / rho};
}

/// Narrows a piece to a part at whose ends the gap rises and falls; false if there is none. Where
/// the slope has the same sign at both ends, it may still change twice between.
bool EdgeRimSearch::bracket(Direction& from, Direction& to, const Piece& piece) const {
  const Slope first = slope(from, piece), last = slope(to, piece);
  if (first.value >= 0 && last.value <= 0) {
    if (first.value == 0) to = from;
    if (last.value == 0) from = to;
    return true;
  }
  const double sign = first.value > 0 ? 1 : -1;
  if (sign * last.value <= 0 || sign * first.rate >= 0 || sign * last.rate <= 0) return false;
  Direction lower = from, upper = to;
  for (int iteration = 0; iteration < 20; ++iteration) {
    const Direction middle = unit({lower.j + upper.j, lower.k + upper.k});
    const Slope at = slope(middle, piece);
    if (sign * at.value < 0) {
      (sign > 0 ? to : from) = middle;
      return true;
    }
    (sign * at.rate < 0 ? lower : upper) = middle;
  }
  return false;
}

/// Where the slope vanishes between two directions less than 90 degrees apart, positive at `from`
/// and negative at `to`, or at both when they are the same: Newton's method, kept within the
/// bracket.
EdgeRimSearch::Direction EdgeRimSearch::root(const Direction& from, const Direction& to,
                                             const Piece& piece) const {
  const double area = from.j * to.k - from.k * to.j;
  if (area == 0) return from;
  double lower = 0, upper = 1, t = 0.5;
  Direction u = from;
  for (int iteration = 0; iteration < 60; ++iteration) {
    const Direction v = {from.j + t * (to.j - from.j), from.k + t * (to.k - from.k)};
    const double length2 = v.j * v.j + v.k * v.k, scale = 1 / std::sqrt(length2);
    u = {scale * v.j, scale * v.k};
    const Slope f = slope(u, piece);
    (f.value > 0 ? lower : upper) = t;
    double next = t - f.value / (f.rate * area / length2);  // area / |v|^2 = d angle / d t
    if (!(next > lower && next < upper)) next = (lower + upper) / 2;
    if (std::abs(next - t) < 1e-15) break;
    t = next;
  }
  return u;
}

DiscPair::DiscPair(const CylinderSupport& a, double side_a, const CylinderSupport& b, double side_b,
                   const Vec3& center)
    : a_(a),
      b_(b),
      between_(center - (side_a * a.half_length) * a.axis - (side_b * b.half_length) * b.axis) {}

double DiscPair::gap(const Vec3& u) const {
  return dot(between_, u) - a_.radius * norm(cross(a_.axis, u)) -
         b_.radius * norm(cross(b_.axis, u));
}

/// The gap's slope at a disc's own normal, from all but that disc: where it is weaker than the
/// disc's radius, the cone's tip is a maximum.
Vec3 DiscPair::pull_at(const Vec3& tip, const CylinderSupport& other) const {
  const double rho = maximum(norm(cross(other.axis, tip)), 1e-12);
  const Vec3 pull = between_ - (other.radius / rho) * (tip - dot(tip, other.axis) * other.axis);
  return pull - dot(pull, tip) * tip;
}

bool DiscPair::ends_at_tip(const PolarStep& p, double height) const {
  const Vec3 tip = std::copysign(1.0, p.cosine) * p.pole;
  const double radius = p.about_a ? a_.radius : b_.radius;
  return squared_norm(pull_at(tip, p.about_a ? b_ : a_)) <= radius * radius && gap(tip) >= height;
}

/// Moves u from near the tip of a disc's cone to a higher place; false if the tip is the highest.
bool DiscPair::leave_cone(const CylinderSupport& disc, const CylinderSupport& other,
                          Vec3& u) const {
  const Vec3 tip = std::copysign(1.0, dot(u, disc.axis)) * disc.axis;
  const Vec3 pull = pull_at(tip, other);
  const double strength = norm(pull), height = gap(tip);
  if (strength <= disc.radius) return false;
  for (double step = 0.1; step > 1e-6; step /= 4) {
    u = tip + (step / strength) * pull;
    u = u / norm(u);
    if (gap(u) > height) return true;
  }
  return false;
}

/// Newton's step on the unit sphere in polar coordinates about one of the axes, in which that
/// axis's cone is smooth: theta from the axis, phi around it.
DiscPair::PolarStep DiscPair::newton_step(const Vec3& u, double height) const {
  const Vec3 xa = cross(a_.axis, u), xb = cross(b_.axis, u);
  const double rho_a = norm(xa), rho_b = norm(xb);
  const Vec3 gradient = between_ - (a_.radius / rho_a) * (u - dot(u, a_.axis) * a_.axis) -
                        (b_.radius / rho_b) * (u - dot(u, b_.axis) * b_.axis);
  PolarStep p;
  p.about_a = rho_a < rho_b;
  p.pole = p.about_a ? a_.axis : b_.axis;
  p.sine = minimum(rho_a, rho_b), p.cosine = dot(p.pole, u);
  const Vec3 e2 = (p.about_a ? xa : xb) / p.sine, e1 = cross(e2, u);
  p.radial = (u - p.cosine * p.pole) / p.sine, p.around = e2;

  // Slope g, and minus the second derivative h, per unit length along theta and phi.
  const double g1 = dot(gradient, e1), g2 = dot(gradient, e2), cot = p.cosine / p.sine;
  const double ka = a_.radius / (rho_a * rho_a * rho_a), kb = b_.radius / (rho_b * rho_b * rho_b);
  const double a1 = dot(xa, e1), a2 = dot(xa, e2), b1 = dot(xb, e1), b2 = dot(xb, e2);
  double h11 = ka * a1 * a1 + kb * b1 * b1 + height, h12 = ka * a1 * a2 + kb * b1 * b2 - g2 * cot,
         h22 = ka * a2 * a2 + kb * b2 * b2 + height + g1 * cot;
  // Where the gap is not concave, a shift turns the step towards the slope.
  const double half = (h11 - h22) / 2, least = (h11 + h22) / 2 - std::sqrt(half * half + h12 * h12);
  const double floor = 1e-3 * (a_.radius + b_.radius), shift = maximum(floor - least, 0);
  h11 += shift, h22 += shift;
  const double det = h11 * h22 - h12 * h12;
  p.theta = (h22 * g1 - h12 * g2) / det;
  p.phi = (h11 * g2 - h12 * g1) / det / p.sine;
  return p;
}

/// u after a fraction of the step, by rotations through the arc tangents of its angles.
Vec3 DiscPair::PolarStep::moved(double fraction) const {
  const double t = fraction * theta, f = fraction * phi;
  const Vec3 outward = (radial + f * around) / std::sqrt(1 + f * f);
  const Vec3 v = (cosine - t * sine) * pole + (sine + t * cosine) * outward;
  return v / norm(v);
}

bool DiscPair::climb(Vec3& u) const {
  double height = gap(u);
  for (int iteration = 0; iteration < 40; ++iteration) {
    const bool on_a = squared_norm(cross(a_.axis, u)) < 1e-12,
               on_b = squared_norm(cross(b_.axis, u)) < 1e-12;
    if (on_a || on_b) {
      if (!(on_a ? leave_cone(a_, b_, u) : leave_cone(b_, a_, u))) return false;
      height = gap(u);
      continue;
    }
    const PolarStep p = newton_step(u, height);
    if (p.sine < 0.3 && ends_at_tip(p, height)) return false;
    const double length = std::sqrt(p.theta * p.theta + p.phi * p.phi);
    if (length < 1e-6) {  // what is left is its square
      u = p.moved(1);
      return true;
    }
    double step = length > 1 ? 1 / length : 1, next = -HUGE_VAL;
    for (; step * length > 1e-8; step /= 2) {
      next = gap(p.moved(step));
      if (next > height) break;
    }
    if (next <= height) return true;  // rounding hides the rest
    u = p.moved(step), height = next;
  }
  return true;
}

}  // namespace abut
