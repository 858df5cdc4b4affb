#pragma once

// What a judge does many at a time: SAP's contacts and the momenta of rigid bodies
// (certify_kernels.hpp).

#include "abut/problem/certify_judge.hpp"

namespace abut::judging {

/// Room for all blocks and workers, whether contacts are judged by packs now or later.
template <class Real, class Numbers>
void Judge<Real, Numbers>::reserve_packs(const ContactProblem& p, const ThreadPool* pool) {
  if (p.model != ContactModel::sap) return;
  int most = 0;
  for (const Patch& patch : p.patches) most = std::max(most, patch.end - patch.begin);
  resize(sap_, pool == nullptr ? 1 : pool->threads());
  for (SapBlock& b : sap_) b.make_room(most);
  abut::make_room(sap_patches_, verdict_room(p, pool));
  abut::make_room(sap_verdicts_, verdict_room(p, pool));
  const std::size_t workers = pool == nullptr ? 1 : pool->threads();
  abut::make_room(sap_trees_, workers + p.trees.size());
  if (pool != nullptr) abut::make_room(linked_, p.patches.capacity());
}

/// judge_patches() where contacts are judged by packs.
template <class Real, class Numbers>
void Judge<Real, Numbers>::judge_packs(const PreparedProblem& problem, const Answer& answer,
                                       ThreadPool* pool) {
  const ContactProblem& p = problem.problem();
  const bool shared = problem.shares().are_for(pool);
  first_row_ = shared ? problem.shares().workers() : 1;
  if (shared) {
    resize(sap_trees_, first_row_ + p.trees.size());
    resize(linked_, p.patches.size());
  } else {
    assign(sap_trees_, first_row_ + p.trees.size(), {});
  }
  const std::size_t verdicts = shared ? p.patches.size() : patch_block;
  resize(sap_patches_, verdicts);
  resize(sap_verdicts_, verdicts);
  const auto judge = [&](int first, int begin, int end, int worker) {
    for (int k = begin; k < end;) {
      const std::span rest = std::span(p.patches).subspan(k, end - k);
      const std::size_t some = SapBlock::patches_at_once(rest);
      judge_sap(p, rest.first(some), answer, worker, &sap_patches_[k - first],
                &sap_verdicts_[k - first]);
      k += static_cast<int>(some);
    }
    for (int k = begin; shared && k < end; ++k) linked_[k] = sap_verdicts_[k].is_linked;
  };
  judge_all(problem, pool, judge, [&](int first, int end) {
    if (shared) {
      pool->for_each_worker([&](int worker) { add_verdicts_of(problem, worker); });
    } else {
      judge_kernels().add_verdicts(sap_patches_.data(), end - first, sap_verdicts_.data(),
                                   sap_trees_.data());
    }
    for (int k = first; k < end; ++k) {
      const Patch& patch = p.patches[k];
      const SapVerdict& verdict = sap_verdicts_[k - first];
      const bool is_linked = shared ? linked_[k] != 0 : verdict.is_linked;
      if (patch.joins_trees() && is_linked) islands_.join(patch.tree_a, patch.tree_b);
      if (patch.is_of_rigid_bodies()) continue;
      const auto load = [&](double sign, const double* moment) {
        const Vector<Real> force(verdict.force[0], verdict.force[1], verdict.force[2]);
        return Screw<Real>{sign * force, sign * Vector<Real>(moment[0], moment[1], moment[2]), {}};
      };
      if (patch.body_a >= 0)
        add_load(p, patch.tree_a, patch.body_a, load(-1, verdict.moment_a), generalized_.data());
      if (patch.body_b >= 0)
        add_load(p, patch.tree_b, patch.body_b, load(1, verdict.moment_b), generalized_.data());
    }
  });
  if (!shared) take_loads(p, 0, static_cast<int>(p.trees.size()));
}

/// The impulses of these trees, as far as they are rigid bodies.
template <class Real, class Numbers>
void Judge<Real, Numbers>::take_loads(const ContactProblem& p, int begin, int end) {
  for (int t = begin; t < end; ++t) {
    if (p.trees[t].kind != TreeKind::rigid_body) continue;
    const SapTree& from = sap_trees_[first_row_ + t];
    Real* to = generalized_.data() + p.trees[t].first_dof;
    for (int k = 0; k < 3; ++k) to[k] = from.force[k], to[3 + k] = from.moment[k];
  }
}

/// Adds the verdicts of all patches to the rows of a worker's trees, in the patches' order. Mostly
/// both trees of a patch are its own: it has judged the patch, and has the verdict at hand.
template <class Real, class Numbers>
void Judge<Real, Numbers>::add_verdicts_of(const PreparedProblem& problem, int worker) {
  const PatchShares& shares = problem.shares();
  const std::int32_t begin = shares.first_tree(worker), end = shares.first_tree(worker + 1);
  const auto add = [&](const SapPatch* patches, int first, int count) {
    judge_kernels().add_verdicts(patches, count, &sap_verdicts_[first], sap_trees_.data());
  };
  sap_trees_[worker] = {};
  std::fill(sap_trees_.begin() + first_row_ + begin, sap_trees_.begin() + first_row_ + end,
            SapTree{});
  const auto owns = [&](std::int32_t tree) { return begin <= tree && tree < end; };
  for (const PatchShares::Range& r : shares.ranges()) {
    int done = r.begin;
    for (int k = r.begin; k < r.end; ++k) {
      const Patch& patch = problem.problem().patches[k];
      const bool of_a = owns(patch.tree_a), of_b = owns(patch.tree_b);
      const bool is_own = r.worker == worker && of_b && (of_a || patch.tree_a == world_tree);
      if (is_own) continue;
      if (done < k) add(&sap_patches_[done], done, k - done);
      done = k + 1;
      if (!of_a && !of_b) continue;
      SapPatch half = sap_patches_[k];
      if (!of_a || patch.body_a >= 0) half.row_a = worker;
      if (!of_b || patch.body_b >= 0) half.row_b = worker;
      if (!of_b) half.row = worker;
      add(&half, k, 1);
    }
    if (done < r.end) add(&sap_patches_[done], done, r.end - done);
  }
  take_loads(problem.problem(), begin, end);
}

template <class Real, class Numbers>
typename Judge<Real, Numbers>::ImpulseSums Judge<Real, Numbers>::contact_sums(
    const ContactProblem& p, int tree) const {
  if (!in_packs(p)) return contact_sums_[tree];
  const SapTree& from = sap_trees_[first_row_ + tree];
  return {.slack = from.slack,
          .mismatch = from.mismatch,
          .gross = from.gross,
          .stiffest = from.stiffness,
          .ncp = {from.primal, from.dual, from.complementarity}};
}

/// judge_patch() of patches side by side under SAP, all contacts at once.
template <class Real, class Numbers>
void Judge<Real, Numbers>::judge_sap(const ContactProblem& p, std::span<const Patch> patches,
                                     const Answer& answer, int worker, SapPatch* sap_patches,
                                     SapVerdict* verdicts) {
  const ContactPool& c = p.contacts;
  SapBlock& block = sap_[worker];
  const int begin = patches.front().begin, count = patches.back().end - begin;
  const std::size_t size = patches.size();
  const auto row = [&](int tree, int body) {
    return tree == world_tree || body >= 0 ? worker : first_row_ + tree;
  };
  abut::resize(block.screws, std::max(block.screws.size(), size));
  block.work.resize(std::max(block.work.size(), sap_work(static_cast<std::size_t>(count))));
  for (std::size_t k = 0; k < size; ++k) {
    const Patch& patch = patches[k];
    auto& [screw_a, screw_b] = block.screws[k];
    sap_patches[k] = {.a = sap_side(p, patch, patch.tree_a, patch.body_a, answer.velocity, screw_a),
                      .b = sap_side(p, patch, patch.tree_b, patch.body_b, answer.velocity, screw_b),
                      .begin = patch.begin - begin,
                      .end = patch.end - begin,
                      .row_a = row(patch.tree_a, patch.body_a),
                      .row_b = row(patch.tree_b, patch.body_b),
                      .row = first_row_ + patch.tree_b};
  }
  const ContactTerms& terms = numbers_.terms();
  judge_kernels().judge_sap({.count = count,
                             .time_step = p.time_step,
                             .point = &c.point[begin].x,
                             .normal = &c.normal[begin].x,
                             .bias = &c.bias[begin].x,
                             .impulse = &answer.impulse[begin].x,
                             .gap = &c.gap[begin],
                             .friction = &c.friction[begin],
                             .relaxation_time = &c.relaxation_time[begin],
                             .mobility = &terms.mobility[begin],
                             .normal_regularization = &terms.normal_regularization[begin],
                             .tangential_regularization = &terms.tangential_regularization[begin]},
                            sap_patches, static_cast<int>(size), block.work.data(), verdicts);
}

/// add_tree() of the rigid bodies among these trees, many at once.
template <class Real, class Numbers>
void Judge<Real, Numbers>::add_rigid_bodies(const ContactProblem& p, int begin, int end,
                                            std::span<const double> velocity) {
  constexpr int most = 32;
  RigidTree bodies[most];
  MomentumSquares squares[most];
  std::int32_t tree[most];
  int count = 0;
  for (int t = begin; t < end; ++t) {
    const Tree& at = p.trees[t];
    if (at.kind == TreeKind::rigid_body && is_weighed(t)) {
      const std::int32_t dof = at.first_dof;
      bodies[count] = {at.mass,
                       &at.inertia.col[0].x,
                       velocity.data() + dof,
                       p.free_velocity.data() + dof,
                       p.velocity.data() + dof,
                       generalized_.data() + dof};
      tree[count++] = t;
    }
    if (count == 0 || (count < most && t + 1 < end)) continue;
    judge_kernels().weigh_rigid_bodies(bodies, count, squares);
    for (int k = 0; k < count; ++k) {
      const MomentumSquares& of = squares[k];
      tree_sums_[tree[k]] = {of.residual, of.momentum, of.impulse, of.change};
    }
    count = 0;
  }
}

}  // namespace abut::judging
