// Contact velocities, impulses and Hessian blocks of patches, in the twists of their bodies. A
// contact's Jacobian is never formed: with r its arm about the first body's center, the patch's
// motion is one velocity and one angular velocity there, and a shift by d moves moments to the
// second body.

#include "abut/linalg/simd.hpp"

#include "abut/solvers/primal/contact_functions.hpp"

namespace abut::ABUT_ISA {
namespace {

using F = ContactField;

struct Row {
  double x, y, z;
};
ABUT_INLINE Row operator+(const Row& a, const Row& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
ABUT_INLINE Row operator-(const Row& a, const Row& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
ABUT_INLINE Row operator*(double s, const Row& a) {
  return {s * a.x, s * a.y, s * a.z};
}
ABUT_INLINE Row cross(const Row& a, const Row& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
ABUT_INLINE Row row(const double* p) {
  return {p[0], p[1], p[2]};
}

}  // namespace

namespace {

// Bodies' twists and loads are eight numbers each. With registers of four a vector is one of them,
// its fourth number anything.
#if defined(__AVX2__)
using Vector = Quad;
ABUT_INLINE Quad next_axis(Quad a) {  // y z x
  return __builtin_shufflevector(a, a, 1, 2, 0, 3);
}
ABUT_INLINE Quad cross(Quad a, Quad b) {
  return next_axis(a * next_axis(b) - next_axis(a) * b);
}
ABUT_INLINE Vector vector(const double* p) {  // and one more number
  return load_quad(p);
}
ABUT_INLINE Vector gather(const double* p, std::int64_t stride) {
  return Quad{p[0], p[stride], p[2 * stride], 0};
}
ABUT_INLINE void scatter(double* p, std::int64_t stride, Vector a) {
  p[0] = a[0], p[stride] = a[1], p[2 * stride] = a[2];
}
/// Adds a force and its moment, with this sign.
ABUT_INLINE void add_load(double* to, double sign, Vector force, Vector moment) {
  store_quad(to, load_quad(to) + sign * __builtin_shufflevector(force, moment, 0, 1, 2, 4));
  to[4] += sign * moment[1], to[5] += sign * moment[2];
}
#else
using Vector = Row;
ABUT_INLINE Vector vector(const double* p) {
  return row(p);
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
  const double* arm = c[F::arm_x];
  const std::int64_t s = c.stride;
  for (const BodyPatch* p = patches; p != patches + count; ++p) {
    Vector linear = p->sign * vector(x + p->first), angular = p->sign * vector(x + p->first + 3);
    if (p->second >= 0) {  // as B: v_b + w_b x (r + d)
      const Vector spin = vector(x + p->second + 3);
      linear = linear + vector(x + p->second) + cross(spin, gather(p->shift, 1));
      angular = angular + spin;
    }
    for (int i = p->begin; i < p->end; ++i) {
      scatter(out + i, s, linear + cross(angular, gather(arm + i, s)));
    }
  }
}

void impulses(const ContactArrays& c, const BodyPatch* patches, int count, double* y) {
  const double *gamma = c[F::impulse_x], *arm = c[F::arm_x];
  const std::int64_t s = c.stride;
  for (const BodyPatch* p = patches; p != patches + count; ++p) {
    Vector force{}, moment{};
    for (int i = p->begin; i < p->end; ++i) {
      const Vector g = gather(gamma + i, s);
      force = force + g;
      moment = moment + cross(gather(arm + i, s), g);
    }
    add_load(y + p->first, p->sign, force, moment);
    if (p->second >= 0) {
      add_load(y + p->second, 1, force, moment + cross(gather(p->shift, 1), force));
    }
  }
}

void moments(const ContactArrays& c) {
  const std::int64_t s = c.stride;
  for (std::int64_t i = 0; i < s; i += 8) {
    const double *arm = c[F::arm_x] + i, *kk = c[F::k_xx] + i;
    const Pack rx = load(arm), ry = load(arm + s), rz = load(arm + 2 * s);
    const Pack kxx = load(kk), kyx = load(kk + s), kzx = load(kk + 2 * s), kyy = load(kk + 3 * s),
               kzy = load(kk + 4 * s), kzz = load(kk + 5 * s);
    // B = [r] K
    const Pack bxx = ry * kzx - rz * kyx, byx = rz * kxx - rx * kzx, bzx = rx * kyx - ry * kxx;
    const Pack bxy = ry * kzy - rz * kyy, byy = rz * kyx - rx * kzy, bzy = rx * kyy - ry * kyx;
    const Pack bxz = ry * kzz - rz * kzy, byz = rz * kzx - rx * kzz, bzz = rx * kzy - ry * kzx;
    double* b = c[F::b_xx] + i;
    store(b, bxx), store(b + s, byx), store(b + 2 * s, bzx);
    store(b + 3 * s, bxy), store(b + 4 * s, byy), store(b + 5 * s, bzy);
    store(b + 6 * s, bxz), store(b + 7 * s, byz), store(b + 8 * s, bzz);
    // C = B [r]^T
    double* cc = c[F::c_xx] + i;
    store(cc, ry * bxz - rz * bxy);
    store(cc + s, ry * byz - rz * byy);
    store(cc + 2 * s, ry * bzz - rz * bzy);
    store(cc + 3 * s, rz * byx - rx * byz);
    store(cc + 4 * s, rz * bzx - rx * bzz);
    store(cc + 5 * s, rx * bzy - ry * bzx);
  }
}

namespace {

/// The sums over one patch, matrices by columns.
struct PatchSums {
  Row k[3], b[3], c[3];
};

ABUT_INLINE PatchSums sum_patch(const double* fields, std::int64_t stride, int begin, int end) {
  double t[21];
#pragma GCC unroll 21
  for (int f = 0; f < 21; ++f) {
    const double* x = fields + f * stride;
    double total = x[begin];
    for (int i = begin + 1; i < end; ++i) total += x[i];
    t[f] = total;
  }
  return {{{t[0], t[1], t[2]}, {t[1], t[3], t[4]}, {t[2], t[4], t[5]}},
          {{t[6], t[7], t[8]}, {t[9], t[10], t[11]}, {t[12], t[13], t[14]}},
          {{t[15], t[16], t[17]}, {t[16], t[18], t[19]}, {t[17], t[19], t[20]}}};
}

ABUT_INLINE void add_to_body(double* to, const PatchSums& s) {
  const double t[21] = {s.k[0].x, s.k[0].y, s.k[0].z, s.k[1].y, s.k[1].z, s.k[2].z, s.b[0].x,
                        s.b[0].y, s.b[0].z, s.b[1].x, s.b[1].y, s.b[1].z, s.b[2].x, s.b[2].y,
                        s.b[2].z, s.c[0].x, s.c[0].y, s.c[0].z, s.c[1].y, s.c[1].z, s.c[2].z};
#pragma GCC unroll 21
  for (int f = 0; f < 21; ++f) to[f] += t[f];
}

/// Writes a 3x3 block given by columns, or its transpose.
ABUT_INLINE void put(double* to, std::int64_t leading, bool transposed, double sign, const Row& c0,
                     const Row& c1, const Row& c2) {
  const std::int64_t r = transposed ? leading : 1, c = transposed ? 1 : leading;
  to[0] = sign * c0.x, to[r] = sign * c0.y, to[2 * r] = sign * c0.z;
  to[c] = sign * c1.x, to[r + c] = sign * c1.y, to[2 * r + c] = sign * c1.z;
  to[2 * c] = sign * c2.x, to[r + 2 * c] = sign * c2.y, to[2 * r + 2 * c] = sign * c2.z;
}

}  // namespace

void assemble(const ContactArrays& c, const BodyPatch* patches, int count, double* body_sums,
              double* values, double* couplings) {
  for (const BodyPatch* p = patches; p != patches + count; ++p) {
    PatchSums s = sum_patch(c[F::k_xx], c.stride, p->begin, p->end);
    add_to_body(body_sums + p->first / 8 * body_sum_size, s);
    if (p->second < 0) continue;
    // E = B D^T with D = [d]: row i of E is d x (row i of B), so by columns
    const double dx = p->shift[0], dy = p->shift[1], dz = p->shift[2];
    const Row e[3] = {dy * s.b[2] - dz * s.b[1], dz * s.b[0] - dx * s.b[2],
                      dx * s.b[1] - dy * s.b[0]};
    const Row ce[3] = {s.c[0] + e[0], s.c[1] + e[1], s.c[2] + e[2]};
    const Row d = row(p->shift);
    const Row b_second[3] = {s.b[0] + cross(d, s.k[0]), s.b[1] + cross(d, s.k[1]),
                             s.b[2] + cross(d, s.k[2])};
    // block (first, second) = -[K, B2^T; B, C + E], with B2 = B + D K the second body's B
    double* block = (p->is_coupling ? couplings : values) + p->slot;
    const std::int64_t lead = p->leading, down = p->transposed ? 3 * lead : 3,
                       right = p->transposed ? 3 : 3 * lead;
    put(block, lead, p->transposed, -1, s.k[0], s.k[1], s.k[2]);
    put(block + right, lead, !p->transposed, -1, b_second[0], b_second[1], b_second[2]);
    put(block + down, lead, p->transposed, -1, s.b[0], s.b[1], s.b[2]);
    put(block + down + right, lead, p->transposed, -1, ce[0], ce[1], ce[2]);
    // C2 = C + E + D B2^T: column j is d x (row j of B2)
    const Row rows[3] = {{b_second[0].x, b_second[1].x, b_second[2].x},
                         {b_second[0].y, b_second[1].y, b_second[2].y},
                         {b_second[0].z, b_second[1].z, b_second[2].z}};
    for (int j = 0; j < 3; ++j) {
      s.c[j] = ce[j] + cross(d, rows[j]);
      s.b[j] = b_second[j];
    }
    add_to_body(body_sums + p->second / 8 * body_sum_size, s);
  }
}

}  // namespace abut::ABUT_ISA
