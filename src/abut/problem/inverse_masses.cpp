#include "abut/problem/inverse_masses.hpp"

#include <algorithm>

#include "abut/linalg/dense_spd.hpp"

namespace abut {

void InverseMasses::find(const ContactProblem& p) {
  inertia_.resize(p.trees.size());
  begin_.resize(p.trees.size());
  std::int64_t own = 0, given = 0;
  std::size_t sparse = 0;
  int largest = 0;
  for (std::size_t t = 0; t < p.trees.size(); ++t) {
    const Tree& tree = p.trees[t];
    if (tree.kind == TreeKind::rigid_body) {
      inertia_[t] = inverse(tree.inertia);
      continue;
    }
    inertia_[t] = {};
    if (tree.kind == TreeKind::sparse) {
      if (sparse == sparse_.size()) sparse_.emplace_back();
      sparse_[sparse].factor(p, static_cast<int>(t));
      begin_[t] = static_cast<std::int64_t>(sparse++);
      continue;
    }
    largest = std::max(largest, tree.size);
    std::int64_t& end = tree.brings_factor ? given : own;
    begin_[t] = end;
    end += std::int64_t{tree.size} * round_up_8(tree.size);
  }
  factors_.resize(static_cast<std::size_t>(own));
  for (std::size_t t = 0; t < p.trees.size(); ++t) {
    const Tree& tree = p.trees[t];
    if (tree.kind != TreeKind::dense || tree.brings_factor) continue;
    invert_factor(tree.size, p.matrices.data() + tree.first_element, factors_.data() + begin_[t]);
  }
  work_size_ = 3 * static_cast<std::size_t>(round_up_8(largest));
}

void InverseMasses::add(const ContactProblem& p, int tree, const double* x, double* u,
                        std::span<double> work) const {
  const Tree& t = p.trees[tree];
  const double* from = x + t.first_dof;
  double* to = u + t.first_dof;
  if (std::all_of(from, from + t.size, [](double g) { return g == 0; })) return;
  switch (t.kind) {
    case TreeKind::rigid_body: break;
    case TreeKind::dense: return add_inverse_times(t.size, factor(p, tree), from, to, work.data());
    case TreeKind::sparse: return sparse_[begin_[tree]].add_inverse_times(from, to);
  }
  const Vec3 turn = inertia_[tree] * Vec3{from[3], from[4], from[5]};
  for (int k = 0; k < 3; ++k) {
    to[k] += from[k] / t.mass;
    to[3 + k] += turn[k];
  }
}

}  // namespace abut
