// Derived numbers of each contact: Delassus estimate and SAP's regularization.

#include <algorithm>
#include <cmath>

#include "abut/core/grow.hpp"
#include "abut/problem/contact_kinematics.hpp"
#include "abut/problem/prepare.hpp"

namespace abut {

void invert_masses(ContactProblem& p) {
  p.inverse_inertia.resize(p.trees.size());
  p.factor_begin.resize(p.trees.size(), -1);
  int largest = 0;
  for (std::size_t t = 0; t < p.trees.size(); ++t) {
    const Tree& tree = p.trees[t];
    if (tree.kind == TreeKind::rigid_body) {
      p.inverse_inertia[t] = inverse(tree.inertia);
      continue;
    }
    largest = std::max(largest, tree.size);
    if (tree.brings_factor) continue;
    if (p.factor_begin[t] < 0) {
      p.factor_begin[t] = std::ssize(p.inverse_factors);
      p.inverse_factors.resize(p.inverse_factors.size() +
                               std::size_t(tree.size) * round_up_8(tree.size));
    }
    invert_factor(tree.size, p.matrices.data() + tree.matrix,
                  p.inverse_factors.data() + p.factor_begin[t]);
  }
  p.tree_scratch.resize(3 * static_cast<std::size_t>(round_up_8(largest)));
}

void estimate_delassus(ContactProblem& p) {
  ContactPool& c = p.contacts;
  for (auto* v :
       {&c.delassus, &c.normal_mobility, &c.tangential_mobility, &c.tangential_regularization}) {
    v->resize(c.size());
  }
  for (const Patch& patch : p.patches) {
    for (int i = patch.begin; i < patch.end; ++i) {
      Mat3 w{};
      add_delassus(p, side_a(p, patch, i), c.point[i], w, p.tree_scratch);
      add_delassus(p, side_b(p, patch, i), c.point[i], w, p.tree_scratch);
      const double size =
          std::sqrt(squared_norm(w.col[0]) + squared_norm(w.col[1]) + squared_norm(w.col[2])) / 3;
      // a point that no joint can move, like one on an axis, still has a finite R
      const double least = 1e-9 / p.trees[patch.tree_b].mass;
      c.delassus[i] = std::max(size, least);
      c.normal_mobility[i] = dot(c.normal[i], w * c.normal[i]);
      c.tangential_mobility[i] = (w(0, 0) + w(1, 1) + w(2, 2) - c.normal_mobility[i]) / 2;
      // per unit of weight: a patch must not stiffen with the number of its points
      c.tangential_regularization[i] = p.friction.sigma * c.delassus[i] / c.weight[i];
    }
  }
}

void regularize_normals(ContactProblem& p) {
  constexpr double pi = 3.14159265358979323846;
  const double rigid = p.friction.beta * p.friction.beta / (4 * pi * pi), h = p.time_step;
  // over all contacts: which of them sleep must not change the problem
  make_room(p.neighbourhoods.patches, p.patches.capacity());
  p.neighbourhoods.find(static_cast<int>(p.trees.size()), p.patches);
  const auto island_of = p.neighbourhoods.island_of_tree();
  std::vector<double>& heaviest = p.scratch;  // by neighbourhood
  make_room(heaviest, p.trees.size());
  assign(heaviest, p.neighbourhoods.size(), 0);
  for (std::size_t t = 0; t < p.trees.size(); ++t) {
    if (island_of[t] < 0) continue;
    double& most = heaviest[island_of[t]];
    most = std::max(most, p.trees[t].mass);
  }
  const auto load = [&](int t) {
    if (t == world_tree) return 0.0;
    return island_of[t] < 0 ? p.trees[t].mass : heaviest[island_of[t]];
  };
  ContactPool& c = p.contacts;
  c.normal_regularization.resize(c.size());
  for (const Patch& patch : p.patches) {
    const double mass = std::max(load(patch.tree_a), load(patch.tree_b));
    for (int i = patch.begin; i < patch.end; ++i) {
      const double compliance = 1 / (h * (h + c.relaxation_time[i]) * c.stiffness[i]);
      c.normal_regularization[i] =
          std::max(rigid * std::min(c.delassus[i], 1 / mass), compliance) / c.weight[i];
    }
  }
}

}  // namespace abut
