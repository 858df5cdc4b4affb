#include "abut/problem/delassus.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "abut/core/error.hpp"
#include "abut/core/grow.hpp"
#include "abut/problem/contact_kinematics.hpp"

namespace abut {
namespace {

/// The same trees, in the same order.
bool same_trees(std::span<const RowEntry> a, std::span<const RowEntry> b) {
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    const int tree = a[i].tree;
    if (b[j].tree != tree) return false;
    while (i < a.size() && a[i].tree == tree) ++i;
    while (j < b.size() && b[j].tree == tree) ++j;
  }
  return i == a.size() && j == b.size();
}

/// Calls f(tree) for each tree of a row.
template <class F>
void for_each_tree(std::span<const RowEntry> row, const F& f) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i == 0 || row[i].tree != row[i - 1].tree) f(row[i].tree);
  }
}

double bound(double impulse, double time_step) {
  const bool is_free = std::abs(impulse) >= unlimited_force * time_step;
  return is_free ? std::copysign(std::numeric_limits<double>::infinity(), impulse) : impulse;
}

/// The normal velocity that a contact is to have at least [m/s].
double least_velocity(const ContactProblem& p, int i, const PatchMotion& before) {
  const double h = p.time_step, gap = p.contacts.gap[i], e = p.rigid.restitution;
  const double beyond = std::max(0.0, -gap - p.rigid.penetration_slop);
  const double least = gap > 0 ? -gap / h : p.rigid.baumgarte * beyond / h;
  if (e == 0) return least;
  const double meets = -dot(p.contacts.normal[i], before.of(i));
  return meets > 0 && gap <= h * meets ? std::max(least, e * meets) : least;
}

}  // namespace

Mat3 contact_axes(const ContactPool& c, int i) {
  const Vec3& n = c.normal[i];
  const double delta = c.anisotropy(i);
  const Vec3 t = delta == 0 ? any_perpendicular(n) : c.friction_axis(i);
  return {{(1 + delta) * t, (1 - delta) * cross(n, t), n}};
}

void FrictionAssembly::build(const PreparedProblem& q, const Islands& partition, int island) {
  start(q);
  assign(trees_, partition.trees_of(island));
  for (const int k : partition.patches_of(island)) add_patch(k, partition.dormant);
  finish();
}

void FrictionAssembly::build(const PreparedProblem& q) {
  start(q);
  for (int t = 0; t < std::ssize(p_->trees); ++t) trees_.push_back(t);
  for (int k = 0; k < std::ssize(p_->patches); ++k) add_patch(k, {});
  finish();
}

void FrictionAssembly::start(const PreparedProblem& q) {
  if (!q.is_prepared()) fail_input("the problem is not prepared");
  q_ = &q;
  p_ = &q.problem();
  for (auto* v : {&trees_, &contacts_, &scalars_, &near_start_}) v->clear();
  axes_.clear(), groups_.clear(), sides_.clear(), near_.clear();
  result_.friction.clear(), result_.bounds.clear(), result_.velocity.clear();
  result_.time_step = p_->time_step;
  place_.resize(p_->trees.size());
  for (auto* v : {&row_, &response_}) {
    if (v->size() < p_->velocity.size()) v->assign(p_->velocity.size(), 0);
  }
  if (work_.size() < q.masses().work_size()) work_.resize(q.masses().work_size());
}

void FrictionAssembly::add_patch(int k, std::span<const char> dormant) {
  const Patch& patch = p_->patches[k];
  const auto begin = static_cast<std::int32_t>(contacts_.size());
  for (int i = patch.begin; i < patch.end; ++i) {
    if (!dormant.empty() && dormant[i]) continue;
    contacts_.push_back(i);
    axes_.push_back(contact_axes(p_->contacts, i));
    result_.friction.push_back(p_->contacts.friction[i]);
  }
  const auto end = static_cast<std::int32_t>(contacts_.size());
  if (begin == end) return;
  const auto group = static_cast<std::int32_t>(groups_.size());
  groups_.push_back({begin, end, k});
  if (patch.tree_a != world_tree) sides_.push_back({patch.tree_a, group, patch.body_a, -1});
  sides_.push_back({patch.tree_b, group, patch.body_b, 1});
}

