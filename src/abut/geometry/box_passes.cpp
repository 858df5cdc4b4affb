// Axes between two boxes, overlaps of their faces and weights of corners. Which corners are cut
// off, and which count, changes from pair to pair and can hardly be predicted: with AVX-512 all
// corners are cut at once, without a branch on any.

#include "abut/linalg/simd.hpp"

#include "abut/geometry/box_kernels.hpp"

namespace abut::ABUT_ISA {
namespace {

/// Three vectors by component.
struct Rows {
  Quad x, y, z;
};

ABUT_INLINE Rows rows_of(const Mat3& m) {
  const Quad a = load3(&m.col[0].x), b = load3(&m.col[1].x), c = load3(&m.col[2].x);
  const Quad xz = __builtin_shufflevector(a, b, 0, 4, 2, 6),
             y = __builtin_shufflevector(a, b, 1, 5, 1, 5);
  return {__builtin_shufflevector(xz, c, 0, 1, 4, 7), __builtin_shufflevector(y, c, 0, 1, 5, 7),
          __builtin_shufflevector(xz, c, 2, 3, 6, 7)};
}
/// v . each of the three.
ABUT_INLINE Quad dots(const Vec3& v, const Rows& r) {
  return v.x * r.x + v.y * r.y + v.z * r.z;
}
/// Bit i is set if a[i] < b[i].
ABUT_INLINE unsigned less(Quad a, Quad b) {
#if defined(__AVX512VL__)
  return _mm256_cmp_pd_mask(a, b, _CMP_LT_OQ);
#elif defined(__AVX2__)
  return static_cast<unsigned>(_mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_LT_OQ)));
#else
  unsigned bits = 0;
  for (int k = 0; k < 4; ++k) bits |= unsigned{a[k] < b[k]} << k;
  return bits;
#endif
}
/// Lane j becomes j + by of three.
template <int by>
ABUT_INLINE Quad turned(Quad a) {
  return __builtin_shufflevector(a, a, by, (1 + by) % 3, (2 + by) % 3, 3);
}

bool separate(const BoxPair& p, double margin, double preference, BestAxis& best) {
  const Rows A = rows_of(p.A), B = rows_of(p.B);
  const double *a = &p.half_a.x, *b = &p.half_b.x;
  const Quad R[3] = {dots(p.A.col[0], B), dots(p.A.col[1], B), dots(p.A.col[2], B)};
  const Quad absR[3] = {abs(R[0]), abs(R[1]), abs(R[2])};
  const Quad in_a = dots(p.center, A), in_b = dots(p.center, B);
  const Quad half_a = load3(a), half_b = load3(b);
  const Quad by_a = abs(in_a) - half_a - b[0] * abs(dots(p.B.col[0], A)) -
                    b[1] * abs(dots(p.B.col[1], A)) - b[2] * abs(dots(p.B.col[2], A));
  const Quad by_b = abs(in_b) - half_b - a[0] * absR[0] - a[1] * absR[1] - a[2] * absR[2];
  BestAxis face = {0, -__builtin_huge_val()};
  const auto consider = [&](int axis, double gap) {  // no branches: they are not predictable
    const bool is_better = gap > face.gap;
    face.gap = is_better ? gap : face.gap;
    face.axis = is_better ? axis : face.axis;
  };
  consider(0, by_a[0]), consider(1, by_a[1]), consider(2, by_a[2]);
  consider(3, by_b[0]), consider(4, by_b[1]), consider(5, by_b[2]);

  const double threshold = face.gap + preference,
               least_square = threshold * __builtin_fabs(threshold);
  double gaps[12], squares[12];
  unsigned apart = 0, candidates = 0;
  const Quad half_b1 = turned<1>(half_b), half_b2 = turned<2>(half_b);
  for (int i = 0; i < 3; ++i) {
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    // e_i x e_j, not yet of unit length: its components on A's axes are -R[i2][j], R[i1][j].
    const Quad gap = abs(in_a[i2] * R[i1] - in_a[i1] * R[i2]) - a[i1] * absR[i2] -
                     a[i2] * absR[i1] - half_b1 * turned<2>(absR[i]) - half_b2 * turned<1>(absR[i]);
    const Quad sine2 = R[i1] * R[i1] + R[i2] * R[i2], signed_square = gap * abs(gap);
    // Parallel edges have no axis but rounding; faces separate them as well.
    const unsigned crossing = ~less(sine2, splat_quad(1e-14)) & 7;
    apart |= less(Quad{}, gap) & less(margin * margin * sine2, gap * gap) & crossing;
    // Most axes are worse than the best so far, by so much that no root is needed to see it: both
    // sides round by less than 1e-15 of their size.
    const Quad least = least_square * sine2;
    candidates |= (~less(signed_square, least - 1e-14 * abs(least)) & crossing) << (4 * i);
    store_quad(gaps + 4 * i, gap), store_quad(squares + 4 * i, sine2);
  }
  if (face.gap > margin || apart != 0) return false;
  best = face;
  double largest = threshold;
  for (; candidates != 0; candidates &= candidates - 1) {
    const int k = __builtin_ctz(candidates);
    const double gap = gaps[k] / __builtin_sqrt(squares[k]);
    if (gap > largest) largest = best.gap = gap, best.axis = 6 + 3 * (k >> 2) + (k & 3);
  }
  return true;
}

