// Free bodies, one vector or quaternion in a register or eight of them in packs, with the bits of
// the functions of Mat3 and Quaternion.

#include "abut/linalg/simd.hpp"
#include "abut/linalg/triples.hpp"

#include <cstddef>

#include "abut/trees/free_body_kernels.hpp"

namespace abut::ABUT_ISA {
namespace {

template <int i>
struct Lane {
  static constexpr int value = i;
};

/// Of a matrix, the fourth numbers anything.
struct Columns {
  Quad x, y, z;
};

ABUT_INLINE Columns load_columns(const double* p) {
  return {load_quad(p), load_quad(p + 3), load3(p + 6)};
}
ABUT_INLINE void store_columns(double* p, const Columns& m) {
  store_quad(p, m.x);
  store_quad(p + 3, m.y);
  store3(p + 6, m.z);
}
ABUT_INLINE Quad operator*(const Columns& m, Quad v) {
  return m.x * splat_lane<0>(v) + m.y * splat_lane<1>(v) + m.z * splat_lane<2>(v);
}
/// m times the transpose of R.
ABUT_INLINE Columns times_transpose(const Columns& m, const Columns& R) {
  const auto row = [&](auto lane) __attribute__((always_inline)) {
    constexpr int i = decltype(lane)::value;
    return m.x * splat_lane<i>(R.x) + m.y * splat_lane<i>(R.y) + m.z * splat_lane<i>(R.z);
  };
  return {row(Lane<0>{}), row(Lane<1>{}), row(Lane<2>{})};
}

/// to_matrix()
ABUT_INLINE Columns rotation_of(Quad q) {
  const Quad v = __builtin_shufflevector(q, q, 1, 2, 3, 0);
  const Quad squares = v * v, of_w = splat_lane<0>(q) * v;
  const Quad next = v * __builtin_shufflevector(v, v, 1, 2, 0, 3);    // xy, yz, zx
  const Quad last = __builtin_shufflevector(of_w, of_w, 2, 0, 1, 3);  // wz, wx, wy
  const Quad two = splat_quad(2), sum = two * (next + last), difference = two * (next - last);
  const Quad diagonal =
      splat_quad(1) - two * (__builtin_shufflevector(squares, squares, 1, 0, 0, 3) +
                             __builtin_shufflevector(squares, squares, 2, 2, 1, 3));
  const Quad x = __builtin_shufflevector(diagonal, sum, 0, 4, 0, 0);
  const Quad y = __builtin_shufflevector(difference, diagonal, 0, 5, 0, 0);
  const Quad z = __builtin_shufflevector(sum, difference, 2, 5, 0, 0);
  return {__builtin_shufflevector(x, difference, 0, 1, 6, 7),
          __builtin_shufflevector(y, sum, 0, 1, 5, 7),
          __builtin_shufflevector(z, diagonal, 0, 1, 6, 7)};
}

/// R I R^T, exactly symmetric: what is above the diagonal is what is below it.
ABUT_INLINE Columns turned_inertia(const Columns& R, const double* inertia) {
  const Columns I = load_columns(inertia);
  const Columns m = times_transpose({R * I.x, R * I.y, R * I.z}, R);
  const Quad low = __builtin_shufflevector(m.x, m.y, 1, 2, 6, 7);  // yx, zx, zy
  return {m.x, __builtin_shufflevector(low, m.y, 0, 5, 6, 7),
          __builtin_shufflevector(low, m.z, 1, 2, 6, 7)};
}

ABUT_INLINE Quad multiply_quaternions(Quad a, Quad b) {
  const Quad x = __builtin_shufflevector(b, b, 1, 0, 3, 2) * Quad{-1, 1, -1, 1},
             y = __builtin_shufflevector(b, b, 2, 3, 0, 1) * Quad{-1, 1, 1, -1},
             z = __builtin_shufflevector(b, b, 3, 2, 1, 0) * Quad{-1, -1, 1, 1};
  return splat_lane<0>(a) * b + splat_lane<1>(a) * x + splat_lane<2>(a) * y + splat_lane<3>(a) * z;
}

constexpr double most_by_series = 1e-2;  // of squared half angles, as in exp_rotation()

/// exp_rotation()
ABUT_INLINE Quad exponential(Quad a) {
  const Quad a2 = a * a;
  const double angle2 = (a2[0] + a2[1] + a2[2]) / 4;
  double s, c;
  if (angle2 < most_by_series) {
    const Quad x = splat_quad(angle2), one = splat_quad(1);
    const auto term = [&](double of_s, double of_c) { return x * Quad{of_s, of_c, 0, 0}; };
    const Quad last = one - term(1.0 / 42, 1.0 / 30) * (one - term(1.0 / 72, 1.0 / 56));
    const Quad both = one - term(1.0 / 6, 1.0 / 2) * (one - term(1.0 / 20, 1.0 / 12) * last);
    s = both[0], c = both[1];
  } else {
    const double t = __builtin_sqrt(angle2);
    s = __builtin_sin(t) / t;
    c = __builtin_cos(t);
  }
  const Quad v = splat_quad(s) * a / splat_quad(2);
  return Quad{c, v[0], v[1], v[2]};
}

void update_kinematics(const FreeBodyView& f, std::int32_t begin, std::int32_t end) {
  const double* s = f.states + std::ptrdiff_t{free_body_numbers} * begin;
  for (std::ptrdiff_t i = begin; i < end; ++i, s += free_body_numbers) {
    const Quad q = load_quad(s + 3);
    const Columns R = rotation_of(q);
    store3(f.center + 3 * i, load3(s));
    store_quad(f.orientation + 4 * i, q);
    store3(f.linear_velocity + 3 * i, load3(s + 7));
    store3(f.angular_velocity + 3 * i, load3(s + 10));
    store_columns(f.rotation + 9 * i, R);
    const double* inertia = f.inertia_B + 9 * i;
    store_columns(f.inertia_W + 9 * i,
                  f.is_isotropic[i] != 0 ? load_columns(inertia) : turned_inertia(R, inertia));
  }
}

void integrate_one(double dt, const double* u, const double* s, double* t) {
  const Quad h = splat_quad(dt), v = load3(u), w = load3(u + 3);
  Quad q = load_quad(s + 3);
  const bool turns = (u[3] != 0) | (u[4] != 0) | (u[5] != 0);
  if (turns) {  // else the same bits
    q = multiply_quaternions(exponential(h * w), q);
    const Quad q2 = q * q;
    q = splat_quad(1 / __builtin_sqrt(q2[0] + q2[1] + q2[2] + q2[3])) * q;
  }
  store_quad(t, load3(s) + h * v);
  store_quad(t + 3, q);
  store_quad(t + 7, v);
  store3(t + 10, w);
}

/// w first.
struct Quaternions {
  Pack w, x, y, z;
};

ABUT_INLINE Quaternions operator*(const Quaternions& a, const Quaternions& b) {
  return {
      a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
      a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}

/// exponential() of eight, with its bits.
ABUT_INLINE Quaternions exponentials(const Pack3& a) {
  const Pack one = 1.0, angle2 = (a.x * a.x + a.y * a.y + a.z * a.z) / Pack(4);
  const auto series = [&](double k1, double k2, double k3, double k4) {
    const auto term = [&](double k) { return angle2 * Pack(k); };
    return one - term(k1) * (one - term(k2) * (one - term(k3) * (one - term(k4))));
  };
  Pack s = series(1.0 / 6, 1.0 / 20, 1.0 / 42, 1.0 / 72),
       c = series(1.0 / 2, 1.0 / 12, 1.0 / 30, 1.0 / 56);
  const unsigned large = 0xff & ~bits(angle2 < Pack(most_by_series));
  if (large != 0) {
    double squares[8], sines[8], cosines[8];
    storeu(squares, angle2), storeu(sines, s), storeu(cosines, c);
    for (int i = 0; i < 8; ++i) {
      if ((large >> i & 1) == 0) continue;
      const double t = __builtin_sqrt(squares[i]);
      sines[i] = __builtin_sin(t) / t;
      cosines[i] = __builtin_cos(t);
    }
    s = loadu(sines), c = loadu(cosines);
  }
  const Pack two = 2.0;
  return {c, s * a.x / two, s * a.y / two, s * a.z / two};
}

/// integrate_one() of eight bodies, with its bits.
void integrate_eight(double dt, const double* velocity, const double* from, double* to) {
  const double *u[8], *s[8];
  for (int i = 0; i < 8; ++i) u[i] = velocity + 6 * i, s[i] = from + free_body_numbers * i;
  const Pack4 linear = gather_fours(u, 0), rest = gather_fours(u, 2);
  const Pack3 v = {linear.x, linear.y, linear.z}, w = {linear.w, rest.z, rest.w};
  const Pack4 place = gather_fours(s, 0), turn = gather_fours(s, 3);
  const Pack zero = 0.0, h = dt;
  const Quaternions q = {turn.x, turn.y, turn.z, turn.w};
  const Quaternions p = exponentials({h * w.x, h * w.y, h * w.z}) * q;
  const Pack scale = Pack(1) / sqrt(p.w * p.w + p.x * p.x + p.y * p.y + p.z * p.z);
  const PackMask stays = w.x == zero && w.y == zero && w.z == zero;
  const auto turned = [&](const Pack& before, const Pack& after) {
    return select(stays, before, scale * after);
  };
  store_columns(to, free_body_numbers, place.x + h * v.x, place.y + h * v.y, place.z + h * v.z,
                turned(q.w, p.w));
  store_columns(to + 4, free_body_numbers, turned(q.x, p.x), turned(q.y, p.y), turned(q.z, p.z),
                v.x);
  store_columns(to + 8, free_body_numbers, v.y, v.z, w.x, w.y);
  double last[8];
  storeu(last, w.z);
  for (int i = 0; i < 8; ++i) to[free_body_numbers * i + 12] = last[i];
}

void integrate(double dt, const double* velocity, const double* from, double* to,
               std::int32_t begin, std::int32_t end) {
  std::ptrdiff_t i = begin;
  for (; i + 8 <= end; i += 8) {
    integrate_eight(dt, velocity + 6 * i, from + free_body_numbers * i, to + free_body_numbers * i);
  }
  for (; i < end; ++i) {
    integrate_one(dt, velocity + 6 * i, from + free_body_numbers * i, to + free_body_numbers * i);
  }
}

}  // namespace

// Constant-initialized: no code of this instruction set runs before it is chosen.
constinit const FreeBodyKernels free_body_table = {update_kinematics, integrate};

}  // namespace abut::ABUT_ISA
