#pragma once

// Judges an answer by the problem alone.

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "abut/core/disjoint_sets.hpp"
#include "abut/core/grow.hpp"
#include "abut/core/parallel.hpp"
#include "abut/problem/certify.hpp"
#include "abut/problem/certify_kernels.hpp"
#include "abut/problem/certify_measures.hpp"
#include "abut/problem/certify_numbers.hpp"
#include "abut/problem/certify_sap.hpp"

namespace abut::judging {

/// The residual and its scales by island, computed in type Real with mobilities and regularizations
/// from Numbers.
template <class Real, class Numbers>
class Judge {
 public:
  /// Weighs the trees that `only` marks, all if it is empty. Trees that patches or scalar
  /// constraints link must be marked alike. With a pool only if threads may share Numbers.
  void weigh(const PreparedProblem& problem, const Answer& answer, std::span<const char> only,
             ThreadPool* pool);

  /// Room for the largest tree with each of so many threads.
  void make_room(const ContactProblem& problem, int workers);

  /// Of the islands weighed whose trees are not marked in `without`.
  Certificate sum_up(const ContactProblem& problem, std::span<const char> without) const;

  /// Marks the smallest trees of the islands whose rounding is not below `accuracy`.
  void mark_rounded(double accuracy, std::vector<char>& marks) const;

 private:
  /// Of the contacts of the patches whose B a tree is, or of scalar constraints.
  struct ImpulseSums {
    Real slack = 0, mismatch = 0;
    Real gross = 0;              ///< sum of w |gamma|^2
    Real lag = 0, friction = 0;  ///< max mu |gamma_n - gamma_n0|, max mu of the larger
    double stiffest = 0;
    Real lag_squares = 0;  ///< sum of w (mu (gamma_n - gamma_n0))^2
    NcpErrors ncp;
    void add_impulses(const ImpulseSums& part);
  };
  /// Of trees: squared, scaled by D.
  struct MomentumSums {
    Real residual = 0, momentum = 0, impulse = 0, change = 0;
    void add_momenta(const MomentumSums& part);
  };
  struct Sums : ImpulseSums, MomentumSums {};
  /// What the impulses of a patch come to, to be added in the order of patches; under SAP in packs
  /// a SapVerdict.
  struct PatchVerdict {
    ImpulseSums sums;
    Screw<Real> load_a, load_b;
    bool is_linked = false;
  };
  /// What an island's errors are measured by, squared: of many islands roots would take long, and
  /// only of one that may be at rest is the root of its gross impulse needed.
  struct Scales {
    Real gross, rest, momentum, scale;
    bool moves;         ///< it has momentum, or lacks some
    Real rounding = 0;  ///< that 64-bit numbers may leave of its errors
  };
  /// The worst of islands, squared.
  struct Worst {
    Real step = 0, impulse = 0, momentum = 0, rounding = 0;
    Real complementarity = 0;  ///< not squared
    NcpErrors ncp;             ///< neither
  };
  static constexpr bool in_double = std::is_same_v<Real, double>;
  /// Patches that one thread judges at once, whose verdicts stay in the cache.
  static constexpr int patch_block = 32;
  /// How many verdicts there are at once: where threads share the patches, all.
  static std::size_t verdict_room(const ContactProblem& p, const ThreadPool* pool) {
    return pool == nullptr ? patch_block : std::max<std::size_t>(patch_block, p.patches.capacity());
  }
  template <class JudgeRange, class Add>
  void judge_all(const PreparedProblem& problem, ThreadPool* pool, JudgeRange&& judge, Add&& add);
  bool is_weighed(int tree) const { return weighed_.empty() || weighed_[tree]; }
  void judge_patches(const PreparedProblem& problem, const Answer& answer, ThreadPool* pool);
  /// Whether the contacts are judged by packs.
  bool in_packs(const ContactProblem& p) const {
    const bool has_ellipses = !p.contacts.extras.empty();  // or other things that few contacts have
    return in_double && p.model == ContactModel::sap && !has_ellipses && weighed_.empty();
  }
  void reserve_packs(const ContactProblem& p, const ThreadPool* pool);
  void judge_packs(const PreparedProblem& problem, const Answer& answer, ThreadPool* pool);
  /// What the contacts of the patches whose B the tree is come to.
  ImpulseSums contact_sums(const ContactProblem& p, int tree) const;
  void judge_singly(const ContactProblem& p, std::span<const Patch> patches, const Answer& answer,
                    PatchVerdict* verdicts);
  void judge_patch(const ContactProblem& p, const Patch& patch, const Answer& answer,
                   PatchVerdict& verdict);
  void judge_sap(const ContactProblem& p, std::span<const Patch> patches, const Answer& answer,
                 int worker, SapPatch* sap_patches, SapVerdict* verdicts);
  void add_verdicts_of(const PreparedProblem& problem, int worker);
  static Real least_velocity(const ContactProblem& p, const Patch& patch, int contact);
  void judge_lag(const ContactProblem& p, int contact, Real gamma_n, double lagged, Real w,
                 ImpulseSums& sums);
  void judge_scalars(const ContactProblem& p, const Answer& answer);
  /// Of each worker.
  struct Momenta {
    std::vector<Real> parts, diagonal;
  };
  void add_tree(const ContactProblem& p, int tree, std::span<const double> velocity,
                Momenta& momenta, MomentumSums& sums);
  void take_loads(const ContactProblem& p, int begin, int end);
  void add_rigid_bodies(const ContactProblem& p, int begin, int end,
                        std::span<const double> velocity);
  static Scales scales_of(const Sums& sums);
  static void add_island(const Sums& sums, int tree, const ContactProblem& p, Worst& most,
                         Certificate& result);

