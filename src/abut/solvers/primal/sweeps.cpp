#include "abut/solvers/primal/sweeps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "abut/core/grow.hpp"
#include "abut/problem/previous_impulses.hpp"

namespace abut {
namespace {

using F = ContactField;

constexpr int row_count = 8;  // of arrays_, and impulses before

// Which contacts are closed changes less and less: masses are shared anew in each of the first
// sweeps, then now and then.
constexpr int shared_each = 5, shared_after = 4;

/// A body's share counts so much of its closed contacts, as they hardly all push the same way; more
/// where that proves too few.
constexpr double first_damping = 0.6;

// Where a sweep changes more than the last one, shares grow by a factor of 1 + this over the square
// root of the contacts, so that what oscillates dies away. Sweeps that run away, which change so
// many times the least change so far (of squares), begin afresh, damped by so much more.
constexpr double growth = 1.2, far_off = 16, far_off_growth = 1.25;

/// A's part of the mobility of two bodies that push each other; -1 where one is a mechanism.
double part_of_a(const ContactProblem& p, const Patch& patch) {
  const Tree &a = p.trees[patch.tree_a], &b = p.trees[patch.tree_b];
  if (a.kind != TreeKind::rigid_body || b.kind != TreeKind::rigid_body) return -1;
  return b.mass / (a.mass + b.mass);
}

}  // namespace

bool Sweeps::run(const PreparedProblem& q, std::span<const std::int32_t> trees,
                 const ModelKernels& model, IslandSystem& system, SweepOptions options) {
  const ContactArrays& c = system.contacts();
  start(q, trees, system);
  arrays_.own_limit = options.own_limit;
  momentum_ = 1;
  damping_ = first_damping;
  const double more_damping = 1 + growth / std::sqrt(std::max(1, system.contact_count()));
  SweepSums sums;
  double last = std::numeric_limits<double>::infinity(), least = last;
  for (int s = 0; s < options.most; ++s) {
    bool grew = false;
    if (s > 0) {
      grew = sums.changed > last;
      if (grew) damping_ *= more_damping;
      if (sums.changed > far_off * least) {
        damping_ = far_off_growth * std::max(1.0, damping_);
        momentum_ = 1;
        least = sums.changed;
      }
      least = std::min(least, sums.changed);
      extrapolate(c);
      last = sums.changed;
    }
    move(q, trees, system);
    if (s < shared_each || s % shared_after == 0 || grew) share(trees, c, s == 0);
    sums = model.solve_alone(c, arrays_);
    if (!(sums.changed > options.settled * options.settled * sums.size)) break;
  }
  return std::isfinite(sums.changed + sums.size);
}

void Sweeps::make_room(const PreparedProblem& q) {
  const ContactProblem& p = q.problem();
  const std::size_t contacts = p.contacts.gap.capacity(), dofs = p.velocity.size();
  rows_.reserve(row_count * (contacts + 8));
  for (auto* b : {&x_, &y_, &rest_}) b->reserve(dofs + 8 * p.trees.size());
  inverse_inertia_.reserve(32 * p.trees.size());
  for (auto* v : {&resting_, &u_, &generalized_}) abut::make_room(*v, dofs);
  abut::make_room(work_, q.masses().work_size());
  abut::make_room(closed_, p.trees.size() + 1);
  abut::make_room(pairs_, p.patches.capacity());
}

void Sweeps::start(const PreparedProblem& q, std::span<const std::int32_t> trees,
                   const IslandSystem& system) {
  const ContactProblem& p = q.problem();
  for (auto* v : {&resting_, &u_, &generalized_}) v->resize(p.free_velocity.size());
  work_.resize(q.masses().work_size());
  for (auto* b : {&x_, &y_, &rest_}) b->resize(system.vector_size());
  if (system.scalars().empty() && system.nodes().rigid_bodies() == system.nodes().count()) {
    std::copy_n(system.free_velocity(), system.vector_size(), rest_.data());
  } else {
    previous_velocity(q, trees, {}, resting_, generalized_, work_);  // what scalars leave
    system.gather(resting_, rest_.data());
  }
  x_.fill_zero();

  const ContactArrays& c = system.contacts();
  const ContactPool& pool = p.contacts;
  const ContactTerms& terms = q.contacts();
  const std::int64_t n = c.stride;
  rows_.resize(row_count * n);
  double *wn = rows_.data(), *wt = wn + n, *slope = wt + n, *weight = slope + n;
  shares_ = weight + n, before_ = shares_ + n;
  std::fill_n(rows_.data(), row_count * n, 0.0);
  std::fill_n(shares_, n, 1.0);
  std::fill_n(c[F::impulse_x], 3 * n, 0.0);
  const auto contacts = system.contact_indices();
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const int k = contacts[i];
    wn[i] = terms.normal_mobility[k];
    wt[i] = terms.tangential_mobility[k];
    slope[i] = terms.tangential_regularization[k] * pool.friction[k];
    weight[i] = terms.mobility[k];
    const Vec3 last = system.unscaled(static_cast<int>(i), pool.previous_impulse[k]);
    for (int r = 0; r < 3; ++r) c[F::impulse_x][r * n + i] = before_[r * n + i] = last[r];
  }
  arrays_ = {.normal_mobility = wn,
             .tangential_mobility = wt,
             .shares = shares_,
             .slip_tolerance_slope = slope,
             .weight = weight,
             .stiction_tolerance = p.friction.stiction_tolerance};

