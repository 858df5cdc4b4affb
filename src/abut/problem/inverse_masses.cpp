#include "abut/problem/inverse_masses.hpp"

#include <algorithm>
#include <cstddef>

#include "abut/core/grow.hpp"
#include "abut/core/parallel.hpp"
#include "abut/linalg/dense_spd.hpp"

namespace abut {
namespace {

// as be_rigid_bodies() reads them
static_assert(offsetof(Tree, center) == offsetof(Tree, mass) + sizeof(double) &&
              offsetof(Tree, inertia) == offsetof(Tree, center) + sizeof(Vec3) &&
              sizeof(Tree) % sizeof(double) == 0);

}  // namespace

void InverseMasses::find(const ContactProblem& p, ThreadPool* pool) {
  resize(rigid_bodies_, 1 + p.trees.size());
  rigid_bodies_[0].be_at_rest();
  resize(begin_, p.trees.size());
  std::int64_t own = 0, given = 0;
  std::size_t sparse = 0;
  int largest = 0;
  for (std::size_t t = 0; t < p.trees.size(); ++t) {
    const Tree& tree = p.trees[t];
    if (tree.kind == TreeKind::rigid_body) continue;
    if (tree.kind == TreeKind::sparse) {
      if (sparse == sparse_.size()) sparse_.emplace_back();
      begin_[t] = static_cast<std::int64_t>(sparse++);
      continue;
    }
    largest = std::max(largest, tree.size);
    std::int64_t& end = tree.brings_factor ? given : own;
    begin_[t] = end;
    end += std::int64_t{tree.size} * round_up_8(tree.size);
  }
  factors_.resize(static_cast<std::size_t>(own));
  const auto invert = [&](int t) {
    const Tree& tree = p.trees[t];
    if (tree.kind == TreeKind::sparse) sparse_[begin_[t]].factor(p, t);
    if (tree.kind != TreeKind::dense || tree.brings_factor) return;
    invert_factor(tree.size, p.matrices.data() + tree.first_element, factors_.data() + begin_[t]);
  };
  constexpr int least_per_range = 64;
  for_ranges(pool, static_cast<int>(p.trees.size()), least_per_range, [&](int begin, int end) {
    for (int t = begin; t < end;) {
      int last = t;
      while (last < end && p.trees[last].kind == TreeKind::rigid_body) ++last;
      if (last == t) {
        invert(t++);
        continue;
      }
      be_rigid_bodies(last - t, &p.trees[t].mass, sizeof(Tree) / sizeof(double),
                      &rigid_bodies_[1 + t]);
      t = last;
    }
  });
  work_size_ = 3 * static_cast<std::size_t>(round_up_8(largest));
}

void InverseMasses::add_part(const ContactProblem& p, int tree, const double* from, double* to,
                             std::span<double> work) const {
  const Tree& t = p.trees[tree];
  if (std::all_of(from, from + t.size, [](double g) { return g == 0; })) return;
  switch (t.kind) {
    case TreeKind::rigid_body: break;
    case TreeKind::dense: return add_inverse_times(t.size, factor(p, tree), from, to, work.data());
    case TreeKind::sparse: return sparse_[begin_[tree]].add_inverse_times(from, to);
  }
  const Vec3 turn = inertia(tree) * Vec3{from[3], from[4], from[5]};
  for (int k = 0; k < 3; ++k) {
    to[k] += from[k] / t.mass;
    to[3 + k] += turn[k];
  }
}

}  // namespace abut
