#include "abut/solvers/primal/lone_bodies.hpp"

#include <algorithm>
#include <cmath>

#include "abut/core/grow.hpp"

namespace abut {

bool LoneBodies::suits(const PreparedProblem& prepared, const Islands& islands, int island) {
  const ContactProblem& p = prepared.problem();
  const std::span<const std::int32_t> trees = islands.trees_of(island);
  if (trees.size() != 1 || p.trees[trees.front()].kind != TreeKind::rigid_body) return false;
  if (p.scalars.size() > 0 && !prepared.scalars().of_tree(trees.front()).empty()) return false;
  const Patch& patch = p.patches[islands.patches_of(island).front()];
  return !traits(p.model).lags_friction && !traits(p.law_of(patch.begin)).is_pointwise;
}

void LoneBodies::make_room(const ContactProblem& p) {
  const auto is_rigid = [](const Tree& t) { return t.kind == TreeKind::rigid_body; };
  if (traits(p.model).lags_friction || std::ranges::none_of(p.trees, is_rigid)) return;
  const std::array sizes{p.trees.size(), p.patches.capacity(), p.contacts.gap.capacity()};
  if (sizes == sizes_) return;
  sizes_ = sizes;
  system_.make_room(p);
  abut::make_room(trees_, most);
  abut::make_room(patches_, most);
  abut::make_room(left_, most);
  for (auto* b : {&velocity_, &impulse_, &momentum_, &gradient_}) b->reserve(8 * most);
}

void LoneBodies::build(const PreparedProblem& problem, std::span<const std::int32_t> islands,
                       const Islands& partition) {
  trees_.clear();
  patches_.clear();
  for (const int island : islands) {
    trees_.push_back(partition.trees_of(island).front());
    patches_.push_back(partition.patches_of(island).front());  // with the world, so the only one
  }
  system_.build(problem, trees_, patches_, partition.dormant);
  for (auto* b : {&velocity_, &impulse_, &momentum_, &gradient_}) b->resize(system_.vector_size());
}

/// The step error of a body, as IslandIterate has it where anything moves or pushes.
double LoneBodies::error_of(int body) {
  const BodySums s = system_.body_residual(body, velocity_.data(), impulse_.data(),
                                           momentum_.data(), gradient_.data());
  return std::sqrt(s.error) / step_scale(s, system_.free_change(body));
}

std::span<const std::int32_t> LoneBodies::test(const PreparedProblem& problem,
                                               std::span<const std::int32_t> islands,
                                               double tolerance, ContactSolution& x) {
  build(problem, islands, x.partition);
  system_.gather(x.velocity, velocity_.data());
  system_.velocities(velocity_.data(), ContactField::velocity_x, true);
  const ModelKernels& model = contact_kernels().model(problem.problem().model, system_.laws());
  model.evaluate_here(system_.contacts());
  system_.contact_impulses(impulse_.data());
  left_.clear();
  for (int body = 0; body < std::ssize(islands); ++body) {
    const int island = islands[body];
    const double error = error_of(body);
    if (!(error <= tolerance)) {
      left_.push_back(island);
      continue;
    }
    const auto [index, begin, end] = system_.patches()[body];
    for (int i = begin; i < end; ++i) {
      x.impulse[system_.contact_indices()[i]] = system_.impulse(i);
    }
    x.islands[island] = follow(
        x.islands[island],
        {.status = SolveStatus::converged, .contacts = end - begin, .momentum_error = error});
  }
  return left_;
}

}  // namespace abut
