// The contact models, eight contacts at a time.

#include "abut/solvers/primal/contact_fields.hpp"  // before the laws: they call its functions

#include "abut/laws/anchored.hpp"
#include "abut/laws/lagged.hpp"
#include "abut/laws/mixed_laws.hpp"
#include "abut/laws/pointwise_laws.hpp"
#include "abut/laws/sap.hpp"
#include "abut/laws/similar.hpp"
#include "abut/solvers/primal/contact_functions.hpp"

namespace abut::ABUT_ISA {
namespace {

using Vector = Triple<Pack>;
using F = ContactField;

ABUT_INLINE Pack load1(const ContactArrays& c, F field, std::int64_t i) {
  return load(c[field] + i);
}

ABUT_INLINE ModelPoint<Pack> load_point(const ContactArrays& c, std::int64_t i) {
  return {.n = load3(c, F::normal_x, i),
          .mu = load1(c, F::mu, i),
          .normal = {.v_hat = load1(c, F::v_hat, i),
                     .linear = load1(c, F::linear, i),
                     .quadratic = load1(c, F::quadratic, i),
                     .offset = load1(c, F::offset, i),
                     .per_speed = load1(c, F::per_speed, i),
                     .law = load1(c, F::law, i),
                     .tables = {c.tables + i, c.time_step}},
          .tangential = load1(c, F::tangential, i),
          .slip_tolerance = load1(c, F::slip_tolerance, i),
          .lagged_impulse = load1(c, F::lagged, i),
          .anchor = load3(c, F::anchor_x, i)};
}

/// A vector split along the normal.
struct Split {
  Pack normal;
  Vector tangent;
  ABUT_INLINE Split(const Vector& v, const Vector& n) {
    normal = dot(n, v);
    tangent = v - normal * n;
  }
};

/// A contact's velocity as the model's friction sees it.
template <class Model>
ABUT_INLINE Split split_velocity(const ModelPoint<Pack>& p, const Vector& v) {
  Split split(v, p.n);
  if constexpr (requires { Model::origin(p); }) split.tangent = split.tangent - Model::origin(p);
  return split;
}

template <class Model>
double evaluate_here(const ContactArrays& c) {
  Pack potential(0);
  for (std::int64_t i = 0; i < c.stride; i += 8) {
    const ModelPoint<Pack> p = load_point(c, i);
    const Split v = split_velocity<Model>(p, load3(c, F::velocity_x, i));
    const ModelEval<Pack> e = Model::evaluate(p, v.normal, v.tangent);
    store3(c, F::impulse_x, i, e.normal_impulse * p.n - e.slip_damping * v.tangent);
    potential += e.potential;
  }
  return sum(potential);
}

template <class Model>
ContactSums evaluate(const ContactArrays& c, double alpha) {
  Pack potential(0), work(0);
  for (std::int64_t i = 0; i < c.stride; i += 8) {
    const ModelPoint<Pack> p = load_point(c, i);
    const Vector direction = load3(c, F::direction_x, i);
    const Split v = split_velocity<Model>(p, load3(c, F::velocity_x, i) + Pack(alpha) * direction);
    const ModelEval<Pack> e = Model::evaluate(p, v.normal, v.tangent);
    const Vector gamma = e.normal_impulse * p.n - e.slip_damping * v.tangent;
    store3(c, F::impulse_x, i, gamma);
    potential += e.potential;
    work += dot(gamma, direction);
  }
  return {.potential = sum(potential), .impulse_work = sum(work), .curvature = 0};
}

template <class Model>
ContactSums line(const ContactArrays& c, double alpha) {
  Pack potential(0), work(0), curvature(0);
  for (std::int64_t i = 0; i < c.stride; i += 8) {
    const ModelPoint<Pack> p = load_point(c, i);
    const Vector direction = load3(c, F::direction_x, i);
    const Split v = split_velocity<Model>(p, load3(c, F::velocity_x, i) + Pack(alpha) * direction);
    const Split d(direction, p.n);
    const ModelEval<Pack> e = Model::evaluate(p, v.normal, v.tangent);
    const Pack along = dot(v.tangent, d.tangent);
    const Pack slip = e.inverse_slip * along;
    const Pack dz = d.normal - e.coupling * slip;
    potential += e.potential;
    work += e.normal_impulse * d.normal - e.slip_damping * along;
    curvature += e.slip_damping * (dot(d.tangent, d.tangent) - slip * slip) + e.slope * dz * dz;
  }
  return {.potential = sum(potential), .impulse_work = sum(work), .curvature = sum(curvature)};
}

template <class Model>
void hessian(const ContactArrays& c, HessianOptions options) {
  for (std::int64_t i = 0; i < c.stride; i += 8) {
    const ModelPoint<Pack> p = load_point(c, i);
    const Vector& n = p.n;
    const Split v = split_velocity<Model>(p, load3(c, F::velocity_x, i));
    const ModelEval<Pack> e = Model::evaluate(p, v.normal, v.tangent);
    const Vector t = e.inverse_slip * v.tangent;
    const Vector w = options.primal_dual_friction ? load3(c, F::dual_x, i) : t;
    Pack slip_damping = e.slip_damping;
    if (options.dual_normal) {
      const Pack dual = max(load1(c, F::dual_normal, i), Model::dual_floor * e.normal_impulse);
      slip_damping = select(Pack(0) < e.coupling, p.mu * dual * e.inverse_slip, slip_damping);
    }
    // slip_damping (1 - n n^T - (w t^T + t w^T)/2) + slope q q^T
    const Vector q = n - e.coupling * t;
    const Pack half(0.5), one(1);
    const auto entry = [&](const Pack& identity, const Pack& nn, const Pack& wt, const Pack& qq) {
      return slip_damping * (identity - nn - wt) + e.slope * qq;
    };
    double* k = c[F::k_xx] + i;
    const std::int64_t s = c.stride;
    store(k, entry(one, n.x * n.x, w.x * t.x, q.x * q.x));
    store(k + s, entry(0, n.y * n.x, half * (w.y * t.x + w.x * t.y), q.y * q.x));
    store(k + 2 * s, entry(0, n.z * n.x, half * (w.z * t.x + w.x * t.z), q.z * q.x));
    store(k + 3 * s, entry(one, n.y * n.y, w.y * t.y, q.y * q.y));
    store(k + 4 * s, entry(0, n.z * n.y, half * (w.z * t.y + w.y * t.z), q.z * q.y));
    store(k + 5 * s, entry(one, n.z * n.z, w.z * t.z, q.z * q.z));
  }
}

template <class Model>
void advance(const ContactArrays& c, double alpha, HessianOptions options) {
  const Pack damp(alpha < 1 ? alpha : 1);
  for (std::int64_t i = 0; i < c.stride; i += 8) {
    const Vector velocity = load3(c, F::velocity_x, i), direction = load3(c, F::direction_x, i);
    store3(c, F::velocity_x, i, velocity + Pack(alpha) * direction);
    if (!options.primal_dual_friction && !options.dual_normal) continue;
    const ModelPoint<Pack> p = load_point(c, i);
    const Split v = split_velocity<Model>(p, velocity), d(direction, p.n);
    const ModelEval<Pack> e = Model::evaluate(p, v.normal, v.tangent);
    const Pack slip = e.inverse_slip * dot(v.tangent, d.tangent);
    if (options.primal_dual_friction) {
      // w = friction / (mu gamma_n) to first order: (x + dx)/r - w (t . dx)/r
      const Vector w = load3(c, F::dual_x, i);
      const Pack inverse = select(Pack(0) < e.friction_limit, e.slip_damping / e.friction_limit, 0);
      const Vector target = inverse * (v.tangent + d.tangent) - (e.inverse_slip * slip) * w;
      const Vector next = w + damp * (target - w);
      const Pack length = sqrt(dot(next, next));
      store3(c, F::dual_x, i, (Pack(1) / max(length, 1)) * next);
    }
    if (options.dual_normal) {
      const Pack dual = load1(c, F::dual_normal, i);
      const Pack target = e.normal_impulse - e.slope * (d.normal - e.coupling * slip);
      store(c[F::dual_normal] + i, max(dual + damp * (target - dual), 0));
    }
  }
}

template <class Model>
SweepSums solve_alone(const ContactArrays& c, const SweepArrays& sweep) {
  Pack changed(0), size(0);
  for (std::int64_t i = 0; i < c.stride; i += 8) {
    const ModelPoint<Pack> p = load_point(c, i);
    const Pack shares = load(sweep.shares + i);
    const LonePoint<Pack> alone{.normal_mobility = shares * load(sweep.normal_mobility + i),
                                .tangential_mobility = shares * load(sweep.tangential_mobility + i),
                                .slip_tolerance_slope = load(sweep.slip_tolerance_slope + i),
                                .stiction_tolerance = sweep.stiction_tolerance,
                                .own_limit = sweep.own_limit};
    const Vector last = load3(c, F::impulse_x, i);
    const Split v = split_velocity<Model>(p, load3(c, F::direction_x, i)), own(last, p.n);
    const Vector slip_free = v.tangent - alone.tangential_mobility * own.tangent;
    const LoneAnswer<Pack> a =
        Model::solve_alone(p, alone, Pack(v.normal - alone.normal_mobility * own.normal),
                           sqrt(dot(slip_free, slip_free)));
    const Vector gamma = a.impulse * p.n - a.drag * slip_free;
    Vector there = a.velocity * p.n + a.slip_scale * slip_free;
    if constexpr (requires { Model::origin(p); }) there = there + Model::origin(p);
    store3(c, F::direction_x, i, there);
    store3(c, F::impulse_x, i, gamma);
    store(c[F::dual_normal] + i, a.impulse);
    const Pack w = load(sweep.weight + i);
    const Vector change = gamma - last;
    changed += w * dot(change, change);
    size += w * dot(gamma, gamma);
  }
  return {.changed = sum(changed), .size = sum(size)};
}

template <class Model>
constexpr ModelKernels kernels = {evaluate_here<Model>, evaluate<Model>, line<Model>,
                                  hessian<Model>,       advance<Model>,  solve_alone<Model>};

template <template <class> class Model>
constexpr LawKernels law_kernels = {
    .by_law = {kernels<Model<KelvinVoigt>>, kernels<Model<HuntCrossley>>, kernels<Model<Hertz>>},
    .mixed = kernels<Model<MixedLaws>>,
    .pointwise = kernels<Model<PointwiseLaws>>};

}  // namespace

// Constant-initialized: no code of this instruction set runs before it is chosen.
static_assert(!traits(normal_laws[2]).is_pointwise && traits(normal_laws[3]).is_pointwise,
              "those evaluated in packs come first");
constinit const ContactKernels contact_table = {.sap = kernels<Sap>,
                                                .lagged = law_kernels<Lagged>,
                                                .similar = law_kernels<Similar>,
                                                .anchored = law_kernels<Anchored>,
                                                .velocities = velocities,
                                                .impulses = impulses,
                                                .make_inert = make_inert,
                                                .load_sap = load_sap,
                                                .start_duals = start_duals,
                                                .change_places = change_places,
                                                .extend_linearly = extend_linearly,
                                                .extrapolate = extrapolate,
                                                .moments = moments,
                                                .assemble = assemble,
                                                .gather_bodies = gather_bodies,
                                                .move_bodies = move_bodies,
                                                .residual = residual,
                                                .step_terms = step_terms,
                                                .part_residual = part_residual,
                                                .part_step_terms = part_step_terms,
                                                .scaled_square = scaled_square,
                                                .write_diagonals = write_diagonals,
                                                .linked_twists = linked_twists,
                                                .linked_loads = linked_loads,
                                                .add_linked = add_linked,
                                                .row_velocities = row_velocities,
                                                .row_loads = row_loads,
                                                .row_hessian = row_hessian};

}  // namespace abut::ABUT_ISA
