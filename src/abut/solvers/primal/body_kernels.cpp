// Inertia, residuals and diagonal blocks of rigid bodies, one body (8-padded) at a time; residuals
// of other trees.

#include "abut/linalg/simd.hpp"

#include "abut/solvers/primal/contact_functions.hpp"

namespace abut::ABUT_ISA {
namespace {

/// A x of one body: mass times the linear part plus the inertia's columns.
ABUT_INLINE Pack multiply_inertia(const double* inertia, const Pack& x) {
  Pack y = load(inertia) * x;
  y = fma(load(inertia + 8), splat_lane<3>(x), y);
  y = fma(load(inertia + 16), splat_lane<4>(x), y);
  return fma(load(inertia + 24), splat_lane<5>(x), y);
}

/// BodySums, eight dofs at a time.
struct ResidualPacks {
  Pack energy = Pack(0), error = Pack(0), momentum = Pack(0), impulse = Pack(0);

  /// Of v - v* = x with the momentum p = A x; writes the gradient.
  ABUT_INLINE void add(const RigidBodies& b, int i, const Pack& x, const Pack& p,
                       const double* impulses, double* gradient) {
    const Pack j = load(impulses + i), g = p - j;
    const Pack full = p + load(b.free_momentum + i), d2 = load(b.scale2 + i);
    store(gradient + i, g);
    energy = fma(p, x, energy);
    error = fma(d2 * g, g, error);
    momentum = fma(d2 * full, full, momentum);
    impulse = fma(d2 * j, j, impulse);
  }
  BodySums total() const { return {0.5 * sum(energy), sum(error), sum(momentum), sum(impulse)}; }
};

/// A x by columns of the inertia, with the bits of Mat3.
ABUT_INLINE Pack multiply_plainly(const Pack& mass, const Pack column[3], const Pack& x) {
  return mass * x + (column[0] * splat_lane<3>(x) + column[1] * splat_lane<4>(x) +
                     column[2] * splat_lane<5>(x));
}

}  // namespace

void gather_bodies(const RigidSource* from, std::int32_t count, const RigidRoom& to) {
  alignas(64) static constexpr double linear[8] = {1, 1, 1},
                                      axes[3][8] = {
                                          {0, 0, 0, 1}, {0, 0, 0, 0, 1}, {0, 0, 0, 0, 0, 1}};
  for (std::int32_t i = 0; i < count; ++i, ++from) {
    double* a = to.inertia + 32 * i;
    const Pack mass = Pack(from->mass) * load(linear);
    Pack column[3], diagonal = mass;
    store(a, mass);
    for (int k = 0; k < 3; ++k) {
      column[k] = load3_angular(from->inertia + 3 * k);
      store(a + 8 * (k + 1), column[k]);
      diagonal += column[k] * load(axes[k]);
    }
    const Pack d2 = select(Pack(0) < diagonal, Pack(1) / diagonal, 0);
    const Pack free = load6(from->free_velocity), change = free - load6(from->velocity);
    const Pack p = multiply_plainly(mass, column, change);
    store(to.scale2 + 8 * i, d2);
    store(to.free_velocity + 8 * i, free);
    store(to.free_momentum + 8 * i, multiply_plainly(mass, column, free));
    to.change[i] = sum(d2 * p * p);
  }
}

BodySums residual(const RigidBodies& b, const double* v, const double* impulse, double* momentum,
                  double* gradient) {
  ResidualPacks sums;
  for (int i = 0; i < 8 * b.count; i += 8) {
    const Pack x = load(v + i) - load(b.free_velocity + i);
    const Pack p = multiply_inertia(b.inertia + 4 * i, x);
    store(momentum + i, p);
    sums.add(b, i, x, p, impulse, gradient);
  }
  return sums.total();
}

StepSums step_terms(const RigidBodies& b, const double* step, const double* momentum,
                    const double* gradient) {
  Pack slope(0), linear(0), quadratic(0);
  for (int i = 0; i < 8 * b.count; i += 8) {
    const Pack x = load(step + i);
    slope = fma(x, load(gradient + i), slope);
    linear = fma(x, load(momentum + i), linear);
    quadratic = fma(x, multiply_inertia(b.inertia + 4 * i, x), quadratic);
  }
  return {sum(slope), sum(linear), sum(quadratic)};
}

void move_bodies(std::int32_t count, const double* inverse_inertia, const double* rest,
                 const double* y, double* x) {
  for (std::int32_t i = 0; i < 8 * count; i += 8) {
    const double* a = inverse_inertia + 4 * i;
    const Pack push = load(y + i);
    const Pack turn = load(a + 8) * splat_lane<3>(push) + load(a + 16) * splat_lane<4>(push) +
                      load(a + 24) * splat_lane<5>(push);
    store(x + i, load(rest + i) + (load(a) * push + turn));
  }
}

BodySums part_residual(const RigidBodies& b, std::int32_t begin, std::int32_t end, const double* v,
                       const double* impulse, const double* momentum, double* gradient) {
  ResidualPacks sums;
  for (std::int32_t i = begin; i < end; i += 8) {
    sums.add(b, i, load(v + i) - load(b.free_velocity + i), load(momentum + i), impulse, gradient);
  }
  return sums.total();
}

StepSums part_step_terms(std::int32_t begin, std::int32_t end, const double* step,
                         const double* momentum, const double* gradient, const double* product) {
  Pack slope(0), linear(0), quadratic(0);
  for (std::int32_t i = begin; i < end; i += 8) {
    const Pack x = load(step + i);
    slope = fma(x, load(gradient + i), slope);
    linear = fma(x, load(momentum + i), linear);
    quadratic = fma(x, load(product + i), quadratic);
  }
  return {sum(slope), sum(linear), sum(quadratic)};
}

double scaled_square(const RigidBodies& b, std::int32_t begin, std::int32_t end,
                     const double* momentum) {
  Pack total(0);
  for (std::int32_t i = begin; i < end; i += 8) {
    const Pack p = load(momentum + i);
    total = fma(load(b.scale2 + i) * p, p, total);
  }
  return sum(total);
}

void write_diagonals(const RigidBodies& b, const double* body_sums, const BlockSlot* slots,
                     double* values) {
  for (int i = 0; i < b.count; ++i) {
    const double *k = body_sums + i * moment_size, *r = k + 12, *c = k + 24;
    const double* a = b.inertia + 32 * i;
    double* to = values + slots[i].offset;
    const std::int64_t lead = slots[i].leading;
    const double mass = a[0];
    to[0] = mass + k[0], to[1] = k[1], to[2] = k[2];
    to[3] = r[0], to[4] = r[1], to[5] = r[2];
    to += lead;
    to[1] = mass + k[5], to[2] = k[6];
    to[3] = r[4], to[4] = r[5], to[5] = r[6];
    to += lead;
    to[2] = mass + k[10];
    to[3] = r[8], to[4] = r[9], to[5] = r[10];
    to += lead;
    to[3] = a[8 + 3] + c[0], to[4] = a[8 + 4] + c[1], to[5] = a[8 + 5] + c[2];
    to += lead;
    to[4] = a[16 + 4] + c[5], to[5] = a[16 + 5] + c[6];
    to += lead;
    to[5] = a[24 + 5] + c[10];
  }
}

}  // namespace abut::ABUT_ISA