  Numbers numbers_;
  std::vector<Momenta> momenta_;
  std::vector<Real> generalized_;
  std::vector<PatchVerdict> verdicts_;  ///< of a block of patches, or of all
  std::vector<SapBlock> sap_;           ///< by worker
  std::vector<SapPatch> sap_patches_;   ///< likewise, as sap_verdicts_
  std::vector<SapVerdict> sap_verdicts_;
  std::vector<char> linked_;        ///< by patch, where threads share them: SapVerdict::is_linked
  std::vector<SapTree> sap_trees_;  ///< by worker for what counts nowhere, then by tree
  int first_row_ = 1;               ///< there, of trees
  std::vector<ImpulseSums> contact_sums_;  ///< by tree, where they are judged singly
  std::vector<ImpulseSums> scalar_sums_;   ///< by the first tree of their rows, if there are any
  std::vector<MomentumSums> tree_sums_;
  std::vector<Sums> island_sums_;  ///< by their smallest tree
  DisjointSets islands_;           ///< of trees
  std::span<const char> weighed_;  ///< the trees that are
};

template <class Real, class Numbers>
void Judge<Real, Numbers>::ImpulseSums::add_impulses(const ImpulseSums& part) {
  slack += part.slack;
  mismatch += part.mismatch;
  gross += part.gross;
  lag = worst(lag, part.lag);
  friction = worst(friction, part.friction);
  lag_squares += part.lag_squares;
  stiffest = std::max(stiffest, part.stiffest);
  ncp.raise_to(part.ncp);
}

template <class Real, class Numbers>
void Judge<Real, Numbers>::MomentumSums::add_momenta(const MomentumSums& part) {
  residual += part.residual;
  momentum += part.momentum;
  impulse += part.impulse;
  change += part.change;
}

/// The impulses of all patches: adds their momentum and joins the trees that they link.
template <class Real, class Numbers>
void Judge<Real, Numbers>::judge_patches(const PreparedProblem& problem, const Answer& answer,
                                         ThreadPool* pool) {
  const ContactProblem& p = problem.problem();
  // whether contacts are judged by packs may change: room for either
  abut::make_room(verdicts_, verdict_room(p, pool));
  abut::make_room(contact_sums_, p.trees.size());
  if constexpr (in_double) {
    reserve_packs(p, pool);
    if (in_packs(p)) return judge_packs(problem, answer, pool);
  }
  resize(verdicts_, problem.shares().are_for(pool) ? p.patches.size() : patch_block);
  assign(contact_sums_, p.trees.size(), {});
  const auto judge = [&](int first, int begin, int end, int) {
    judge_singly(p, std::span(p.patches).subspan(begin, end - begin), answer,
                 &verdicts_[begin - first]);
  };
  judge_all(problem, pool, judge, [&](int first, int end) {
    for (int k = first; k < end; ++k) {
      const Patch& patch = p.patches[k];
      const PatchVerdict& verdict = verdicts_[k - first];
      if (!is_weighed(patch.tree_b)) continue;
      add_load(p, patch.tree_a, patch.body_a, verdict.load_a, generalized_.data());
      add_load(p, patch.tree_b, patch.body_b, verdict.load_b, generalized_.data());
      if (patch.joins_trees() && verdict.is_linked) islands_.join(patch.tree_a, patch.tree_b);
      contact_sums_[patch.tree_b].add_impulses(verdict.sums);
    }
  });
}

/// Has judge(first, begin, end, worker) write the verdicts of patches [begin, end), the first place
/// for that of `first`, by threads if they share the patches; add(first, end) then takes them in
/// the order of patches.
template <class Real, class Numbers>
template <class JudgeRange, class Add>
void Judge<Real, Numbers>::judge_all(const PreparedProblem& problem, ThreadPool* pool,
                                     JudgeRange&& judge, Add&& add) {
  const PatchShares& shares = problem.shares();
  const int count = static_cast<int>(problem.problem().patches.size());
  if (shares.are_for(pool)) {
    shares.for_each(pool, [&](const auto& r) { judge(0, r.begin, r.end, r.worker); });
    return add(0, count);
  }
  for (int first = 0; first < count; first += patch_block) {
    const int end = std::min(first + patch_block, count);
    judge(first, first, end, 0);
    add(first, end);
  }
}

template <class Real, class Numbers>
void Judge<Real, Numbers>::judge_singly(const ContactProblem& p, std::span<const Patch> patches,
                                        const Answer& answer, PatchVerdict* verdicts) {
  for (const Patch& patch : patches) {
    if (is_weighed(patch.tree_b)) judge_patch(p, patch, answer, *verdicts);
    ++verdicts;
  }
}

template <class Real, class Numbers>
void Judge<Real, Numbers>::judge_patch(const ContactProblem& p, const Patch& patch,
                                       const Answer& answer, PatchVerdict& verdict) {
  const ContactPool& c = p.contacts;
  const bool is_rigid = traits(p.model).is_rigid;
  verdict = {};
  auto& [sums, load_a, load_b, linked] = verdict;
  const auto side_a = side_velocity<Real>(p, patch, patch.tree_a, patch.body_a, answer.velocity);
  const auto side_b = side_velocity<Real>(p, patch, patch.tree_b, patch.body_b, answer.velocity);
  load_a.center = side_a.center;
  load_b.center = side_b.center;
  for (int i = patch.begin; i < patch.end; ++i) {
    const Vector<Real> v =
        velocity_at(side_b, c.point[i]) - velocity_at(side_a, c.point[i]) + Vector<Real>(c.bias[i]);
    const double lagged = answer.lagged_impulse.empty() ? 0 : answer.lagged_impulse[i];
    const Motion<Real> motion(Vector<Real>(c.normal[i]), v);
    const RoundedMotion rounded{
        c.normal[i], motion.vt.rounded(), static_cast<double>(motion.vn),
        is_ellipse(p, i) && c.friction[i] > 0
            ? static_cast<double>(friction_rate(p, i, motion)) / c.friction[i]
            : static_cast<double>(motion.slip)};
    // a pair that is still apart may approach by its gap
    const Real least = is_rigid ? least_velocity(p, patch, i)
                                : std::min(Real(0), -Real(c.gap[i]) / Real(p.time_step));
    judge_as_ncp(p, i, rounded, static_cast<double>(least), answer.impulse[i], sums.ncp);
    if (answer.impulse[i] == Vec3{} && is_apart(p, i, motion, lagged)) continue;
    const ContactNumbers<Real> numbers = numbers_.of_contact(p, patch, i);
    const Vector<Real> gamma =
        is_rigid ? rigid_impulse(p, i, motion, least, Vector<Real>(answer.impulse[i]), numbers)
                 : law_impulse(p, i, motion, lagged, numbers);
    if (traits(p.model).lags_friction) {
      judge_lag(p, i, dot(motion.n, gamma), lagged, numbers.w, sums);
    }
    if (gamma.is_zero() && answer.impulse[i] == Vec3{}) continue;
    const Vector<Real> off = gamma - Vector<Real>(answer.impulse[i]);
    sums.mismatch += numbers.w * dot(off, off);
    sums.gross += numbers.w * dot(gamma, gamma);
    linked = linked || !gamma.is_zero();
    const ContactNumbers<double> rounded_numbers = numbers.rounded();
    raise_by_stiffness(sums.stiffest, p, i, rounded, answer.impulse[i], lagged, rounded_numbers);
    if (p.model == ContactModel::sap) {
      sums.slack += std::abs(sap_slack(p, i, rounded, answer.impulse[i], rounded_numbers));
    }
    add_force(load_a, c.point[i], Real(-1) * gamma);
    add_force(load_b, c.point[i], gamma);
  }
}

/// What the normal velocity of a rigid model's contact is to be at least.
template <class Real, class Numbers>
Real Judge<Real, Numbers>::least_velocity(const ContactProblem& p, const Patch& patch, int i) {
  if (p.rigid.restitution == 0) return least_normal_velocity<Real>(p, i, 0);
  const auto velocity = [&](int tree, int body) {
    return velocity_at(side_velocity<Real>(p, patch, tree, body, p.velocity), p.contacts.point[i]);
  };
  const Vector<Real> before = velocity(patch.tree_b, patch.body_b) -
                              velocity(patch.tree_a, patch.body_a) +
                              Vector<Real>(p.contacts.bias[i]);
  const Vector<Real> normal(p.contacts.normal[i]);
  return least_normal_velocity(p, i, dot(normal, before));
}

template <class Real, class Numbers>
void Judge<Real, Numbers>::judge_lag(const ContactProblem& p, int i, Real gamma_n, double lagged,
                                     Real w, ImpulseSums& sums) {
  const Real mu = p.contacts.friction[i], lag = mu * std::abs(gamma_n - Real(lagged));
  sums.lag = worst(sums.lag, lag);
  sums.friction = worst(sums.friction, mu * std::max(gamma_n, Real(lagged)));
  sums.lag_squares += w * lag * lag;
}

template <class Real, class Numbers>
void Judge<Real, Numbers>::judge_scalars(const ContactProblem& p, const Answer& answer) {
  const ScalarPool& s = p.scalars;
  abut::make_room(scalar_sums_, p.trees.size());
  assign(scalar_sums_, s.size() > 0 ? p.trees.size() : 0, {});
  for (int i = 0; i < s.size(); ++i) {
    const std::span<const RowEntry> row = s.row(i);
    if (!is_weighed(row.front().tree)) continue;
    Real c = 0;
    for (const RowEntry& e : row) {
      c += Real(e.value) * Real(answer.velocity[p.trees[e.tree].first_dof + e.dof]);
    }
    const auto [w, regularization] = numbers_.of_scalar(p, i);
    const Real gamma = scalar_impulse(p, i, c, regularization);
    int last = row.front().tree;
    for (const RowEntry& e : row) {
      generalized_[p.trees[e.tree].first_dof + e.dof] += Real(e.value) * gamma;
      if (e.tree != last && gamma != 0) islands_.join(last, e.tree);
      last = e.tree;
    }
    const Real off = gamma - Real(answer.scalar_impulse[i]);
    ImpulseSums& sums = scalar_sums_[row.front().tree];
    sums.mismatch += w * off * off;
    sums.gross += w * gamma * gamma;
    sums.stiffest = std::max(sums.stiffest, static_cast<double>(w / regularization));
  }
}

/// The momentum of one tree: A v, A (v - v*) and A (v* - v0).
template <class Real, class Numbers>
void Judge<Real, Numbers>::add_tree(const ContactProblem& p, int tree,
                                    std::span<const double> velocity, Momenta& momenta,
                                    MomentumSums& sums) {
  const Tree& t = p.trees[tree];
  const double *v = velocity.data() + t.first_dof, *free = p.free_velocity.data() + t.first_dof,
               *before = p.velocity.data() + t.first_dof;
  const auto add = [&](int k, Real d2, Real full, Real excess, Real change) {
    const Real j = generalized_[t.first_dof + k], r = excess - j;
    sums.residual += d2 * r * r;
    sums.momentum += d2 * full * full;
    sums.impulse += d2 * j * j;
    sums.change += d2 * change * change;
  };
  const auto excess = [&](int k) { return Real(v[k]) - Real(free[k]); };
  const auto change = [&](int k) { return Real(free[k]) - Real(before[k]); };
  const auto take = [&](const MomentumSquares& squares) {
    sums.residual += squares.residual;
    sums.momentum += squares.momentum;
    sums.impulse += squares.impulse;
    sums.change += squares.change;
  };
  const std::size_t n = t.size;
  if constexpr (in_double) {
    const double* j = generalized_.data() + t.first_dof;
    if (t.kind == TreeKind::dense) {
      resize(momenta.parts, std::max(momenta.parts.size(), tree_work(n)));
      return take(judge_kernels().weigh_tree(
          {t.size, p.matrices.data() + t.first_element, v, free, before, j}, momenta.parts.data()));
    }
  }
  if (t.kind == TreeKind::rigid_body) {
    const Real m = t.mass, d2 = 1 / m;
    for (int k = 0; k < 3; ++k) add(k, d2, m * Real(v[k]), m * excess(k), m * change(k));
    for (int r = 0; r < 3; ++r) {
      Real full = 0, over = 0, by = 0;
      for (int k = 0; k < 3; ++k) {
        const Real a = t.inertia(r, k);
        full += a * Real(v[3 + k]), over += a * excess(3 + k), by += a * change(3 + k);
      }
      add(3 + r, 1 / Real(t.inertia(r, r)), full, over, by);
    }
    return;
  }
  // v, v - v* and v* - v0 beside each other, and A times these; four numbers make whole vectors
  constexpr int width = in_double ? 4 : 3;
  assign(momenta.parts, 2 * width * n, 0);
  Real *of = momenta.parts.data(), *products = of + width * n;
  for (std::size_t k = 0; k < n; ++k) {
    Real* x = of + width * k;
    x[0] = v[k], x[1] = excess(static_cast<int>(k)), x[2] = change(static_cast<int>(k));
  }
  const auto add_times = [&](Real a, std::size_t from, Real* to) {
    for (int i = 0; i < width; ++i) to[i] += a * of[width * from + i];
  };
  const auto finish = [&](int k, Real diagonal) {
    const Real* product = products + width * k;
    add(k, 1 / diagonal, product[0], product[1], product[2]);
  };
  if (t.kind == TreeKind::sparse) {
    std::vector<Real>& diagonal = momenta.diagonal;
    assign(diagonal, n, 0);
    p.sparse_matrices.for_each_block(t, [&](int row, int column, const double* block) {
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
          const Real a = block[3 * i + j];
          const int r = 3 * row + i, c = 3 * column + j;
          add_times(a, c, products + width * r);
          if (r == c) diagonal[r] = a;
          if (row != column) add_times(a, r, products + width * c);  // below and above the diagonal
        }
      }
    });
    for (int k = 0; k < t.size; ++k) finish(k, diagonal[k]);
    return;
  }
  // of the lower triangle what is not zero: runs of each row, where a tree has branches
  const double* a = p.matrices.data() + t.first_element;
  for (int c = 0; c < t.size; ++c, a += n) {
    Real own[width] = {};
    add_times(a[c], c, own);
    for (int r = 0; r < c;) {
      for (; r < c && a[r] == 0; ++r) continue;
      for (; r < c && a[r] != 0; ++r) {
        const Real m = a[r];
        add_times(m, c, products + width * r);
        add_times(m, r, own);
      }
    }
    for (int i = 0; i < width; ++i) products[width * c + i] += own[i];
  }
  for (int k = 0; k < t.size; ++k) {
    finish(k, p.matrices[t.first_element + k * (t.size + 1)]);
  }
}