/// Those whose first tree this is, three of the same trees in a group.
void FrictionAssembly::add_scalars_of(int tree) {
  const ScalarPool& s = p_->scalars;
  const ScalarTerms& terms = q_->scalars();
  int filled = 3, last = -1;
  for (const int i : terms.of_tree(tree)) {
    if (filled == 3 || !same_trees(s.row(i), s.row(last))) {
      const auto row = static_cast<std::int32_t>(contacts_.size() + result_.bounds.size());
      const auto group = static_cast<std::int32_t>(groups_.size());
      groups_.push_back({row, row + 1, -1});
      for_each_tree(s.row(i), [&](int t) { sides_.push_back({t, group, -1, 1}); });
      scalars_.insert(scalars_.end(), 3, -1);
      result_.bounds.push_back({});
      filled = 0;
    }
    scalars_[scalars_.size() - 3 + filled] = last = i;
    ImpulseBounds& bounds = result_.bounds.back();
    bounds.lower[filled] = bound(terms.lower[i], p_->time_step);
    bounds.upper[filled] = bound(terms.upper[i], p_->time_step);
    ++filled;
  }
}

void FrictionAssembly::finish() {
  for (const int t : trees_) {
    if (p_->trees[t].kind == TreeKind::sparse) {
      fail_input("tree " + std::to_string(t) + " is sparse, which rigid models do not have");
    }
  }
  for (const int t : trees_) add_scalars_of(t);
  for (int k = 0; k < std::ssize(trees_); ++k) place_[trees_[k]] = k;
  lay_out();
  std::fill(result_.delassus.block.begin(), result_.delassus.block.end(), Mat3{});
  for (int k = 0; k < std::ssize(trees_); ++k) {
    const std::span<const Side> sides = sides_of(k);
    for (std::size_t a = 0; a < sides.size(); ++a) {
      if (groups_[sides[a].group].patch < 0) continue;
      for (std::size_t b = a; b < sides.size() && groups_[sides[b].group].patch >= 0; ++b) {
        add_contacts(sides[a], sides[b]);
      }
    }
  }
  result_.velocity.resize(result_.friction.size() + result_.bounds.size());
  for (int g = 0; g < std::ssize(groups_); ++g) {
    if (groups_[g].patch < 0) add_scalar_rows(g);
    set_velocities(groups_[g]);
  }
}

std::span<const FrictionAssembly::Side> FrictionAssembly::sides_of(int place) const {
  return {sides_.data() + side_start_[place], sides_.data() + side_start_[place + 1]};
}

/// Rows of a group have the rows of all groups that share a tree with it.
void FrictionAssembly::lay_out() {
  std::sort(sides_.begin(), sides_.end(), [&](const Side& a, const Side& b) {
    const int x = place_[a.tree], y = place_[b.tree];
    if (x != y) return x < y;
    return a.group != b.group ? a.group < b.group : a.sign < b.sign;
  });
  side_start_.assign(trees_.size() + 1, 0);
  for (const Side& s : sides_) ++side_start_[place_[s.tree] + 1];
  for (std::size_t k = 1; k < side_start_.size(); ++k) side_start_[k] += side_start_[k - 1];
  BlockMatrix& w = result_.delassus;
  w.start.assign(1, 0);
  w.column.clear();
  const auto trees_of = [&](const Group& g, const auto& f) {
    if (g.patch >= 0) {
      const Patch& patch = p_->patches[g.patch];
      if (patch.tree_a != world_tree) f(patch.tree_a);
      f(patch.tree_b);
    } else {
      for_each_tree(p_->scalars.row(scalars_[3 * (g.begin - std::ssize(contacts_))]), f);
    }
  };
  near_start_.push_back(0);
  for (const Group& g : groups_) {
    group_list_.clear();
    trees_of(g, [&](int t) {
      for (const Side& s : sides_of(place_[t])) group_list_.push_back(s.group);
    });
    std::sort(group_list_.begin(), group_list_.end());
    group_list_.erase(std::unique(group_list_.begin(), group_list_.end()), group_list_.end());
    std::int32_t offset = 0;
    for (const std::int32_t k : group_list_) {
      near_.push_back({k, offset});
      offset += groups_[k].end - groups_[k].begin;
    }
    near_start_.push_back(static_cast<std::int32_t>(near_.size()));
    for (int row = g.begin; row < g.end; ++row) {
      for (const std::int32_t k : group_list_) {
        for (int j = groups_[k].begin; j < groups_[k].end; ++j) w.column.push_back(j);
      }
      w.start.push_back(std::ssize(w.column));
    }
  }
  w.block.resize(w.column.size());
}

/// The block of a row, which belongs to a group, with the first row of another group.
std::int64_t FrictionAssembly::first_block(int row, int group, int near) const {
  const auto first = near_.begin() + near_start_[group],
             last = near_.begin() + near_start_[group + 1];
  const auto at =
      std::lower_bound(first, last, near, [](const Near& a, int value) { return a.group < value; });
  return result_.delassus.start[row] + at->offset;
}

Vec3 FrictionAssembly::arm(const Side& side, int contact) const {
  const Vec3& center = side.body < 0 ? p_->trees[side.tree].center : p_->bodies[side.body].center;
  return p_->contacts.point[contact] - center;
}