  const auto world = static_cast<std::int32_t>(p.trees.size());
  resize(closed_, p.trees.size() + 1);
  pairs_.clear();
  for (const IslandPatch& at : system.patches()) {
    const Patch& patch = p.patches[at.patch];
    const bool joins = patch.joins_trees();
    pairs_.push_back({at.begin, at.end, joins ? patch.tree_a : world, patch.tree_b,
                      joins ? part_of_a(p, patch) : 0});
  }
  gather_inverse_inertia(q, system.nodes());
}

/// In the layout of RigidBodies::inertia.
void Sweeps::gather_inverse_inertia(const PreparedProblem& q, const IslandNodes& nodes) {
  inverse_inertia_.resize(32 * static_cast<std::size_t>(nodes.rigid_bodies()));
  inverse_inertia_.fill_zero();
  for (int i = 0; i < nodes.rigid_bodies(); ++i) {
    const int tree = nodes.tree(i);
    const Mat3& inertia = q.masses().inertia(tree);
    double* to = inverse_inertia_.data() + 32 * i;
    for (int k = 0; k < 3; ++k) {
      to[k] = 1 / q.problem().trees[tree].mass;
      for (int r = 0; r < 3; ++r) to[8 * (k + 1) + 3 + r] = inertia(r, k);
    }
  }
}

/// The velocities that the impulses give: u = v* + A^-1 J^T gamma.
void Sweeps::move(const PreparedProblem& q, std::span<const std::int32_t> trees,
                  IslandSystem& system) {
  system.contact_impulses(y_.data());
  const IslandNodes& nodes = system.nodes();
  if (nodes.rigid_bodies() < nodes.count()) move_mechanisms(q, trees, system);
  contact_kernels().move_bodies(nodes.rigid_bodies(), inverse_inertia_.data(), rest_.data(),
                                y_.data(), x_.data());
  system.velocities(x_.data(), F::direction_x, true);
}

/// move() of the trees that are no rigid bodies, by way of the problem's layout.
void Sweeps::move_mechanisms(const PreparedProblem& q, std::span<const std::int32_t> trees,
                             const IslandSystem& system) {
  const ContactProblem& p = q.problem();
  system.scatter(y_.data(), generalized_);
  for (const int t : trees) {
    const Tree& tree = p.trees[t];
    if (tree.kind == TreeKind::rigid_body) continue;
    std::copy_n(resting_.data() + tree.first_dof, tree.size, u_.data() + tree.first_dof);
    q.masses().add(p, t, generalized_.data(), u_.data(), work_);
  }
  system.gather(u_, x_.data());
}

/// Among how many closed contacts a body shares its mass: those that are about to close, then those
/// that the last sweep has closed.
void Sweeps::share(std::span<const std::int32_t> trees, const ContactArrays& c, bool is_first) {
  const std::int64_t n = c.stride;
  double* normal = c[F::dual_normal];
  const auto along_normal = [&](F first, std::int64_t i) {
    const double *a = c[F::normal_x] + i, *b = c[first] + i;
    return a[0] * b[0] + a[n] * b[n] + a[2 * n] * b[2 * n];
  };
  for (std::int64_t i = 0; is_first && i < n; ++i) {
    const double alone = along_normal(F::direction_x, i) -
                         arrays_.normal_mobility[i] * along_normal(F::impulse_x, i);
    normal[i] = c[F::v_hat][i] - alone;
  }
  for (const int t : trees) closed_[t] = 0;
  for (const Pair& pair : pairs_) {
    int closed = 0;
    for (int i = pair.begin; i < pair.end; ++i) closed += normal[i] > 0;
    closed_[pair.tree_a] += closed;
    closed_[pair.tree_b] += closed;
  }
  closed_.back() = 0;  // what the world bears does not count
  for (const Pair& pair : pairs_) {
    const double a = closed_[pair.tree_a], b = closed_[pair.tree_b];
    const double both = pair.part_of_a < 0 ? std::max(a, b) : b + pair.part_of_a * (a - b);
    const double share = std::max({1.0, damping_, damping_ * both});
    for (int i = pair.begin; i < pair.end; ++i) shares_[i] = share;
  }
}

/// Goes on along the way from the sweep before to the last one, further each time.
void Sweeps::extrapolate(const ContactArrays& c) {
  const double next = 0.5 * (1 + std::sqrt(1 + 4 * momentum_ * momentum_));
  const double ahead = (momentum_ - 1) / next;
  momentum_ = next;
  contact_kernels().extrapolate(c, ahead, before_);
}

}  // namespace abut
