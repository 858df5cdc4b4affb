// SAP's contacts in a certificate, see certify_sap.hpp, and dense trees. Written for itself: no
// solver's kernel is used, and none uses this one.

#include "abut/linalg/simd.hpp"

#include "abut/problem/certify_kernels.hpp"

namespace abut::ABUT_ISA {
namespace {

using judging::SapField;

static_assert(judging::sap_lanes * sizeof(double) == sizeof(Pack));

struct Pack3 {
  Pack x, y, z;
};
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

/// One pack. What is not a number stays so: comparisons with it are false.
ABUT_INLINE void judge_pack(double* pack, double time_step) {
  const auto get = [&](SapField f) { return load(pack + 8 * static_cast<int>(f)); };
  const auto put = [&](SapField f, const Pack& x) { store(pack + 8 * static_cast<int>(f), x); };
  const auto get3 = [&](SapField x) {
    const double* at = pack + 8 * static_cast<int>(x);
    return Pack3{load(at), load(at + 8), load(at + 16)};
  };
  const Pack zero = 0.0, one = 1.0, h = time_step;
  const Pack3 n = get3(SapField::normal_x), v = get3(SapField::velocity_x),
              given = get3(SapField::impulse_x);
  const Pack mu = get(SapField::friction), gap = get(SapField::gap), w = get(SapField::w);
  const Pack rt = get(SapField::tangential_regularization),
             rn = get(SapField::normal_regularization), target = get(SapField::target);
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
  put(SapField::primal, select(is_fine, zero, primal));
  put(SapField::dual, select(is_fine, zero, dual));
  put(SapField::complementarity, select(is_fine, zero, abs(gn * sigma + dot(gt, vt))));

  // the law: the projection on the cone by regions; nothing of what is and stays apart
  const Pack approach = target - vn;
  const PackMask sticks = rn * slip <= mu * rt * approach;
  const Pack slides_at = (approach + mu * slip) / (rn + mu * mu * rt);
  const Pack along = select(sticks, approach / rn, slides_at);
  const Pack across = select(sticks, one / rt, mu * slides_at / slip);
  const Pack3 pressed = along * n - across * vt;
  const PackMask parts = approach <= -mu * slip;
  const PackMask is_apart = is_silent && zero < gap + get(SapField::horizon) * (vn - mu * slip);
  const auto of_law = [&](const Pack& x) { return select(is_apart, zero, select(parts, zero, x)); };
  const Pack3 law = {of_law(pressed.x), of_law(pressed.y), of_law(pressed.z)};
  const Pack3 off = law - given;
  put(SapField::law_x, law.x), put(SapField::law_y, law.y), put(SapField::law_z, law.z);
  put(SapField::mismatch, w * dot(off, off));
  put(SapField::gross, w * dot(law, law));

  const PackMask counts_not = is_silent && is_zero(law);
  const Pack sliding = dot(given, vt), answer = -w * sliding;
  const Pack stiffness =
      max(select(zero < answer, answer / (slip * slip), zero), w * (one + mu) / rn);
  put(SapField::stiffness, select(counts_not, zero, stiffness));
  const Pack slack = sliding + rt * dot(given, given) + gn * (vn - target + (rn - rt) * gn);
  put(SapField::slack, select(counts_not, zero, abs(slack)));
}

void judge_sap(double* contacts, int packs, double time_step) {
  for (int k = 0; k < packs; ++k) judge_pack(contacts + k * judging::sap_pack_size, time_step);
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

}  // namespace

// Constant-initialized: no code of this instruction set runs before it is chosen.
constinit const judging::JudgeKernels judge_table = {judge_sap, weigh_tree};

}  // namespace abut::ABUT_ISA
