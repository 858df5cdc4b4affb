#pragma once

// Vectors for the kernels. Only sources compiled once per instruction set include this file; the
// build defines ABUT_ISA as the namespace of that set. Everything here has internal linkage, so
// that no code compiled for one processor can replace code compiled for another.

#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define ABUT_INLINE inline __attribute__((always_inline))

namespace abut::ABUT_ISA {
namespace {

#if defined(__AVX512F__)
constexpr int vec_width = 8;
#elif defined(__AVX2__)
constexpr int vec_width = 4;
#else
constexpr int vec_width = 2;
#endif

using Vec = double __attribute__((vector_size(8 * vec_width)));
typedef double VecUnaligned __attribute__((vector_size(8 * vec_width), aligned(8), may_alias));
using VecMask = std::int64_t __attribute__((vector_size(8 * vec_width)));

/// a b + c, rounded once where the instruction set has it.
ABUT_INLINE Vec fma(Vec a, Vec b, Vec c) {
#if defined(__AVX512F__)
  return _mm512_fmadd_pd(a, b, c);
#elif defined(__AVX2__)
  return _mm256_fmadd_pd(a, b, c);
#else
  return a * b + c;
#endif
}
/// c - a b
ABUT_INLINE Vec fnma(Vec a, Vec b, Vec c) {
#if defined(__AVX512F__)
  return _mm512_fnmadd_pd(a, b, c);
#elif defined(__AVX2__)
  return _mm256_fnmadd_pd(a, b, c);
#else
  return c - a * b;
#endif
}
ABUT_INLINE double fma(double a, double b, double c) {
#if defined(__FMA__)
  return __builtin_fma(a, b, c);
#else
  return a * b + c;
#endif
}
ABUT_INLINE double fnma(double a, double b, double c) {
  return fma(-a, b, c);
}
ABUT_INLINE Vec vec_sqrt(Vec a) {
#if defined(__AVX512F__)
  return _mm512_maskz_sqrt_pd(0xff, a);  // the plain form warns in GCC 12
#elif defined(__AVX2__)
  return _mm256_sqrt_pd(a);
#elif defined(__x86_64__)
  return _mm_sqrt_pd(a);
#else
  for (int i = 0; i < vec_width; ++i) a[i] = __builtin_sqrt(a[i]);
  return a;
#endif
}

ABUT_INLINE Vec load_vec(const double* p) {
  return *reinterpret_cast<const Vec*>(p);
}
ABUT_INLINE Vec loadu_vec(const double* p) {
  return *reinterpret_cast<const VecUnaligned*>(p);
}
ABUT_INLINE void store_vec(double* p, Vec a) {
  *reinterpret_cast<Vec*>(p) = a;
}
ABUT_INLINE void storeu_vec(double* p, Vec a) {
  *reinterpret_cast<VecUnaligned*>(p) = a;
}
ABUT_INLINE Vec splat(double a) {
#if defined(__AVX512F__)
  return _mm512_set1_pd(a);
#elif defined(__AVX2__)
  return _mm256_set1_pd(a);
#else
  return Vec{a, a};
#endif
}

/// Eight doubles, in as many registers as they need: the unit in which contacts and body vectors
/// are processed, the same for every instruction set.
struct Pack {
  static constexpr int parts = 8 / vec_width;
  Vec part[parts];

