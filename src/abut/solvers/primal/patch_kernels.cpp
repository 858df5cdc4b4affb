// Contact velocities, impulses and Hessian blocks of patches, in the twists of their bodies. A
// contact's Jacobian is never formed: with r its arm about the first body's center, the patch's
// motion is one velocity and one angular velocity there, and a shift by d moves moments to the
// second body.

#include "abut/linalg/simd.hpp"
#include "abut/linalg/triples.hpp"

#include "abut/solvers/primal/contact_functions.hpp"

namespace abut::ABUT_ISA {
namespace {

using F = ContactField;

// Bodies' twists and loads are eight numbers each. With registers of four a vector is one of them,
// its fourth number anything.
#if defined(__AVX2__)
using Vector = Quad;
ABUT_INLINE Vector vector(const double* p) {  // and one more number
  return load_quad(p);
}
ABUT_INLINE Vector gather(const double* p, std::int64_t stride) {
  return Quad{p[0], p[stride], p[2 * stride], 0};
}
ABUT_INLINE void scatter(double* p, std::int64_t stride, Vector a) {
  p[0] = a[0], p[stride] = a[1], p[2 * stride] = a[2];
}
/// Adds a force and its moment, with this sign; all eight numbers are written, as they are read.
ABUT_INLINE void add_load(double* to, double sign, Vector force, Vector moment) {
#if defined(__AVX512F__)
  const Vec load = _mm512_maskz_permutex2var_pd(0x3f, _mm512_castpd256_pd512(force),
                                                _mm512_set_epi64(0, 0, 10, 9, 8, 2, 1, 0),
                                                _mm512_castpd256_pd512(moment));
  store_vec(to, load_vec(to) + sign * load);
#else
  store_quad(to, load_quad(to) + sign * __builtin_shufflevector(force, moment, 0, 1, 2, 4));
  store_quad(to + 4,
             load_quad(to + 4) + sign * __builtin_shufflevector(moment, Quad{}, 1, 2, 4, 4));
#endif
}
#else
struct Vector {
  double x, y, z;
};
ABUT_INLINE Vector operator+(const Vector& a, const Vector& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
ABUT_INLINE Vector operator*(double s, const Vector& a) {
  return {s * a.x, s * a.y, s * a.z};
}
ABUT_INLINE Vector cross(const Vector& a, const Vector& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
ABUT_INLINE Vector vector(const double* p) {
  return {p[0], p[1], p[2]};
}
ABUT_INLINE Vector gather(const double* p, std::int64_t stride) {
  return {p[0], p[stride], p[2 * stride]};
}
ABUT_INLINE void scatter(double* p, std::int64_t stride, const Vector& a) {
  p[0] = a.x, p[stride] = a.y, p[2 * stride] = a.z;
}
ABUT_INLINE void add_load(double* to, double sign, const Vector& force, const Vector& moment) {
  to[0] += sign * force.x, to[1] += sign * force.y, to[2] += sign * force.z;
  to[3] += sign * moment.x, to[4] += sign * moment.y, to[5] += sign * moment.z;
}
#endif

}  // namespace

void velocities(const ContactArrays& c, const BodyPatch* patches, int count, const double* x,
                ContactField first_field) {
  double* out = c[first_field];
  const double* arms = c[F::arms];
  const std::int64_t s = c.stride;
  for (const BodyPatch* p = patches; p != patches + count; ++p) {
    Vector linear = p->sign * vector(x + p->first), angular = p->sign * vector(x + p->first + 3);
    if (p->second >= 0) {  // as B: v_b + w_b x (r + d)
      const Vector spin = vector(x + p->second + 3);
      linear = linear + vector(x + p->second) + cross(spin, gather(p->shift, 1));
      angular = angular + spin;
    }
    for (int i = p->begin; i < p->end; ++i) {
      scatter(out + i, s, linear + cross(angular, vector(arms + 4 * i)));
    }
  }
}

void impulses(const ContactArrays& c, const BodyPatch* patches, int count, double* y) {
  const double *gamma = c[F::impulse_x], *arms = c[F::arms];
  const std::int64_t s = c.stride;
  for (const BodyPatch* p = patches; p != patches + count; ++p) {
    Vector force{}, moment{};
    for (int i = p->begin; i < p->end; ++i) {
      const Vector g = gather(gamma + i, s);
      force = force + g;
      moment = moment + cross(vector(arms + 4 * i), g);
    }
    add_load(y + p->first, p->sign, force, moment);
    if (p->second >= 0) {
      add_load(y + p->second, 1, force, moment + cross(gather(p->shift, 1), force));
    }
  }
}

void moments(const ContactArrays& c) {
  const std::int64_t s = c.stride;
  const Pack zero(0);
  for (std::int64_t i = 0; i < s; i += 8) {
    const auto [rx, ry, rz] = load_quads(c[F::arms] + 4 * i);
    const double* kk = c[F::k_xx] + i;
    const Pack kxx = load(kk), kyx = load(kk + s), kzx = load(kk + 2 * s), kyy = load(kk + 3 * s),
               kzy = load(kk + 4 * s), kzz = load(kk + 5 * s);
    const Pack bxx = ry * kzx - rz * kyx, byx = rz * kxx - rx * kzx, bzx = rx * kyx - ry * kxx;
    const Pack bxy = ry * kzy - rz * kyy, byy = rz * kyx - rx * kzy, bzy = rx * kyy - ry * kyx;
    const Pack bxz = ry * kzz - rz * kzy, byz = rz * kzx - rx * kzz, bzz = rx * kzy - ry * kzx;
    const Pack cxx = ry * bxz - rz * bxy, cyx = ry * byz - rz * byy, czx = ry * bzz - rz * bzy,
               cyy = rz * byx - rx * byz, czy = rz * bzx - rx * bzz, czz = rx * bzy - ry * bzx;
    double* to = c[F::moments] + moment_size * i;
    store_columns(to, moment_size, kxx, kyx, kzx, zero);
    store_columns(to + 4, moment_size, kyx, kyy, kzy, zero);
    store_columns(to + 8, moment_size, kzx, kzy, kzz, zero);
    store_columns(to + 12, moment_size, bxx, byx, bzx, zero);
    store_columns(to + 16, moment_size, bxy, byy, bzy, zero);
    store_columns(to + 20, moment_size, bxz, byz, bzz, zero);
    store_columns(to + 24, moment_size, cxx, cyx, czx, zero);
    store_columns(to + 28, moment_size, cyx, cyy, czy, zero);
    store_columns(to + 32, moment_size, czx, czy, czz, zero);
  }
}

namespace {

/// A 3x3 matrix by columns.
struct Block {
  Quad x, y, z;

  ABUT_INLINE Block transposed() const {
    const Quad low = __builtin_shufflevector(x, y, 0, 4, 1, 5),
               high = __builtin_shufflevector(x, y, 2, 6, 3, 7);
    return {__builtin_shufflevector(low, z, 0, 1, 4, 7),
            __builtin_shufflevector(low, z, 2, 3, 5, 7),
            __builtin_shufflevector(high, z, 0, 1, 6, 7)};
  }
};
ABUT_INLINE Block operator+(const Block& a, const Block& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
/// d x each column.
ABUT_INLINE Block cross(Quad d, const Block& a) {
  return {cross(d, a.x), cross(d, a.y), cross(d, a.z)};
}

/// Of a patch.
struct Moments {
  Block k, b, c;
};

ABUT_INLINE Block load_block(const double* p) {
  return {load_quad(p), load_quad(p + 4), load_quad(p + 8)};
}
ABUT_INLINE Moments load_moments(const double* p) {
  return {load_block(p), load_block(p + 12), load_block(p + 24)};
}
ABUT_INLINE void add_block(double* to, const Block& a) {
  store_quad(to, load_quad(to) + a.x);
  store_quad(to + 4, load_quad(to + 4) + a.y);
  store_quad(to + 8, load_quad(to + 8) + a.z);
}
ABUT_INLINE void add_to_body(double* to, const Moments& m) {
  add_block(to, m.k);
  add_block(to + 12, m.b);
  add_block(to + 24, m.c);
}

/// Writes a block with the other sign, or its transpose.
ABUT_INLINE void put(double* to, std::int64_t leading, bool transposed, const Block& a) {
  const Block of = transposed ? a.transposed() : a;
  store3(to, -of.x);
  store3(to + leading, -of.y);
  store3(to + 2 * leading, -of.z);
}

}  // namespace

void assemble(const ContactArrays& c, const BodyPatch* patches, int count, double* body_sums,
              double* values, double* couplings) {
  for (const BodyPatch* p = patches; p != patches + count; ++p) {
    const double* of = c[F::moments] + moment_size * p->begin;
    Moments s = load_moments(of);
    for (int i = p->begin + 1; i < p->end; ++i) {
      of += moment_size;
      const Moments more = load_moments(of);
      s = {s.k + more.k, s.b + more.b, s.c + more.c};
    }
    add_to_body(body_sums + p->first / 8 * moment_size, s);
    if (p->second < 0) continue;
    // E = B D^T with D = [d]: row i of E is d x (row i of B), so by columns
    const Quad dx = splat_quad(p->shift[0]), dy = splat_quad(p->shift[1]),
               dz = splat_quad(p->shift[2]);
    const Block ce =
        s.c + Block{dy * s.b.z - dz * s.b.y, dz * s.b.x - dx * s.b.z, dx * s.b.y - dy * s.b.x};
    const Quad d = load3(p->shift);
    const Block b_second = s.b + cross(d, s.k);
    // block (first, second) = -[K, B2^T; B, C + E], with B2 = B + D K the second body's B
    double* block = (p->is_coupling ? couplings : values) + p->slot;
    const std::int64_t lead = p->leading, down = p->transposed ? 3 * lead : 3,
                       right = p->transposed ? 3 : 3 * lead;
    put(block, lead, p->transposed, s.k);
    put(block + right, lead, !p->transposed, b_second);
    put(block + down, lead, p->transposed, s.b);
    put(block + down + right, lead, p->transposed, ce);
    // C2 = C + E + D B2^T: column j is d x (row j of B2)
    add_to_body(body_sums + p->second / 8 * moment_size,
                {s.k, b_second, ce + cross(d, b_second.transposed())});
  }
}

}  // namespace abut::ABUT_ISA