template <class Real, class Numbers>
typename Judge<Real, Numbers>::Scales Judge<Real, Numbers>::scales_of(const Sums& s) {
  const auto square = [](Real x) { return x * x; };
  const Real momentum = std::max(s.momentum, s.impulse);
  constexpr Real most_rest = impulse_rounding * most_borne;
  const bool may_rest = !(momentum >= square(most_rest));
  const Real rest =
      may_rest ? std::min(Real(at_rest) * (1 + std::sqrt(s.gross)), most_rest) : most_rest;
  const Real scale =
      std::max({s.impulse, std::min(s.momentum, s.change), square(momentum_rounding) * s.momentum,
                square(impulse_rounding) * std::min(s.gross, square(most_borne))});
  const bool moves = !(may_rest && momentum < square(rest) && s.residual < square(rest));
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  const Real rounding = square(50 * epsilon * std::max(1.0, s.stiffest)) * (momentum / scale);
  return {s.gross, square(rest), momentum, scale, moves, moves ? rounding : 0};
}

template <class Real, class Numbers>
void Judge<Real, Numbers>::add_island(const Sums& s, int tree, const ContactProblem& p, Worst& most,
                                      Certificate& result) {
  const auto raise = [](Real& to, Real x) { to = worst(to, x); };
  most.ncp.raise_to(s.ncp);
  const auto [gross, rest, momentum, scale, moves, rounding] = scales_of(s);
  if (!moves && s.mismatch < rest) return;
  raise(most.impulse, s.mismatch / std::max(scale, gross));
  if (!moves) return;
  if (!(s.lag_squares <= Real(negligible_lag) * Real(negligible_lag) * scale)) {
    result.lag_error = worst(result.lag_error, static_cast<double>(s.lag / s.friction));
    result.lagging_islands += !(s.lag <= p.friction.lag_tolerance * s.friction);
  }
  const Real error = s.residual == 0 ? 0 : s.residual / scale;
  if (!(error <= most.step) && !std::isnan(most.step)) {
    most.step = error;
    result.worst_tree = tree;
  }
  raise(most.rounding, rounding);
  raise(most.momentum, s.residual / momentum);
  raise(most.complementarity, s.slack / momentum);
}