/// B's corners in the frame of A's face.
struct Foot {
  Quad u, v, gap;
};

ABUT_INLINE Foot project(const BoxFace& a, const BoxFace& b, const Vec3& n) {
  const Quad half_u = b.half_u * Quad{1, 1, -1, -1}, half_v = b.half_v * Quad{-1, 1, 1, -1};
  const Quad x = b.center.x + half_u * b.u.x + half_v * b.v.x - a.center.x,
             y = b.center.y + half_u * b.u.y + half_v * b.v.y - a.center.y,
             z = b.center.z + half_u * b.u.z + half_v * b.v.z - a.center.z;
  const double slant = 1 / (n.x * a.normal.x + n.y * a.normal.y + n.z * a.normal.z);
  const Quad gap = (x * a.normal.x + y * a.normal.y + z * a.normal.z) * slant;
  const Quad fx = x - gap * n.x, fy = y - gap * n.y, fz = z - gap * n.z;
  return {fx * a.u.x + fy * a.u.y + fz * a.u.z, fx * a.v.x + fy * a.v.y + fz * a.v.z, gap};
}

#if defined(__AVX512F__)

// The plain forms of some intrinsics warn in GCC 12; those with masks do not.
constexpr __mmask8 lanes = 0xff;
using Ints = std::int32_t __attribute__((vector_size(64)));

/// The corners of a polygon, in the first lanes.
struct Corners {
  __m512d u, v, gap, side;
  unsigned count;
};

ABUT_INLINE __m512d permuted(__m512d a, __m512i from) {
  return _mm512_maskz_permutexvar_pd(lanes, from, a);
}
ABUT_INLINE __m512d widened(Quad a) {
  return __builtin_shufflevector(a, a, 0, 1, 2, 3, 0, 1, 2, 3);
}

