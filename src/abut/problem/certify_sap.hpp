#pragma once

// Contacts of SAP, which a certificate judges in blocks of patches, eight contacts at a time
// (certify_passes.cpp): with the same bits as certify_laws.hpp one by one, but for the last one of
// the stiffness.

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "abut/core/aligned_buffer.hpp"
#include "abut/core/grow.hpp"
#include "abut/problem/certify_kernels.hpp"
#include "abut/problem/certify_laws.hpp"
#include "abut/problem/patch.hpp"

namespace abut::judging {

/// side_velocity() for the kernel. Of what is no rigid body it is kept in `screw`.
inline SapSide sap_side(const ContactProblem& p, const Patch& patch, int tree, int body,
                        std::span<const double> v, Screw<double>& screw) {
  static constexpr double zeros[3] = {};
  if (tree == world_tree) return {zeros, zeros, zeros};
  const Tree& t = p.trees[tree];
  if (t.kind == TreeKind::rigid_body) {
    const double* u = v.data() + t.first_dof;
    return {&t.center.x, u, u + 3};
  }
  screw = side_velocity<double>(p, patch, tree, body, v);
  return {&screw.center.x, &screw.linear.x, &screw.angular.x};
}

/// Room of one worker for a block. No two workers write to one line.
struct alignas(64) SapBlock {
  /// Contacts that stay in the fastest cache; more only of a patch that has more.
  static constexpr int typical = 64;

  AlignedBuffer<double> work;
  std::vector<std::pair<Screw<double>, Screw<double>>>
      screws;  ///< of patches' sides, of mechanisms

  /// How many of the first patches, at least one, have at most `typical` contacts together. Their
  /// contacts follow each other.
  static std::size_t patches_at_once(std::span<const Patch> patches) {
    const int begin = patches.front().begin;
    std::size_t count = 1;
    while (count < patches.size() && patches[count].end - begin <= typical) ++count;
    return count;
  }

  /// For patches of at most so many contacts; those of a block may have one each.
  void make_room(int contacts) {
    work.reserve(sap_work(static_cast<std::size_t>(std::max(contacts, typical))));
    abut::make_room(screws, typical);
  }
};

}  // namespace abut::judging