  Pack() = default;
  ABUT_INLINE Pack(double a) {
    for (int i = 0; i < parts; ++i) part[i] = splat(a);
  }
};
struct PackMask {
  VecMask part[Pack::parts];
};

#define ABUT_PACK_LOOP for (int i = 0; i < Pack::parts; ++i)

ABUT_INLINE Pack load(const double* p) {
  Pack r;
  ABUT_PACK_LOOP r.part[i] = load_vec(p + i * vec_width);
  return r;
}
ABUT_INLINE Pack loadu(const double* p) {
  Pack r;
  ABUT_PACK_LOOP r.part[i] = loadu_vec(p + i * vec_width);
  return r;
}
ABUT_INLINE void store(double* p, const Pack& a) {
  ABUT_PACK_LOOP store_vec(p + i * vec_width, a.part[i]);
}
ABUT_INLINE void storeu(double* p, const Pack& a) {
  ABUT_PACK_LOOP storeu_vec(p + i * vec_width, a.part[i]);
}

ABUT_INLINE Pack operator+(const Pack& a, const Pack& b) {
  Pack r;
  ABUT_PACK_LOOP r.part[i] = a.part[i] + b.part[i];
  return r;
}
ABUT_INLINE Pack operator-(const Pack& a, const Pack& b) {
  Pack r;
  ABUT_PACK_LOOP r.part[i] = a.part[i] - b.part[i];
  return r;
}
ABUT_INLINE Pack operator-(const Pack& a) {
  Pack r;
  ABUT_PACK_LOOP r.part[i] = -a.part[i];
  return r;
}
ABUT_INLINE Pack operator*(const Pack& a, const Pack& b) {
  Pack r;
  ABUT_PACK_LOOP r.part[i] = a.part[i] * b.part[i];
  return r;
}
ABUT_INLINE Pack operator/(const Pack& a, const Pack& b) {
  Pack r;
  ABUT_PACK_LOOP r.part[i] = a.part[i] / b.part[i];
  return r;
}
ABUT_INLINE Pack& operator+=(Pack& a, const Pack& b) {
  return a = a + b;
}
ABUT_INLINE Pack& operator-=(Pack& a, const Pack& b) {
  return a = a - b;
}

ABUT_INLINE Pack fma(const Pack& a, const Pack& b, const Pack& c) {
  Pack r;
  ABUT_PACK_LOOP r.part[i] = fma(a.part[i], b.part[i], c.part[i]);
  return r;
}
ABUT_INLINE Pack fnma(const Pack& a, const Pack& b, const Pack& c) {
  Pack r;
  ABUT_PACK_LOOP r.part[i] = fnma(a.part[i], b.part[i], c.part[i]);
  return r;
}
ABUT_INLINE Pack sqrt(const Pack& a) {
  Pack r;
  ABUT_PACK_LOOP r.part[i] = vec_sqrt(a.part[i]);
  return r;
}

ABUT_INLINE PackMask operator<(const Pack& a, const Pack& b) {
  PackMask r;
  ABUT_PACK_LOOP r.part[i] = a.part[i] < b.part[i];
  return r;
}
ABUT_INLINE PackMask operator>(const Pack& a, const Pack& b) {
  return b < a;
}
ABUT_INLINE PackMask operator<=(const Pack& a, const Pack& b) {
  PackMask r;
  ABUT_PACK_LOOP r.part[i] = a.part[i] <= b.part[i];
  return r;
}
ABUT_INLINE PackMask operator>=(const Pack& a, const Pack& b) {
  return b <= a;
}
ABUT_INLINE PackMask operator==(const Pack& a, const Pack& b) {
  PackMask r;
  ABUT_PACK_LOOP r.part[i] = a.part[i] == b.part[i];
  return r;
}
ABUT_INLINE PackMask operator&&(const PackMask& a, const PackMask& b) {
  PackMask r;
  ABUT_PACK_LOOP r.part[i] = a.part[i] & b.part[i];
  return r;
}
ABUT_INLINE PackMask operator||(const PackMask& a, const PackMask& b) {
  PackMask r;
  ABUT_PACK_LOOP r.part[i] = a.part[i] | b.part[i];
  return r;
}
ABUT_INLINE Pack select(const PackMask& m, const Pack& a, const Pack& b) {
  Pack r;
  ABUT_PACK_LOOP r.part[i] = m.part[i] ? a.part[i] : b.part[i];
  return r;
}
ABUT_INLINE bool all(const PackMask& m) {
  VecMask both = m.part[0];
  for (int i = 1; i < Pack::parts; ++i) both &= m.part[i];
  for (int k = 0; k < vec_width; ++k) {
    if (both[k] == 0) return false;
  }
  return true;
}
/// The larger one; b where a is NaN.
ABUT_INLINE Pack max(const Pack& a, const Pack& b) {
  return select(a > b, a, b);
}
ABUT_INLINE Pack min(const Pack& a, const Pack& b) {
  return select(a < b, a, b);
}

/// Bit i is set if lane i is not zero.
ABUT_INLINE unsigned nonzero_bits(const Pack& a) {
#if defined(__AVX512F__)
  return _mm512_cmp_pd_mask(a.part[0], Vec{}, _CMP_NEQ_UQ);
#elif defined(__AVX2__)
  const auto bits = [](Vec v) {
    return static_cast<unsigned>(_mm256_movemask_pd(_mm256_cmp_pd(v, Vec{}, _CMP_NEQ_UQ)));
  };
  return bits(a.part[0]) | bits(a.part[1]) << 4;
#else
  unsigned bits = 0;
  ABUT_PACK_LOOP {
    for (int k = 0; k < vec_width; ++k) bits |= unsigned{a.part[i][k] != 0} << (i * vec_width + k);
  }
  return bits;
#endif
}

/// Bit i is set if lane i of the mask is.
ABUT_INLINE unsigned bits(const PackMask& m) {
#if defined(__AVX512F__)
  return _mm512_movepi64_mask(reinterpret_cast<__m512i>(m.part[0]));
#elif defined(__AVX2__)
  const auto part = [](VecMask v) {
    return static_cast<unsigned>(_mm256_movemask_pd(reinterpret_cast<Vec>(v)));
  };
  return part(m.part[0]) | part(m.part[1]) << 4;
#else
  unsigned bits = 0;
  ABUT_PACK_LOOP {
    for (int k = 0; k < vec_width; ++k) bits |= unsigned{m.part[i][k] != 0} << (i * vec_width + k);
  }
  return bits;
#endif
}

/// Four doubles, for the columns of small blocks. They are never passed in registers: how wide
/// those are does not matter.
#pragma GCC diagnostic ignored "-Wpsabi"
using Quad = double __attribute__((vector_size(32)));
typedef double QuadUnaligned __attribute__((vector_size(32), aligned(8), may_alias));

ABUT_INLINE Quad load_quad(const double* p) {
  return *reinterpret_cast<const QuadUnaligned*>(p);
}
ABUT_INLINE void store_quad(double* p, Quad a) {
  *reinterpret_cast<QuadUnaligned*>(p) = a;
}
ABUT_INLINE Quad abs(Quad a) {
  using Bits = std::int64_t __attribute__((vector_size(32)));
  return reinterpret_cast<Quad>(reinterpret_cast<Bits>(a) & std::int64_t{0x7fff'ffff'ffff'ffff});
}
/// The first three, and zero; nothing else is touched.
ABUT_INLINE Quad load3(const double* p) {
#if defined(__AVX512VL__)
  return _mm256_maskz_loadu_pd(7, p);
#elif defined(__AVX2__)
  return _mm256_maskload_pd(p, _mm256_set_epi64x(0, -1, -1, -1));
#else
  return Quad{p[0], p[1], p[2], 0};
#endif
}
ABUT_INLINE void store3(double* p, Quad a) {
#if defined(__AVX512VL__)
  _mm256_mask_storeu_pd(p, 7, a);
#else
  p[0] = a[0], p[1] = a[1], p[2] = a[2];
#endif
}
ABUT_INLINE Quad splat_quad(double a) {
  return Quad{a, a, a, a};
}
template <int lane>
ABUT_INLINE Quad splat_lane(Quad a) {
  return __builtin_shufflevector(a, a, lane, lane, lane, lane);
}
#if !defined(__AVX2__) || defined(__AVX512F__)  // else Quad is Vec and has these
ABUT_INLINE Quad fma(Quad a, Quad b, Quad c) {
#if defined(__AVX2__)
  return _mm256_fmadd_pd(a, b, c);
#else
  return a * b + c;
#endif
}
ABUT_INLINE Quad fnma(Quad a, Quad b, Quad c) {
#if defined(__AVX2__)
  return _mm256_fnmadd_pd(a, b, c);
#else
  return c - a * b;
#endif
}
#endif
ABUT_INLINE Quad quad_sqrt(Quad a) {
#if defined(__AVX2__)
  return _mm256_sqrt_pd(a);
#else
  for (int i = 0; i < 4; ++i) a[i] = __builtin_sqrt(a[i]);
  return a;
#endif
}

/// Sum of the eight lanes, pairwise: (((0+4)+(2+6)) + ((1+5)+(3+7))) for every width.
ABUT_INLINE double sum(const Pack& a) {
  double x[8];
  storeu(x, a);
  const double s0 = x[0] + x[4], s1 = x[1] + x[5], s2 = x[2] + x[6], s3 = x[3] + x[7];
  return (s0 + s2) + (s1 + s3);
}

/// The sums of six packs, in lanes 0 to 5; lanes 6 and 7 are zero.
ABUT_INLINE Pack sums6(const Pack a[6]) {
#if defined(__AVX512F__)
  const auto pair = [](Vec x, Vec y) {
    return __builtin_shufflevector(x, y, 0, 8, 2, 10, 4, 12, 6, 14) +
           __builtin_shufflevector(x, y, 1, 9, 3, 11, 5, 13, 7, 15);
  };
  const auto fold = [](Vec x, Vec y) {
    return __builtin_shufflevector(x, y, 0, 1, 4, 5, 8, 9, 12, 13) +
           __builtin_shufflevector(x, y, 2, 3, 6, 7, 10, 11, 14, 15);
  };
  const Vec s01 = pair(a[0].part[0], a[1].part[0]), s23 = pair(a[2].part[0], a[3].part[0]),
            s45 = pair(a[4].part[0], a[5].part[0]);
  Pack r;
  r.part[0] = fold(fold(s01, s23), fold(s45, Vec{}));
  return r;
#elif defined(__AVX2__)
  const auto pair = [](const Pack& u, const Pack& v) {
    const Vec x = u.part[0] + u.part[1], y = v.part[0] + v.part[1];
    return __builtin_shufflevector(x, y, 0, 4, 2, 6) + __builtin_shufflevector(x, y, 1, 5, 3, 7);
  };
  const auto fold = [](Vec x, Vec y) {
    return __builtin_shufflevector(x, y, 0, 1, 4, 5) + __builtin_shufflevector(x, y, 2, 3, 6, 7);
  };
  Pack r;
  r.part[0] = fold(pair(a[0], a[1]), pair(a[2], a[3]));
  r.part[1] = fold(pair(a[4], a[5]), Vec{});
  return r;
#else
  Pack r;
  for (int i = 0; i < 3; ++i) {
    const Pack &x = a[2 * i], &y = a[2 * i + 1];
    const Vec sx = (x.part[0] + x.part[2]) + (x.part[1] + x.part[3]),
              sy = (y.part[0] + y.part[2]) + (y.part[1] + y.part[3]);
    r.part[i] = Vec{sx[0], sy[0]} + Vec{sx[1], sy[1]};
  }
  r.part[3] = Vec{0, 0};
  return r;
#endif
}

/// One of the eight in all lanes.
template <int lane>
ABUT_INLINE Pack splat_lane(const Pack& a) {
  constexpr int k = lane % vec_width;
  const Vec& from = a.part[lane / vec_width];
#if defined(__AVX512F__)
  const Vec all = __builtin_shufflevector(from, from, k, k, k, k, k, k, k, k);
#elif defined(__AVX2__)
  const Vec all = __builtin_shufflevector(from, from, k, k, k, k);
#else
  const Vec all = __builtin_shufflevector(from, from, k, k);
#endif
  Pack r;
  ABUT_PACK_LOOP r.part[i] = all;
  return r;
}

/// The first `count` of eight, 1 to 8, zeros behind them; nothing else is touched.
ABUT_INLINE Pack load_first(const double* p, int count) {
  Pack r;
#if defined(__AVX512F__)
  r.part[0] = _mm512_maskz_loadu_pd(static_cast<__mmask8>((1u << count) - 1), p);
#elif defined(__AVX2__)
  const __m256i places = _mm256_set_epi64x(3, 2, 1, 0);
  for (int i = 0; i < 2; ++i) {
    const __m256i mask = _mm256_cmpgt_epi64(_mm256_set1_epi64x(count - 4 * i), places);
    r.part[i] = _mm256_maskload_pd(p + 4 * i, mask);
  }
#else
  for (int i = 0; i < 4; ++i) {
    r.part[i] = Vec{2 * i < count ? p[2 * i] : 0, 2 * i + 1 < count ? p[2 * i + 1] : 0};
  }
#endif
  return r;
}

/// Stores the first `count` of eight, 1 to 8; nothing else is touched.
ABUT_INLINE void store_first(double* p, const Pack& a, int count) {
#if defined(__AVX512F__)
  _mm512_mask_storeu_pd(p, static_cast<__mmask8>((1u << count) - 1), a.part[0]);
#else
  double lanes[8];
  storeu(lanes, a);
  for (int i = 0; i < count; ++i) p[i] = lanes[i];
#endif
}

/// Three numbers in lanes 3 to 5, zeros in the others; nothing else is touched.
ABUT_INLINE Pack load3_angular(const double* p) {
  Pack r;
#if defined(__AVX512F__)
  r.part[0] = _mm512_maskz_loadu_pd(0x38, p - 3);
#elif defined(__AVX2__)
  r.part[0] = Vec{0, 0, 0, p[0]}, r.part[1] = Vec{p[1], p[2], 0, 0};
#else
  r.part[0] = Vec{0, 0}, r.part[1] = Vec{0, p[0]}, r.part[2] = Vec{p[1], p[2]};
  r.part[3] = Vec{0, 0};
#endif
  return r;
}

/// Loads and stores of the first six of eight, touching nothing else.
ABUT_INLINE Pack load6(const double* p) {
  Pack r;
#if defined(__AVX512F__)
  r.part[0] = _mm512_maskz_loadu_pd(0x3f, p);
#elif defined(__AVX2__)
  r.part[0] = loadu_vec(p);
  r.part[1] = Vec{p[4], p[5], 0, 0};
#else
  for (int i = 0; i < 3; ++i) r.part[i] = loadu_vec(p + 2 * i);
  r.part[3] = Vec{0, 0};
#endif
  return r;
}
ABUT_INLINE void store6(double* p, const Pack& a) {
#if defined(__AVX512F__)
  _mm512_mask_storeu_pd(p, 0x3f, a.part[0]);
#elif defined(__AVX2__)
  storeu_vec(p, a.part[0]);
  _mm_storeu_pd(p + 4, _mm256_castpd256_pd128(a.part[1]));
#else
  storeu_vec(p, a.part[0]);
  storeu_vec(p + 2, a.part[1]);
  storeu_vec(p + 4, a.part[2]);
#endif
}

}  // namespace
}  // namespace abut::ABUT_ISA
