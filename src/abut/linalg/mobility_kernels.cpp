// Mobilities of points, eight at a time.

#include <cstddef>

#include "abut/linalg/dense_spd.hpp"
#include "abut/linalg/kernel_functions.hpp"
#include "abut/linalg/simd.hpp"
#include "abut/linalg/triples.hpp"
#include "abut/linalg/twist_mobility.hpp"

namespace abut::ABUT_ISA {
namespace {

// No function of Vec3 or Mat3 is called here: it would be compiled for this instruction set alone,
// and replace that of others.

// T is a Pack, or a double for what no pack is filled with: bit for bit the same.

ABUT_INLINE double sqrt(double x) {
  return __builtin_sqrt(x);
}

template <class T>
struct Vector {
  T x, y, z;
};

/// The lower triangle of W, summed over the sides.
template <class T>
struct Symmetric {
  T xx, xy, xz, yy, yz, zz;
};

template <class T>
ABUT_INLINE Vector<T> spread(const Vec3& v) {
  return {T(v.x), T(v.y), T(v.z)};
}

/// s a - t b
template <class T>
ABUT_INLINE Vector<T> combine(const T& s, const Vector<T>& a, const T& t, const Vector<T>& b) {
  return {fnma(b.x, t, a.x * s), fnma(b.y, t, a.y * s), fnma(b.z, t, a.z * s)};
}

/// The side of points: of all one body, or of each its own.
template <class T>
struct Side {
  Vector<T> center;
  Vector<T> angular[3];  ///< by columns
  T per_mass;
};
template <class T>
ABUT_INLINE Side<T> spread(const TwistMobility& m) {
  const auto column = [&](int k) __attribute__((always_inline)) {
    return spread<T>(m.angular.col[k]);
  };
  return {spread<T>(m.center), {column(0), column(1), column(2)}, T(m.per_mass)};
}

/// W += S M S^T of points, S the velocity of a point of a twist. Column k of it is what a unit
/// impulse along axis k does: it turns the body by w_k, and W_k = v_k + w_k x r. `coupled` has P
/// and Q of a body that is.
template <bool is_coupled, class T>
ABUT_INLINE void add_side(const Side<T>& m, [[maybe_unused]] const TwistMobility* coupled,
                          const Vector<T>& at, Symmetric<T>& w) {
  const T rx = at.x - m.center.x, ry = at.y - m.center.y, rz = at.z - m.center.z;
  const Vector<T>* const R = m.angular;
  // R (r x e_k)
  Vector<T> wx = combine(rz, R[1], ry, R[2]), wy = combine(rx, R[2], rz, R[0]),
            wz = combine(ry, R[0], rx, R[1]);
  if constexpr (!is_coupled) {
    w.xx += m.per_mass, w.yy += m.per_mass, w.zz += m.per_mass;
  } else {
    const Mat3 &P = coupled->linear, &Q = coupled->coupling;
    w.xx += T(P.col[0].x), w.yy += T(P.col[1].y), w.zz += T(P.col[2].z);
    const auto add = [](Vector<T>& to, double x, double y, double z) {
      to.x += T(x), to.y += T(y), to.z += T(z);
    };
    add(wx, Q.col[0].x, Q.col[1].x, Q.col[2].x);
    add(wy, Q.col[0].y, Q.col[1].y, Q.col[2].y);
    add(wz, Q.col[0].z, Q.col[1].z, Q.col[2].z);
    const Vector<T> q[] = {spread<T>(Q.col[0]), spread<T>(Q.col[1]), spread<T>(Q.col[2])};
    const Vector<T> vx = combine(rz, q[1], ry, q[2]), vy = combine(rx, q[2], rz, q[0]),
                    vz = combine(ry, q[0], rx, q[1]);
    w.xx += vx.x, w.yy += vy.y, w.zz += vz.z;
    w.xy += T(P.col[1].x) + vy.x, w.xz += T(P.col[2].x) + vz.x;
    w.yz += T(P.col[2].y) + vz.y;
  }
  w.xx += fnma(wx.z, ry, wx.y * rz), w.xy += fnma(wy.z, ry, wy.y * rz);
  w.xz += fnma(wz.z, ry, wz.y * rz), w.yy += fnma(wy.x, rz, wy.z * rx);
  w.yz += fnma(wz.x, rz, wz.z * rx), w.zz += fnma(wz.y, rx, wz.x * ry);
}

template <class T>
struct Found {
  T mean, normal, tangential;
  Vector<T> response;
};

template <class T>
ABUT_INLINE Found<T> mobilities(const Symmetric<T>& w, const Vector<T>& n) {
  const T square = fma(w.xx, w.xx, fma(w.yy, w.yy, w.zz * w.zz)),
          across = fma(w.xy, w.xy, fma(w.xz, w.xz, w.yz * w.yz));
  const Vector<T> wn{fma(w.xx, n.x, fma(w.xy, n.y, w.xz * n.z)),
                     fma(w.xy, n.x, fma(w.yy, n.y, w.yz * n.z)),
                     fma(w.xz, n.x, fma(w.yz, n.y, w.zz * n.z))};
  const T along = fma(n.x, wn.x, fma(n.y, wn.y, n.z * wn.z));
  return {sqrt(fma(T(2), across, square)) * T(1.0 / 3), along,
          T(0.5) * (w.xx + w.yy + w.zz - along), wn};
}

template <class T>
ABUT_INLINE Found<T> mobilities(const Vector<T>& at, const Vector<T>& n,
                                const TwistMobility* const* sides, int side_count) {
  Symmetric<T> w{T(0), T(0), T(0), T(0), T(0), T(0)};
  for (int s = 0; s < side_count; ++s) {
    const TwistMobility& m = *sides[s];
    const Side<T> side = spread<T>(m);
    m.is_coupled ? add_side<true>(side, &m, at, w) : add_side<false>(side, &m, at, w);
  }
  return mobilities(w, n);
}

ABUT_INLINE double at_least(double x, double least) {
  return x < least ? least : x;
}
ABUT_INLINE Pack at_least(const Pack& x, double least) {
  return select(x < Pack(least), Pack(least), x);
}

// write() stores what the first `count` points have, at most eight.

ABUT_INLINE void write(double x, int /*count*/, double* to) {
  *to = x;
}
ABUT_INLINE void write(const Pack& x, int count, double* to) {
  store_first(to, x, count);
}
ABUT_INLINE void write(const Vector<double>& v, int /*count*/, Vec3* to) {
  to->x = v.x, to->y = v.y, to->z = v.z;
}
ABUT_INLINE void write(const Vector<Pack>& v, int count, Vec3* to) {
  double x[8], y[8], z[8];
  storeu(x, v.x), storeu(y, v.y), storeu(z, v.z);
  for (int i = 0; i < count; ++i) to[i].x = x[i], to[i].y = y[i], to[i].z = z[i];
}

template <class T>
ABUT_INLINE void write(const Found<T>& found, int i, int count, const PointMobilities& to) {
  write(at_least(found.mean, to.least_mean), count, to.mean + i);
  write(at_least(found.normal, 0), count, to.normal + i);
  write(at_least(found.tangential, 0), count, to.tangential + i);
  if (to.response != nullptr) write(found.response, count, to.response + i);
}

ABUT_INLINE Vector<double> load_one(const Vec3* v) {
  return {v->x, v->y, v->z};
}
/// Up to eight, zeros behind them.
ABUT_INLINE Vector<Pack> load_eight(const Vec3* v, int count) {
  const Pack3 r = load_triples(&v->x, count);
  return {r.x, r.y, r.z};
}

/// From how many points on a pack takes less time than one after the other.
constexpr int worth_a_pack = vec_width == 8 ? 1 : vec_width == 4 ? 4 : 8;

}  // namespace

void point_mobilities(int count, const Vec3* points, const Vec3* normals,
                      const TwistMobility* const* sides, int side_count,
                      const PointMobilities& result) {
  int i = 0;
  for (; count - i >= worth_a_pack; i += 8) {
    const int some = count - i < 8 ? count - i : 8;
    write(
        mobilities(load_eight(points + i, some), load_eight(normals + i, some), sides, side_count),
        i, some, result);
  }
  for (; i < count; ++i) {
    write(mobilities(load_one(points + i), load_one(normals + i), sides, side_count), i, 1, result);
  }
}

namespace {

/// The sides of eight points, each its own.
ABUT_INLINE Side<Pack> gather(const TwistMobility* const side[8]) {
  static_assert(offsetof(TwistMobility, angular) == offsetof(TwistMobility, center) + sizeof(Vec3));
  const double* number[8];
  double per_mass[8];
  for (int i = 0; i < 8; ++i) number[i] = &side[i]->center.x, per_mass[i] = side[i]->per_mass;
  const Pack4 p = gather_fours(number, 0), q = gather_fours(number, 4), r = gather_fours(number, 8);
  return {{p.x, p.y, p.z}, {{p.w, q.x, q.y}, {q.z, q.w, r.x}, {r.y, r.z, r.w}}, loadu(per_mass)};
}

}  // namespace

void be_rigid_bodies(int count, const double* first, std::ptrdiff_t stride,
                     TwistMobility* mobilities) {
  using V = Vector<Pack>;
  const auto cross = [](const V& a, const V& b) {
    return V{a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
  };
  for (int i = 0; i < count; i += 8) {
    const int some = count - i < 8 ? count - i : 8;
    const double* body[8];
    double last[8];
    for (int k = 0; k < 8; ++k) {  // beyond the last one the first one again
      body[k] = first + stride * (k < some ? i + k : i);
      last[k] = body[k][12];
    }
    const Pack4 p = gather_fours(body, 0), q = gather_fours(body, 4), r = gather_fours(body, 8);
    const V x = {q.x, q.y, q.z}, y = {q.w, r.x, r.y}, z = {r.z, r.w, loadu(last)};
    // inverse() of a Mat3
    const V a = cross(y, z), b = cross(z, x), c = cross(x, y);
    const Pack s = Pack(1) / (x.x * a.x + x.y * a.y + x.z * a.z);
    double lanes[8][12];
    store_columns(lanes[0], 12, p.y, p.z, p.w, s * a.x);
    store_columns(lanes[0] + 4, 12, s * b.x, s * c.x, s * a.y, s * b.y);
    store_columns(lanes[0] + 8, 12, s * c.y, s * a.z, s * b.z, s * c.z);
    double per_mass[8];
    storeu(per_mass, Pack(1) / p.x);
    for (int k = 0; k < some; ++k) {
      TwistMobility& m = mobilities[i + k];
      double* to = &m.center.x;
      store_quad(to, load_quad(lanes[k]));
      store_quad(to + 4, load_quad(lanes[k] + 4));
      store_quad(to + 8, load_quad(lanes[k] + 8));
      m.per_mass = per_mass[k];
      m.is_coupled = false;
    }
  }
}

void pair_mobilities(int count, const Vec3* points, const Vec3* normals,
                     const TwistMobility* bodies, const BodyPair* pairs,
                     const PointMobilities& result) {
  int i = 0;
  for (; count - i >= worth_a_pack; i += 8) {
    const int some = count - i < 8 ? count - i : 8;
    const TwistMobility *a[8], *b[8];
    for (int k = 0; k < 8; ++k) {  // beyond the last one the first one again
      const BodyPair& pair = pairs[k < some ? i + k : i];
      a[k] = bodies + pair.a, b[k] = bodies + pair.b;
    }
    Symmetric<Pack> w{Pack(0), Pack(0), Pack(0), Pack(0), Pack(0), Pack(0)};
    const Vector<Pack> at = load_eight(points + i, some);
    add_side<false>(gather(a), nullptr, at, w);
    add_side<false>(gather(b), nullptr, at, w);
    write(mobilities(w, load_eight(normals + i, some)), i, some, result);
  }
  for (; i < count; ++i) {
    Symmetric<double> w{0, 0, 0, 0, 0, 0};
    const Vector<double> at = load_one(points + i);
    add_side<false>(spread<double>(bodies[pairs[i].a]), nullptr, at, w);
    add_side<false>(spread<double>(bodies[pairs[i].b]), nullptr, at, w);
    write(mobilities(w, load_one(normals + i)), i, 1, result);
  }
}

namespace {

/// Rows of body b less those of body a, moved to b's center.
template <int rows>
ABUT_INLINE void load_rows(const BodyRows& b, const BodyRows& a, int width, const double* d, int q,
                           Pack (&row)[rows]) {
  for (int r = 0; r < rows; ++r) row[r] = r < b.count ? loadu(b.rows + r * width + q) : Pack(0);
  if (a.rows == nullptr) return;
  Pack other[6];
  for (int r = 0; r < 6; ++r) other[r] = r < a.count ? loadu(a.rows + r * width + q) : Pack(0);
  const Pack &wx = other[3], &wy = other[4], &wz = other[5];
  row[0] -= fma(wy, Pack(d[2]), fnma(wz, Pack(d[1]), other[0]));
  row[1] -= fma(wz, Pack(d[0]), fnma(wx, Pack(d[2]), other[1]));
  row[2] -= fma(wx, Pack(d[1]), fnma(wy, Pack(d[0]), other[2]));
  for (int r = 3; r < rows; ++r) row[r] -= other[r];
}

template <int rows>
ABUT_INLINE void multiply_rows_by_themselves(int width, const BodyRows& b, const BodyRows& a,
                                             const double* d, double* matrix) {
  constexpr int products = rows * (rows + 1) / 2, whole = (products + 5) / 6 * 6;
  Pack sums[whole];
  for (int k = 0; k < whole; ++k) sums[k] = Pack(0);
  for (int q = 0; q < width; q += 8) {
    Pack row[rows];
    load_rows(b, a, width, d, q, row);
    int k = 0;
#pragma GCC unroll 6
    for (int r = 0; r < rows; ++r) {
#pragma GCC unroll 6
      for (int c = 0; c <= r; ++c, ++k) sums[k] = fma(row[r], row[c], sums[k]);
    }
  }
  double total[whole + 2];
  for (int k = 0; k < whole; k += 6) storeu(total + k, sums6(sums + k));
  int k = 0;
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c <= r; ++c, ++k) matrix[6 * r + c] = total[k];
  }
}

}  // namespace

void relative_mobility(int width, const BodyRows& b, const BodyRows& a, const double* d,
                       double* matrix) {
  if (b.count == 3 && (a.rows == nullptr || a.count == 3)) {
    for (int k = 18; k < 36; ++k) matrix[k] = 0;
    return multiply_rows_by_themselves<3>(width, b, a, d, matrix);
  }
  multiply_rows_by_themselves<6>(width, b, a, d, matrix);
}

}  // namespace abut::ABUT_ISA