/// What loads on one side give to the other, of the same tree, and the other way round.
void FrictionAssembly::add_contacts(const Side& to, const Side& from) {
  const Tree& t = p_->trees[to.tree];
  double coupling[36] = {};
  if (t.kind == TreeKind::rigid_body) {
    const Mat3& inverse = q_->masses().inertia(to.tree);
    for (int r = 0; r < 3; ++r) {
      coupling[7 * r] = 1 / t.mass;
      for (int c = 0; c < 3; ++c) coupling[6 * (3 + r) + 3 + c] = inverse(r, c);
    }
  } else {
    q_->bodies().find_coupling(*p_, q_->masses(), to.body, from.body, coupling);
  }
  const Group &row = groups_[to.group], &column = groups_[from.group];
  const bool is_same_side = &to == &from;
  BlockMatrix& w = result_.delassus;
  for (int j = column.begin; j < column.end; ++j) {
    const Vec3 r_j = arm(from, contacts_[j]);
    Vec3 linear[3], angular[3];
    for (int k = 0; k < 3; ++k) {
      const Vec3 f = to.sign * from.sign * axes_[j].col[k], m = cross(r_j, f);
      const double load[6] = {f.x, f.y, f.z, m.x, m.y, m.z};
      for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 6; ++c) {
          linear[k][r] += coupling[6 * r + c] * load[c];
          angular[k][r] += coupling[6 * (3 + r) + c] * load[c];
        }
      }
    }
    for (int i = row.begin; i < row.end; ++i) {
      if (is_same_side && i > j) break;
      const Vec3 r_i = arm(to, contacts_[i]);
      Mat3 block;
      for (int k = 0; k < 3; ++k) {
        block.col[k] = transpose_times(axes_[i], linear[k] + cross(angular[k], r_i));
      }
      Mat3& upper = w.block[first_block(i, to.group, from.group) + (j - column.begin)];
      if (to.group == from.group && i == j) {  // symmetric to the last digit
        upper = upper + (is_same_side ? 0.5 : 1) * (block + transpose(block));
        continue;
      }
      upper = upper + block;
      Mat3& lower = w.block[first_block(j, from.group, to.group) + (i - row.begin)];
      lower = lower + transpose(block);
    }
  }
}

/// Rows and columns of W of three scalar constraints, by what each does to all velocities.
void FrictionAssembly::add_scalar_rows(int group) {
  const ScalarPool& s = p_->scalars;
  const ScalarTerms& terms = q_->scalars();
  const Group& own = groups_[group];
  const int bounds = own.begin - static_cast<int>(contacts_.size());
  BlockMatrix& w = result_.delassus;
  for (int r = 0; r < 3; ++r) {
    const int i = scalars_[3 * bounds + r];
    Mat3& diagonal = w.block[first_block(own.begin, group, group)];
    if (i < 0) {
      diagonal(r, r) = 1;
      continue;
    }
    for (const RowEntry& e : s.row(i)) row_[p_->trees[e.tree].first_dof + e.dof] += e.value;
    for_each_tree(s.row(i),
                  [&](int t) { q_->masses().add(*p_, t, row_.data(), response_.data(), work_); });
    for (int k = near_start_[group]; k < near_start_[group + 1]; ++k) {
      const int near = near_[k].group;
      const Group& other = groups_[near];
      if (other.patch >= 0) {
        const Patch& patch = p_->patches[other.patch];
        const PatchMotion motion(*p_, patch, response_.data());
        for (int row = other.begin; row < other.end; ++row) {
          const int contact = contacts_[row];
          const Vec3 v =
              transpose_times(axes_[row], motion.of(contact) - p_->contacts.bias[contact]);
          Mat3& here = w.block[first_block(own.begin, group, near) + (row - other.begin)];
          Mat3& there = w.block[first_block(row, near, group)];
          for (int c = 0; c < 3; ++c) here(r, c) = there(c, r) = v[c];
        }
        continue;
      }
      if (near > group) continue;  // it brings both
      Mat3& here = w.block[first_block(own.begin, group, near)];
      Mat3& there = w.block[first_block(other.begin, near, group)];
      for (int c = 0; c < 3; ++c) {
        const int j = scalars_[3 * (other.begin - std::ssize(contacts_)) + c];
        if (j < 0 || (near == group && c > r)) continue;
        double product = 0;
        for (const RowEntry& e : s.row(j)) {
          product += e.value * response_[p_->trees[e.tree].first_dof + e.dof];
        }
        here(r, c) = there(c, r) = product;
      }
    }
    diagonal(r, r) += terms.regularization[i];
    for_each_tree(s.row(i), [&](int t) {
      const Tree& tree = p_->trees[t];
      for (auto* v : {&row_, &response_}) std::fill_n(v->data() + tree.first_dof, tree.size, 0.0);
    });
  }
}

