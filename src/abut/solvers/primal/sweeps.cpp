#include "abut/solvers/primal/sweeps.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "abut/core/grow.hpp"
#include "abut/problem/previous_impulses.hpp"

namespace abut {
namespace {

using F = ContactField;

constexpr int row_count = 9;  // of SweepArrays, and of parts

/// A's part of a contact's normal mobility; -1 where one is a mechanism.
double part_of_a(const PreparedProblem& q, const Patch& patch, int i) {
  const ContactProblem& p = q.problem();
  const Tree &a = p.trees[patch.tree_a], &b = p.trees[patch.tree_b];
  if (a.kind != TreeKind::rigid_body || b.kind != TreeKind::rigid_body) return -1;
  const Vec3& n = p.contacts.normal[i];
  const Vec3 turn = cross(p.contacts.point[i] - a.center, n);
  const double w = 1 / a.mass + dot(turn, q.masses().inertia(patch.tree_a) * turn);
  return w / q.contacts().normal_mobility[i];
}

}  // namespace

bool Sweeps::run(const PreparedProblem& q, std::span<const std::int32_t> trees,
                 const ModelKernels& model, IslandSystem& system, SweepOptions options) {
  const ContactArrays& c = system.contacts();
  start(q, trees, system);
  arrays_.own_limit = options.own_limit;
  momentum_ = damping_ = 1;
  SweepSums sums;
  double last = std::numeric_limits<double>::infinity();
  for (int s = 0; s < options.most; ++s) {
    if (s > 0) {
      const bool grew = sums.changed > last;
      if (grew) damping_ *= 1.25;
      extrapolate(c, grew || sums.turned > 0);
      last = sums.changed;
    }
    move(q, trees, system);
    share(q.problem(), trees, system.patches(), c, s == 0);
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
  for (auto* v : {&resting_, &u_, &generalized_}) abut::make_room(*v, dofs);
  abut::make_room(work_, q.masses().work_size());
  abut::make_room(closed_, p.trees.size());
}

void Sweeps::start(const PreparedProblem& q, std::span<const std::int32_t> trees,
                   const IslandSystem& system) {
  const ContactProblem& p = q.problem();
  for (auto* v : {&resting_, &u_, &generalized_}) v->resize(p.free_velocity.size());
  work_.resize(q.masses().work_size());
  for (auto* b : {&x_, &y_, &rest_}) b->resize(system.vector_size());
  previous_velocity(q, trees, {}, resting_, generalized_, work_);  // what scalars leave
  system.gather(resting_, rest_.data());
  x_.fill_zero();

  const ContactArrays& c = system.contacts();
  const ContactPool& pool = p.contacts;
  const ContactTerms& terms = q.contacts();
  const std::int64_t n = c.stride;
  rows_.resize(row_count * n);
  double *wn = rows_.data(), *wt = wn + n, *slope = wt + n, *weight = slope + n;
  shares_ = weight + n, part_of_a_ = shares_ + n, before_ = part_of_a_ + n;
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
             .before = before_,
             .stiction_tolerance = p.friction.stiction_tolerance};

  closed_.resize(p.trees.size());
  for (const IslandPatch& at : system.patches()) {
    const Patch& patch = p.patches[at.patch];
    if (!patch.joins_trees()) continue;
    for (int i = at.begin; i < at.end; ++i) part_of_a_[i] = part_of_a(q, patch, contacts[i]);
  }
}

/// The velocities that the impulses give: u = v* + A^-1 J^T gamma.
void Sweeps::move(const PreparedProblem& q, std::span<const std::int32_t> trees,
                  IslandSystem& system) {
  system.contact_impulses(y_.data());
  const IslandNodes& nodes = system.nodes();
  if (nodes.rigid_bodies() < nodes.count()) move_mechanisms(q, trees, system);
  for (int i = 0; i < nodes.rigid_bodies(); ++i) {
    const int tree = nodes.tree(i), at = nodes.offset(i);
    const double *y = y_.data() + at, *rest = rest_.data() + at;
    const double per_mass = 1 / q.problem().trees[tree].mass;
    const Vec3 turn = q.masses().inertia(tree) * Vec3{y[3], y[4], y[5]};
    double* x = x_.data() + at;
    for (int k = 0; k < 3; ++k) {
      x[k] = rest[k] + per_mass * y[k];
      x[3 + k] = rest[3 + k] + turn[k];
    }
  }
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
void Sweeps::share(const ContactProblem& p, std::span<const std::int32_t> trees,
                   std::span<const IslandPatch> patches, const ContactArrays& c, bool is_first) {
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
  for (const IslandPatch& at : patches) {
    const Patch& patch = p.patches[at.patch];
    int closed = 0;
    for (int i = at.begin; i < at.end; ++i) closed += normal[i] > 0;
    if (patch.joins_trees()) closed_[patch.tree_a] += closed;
    closed_[patch.tree_b] += closed;
  }
  for (const IslandPatch& at : patches) {
    const Patch& patch = p.patches[at.patch];
    const int a = patch.joins_trees() ? closed_[patch.tree_a] : 0;
    const int b = closed_[patch.tree_b];
    for (int i = at.begin; i < at.end; ++i) {
      const double both = part_of_a_[i] < 0 ? std::max(a, b) : b + part_of_a_[i] * (a - b);
      shares_[i] = damping_ * std::max(1.0, both);
    }
  }
}

/// Goes on along the way from the sweep before to the last one, further each time.
void Sweeps::extrapolate(const ContactArrays& c, bool afresh) {
  if (afresh) momentum_ = 1;
  const double next = 0.5 * (1 + std::sqrt(1 + 4 * momentum_ * momentum_));
  const double ahead = (momentum_ - 1) / next;
  momentum_ = next;
  double* gamma = c[F::impulse_x];
  for (std::int64_t i = 0; i < 3 * c.stride; ++i) {
    const double x = gamma[i];
    gamma[i] = x + ahead * (x - before_[i]);
    before_[i] = x;
  }
}

}  // namespace abut