template <class Real, class Numbers>
void Judge<Real, Numbers>::weigh(const PreparedProblem& problem, const Answer& answer,
                                 std::span<const char> only, ThreadPool* pool) {
  const ContactProblem& p = problem.problem();
  const int trees = static_cast<int>(p.trees.size());
  weighed_ = only;
  numbers_.start(problem, only);
  assign(generalized_, p.velocity.size(), 0);
  islands_.reset(trees);
  judge_patches(problem, answer, pool);
  judge_scalars(p, answer);
  constexpr int least_per_range = 64;
  resize(momenta_, pool == nullptr ? 1 : pool->threads());
  assign(tree_sums_, trees, {});
  for_ranges(pool, trees, least_per_range, [&](int begin, int end, int worker) {
    if constexpr (in_double) add_rigid_bodies(p, begin, end, answer.velocity);
    for (int t = begin; t < end; ++t) {
      if (!is_weighed(t) || (in_double && p.trees[t].kind == TreeKind::rigid_body)) continue;
      add_tree(p, t, answer.velocity, momenta_[worker], tree_sums_[t]);
    }
  });
  assign(island_sums_, trees, {});
  const std::span<const std::int32_t> island = islands_.all_smallest();
  for (int t = 0; t < trees; ++t) {
    if (!is_weighed(t)) continue;
    Sums& sums = island_sums_[island[t]];
    sums.add_momenta(tree_sums_[t]);
    sums.add_impulses(contact_sums(p, t));
  }
  for (int t = 0; t < static_cast<int>(scalar_sums_.size()); ++t) {
    if (is_weighed(t)) island_sums_[island[t]].add_impulses(scalar_sums_[t]);
  }
}

