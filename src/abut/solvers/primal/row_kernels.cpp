// Velocities, loads and Hessian of contacts whose Jacobians are at hand, three rows each, padded
// with zeros to packs.

#include "abut/linalg/simd.hpp"

#include "abut/solvers/primal/contact_functions.hpp"

namespace abut::ABUT_ISA {

void row_velocities(const ContactRows& r, const double* x, double* out, std::int64_t stride) {
  const double* j = r.jacobian;
  for (int i = 0; i < r.contacts; i += 2, j += 6 * r.padded) {
    Pack sums[6] = {Pack(0), Pack(0), Pack(0), Pack(0), Pack(0), Pack(0)};
    const int rows = i + 1 < r.contacts ? 6 : 3;
    for (int q = 0; q < r.padded; q += 8) {
      const Pack v = load(x + q);
      for (int k = 0; k < 3; ++k) sums[k] = fma(load(j + k * r.padded + q), v, sums[k]);
      if (rows == 3) continue;
      for (int k = 3; k < 6; ++k) sums[k] = fma(load(j + k * r.padded + q), v, sums[k]);
    }
    double v[8];
    storeu(v, sums6(sums));
    for (int k = 0; k < rows; ++k) out[k % 3 * stride + i + k / 3] = v[k];
  }
}

void row_loads(const ContactRows& r, const double* gamma, std::int64_t stride, double* y) {
  for (int q = 0; q < r.padded; q += 8) {
    Pack sum = load(y + q);
    const double* j = r.jacobian + q;
    for (int i = 0; i < r.contacts; ++i, j += 3 * r.padded) {
      for (int k = 0; k < 3; ++k) {
        sum = fma(Pack(gamma[k * stride + i]), load(j + k * r.padded), sum);
      }
    }
    store(y + q, sum);
  }
}

void row_hessian(const ContactRows& r, const double* k, std::int64_t stride, double* work,
                 double* to, std::int64_t leading) {
  const double* j = r.jacobian;
  double *tx = work, *ty = tx + r.padded, *tz = ty + r.padded;
  for (int i = 0; i < r.contacts; ++i, ++k, j += 3 * r.padded) {
    const double xx = k[0], yx = k[stride], zx = k[2 * stride], yy = k[3 * stride],
                 zy = k[4 * stride], zz = k[5 * stride];
    if (xx == 0 && yy == 0 && zz == 0) continue;  // it transmits nothing
    const double *jx = j, *jy = jx + r.padded, *jz = jy + r.padded;
    for (int q = 0; q < r.padded; q += 8) {
      const Pack x = load(jx + q), y = load(jy + q), z = load(jz + q);
      store(tx + q, fma(Pack(zx), z, fma(Pack(yx), y, Pack(xx) * x)));
      store(ty + q, fma(Pack(zy), z, fma(Pack(yy), y, Pack(yx) * x)));
      store(tz + q, fma(Pack(zz), z, fma(Pack(zy), y, Pack(zx) * x)));
    }
    double* column = to;
    for (int c = 0; c < r.size; ++c, column += leading) {
      if (jx[c] == 0 && jy[c] == 0 && jz[c] == 0) continue;  // a joint that does not move it
      const Pack x(jx[c]), y(jy[c]), z(jz[c]);
      for (int q = c / 8 * 8; q < r.padded; q += 8) {
        Pack sum = fma(x, load(tx + q), loadu(column + q));
        sum = fma(z, load(tz + q), fma(y, load(ty + q), sum));
        storeu(column + q, sum);
      }
    }
  }
}

}  // namespace abut::ABUT_ISA
