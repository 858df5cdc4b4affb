#pragma once

// Vectors of three numbers in registers of four, and those of eight things in packs. For sources
// that are compiled once per instruction set.

#include "abut/linalg/simd.hpp"

namespace abut::ABUT_ISA {
namespace {

ABUT_INLINE Quad next_axis(Quad a) {  // y z x
  return __builtin_shufflevector(a, a, 1, 2, 0, 3);
}
ABUT_INLINE Quad cross(Quad a, Quad b) {
  return next_axis(a * next_axis(b) - next_axis(a) * b);
}

struct Pack3 {
  Pack x, y, z;
};

/// Three numbers of each of eight, behind each other in these.
ABUT_INLINE Pack3 split_triples(const Pack& p, const Pack& q, const Pack& s) {
  Pack3 r;
#if defined(__AVX512F__)
  const Vec a = p.part[0], b = q.part[0], c = s.part[0];
  const Vec x = __builtin_shufflevector(a, b, 0, 3, 6, 9, 12, 15, 0, 0),
            y = __builtin_shufflevector(a, b, 1, 4, 7, 10, 13, 0, 0, 0),
            z = __builtin_shufflevector(a, b, 2, 5, 8, 11, 14, 0, 0, 0);
  r.x.part[0] = __builtin_shufflevector(x, c, 0, 1, 2, 3, 4, 5, 10, 13);
  r.y.part[0] = __builtin_shufflevector(y, c, 0, 1, 2, 3, 4, 8, 11, 14);
  r.z.part[0] = __builtin_shufflevector(z, c, 0, 1, 2, 3, 4, 9, 12, 15);
#elif defined(__AVX2__)
  const Vec all[6] = {p.part[0], p.part[1], q.part[0], q.part[1], s.part[0], s.part[1]};
  for (int i = 0; i < 2; ++i) {
    const Vec a = all[3 * i], b = all[3 * i + 1], c = all[3 * i + 2];
    const Vec x = __builtin_shufflevector(a, b, 0, 3, 6, 0),
              y = __builtin_shufflevector(a, b, 1, 4, 7, 0),
              z = __builtin_shufflevector(a, b, 2, 5, 0, 0);
    r.x.part[i] = __builtin_shufflevector(x, c, 0, 1, 2, 5);
    r.y.part[i] = __builtin_shufflevector(y, c, 0, 1, 2, 6);
    r.z.part[i] = __builtin_shufflevector(z, c, 0, 1, 4, 7);
  }
#else
  const Pack* const all[3] = {&p, &q, &s};
  for (int i = 0; i < 4; ++i) {
    const auto at = [&](int k) {
      const int lane = 6 * i + k;
      return all[lane / 8]->part[lane % 8 / 2][lane % 2];
    };
    r.x.part[i] = Vec{at(0), at(3)}, r.y.part[i] = Vec{at(1), at(4)},
    r.z.part[i] = Vec{at(2), at(5)};
  }
#endif
  return r;
}

/// Of `count` of them, more than eight are eight; zeros behind them.
ABUT_INLINE Pack3 load_triples(const double* p, int count) {
  if (count >= 8) return split_triples(loadu(p), loadu(p + 8), loadu(p + 16));
  const auto some = [&](int from) __attribute__((always_inline)) {
    const int n = 3 * count - from;
    return n > 0 ? load_first(p + from, n < 8 ? n : 8) : Pack(0.0);
  };
  return split_triples(some(0), some(8), some(16));
}

struct Pack4 {
  Pack x, y, z, w;
};

/// Four numbers of each of eight.
ABUT_INLINE Pack4 split_fours(const Quad q[8]) {
  Pack4 r;
#if defined(__AVX512F__)
  const auto pair = [&](int k) {  // things k and k + 1
    return __builtin_shufflevector(q[k], q[k + 1], 0, 1, 2, 3, 4, 5, 6, 7);
  };
  const auto merge = [](Vec a, Vec b, Vec& xy, Vec& zw) {  // of four: x x x x y y y y
    xy = __builtin_shufflevector(a, b, 0, 4, 8, 12, 1, 5, 9, 13);
    zw = __builtin_shufflevector(a, b, 2, 6, 10, 14, 3, 7, 11, 15);
  };
  Vec xy[2], zw[2];
  merge(pair(0), pair(2), xy[0], zw[0]);
  merge(pair(4), pair(6), xy[1], zw[1]);
  r.x.part[0] = __builtin_shufflevector(xy[0], xy[1], 0, 1, 2, 3, 8, 9, 10, 11);
  r.y.part[0] = __builtin_shufflevector(xy[0], xy[1], 4, 5, 6, 7, 12, 13, 14, 15);
  r.z.part[0] = __builtin_shufflevector(zw[0], zw[1], 0, 1, 2, 3, 8, 9, 10, 11);
  r.w.part[0] = __builtin_shufflevector(zw[0], zw[1], 4, 5, 6, 7, 12, 13, 14, 15);
#elif defined(__AVX2__)
  for (int i = 0; i < 2; ++i, q += 4) {
    const Quad ab = __builtin_shufflevector(q[0], q[1], 0, 4, 1, 5),
               cd = __builtin_shufflevector(q[2], q[3], 0, 4, 1, 5),
               ab_zw = __builtin_shufflevector(q[0], q[1], 2, 6, 3, 7),
               cd_zw = __builtin_shufflevector(q[2], q[3], 2, 6, 3, 7);
    r.x.part[i] = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
    r.y.part[i] = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
    r.z.part[i] = __builtin_shufflevector(ab_zw, cd_zw, 0, 1, 4, 5);
    r.w.part[i] = __builtin_shufflevector(ab_zw, cd_zw, 2, 3, 6, 7);
  }
#else
  for (int i = 0; i < 4; ++i, q += 2) {
    r.x.part[i] = Vec{q[0][0], q[1][0]}, r.y.part[i] = Vec{q[0][1], q[1][1]};
    r.z.part[i] = Vec{q[0][2], q[1][2]}, r.w.part[i] = Vec{q[0][3], q[1][3]};
  }
#endif
  return r;
}

/// Of each of eight things the four numbers from `from` on.
ABUT_INLINE Pack4 gather_fours(const double* const thing[8], int from) {
  Quad q[8];
  for (int i = 0; i < 8; ++i) q[i] = load_quad(thing[i] + from);
  return split_fours(q);
}

/// The first three of four numbers of each of eight; read as they were written, by fours.
ABUT_INLINE Pack3 load_quads(const double* p) {
#if defined(__AVX2__)
  Quad q[8];
  for (int i = 0; i < 8; ++i) q[i] = load_quad(p + 4 * i);
  const Pack4 r = split_fours(q);
  return {r.x, r.y, r.z};
#else  // where vectors of four are slow
  Pack3 r;
  for (int i = 0; i < 4; ++i, p += 8) {
    r.x.part[i] = Vec{p[0], p[4]}, r.y.part[i] = Vec{p[1], p[5]}, r.z.part[i] = Vec{p[2], p[6]};
  }
  return r;
#endif
}

/// Lane i of the four to to[i * stride] and on.
ABUT_INLINE void store_columns(double* to, std::ptrdiff_t stride, const Pack& a, const Pack& b,
                               const Pack& c, const Pack& d) {
#if defined(__AVX512F__)
  const Vec x = a.part[0], y = b.part[0], z = c.part[0], w = d.part[0];
  const Vec even_xy = __builtin_shufflevector(x, y, 0, 8, 2, 10, 4, 12, 6, 14),
            odd_xy = __builtin_shufflevector(x, y, 1, 9, 3, 11, 5, 13, 7, 15),
            even_zw = __builtin_shufflevector(z, w, 0, 8, 2, 10, 4, 12, 6, 14),
            odd_zw = __builtin_shufflevector(z, w, 1, 9, 3, 11, 5, 13, 7, 15);
  const auto put = [&](Vec first, Vec second, int lane) {  // lanes `lane` and 4 more
    const Vec both = lane % 4 < 2
                         ? __builtin_shufflevector(first, second, 0, 1, 8, 9, 4, 5, 12, 13)
                         : __builtin_shufflevector(first, second, 2, 3, 10, 11, 6, 7, 14, 15);
    store_quad(to + lane * stride, __builtin_shufflevector(both, both, 0, 1, 2, 3));
    store_quad(to + (lane + 4) * stride, __builtin_shufflevector(both, both, 4, 5, 6, 7));
  };
  put(even_xy, even_zw, 0);
  put(odd_xy, odd_zw, 1);
  put(even_xy, even_zw, 2);
  put(odd_xy, odd_zw, 3);
#elif defined(__AVX2__)
  for (int i = 0; i < 2; ++i, to += 4 * stride) {
    const Vec x = a.part[i], y = b.part[i], z = c.part[i], w = d.part[i];
    const Vec even_xy = __builtin_shufflevector(x, y, 0, 4, 2, 6),
              odd_xy = __builtin_shufflevector(x, y, 1, 5, 3, 7),
              even_zw = __builtin_shufflevector(z, w, 0, 4, 2, 6),
              odd_zw = __builtin_shufflevector(z, w, 1, 5, 3, 7);
    store_quad(to, __builtin_shufflevector(even_xy, even_zw, 0, 1, 4, 5));
    store_quad(to + stride, __builtin_shufflevector(odd_xy, odd_zw, 0, 1, 4, 5));
    store_quad(to + 2 * stride, __builtin_shufflevector(even_xy, even_zw, 2, 3, 6, 7));
    store_quad(to + 3 * stride, __builtin_shufflevector(odd_xy, odd_zw, 2, 3, 6, 7));
  }
#else
  for (int i = 0; i < 4; ++i) {
    for (int k = 0; k < 2; ++k, to += stride) {
      store_quad(to, Quad{a.part[i][k], b.part[i][k], c.part[i][k], d.part[i][k]});
    }
  }
#endif
}

}  // namespace
}  // namespace abut::ABUT_ISA
