// Passes over contacts that evaluate no law, eight at a time.

#include "abut/solvers/primal/contact_fields.hpp"
#include "abut/solvers/primal/contact_functions.hpp"

namespace abut::ABUT_ISA {
namespace {

using Vector = Triple<Pack>;
using F = ContactField;

ABUT_INLINE PackMask is_zero(const Pack& a) {
  return a <= Pack(0) && Pack(0) <= a;
}

}  // namespace

void make_inert(const ContactArrays& c) {
  const std::int64_t last = c.stride - 8;
  const auto fill = [&](F f, const Pack& value) { store(c[f] + last, value); };
  for (int f = 0; f < static_cast<int>(F::k_xx); ++f) fill(static_cast<F>(f), 0);
  for (int r = 0; r < 32; r += 8) store(c[F::arms] + 4 * last + r, 0);
  fill(F::normal_z, 1);
  fill(F::v_hat, -1);
  for (const F f : {F::linear, F::quadratic, F::tangential, F::slip_tolerance}) fill(f, 1);
}

void load_sap(const ContactArrays& c, double time_step) {
  const Pack h = time_step, one = 1;
  for (std::int64_t i = 0; i < c.stride; i += 8) {
    const Pack gap = load(c[F::v_hat] + i), tau = load(c[F::per_speed] + i);
    const Pack mu = load(c[F::mu] + i), rn = load(c[F::linear] + i),
               rt = load(c[F::tangential] + i);
    store(c[F::v_hat] + i, -gap / (h + tau));
    store(c[F::linear] + i, one / rn);
    store(c[F::quadratic] + i, one / (rn + mu * mu * rt));
    store(c[F::tangential] + i, one / rt);
    for (const F f : {F::offset, F::per_speed, F::law, F::lagged}) store(c[f] + i, 0);
    store(c[F::slip_tolerance] + i, one);
  }
}

void start_duals(const ContactArrays& c) {
  for (std::int64_t i = 0; i < c.stride; i += 8) {
    const Vector n = load3(c, F::normal_x, i), gamma = load3(c, F::dual_x, i);
    const Pack normal = dot(n, gamma), limit = load(c[F::mu] + i) * normal;
    const PackMask holds = Pack(0) < limit;
    Vector w = (Pack(-1) / limit) * (gamma - normal * n);
    const Pack length = sqrt(dot(w, w));
    const PackMask fits = length <= Pack(1);
    const auto shorten = [&](const Pack& x) {
      return select(holds, select(fits, x, x / length), 0);
    };
    store3(c, F::dual_x, i, {shorten(w.x), shorten(w.y), shorten(w.z)});
    const PackMask is_new = is_zero(gamma.x) && is_zero(gamma.y) && is_zero(gamma.z);
    const Pack at_hand = dot(n, load3(c, F::impulse_x, i));
    store(c[F::dual_normal] + i, select(is_new, at_hand, max(normal, 0)));
  }
}

void change_places(const ContactArrays& c) {
  double *v = c[F::velocity_x], *d = c[F::direction_x];
  for (std::int64_t i = 0; i < 3 * c.stride; i += 8) {
    const Pack here = load(v + i), there = load(d + i);
    store(v + i, there);
    store(d + i, here - there);
  }
}

void extend_linearly(const ContactArrays& c) {
  for (std::int64_t i = 0; i < c.stride; i += 8) {
    const Vector d = load3(c, F::direction_x, i);
    const double* k = c[F::k_xx] + i;
    const std::int64_t s = c.stride;
    const Pack xx = load(k), yx = load(k + s), zx = load(k + 2 * s), yy = load(k + 3 * s),
               zy = load(k + 4 * s), zz = load(k + 5 * s);
    const Vector change{xx * d.x + yx * d.y + zx * d.z, yx * d.x + yy * d.y + zy * d.z,
                        zx * d.x + zy * d.y + zz * d.z};
    store3(c, F::impulse_x, i, load3(c, F::impulse_x, i) - change);
    store3(c, F::velocity_x, i, load3(c, F::velocity_x, i) + d);
  }
}

void extrapolate(const ContactArrays& c, double ahead, double* before) {
  double* gamma = c[F::impulse_x];
  for (std::int64_t i = 0; i < 3 * c.stride; i += 8) {
    const Pack here = load(gamma + i);
    store(gamma + i, here + Pack(ahead) * (here - load(before + i)));
    store(before + i, here);
  }
}

}  // namespace abut::ABUT_ISA
