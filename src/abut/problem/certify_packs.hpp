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
  resize(sap_patches_, block_size(pool));
  resize(sap_verdicts_, block_size(pool));
  abut::make_room(sap_trees_, 1 + p.trees.size());
}

/// judge_patches() where contacts are judged by packs.
template <class Real, class Numbers>
void Judge<Real, Numbers>::judge_packs(const ContactProblem& p, const Answer& answer,
                                       ThreadPool* pool) {
  const int count = static_cast<int>(p.patches.size()), block = block_size(pool);
  assign(sap_trees_, 1 + p.trees.size(), {});
  for (int first = 0; first < count; first += block) {
    const int size = std::min(block, count - first);
    for_ranges(pool, size, least_patches, [&](int begin, int end, int worker) {
      for (int k = begin; k < end;) {
        const std::span rest = std::span(p.patches).subspan(first + k, end - k);
        const std::size_t some = SapBlock::patches_at_once(rest);
        judge_sap(p, rest.first(some), answer, sap_[worker], &sap_patches_[k], &sap_verdicts_[k]);
        k += static_cast<int>(some);
      }
    });
    judge_kernels().add_verdicts(sap_patches_.data(), size, sap_verdicts_.data(),
                                 sap_trees_.data());
    for (int k = 0; k < size; ++k) {
      const Patch& patch = p.patches[first + k];
      const SapVerdict& verdict = sap_verdicts_[k];
      if (patch.joins_trees() && verdict.is_linked) islands_.join(patch.tree_a, patch.tree_b);
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
  }
  for (std::size_t t = 0; t < p.trees.size(); ++t) {
    if (p.trees[t].kind != TreeKind::rigid_body) continue;
    const SapTree& from = sap_trees_[1 + t];
    Real* to = generalized_.data() + p.trees[t].first_dof;
    for (int k = 0; k < 3; ++k) to[k] = from.force[k], to[3 + k] = from.moment[k];
  }
}

template <class Real, class Numbers>
typename Judge<Real, Numbers>::ImpulseSums Judge<Real, Numbers>::contact_sums(
    const ContactProblem& p, int tree) const {
  if (!in_packs(p)) return contact_sums_[tree];
  const SapTree& from = sap_trees_[1 + tree];
  return {.slack = from.slack,
          .mismatch = from.mismatch,
          .gross = from.gross,
          .stiffest = from.stiffness,
          .ncp = {from.primal, from.dual, from.complementarity}};
}

/// judge_patch() of patches side by side under SAP, all contacts at once.
template <class Real, class Numbers>
void Judge<Real, Numbers>::judge_sap(const ContactProblem& p, std::span<const Patch> patches,
                                     const Answer& answer, SapBlock& block, SapPatch* sap_patches,
                                     SapVerdict* verdicts) {
  const ContactPool& c = p.contacts;
  const int begin = patches.front().begin, count = patches.back().end - begin;
  const std::size_t size = patches.size();
  abut::resize(block.screws, std::max(block.screws.size(), size));
  block.work.resize(std::max(block.work.size(), sap_work(static_cast<std::size_t>(count))));
  for (std::size_t k = 0; k < size; ++k) {
    const Patch& patch = patches[k];
    auto& [screw_a, screw_b] = block.screws[k];
    sap_patches[k] = {.a = sap_side(p, patch, patch.tree_a, patch.body_a, answer.velocity, screw_a),
                      .b = sap_side(p, patch, patch.tree_b, patch.body_b, answer.velocity, screw_b),
                      .begin = patch.begin - begin,
                      .end = patch.end - begin,
                      .row_a = patch.body_a < 0 ? 1 + patch.tree_a : 0,
                      .row_b = patch.body_b < 0 ? 1 + patch.tree_b : 0,
                      .row = 1 + patch.tree_b};
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
