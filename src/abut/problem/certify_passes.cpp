// SAP's contacts in a certificate, see certify_sap.hpp, and momenta of trees. Written for itself:
// no solver's kernel is used, and none uses this one.

#include "abut/linalg/simd.hpp"
#include "abut/linalg/triples.hpp"

#include "abut/problem/certify_kernels.hpp"

namespace abut::ABUT_ISA {
namespace {

ABUT_INLINE Pack3 operator-(const Pack3& a, const Pack3& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
ABUT_INLINE Pack3 operator*(const Pack& s, const Pack3& a) {
  return {s * a.x, s * a.y, s * a.z};
}
ABUT_INLINE Pack dot(const Pack3& a, const Pack3& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
ABUT_INLINE Pack abs(const Pack& a) {
  return max(a, -a);
}
ABUT_INLINE PackMask is_zero(const Pack3& a) {
  return abs(a.x) + abs(a.y) + abs(a.z) <= Pack(0.0);
}

/// Of eight contacts.
struct SapPack {
  Pack3 normal, velocity, impulse;
  Pack gap, friction, relaxation_time, mobility, normal_regularization, tangential_regularization;
};
/// What becomes of a contact, in work: the law's impulse; what is summed; what the worst counts of.
struct ContactVerdict {
  double law[4], sums[4], worst[4];
};

/// Contacts `first` and on. Behind the last one are zeros; of velocities anything.
ABUT_INLINE SapPack load_pack(const judging::SapContacts& c, int first, const double* velocity) {
  const int count = c.count - first;
  const bool is_whole = count >= 8;
  const auto single = [&](const double* p) __attribute__((always_inline)) {
    return is_whole ? loadu(p + first) : load_first(p + first, count);
  };
  return {.normal = load_triples(c.normal + 3 * first, count),
          .velocity = load_quads(velocity + 4 * first),
          .impulse = load_triples(c.impulse + 3 * first, count),
          .gap = single(c.gap),
          .friction = single(c.friction),
          .relaxation_time = single(c.relaxation_time),
          .mobility = single(c.mobility),
          .normal_regularization = single(c.normal_regularization),
          .tangential_regularization = single(c.tangential_regularization)};
}

/// What is not a number stays so: comparisons with it are false.
ABUT_INLINE void judge_pack(const SapPack& c, double time_step, ContactVerdict* verdicts) {
  const Pack zero = 0.0, one = 1.0, h = time_step;
  const Pack3 &n = c.normal, &v = c.velocity, &given = c.impulse;
  const Pack &mu = c.friction, &gap = c.gap, &w = c.mobility;
  const Pack &rt = c.tangential_regularization, &rn = c.normal_regularization;
  const Pack horizon = h + c.relaxation_time, target = -gap / horizon;
  const Pack vn = dot(n, v), gn = dot(n, given);
  const Pack3 vt = v - vn * n, gt = given - gn * n;
  const Pack slip = sqrt(dot(vt, vt)), friction = sqrt(dot(gt, gt)), root = sqrt(one + mu * mu);
  const PackMask is_silent = is_zero(given);

  // as a rigid contact that may approach by its gap: distances from the cone and its dual
  const Pack open = vn - min(zero, -gap / h), sigma = open + mu * slip;
  const PackMask is_fine = zero <= open && is_silent;
  const Pack beyond = friction - mu * gn;
  const Pack primal = select(zero <= gn && beyond <= zero, zero,
                             select(mu * friction <= -gn, sqrt(gn * gn + friction * friction),
                                    select(beyond <= zero, zero, beyond / root)));
  const Pack short_of = mu * slip - sigma;
  const Pack dual =
      select(short_of <= zero, zero,
             select(slip <= -mu * sigma, sqrt(sigma * sigma + slip * slip), short_of / root));
  const Pack complementarity = abs(gn * sigma + dot(gt, vt));

  // the law: the projection on the cone by regions; nothing of what is and stays apart
  const Pack approach = target - vn;
  const PackMask sticks = rn * slip <= mu * rt * approach;
  const Pack slides_at = (approach + mu * slip) / (rn + mu * mu * rt);
  const Pack along = select(sticks, approach / rn, slides_at);
  const Pack across = select(sticks, one / rt, mu * slides_at / slip);
  const Pack3 pressed = along * n - across * vt;
  const PackMask parts = approach <= -mu * slip;
  const PackMask is_apart = is_silent && zero < gap + horizon * (vn - mu * slip);
  const auto of_law = [&](const Pack& x) { return select(is_apart, zero, select(parts, zero, x)); };
  const Pack3 law = {of_law(pressed.x), of_law(pressed.y), of_law(pressed.z)};
  const Pack3 off = law - given;

  const PackMask counts_not = is_silent && is_zero(law);
  const Pack sliding = dot(given, vt), answer = -w * sliding;
  const Pack stiffness =
      max(select(zero < answer, answer / (slip * slip), zero), w * (one + mu) / rn);
  const Pack slack = sliding + rt * dot(given, given) + gn * (vn - target + (rn - rt) * gn);
  constexpr std::ptrdiff_t stride = sizeof(ContactVerdict) / sizeof(double);
  store_columns(verdicts->law, stride, law.x, law.y, law.z, zero);
  store_columns(verdicts->sums, stride, w * dot(off, off), w * dot(law, law),
                select(counts_not, zero, abs(slack)), zero);
  store_columns(verdicts->worst, stride, select(is_fine, zero, primal), select(is_fine, zero, dual),
                select(is_fine, zero, complementarity),
                select(counts_not, zero, select(stiffness <= stiffness, stiffness, zero)));
}

/// Contacts' velocities v_c at these of the sides, four numbers of each.
ABUT_INLINE void find_velocities(const judging::SapContacts& c, const judging::SapPatch* patches,
                                 int count, double* velocity) {
  for (int k = 0; k < count; ++k) {
    const judging::SapSide &a = patches[k].a, &b = patches[k].b;
    const Quad ca = load3(a.center), va = load3(a.linear), wa = load3(a.angular),
               cb = load3(b.center), vb = load3(b.linear), wb = load3(b.angular);
    for (int i = patches[k].begin; i < patches[k].end; ++i) {
      const Quad x = load3(c.point + 3 * i);
      const Quad of_a = va + cross(wa, x - ca), of_b = vb + cross(wb, x - cb);
      store_quad(velocity + 4 * i, of_b - of_a + load3(c.bias + 3 * i));
    }
  }
}

/// The larger one of each; what is not a number stays.
ABUT_INLINE Quad worst(Quad a, Quad b) {
  return (b > a) | (b != b) ? b : a;
}

/// Sums up what became of a patch's contacts.
ABUT_INLINE void sum_up(const judging::SapContacts& c, const judging::SapPatch& patch,
                        const ContactVerdict* contacts, judging::SapVerdict& verdict) {
  const Quad ca = load3(patch.a.center), cb = load3(patch.b.center);
  Quad force{}, moment_a{}, moment_b{}, sums{}, most{}, linked{};
  for (int i = patch.begin; i < patch.end; ++i) {
    const Quad x = load3(c.point + 3 * i), law = load_quad(contacts[i].law);
    force += law;
    moment_a += cross(x - ca, law);
    moment_b += cross(x - cb, law);
    // contacts without impulses have zeros: to add these takes less than a branch around them
    sums += load_quad(contacts[i].sums);
    most = worst(most, load_quad(contacts[i].worst));
    linked = law != 0 ? splat_quad(1) : linked;
  }
  store_quad(verdict.force, force);
  store_quad(verdict.moment_a, moment_a);
  store_quad(verdict.moment_b, moment_b);
  store_quad(&verdict.mismatch, sums);
  store_quad(&verdict.primal, most);
  verdict.is_linked = linked[0] + linked[1] + linked[2] > 0;
}

void judge_sap(const judging::SapContacts& c, const judging::SapPatch* patches, int count,
               double* work, judging::SapVerdict* verdicts) {
  static_assert(sizeof(ContactVerdict) == 12 * sizeof(double));
  using Verdict = judging::SapVerdict;  // whose sums and worst are four in a row
  static_assert(offsetof(Verdict, unused) - offsetof(Verdict, mismatch) == 3 * sizeof(double) &&
                offsetof(Verdict, stiffness) - offsetof(Verdict, primal) == 3 * sizeof(double));
  double* velocity = work;
  auto* contacts = reinterpret_cast<ContactVerdict*>(work + judging::sap_work(c.count) / 4);
  find_velocities(c, patches, count, velocity);
  for (int i = 0; i < c.count; i += 8) {
    judge_pack(load_pack(c, i, velocity), c.time_step, contacts + i);
  }
  for (int k = 0; k < count; ++k) sum_up(c, patches[k], contacts, verdicts[k]);
}

void add_verdicts(const judging::SapPatch* patches, int count, const judging::SapVerdict* verdicts,
                  judging::SapTree* rows) {
  const auto add = [](double* to, Quad x) __attribute__((always_inline)) {
    store_quad(to, load_quad(to) + x);
  };
  for (int k = 0; k < count; ++k) {
    const judging::SapVerdict& v = verdicts[k];
    judging::SapTree &a = rows[patches[k].row_a], &b = rows[patches[k].row_b],
                     &tree = rows[patches[k].row];
    const Quad force = load_quad(v.force);
    add(a.force, -force);
    add(a.moment, -load_quad(v.moment_a));
    add(b.force, force);
    add(b.moment, load_quad(v.moment_b));
    add(&tree.mismatch, load_quad(&v.mismatch));
    store_quad(&tree.primal, worst(load_quad(&tree.primal), load_quad(&v.primal)));
  }
}

/// Of the numbers from `q` on, which belong to `packs` packs of the tree's dofs.
template <int packs, class Load>
ABUT_INLINE void weigh_packs(const judging::DenseTree& t, const double* work, int q,
                             const Load& load_some, Pack sums[4]) {
  const std::ptrdiff_t lead = judging::tree_work(t.size) / 4, n = t.size;
  const double *v = work, *excess = work + lead, *change = work + 2 * lead;
  Pack products[packs][3];
  for (auto& product : products) product[0] = product[1] = product[2] = Pack(0);
  const double* row = t.matrix + q;
  for (int k = 0; k < n; ++k, row += n) {
    const Pack x[3] = {v[k], excess[k], change[k]};
#pragma GCC unroll 2
    for (int g = 0; g < packs; ++g) {
      const Pack a = load_some(row + 8 * g);
#pragma GCC unroll 3
      for (int i = 0; i < 3; ++i) products[g][i] = fma(a, x[i], products[g][i]);
    }
  }
#pragma GCC unroll 2
  for (int g = 0; g < packs; ++g) {
    const Pack d2 = Pack(1) / loadu(work + 3 * lead + q + 8 * g);
    const Pack j = load_some(t.impulse + q + 8 * g);
    const Pack squared[4] = {products[g][1] - j, products[g][0], j, products[g][2]};
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) sums[i] = fma(d2 * squared[i], squared[i], sums[i]);
  }
}

judging::MomentumSquares weigh_tree(const judging::DenseTree& t, double* work) {
  const int n = t.size;
  const std::ptrdiff_t lead = judging::tree_work(n) / 4;
  for (int q = 0; q < n; q += 8) {
    const int count = n - q < 8 ? n - q : 8;
    const Pack v = load_first(t.velocity + q, count), free = load_first(t.free_velocity + q, count);
    storeu(work + q, v);
    storeu(work + lead + q, v - free);
    storeu(work + 2 * lead + q, free - load_first(t.before + q, count));
    storeu(work + 3 * lead + q, Pack(1));
  }
  for (int k = 0; k < n; ++k) work[3 * lead + k] = t.matrix[k * (std::ptrdiff_t{n} + 1)];
  Pack sums[4] = {Pack(0), Pack(0), Pack(0), Pack(0)};
  const auto whole = [](const double* p) { return loadu(p); };
  int q = 0;
  for (; q + 16 <= n; q += 16) weigh_packs<2>(t, work, q, whole, sums);
  for (; q + 8 <= n; q += 8) weigh_packs<1>(t, work, q, whole, sums);
  const int rest = n - q;
  if (rest > 0) {
    weigh_packs<1>(
        t, work, q, [&](const double* p) { return load_first(p, rest); }, sums);
  }
  return {.residual = sum(sums[0]),
          .momentum = sum(sums[1]),
          .impulse = sum(sums[2]),
          .change = sum(sums[3])};
}

/// Six numbers of each of eight bodies.
struct Pack6 {
  Pack3 linear, angular;
};
ABUT_INLINE Pack6 gather_six(const double* const body[8]) {
  const Pack4 a = gather_fours(body, 0), b = gather_fours(body, 2);
  return {{a.x, a.y, a.z}, {a.w, b.z, b.w}};
}
ABUT_INLINE Pack6 operator-(const Pack6& a, const Pack6& b) {
  return {a.linear - b.linear, a.angular - b.angular};
}

/// The masses of eight bodies.
struct RigidPack {
  Pack mass;
  Pack3 column[3];  ///< of their inertias

  /// Their momenta.
  ABUT_INLINE Pack6 operator*(const Pack6& v) const {
    const Pack3& w = v.angular;
    const auto row = [&](const Pack& x, const Pack& y, const Pack& z) {
      return x * w.x + y * w.y + z * w.z;
    };
    return {mass * v.linear,
            {row(column[0].x, column[1].x, column[2].x), row(column[0].y, column[1].y, column[2].y),
             row(column[0].z, column[1].z, column[2].z)}};
  }
  /// The sum of squares over the diagonal.
  ABUT_INLINE Pack sum_of_squares(const Pack6& p) const {
    const auto part = [](const Pack& d2, const Pack& x) { return d2 * x * x; };
    const Pack one = 1.0, d2 = one / mass;
    return part(d2, p.linear.x) + part(d2, p.linear.y) + part(d2, p.linear.z) +
           part(one / column[0].x, p.angular.x) + part(one / column[1].y, p.angular.y) +
           part(one / column[2].z, p.angular.z);
  }
};

void weigh_rigid_bodies(const judging::RigidTree* trees, int count,
                        judging::MomentumSquares* sums) {
  for (int i = 0; i < count; i += 8) {
    const int some = count - i < 8 ? count - i : 8;
    const double *inertia[8], *velocity[8], *free[8], *before[8], *impulse[8];
    double mass[8], last[8];
    for (int k = 0; k < 8; ++k) {  // beyond the last one the first one again
      const judging::RigidTree& t = trees[k < some ? i + k : i];
      inertia[k] = t.inertia, velocity[k] = t.velocity, free[k] = t.free_velocity;
      before[k] = t.before, impulse[k] = t.impulse;
      mass[k] = t.mass, last[k] = t.inertia[8];
    }
    const Pack4 x = gather_fours(inertia, 0), y = gather_fours(inertia, 4);
    const RigidPack a{loadu(mass), {{x.x, x.y, x.z}, {x.w, y.x, y.y}, {y.z, y.w, loadu(last)}}};
    const Pack6 v = gather_six(velocity), v_free = gather_six(free), j = gather_six(impulse);
    const Pack residual = a.sum_of_squares(a * (v - v_free) - j),
               momentum = a.sum_of_squares(a * v), of_j = a.sum_of_squares(j),
               change = a.sum_of_squares(a * (v_free - gather_six(before)));
    judging::MomentumSquares all[8];
    static_assert(sizeof(all[0]) == 4 * sizeof(double));
    store_columns(&all[0].residual, 4, residual, momentum, of_j, change);
    for (int k = 0; k < some; ++k) sums[i + k] = all[k];
  }
}

}  // namespace

// Constant-initialized: no code of this instruction set runs before it is chosen.
constinit const judging::JudgeKernels judge_table = {judge_sap, add_verdicts, weigh_tree,
                                                     weigh_rigid_bodies};

}  // namespace abut::ABUT_ISA
