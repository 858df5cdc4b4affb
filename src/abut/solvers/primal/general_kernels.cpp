// The loops over patches with explicit Jacobians, whose rows are padded with zeros to packs: what
// packs add beyond a block's rows is zero, beyond its diagonal is not read.

#include "abut/linalg/simd.hpp"

#include "abut/solvers/primal/contact_functions.hpp"

namespace abut::ABUT_ISA {
namespace {

using F = ContactField;

/// Calls f(contact, side, the side's three rows of J) for all contacts and sides.
template <class Function>
ABUT_INLINE void for_each_side(const GeneralPatch* patches, int count, const double* jacobians,
                               const Function& f) {
  for (const GeneralPatch* p = patches; p != patches + count; ++p) {
    const double* j = jacobians + p->jacobian;
    for (int i = p->begin; i < p->end; ++i) {
      for (const PatchSide& s : p->side) {
        if (s.size == 0) continue;
        f(i, s, j);
        j += 3 * s.padded;
      }
    }
  }
}

/// Adds left^T right, each 3 rows, to a column-major block: from the diagonal on if asked.
ABUT_INLINE void add_product(const PatchSide& rows, const double* left, const PatchSide& columns,
                             const double* right, bool lower, double* to, std::int64_t leading) {
  const double *lx = left, *ly = lx + rows.padded, *lz = ly + rows.padded;
  const double *rx = right, *ry = rx + columns.padded, *rz = ry + columns.padded;
  for (int k = 0; k < columns.size; ++k) {
    if (rx[k] == 0 && ry[k] == 0 && rz[k] == 0) continue;  // a joint that does not move the point
    const Pack a(rx[k]), b(ry[k]), c(rz[k]);
    double* column = to + k * leading;
    for (int q = lower ? k / 8 * 8 : 0; q < rows.padded; q += 8) {
      const Pack sum = fma(a, load(lx + q), fma(b, load(ly + q), c * load(lz + q)));
      storeu(column + q, loadu(column + q) + sum);
    }
  }
}

}  // namespace

void general_velocities(const ContactArrays& c, const GeneralPatch* patches, int count,
                        const double* jacobians, const double* x, ContactField first_field) {
  double* out = c[first_field];
  const std::int64_t stride = c.stride;
  for (const GeneralPatch* p = patches; p != patches + count; ++p) {
    for (int i = p->begin; i < p->end; ++i) out[i] = out[stride + i] = out[2 * stride + i] = 0;
  }
  for_each_side(patches, count, jacobians, [&](int i, const PatchSide& s, const double* j) {
    for (int r = 0; r < 3; ++r, j += s.padded) {
      Pack products(0);
      for (int q = 0; q < s.padded; q += 8) {
        products = fma(load(j + q), load(x + s.offset + q), products);
      }
      out[r * stride + i] += sum(products);
    }
  });
}

void general_impulses(const ContactArrays& c, const GeneralPatch* patches, int count,
                      const double* jacobians, double* y) {
  const double* gamma = c[F::impulse_x];
  for_each_side(patches, count, jacobians, [&](int i, const PatchSide& s, const double* j) {
    const Pack gx(gamma[i]), gy(gamma[c.stride + i]), gz(gamma[2 * c.stride + i]);
    for (int q = 0; q < s.padded; q += 8) {
      const double *jy = j + s.padded, *jz = jy + s.padded;
      double* to = y + s.offset + q;
      store(to, fma(gx, load(j + q), fma(gy, load(jy + q), fma(gz, load(jz + q), load(to)))));
    }
  });
}

void general_assemble(const ContactArrays& c, const GeneralPatch* patches, int count,
                      const double* jacobians, double* work, double* values) {
  static constexpr int entry[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
  const double* fields = c[F::k_xx];
  for (const GeneralPatch* p = patches; p != patches + count; ++p) {
    const PatchSide &a = p->side[0], &b = p->side[1];
    const double* ja = jacobians + p->jacobian;
    double* kb = work + 3 * a.padded;  // K J of both sides
    for (int i = p->begin; i < p->end; ++i) {
      const double* jb = ja + 3 * a.padded;
      for (int r = 0; r < 3; ++r) {
        const Pack kx(fields[entry[r][0] * c.stride + i]), ky(fields[entry[r][1] * c.stride + i]),
            kz(fields[entry[r][2] * c.stride + i]);
        const auto multiply = [&](const PatchSide& s, const double* j, double* to) {
          for (int q = 0; q < s.padded; q += 8) {
            const Pack x = load(j + q), y = load(j + s.padded + q), z = load(j + 2 * s.padded + q);
            store(to + r * s.padded + q, fma(kx, x, fma(ky, y, kz * z)));
          }
        };
        multiply(a, ja, work);
        multiply(b, jb, kb);
      }
      add_product(a, work, a, ja, true, values + a.slot, a.leading);
      add_product(b, kb, b, jb, true, values + b.slot, b.leading);
      if (a.size > 0 && b.size > 0) {
        if (p->transposed) {
          add_product(b, kb, a, ja, false, values + p->slot, p->leading);
        } else {
          add_product(a, work, b, jb, false, values + p->slot, p->leading);
        }
      }
      ja = jb + 3 * b.padded;
    }
  }
}

}  // namespace abut::ABUT_ISA