void FrictionAssembly::set_velocities(const Group& g) {
  const ContactProblem& p = *p_;
  if (g.patch < 0) {
    Vec3& velocity = result_.velocity[g.begin];
    velocity = {};
    for (int r = 0; r < 3; ++r) {
      const int i = scalars_[3 * (g.begin - std::ssize(contacts_)) + r];
      if (i < 0) continue;
      velocity[r] = -q_->scalars().target[i];
      for (const RowEntry& e : p.scalars.row(i)) {
        velocity[r] += e.value * p.free_velocity[p.trees[e.tree].first_dof + e.dof];
      }
    }
    return;
  }
  const Patch& patch = p.patches[g.patch];
  const PatchMotion free(p, patch, p.free_velocity.data()), before(p, patch, p.velocity.data());
  const double least = 1e-9 / p.trees[patch.tree_b].mass;
  for (int row = g.begin; row < g.end; ++row) {
    const int i = contacts_[row];
    result_.velocity[row] = transpose_times(axes_[row], free.of(i));
    result_.velocity[row].z -= least_velocity(p, i, before);
    // a point that nothing moves still has a mobility
    Mat3& w = result_.delassus.block[result_.delassus.find(row, row)];
    if (w(0, 0) + w(1, 1) + w(2, 2) < least) w = w + Mat3::diagonal({least, least, least});
  }
}

void FrictionAssembly::get_previous(std::span<Vec3> impulse) const {
  const ContactPool& c = p_->contacts;
  for (std::size_t row = 0; row < contacts_.size(); ++row) {
    const Vec3 gamma = transpose_times(axes_[row], c.previous_impulse[contacts_[row]]);
    const Vec3* axis = axes_[row].col;
    const auto part = [&](int k) { return gamma[k] == 0 ? 0 : gamma[k] / squared_norm(axis[k]); };
    impulse[row] = {part(0), part(1), part(2)};
  }
  for (std::size_t k = 0; k < scalars_.size(); ++k) {
    impulse[contacts_.size() + k / 3][static_cast<int>(k % 3)] =
        scalars_[k] < 0 ? 0 : p_->scalars.previous_impulse[scalars_[k]];
  }
}

void FrictionAssembly::add_impulses(std::span<const Vec3> impulse, double* generalized) const {
  for (const Group& g : groups_) {
    if (g.patch < 0) continue;
    const Patch& patch = p_->patches[g.patch];
    int row = g.begin;
    abut::add_impulses(
        *p_, patch,
        [&](int i) {  // patches are gone through once for each side
          if (i == patch.begin) row = g.begin;
          if (row == g.end || contacts_[row] != i) return Vec3{};
          const int own = row++;
          return axes_[own] * impulse[own];
        },
        generalized);
  }
  for (std::size_t k = 0; k < scalars_.size(); ++k) {
    if (scalars_[k] < 0) continue;
    const double gamma = impulse[contacts_.size() + k / 3][static_cast<int>(k % 3)];
    for (const RowEntry& e : p_->scalars.row(scalars_[k])) {
      generalized[p_->trees[e.tree].first_dof + e.dof] += e.value * gamma;
    }
  }
}

void FrictionAssembly::write(std::span<const Vec3> impulse, std::span<Vec3> of_contacts,
                             std::span<double> of_scalars) const {
  for (std::size_t row = 0; row < contacts_.size(); ++row) {
    of_contacts[contacts_[row]] = axes_[row] * impulse[row];
  }
  for (std::size_t k = 0; k < scalars_.size(); ++k) {
    if (scalars_[k] < 0) continue;
    of_scalars[scalars_[k]] = impulse[contacts_.size() + k / 3][static_cast<int>(k % 3)];
  }
}

FrictionProblem make_friction_problem(const PreparedProblem& q) {
  FrictionAssembly assembly;
  assembly.build(q);
  return std::move(assembly.problem());
}

std::vector<double> velocities_of(const PreparedProblem& q, std::span<const Vec3> impulse) {
  const ContactProblem& p = q.problem();
  FrictionAssembly assembly;
  assembly.build(q);
  std::vector<double> generalized(p.velocity.size(), 0), v = p.free_velocity;
  std::vector<double> work(q.masses().work_size());
  assembly.add_impulses(impulse, generalized.data());
  for (int t = 0; t < std::ssize(p.trees); ++t) {
    q.masses().add(p, t, generalized.data(), v.data(), work);
  }
  return v;
}

}  // namespace abut