/// Cuts off what lies beyond side k of A's rectangle.
template <int k>
ABUT_INLINE void clip(Corners& p, double half_u, double half_v) {
  const double half = k & 1 ? half_v : half_u, at = k < 2 ? half : -half;
  const __m512d along = k & 1 ? p.v : p.u, zero = Vec{};
  const __m512d in = k < 2 ? half - along : half + along;  // signed distances inward
  const unsigned corners = (1u << p.count) - 1;
  if ((_mm512_cmp_pd_mask(in, zero, _CMP_LT_OQ) & corners) == 0) return;
  const unsigned last = 1u << (p.count - 1);
  const unsigned stays = _mm512_cmp_pd_mask(in, zero, _CMP_GE_OQ) & corners;
  const unsigned crosses = stays ^ (((stays >> 1) | (stays & 1) * last));

  const __m512i next = _mm512_maskz_mov_epi64(static_cast<__mmask8>(~last),
                                              _mm512_setr_epi64(1, 2, 3, 4, 5, 6, 7, 0));
  const __m512d t = in / (in - permuted(in, next));
  const auto cut = [&](__m512d x) { return x + t * (permuted(x, next) - x); };
  const __m512d cut_u = k & 1 ? cut(p.u) : splat(at), cut_v = k & 1 ? splat(at) : cut(p.v);
  const __m512d cut_gap = cut(p.gap),
                cut_side = _mm512_mask_mov_pd(p.side, static_cast<__mmask8>(stays), splat(k));

  // each corner that stays, and after it where its side crosses: lanes of the first and the second
  const unsigned kept = _pdep_u32(stays, 0x5555) | _pdep_u32(crosses, 0xaaaa);
  const __m512i both = _mm512_setr_epi32(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
  const auto compressed =
      reinterpret_cast<Ints>(_mm512_maskz_compress_epi32(static_cast<__mmask16>(kept), both));
  const auto from = reinterpret_cast<__m512i>(__builtin_convertvector(
      __builtin_shufflevector(compressed, compressed, 0, 1, 2, 3, 4, 5, 6, 7), VecMask));
  p.u = _mm512_permutex2var_pd(p.u, from, cut_u);
  p.v = _mm512_permutex2var_pd(p.v, from, cut_v);
  p.gap = _mm512_permutex2var_pd(p.gap, from, cut_gap);
  p.side = _mm512_permutex2var_pd(p.side, from, cut_side);
  const unsigned count = static_cast<unsigned>(__builtin_popcount(kept));
  p.count = count < FacePolygon::capacity ? count : FacePolygon::capacity;
}

void overlap(const BoxFace& a, const BoxFace& b, const Vec3& n, FacePolygon& polygon) {
  const Foot foot = project(a, b, n);
  Corners p = {widened(foot.u), widened(foot.v), widened(foot.gap), Vec{4, 5, 6, 7}, 4};
  clip<0>(p, a.half_u, a.half_v);
  clip<1>(p, a.half_u, a.half_v);
  clip<2>(p, a.half_u, a.half_v);
  clip<3>(p, a.half_u, a.half_v);
  storeu_vec(polygon.u, p.u), storeu_vec(polygon.v, p.v), storeu_vec(polygon.gap, p.gap);
  storeu_vec(polygon.side, p.side);
  const __m512i before = _mm512_mask_mov_epi64(_mm512_setr_epi64(0, 0, 1, 2, 3, 4, 5, 6), 1,
                                               _mm512_set1_epi64(p.count - 1));
  storeu_vec(polygon.last_side, permuted(p.side, before));
  const __mmask8 corners = static_cast<__mmask8>((1u << p.count) - 1);
  const __m512d gap = _mm512_mask_mov_pd(splat(__builtin_huge_val()), corners, p.gap);
  const auto least = [&](__m512d x, __m512d y) { return x < y ? x : y; };
  __m512d lowest = least(gap, __builtin_shufflevector(gap, gap, 4, 5, 6, 7, 0, 1, 2, 3));
  lowest = least(lowest, __builtin_shufflevector(lowest, lowest, 2, 3, 0, 1, 6, 7, 4, 5));
  lowest = least(lowest, __builtin_shufflevector(lowest, lowest, 1, 0, 3, 2, 5, 4, 7, 6));
  const unsigned lowest_corners = _mm512_mask_cmp_pd_mask(corners, gap, lowest, _CMP_EQ_OQ);
  polygon.size = static_cast<int>(p.count);
  polygon.sides_of_b =
      __builtin_popcount(_mm512_mask_cmp_pd_mask(corners, p.side, splat(4), _CMP_GE_OQ));
  // none: no corner, or a gap that is no number
  polygon.deepest = lowest_corners == 0 ? 0 : __builtin_ctz(lowest_corners);
}

#else

/// Cuts off what lies beyond side k of A's rectangle. Where there is any, the rest comes into
/// `next`, and the two change places.
template <int k>
ABUT_INLINE void clip(FacePolygon*& patch, FacePolygon*& next, double half_u, double half_v) {
  const FacePolygon& p = *patch;
  FacePolygon& cut = *next;
  const int count = p.size;
  const double half = k & 1 ? half_v : half_u, at = k < 2 ? half : -half;
  const double* along = k & 1 ? p.v : p.u;
  double in[FacePolygon::capacity];  // signed distances inward
  int outside = 0;
  for (int i = 0; i < count; ++i) {
    in[i] = k < 2 ? half - along[i] : half + along[i];
    outside += in[i] < 0;
  }
  if (outside == 0) return;
  int size = 0;
  for (int i = 0; i < count; ++i) {
    const int j = i + 1 < count ? i + 1 : 0;
    const bool stays = in[i] >= 0, crosses = stays != (in[j] >= 0);
    if (stays && size < FacePolygon::capacity) {
      cut.u[size] = p.u[i], cut.v[size] = p.v[i], cut.gap[size] = p.gap[i];
      cut.side[size++] = p.side[i];
    }
    if (crosses && size < FacePolygon::capacity) {
      const double t = in[i] / (in[i] - in[j]);
      cut.u[size] = k & 1 ? p.u[i] + t * (p.u[j] - p.u[i]) : at;
      cut.v[size] = k & 1 ? at : p.v[i] + t * (p.v[j] - p.v[i]);
      cut.gap[size] = p.gap[i] + t * (p.gap[j] - p.gap[i]);
      cut.side[size++] = stays ? k : p.side[i];
    }
  }
  cut.size = size;
  FacePolygon* last = patch;
  patch = next, next = last;
}

void overlap(const BoxFace& a, const BoxFace& b, const Vec3& n, FacePolygon& polygon) {
  const Foot foot = project(a, b, n);
  store_quad(polygon.u, foot.u), store_quad(polygon.v, foot.v), store_quad(polygon.gap, foot.gap);
  store_quad(polygon.side, Quad{4, 5, 6, 7});
  polygon.size = 4;
  FacePolygon other, *patch = &polygon, *next = &other;
  clip<0>(patch, next, a.half_u, a.half_v);
  clip<1>(patch, next, a.half_u, a.half_v);
  clip<2>(patch, next, a.half_u, a.half_v);
  clip<3>(patch, next, a.half_u, a.half_v);
  const FacePolygon& p = *patch;
  polygon.sides_of_b = 0;
  polygon.deepest = 0;
  for (int i = 0; i < p.size; ++i) {
    polygon.u[i] = p.u[i], polygon.v[i] = p.v[i];
    polygon.gap[i] = p.gap[i];
    polygon.side[i] = p.side[i];
    polygon.sides_of_b += p.side[i] >= 4;
    if (p.gap[i] < p.gap[polygon.deepest]) polygon.deepest = i;
  }
  for (int i = 0; i < p.size; ++i) polygon.last_side[i] = p.side[i > 0 ? i - 1 : p.size - 1];
  polygon.size = p.size;
}

#endif

ABUT_INLINE Pack end_of(const Pack& side, const Pack& last_side, int lowest, double share) {
  const Pack at = lowest;
  return select(side == at || last_side == at, share, 0);
}

/// Lanes behind the last corner hold anything.
unsigned weigh(const CornerShares& s, const FacePolygon& p, double* weights) {
  const Pack side = loadu(p.side), last_side = loadu(p.last_side), gap = loadu(p.gap);
  const PackMask is_b = side >= 4, was_b = last_side >= 4;
  const Pack quarters = select(is_b, side - 4, side) - select(was_b, last_side - 4, last_side);
  Pack turn = quarters + (select(is_b, 1, 0) - select(was_b, 1, 0)) * s.yaw;
  // From [-5, 5] into [-1, 3): what rounding puts a little outside [0, 2] is then near its end.
  turn = select(turn >= 3, turn - 4, select(turn < -1, turn + 4, turn));
  turn = select(turn < 0, 0, select(turn > 2, 2, turn));
  Pack weight = s.faces * turn;
  double point = 1 - s.faces;  // what is left for the deepest corner
  if (s.edge_a != 0 || s.edge_b != 0) {
    const Pack line = end_of(side, last_side, s.lowest_a, s.edge_a) +
                      end_of(side, last_side, s.lowest_b, s.edge_b);
    weight += line;
    storeu(weights, line);
    // each edge has two ends, or none when it is off the other face
    for (int i = 0; i < p.size; ++i) point -= weights[i] / 2;
  }
  constexpr double place[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  weight = select(loadu(place) == p.deepest, weight + (point > 0 ? point : 0), weight);
  storeu(weights, weight);
  return ~bits(gap > s.margin || weight < s.smallest) & ((1u << p.size) - 1);
}

}  // namespace

// Constant-initialized: no code of this instruction set runs before it is chosen.
constinit const BoxKernels box_table = {separate, overlap, weigh};

}  // namespace abut::ABUT_ISA