template <class Real, class Numbers>
void Judge<Real, Numbers>::make_room(const ContactProblem& p, int workers) {
  std::size_t largest = 0;
  for (const Tree& t : p.trees) {
    if (t.kind != TreeKind::rigid_body) largest = std::max<std::size_t>(largest, t.size);
  }
  resize(momenta_, workers);
  for (Momenta& m : momenta_) {
    abut::make_room(m.parts, std::max(8 * largest, tree_work(largest)));
    abut::make_room(m.diagonal, largest);
  }
}

template <class Real, class Numbers>
Certificate Judge<Real, Numbers>::sum_up(const ContactProblem& p,
                                         std::span<const char> without) const {
  Certificate result;
  Worst most;
  for (int tree = 0; tree < static_cast<int>(p.trees.size()); ++tree) {
    if (!islands_.is_smallest(tree) || !is_weighed(tree)) continue;
    if (without.empty() || !without[tree]) add_island(island_sums_[tree], tree, p, most, result);
  }
  const auto root = [](Real square) { return static_cast<double>(std::sqrt(square)); };
  const double h = p.time_step;
  result.step_error = root(most.step);
  result.impulse_error = root(most.impulse);
  result.momentum_error = root(most.momentum);
  result.rounding = root(most.rounding);
  result.complementarity_error = static_cast<double>(most.complementarity);
  result.ncp_primal = most.ncp.primal / h;
  result.ncp_dual = most.ncp.dual / h;
  result.ncp_complementarity = most.ncp.complementarity / (h * h);
  return result;
}

template <class Real, class Numbers>
void Judge<Real, Numbers>::mark_rounded(double accuracy, std::vector<char>& marks) const {
  for (std::size_t tree = 0; tree < marks.size(); ++tree) {
    if (!islands_.is_smallest(static_cast<int>(tree))) continue;
    if (!(scales_of(island_sums_[tree]).rounding < accuracy * accuracy)) marks[tree] = true;
  }
}

}  // namespace abut::judging

#include "abut/problem/certify_packs.hpp"
